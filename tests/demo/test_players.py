"""What demo players do with their mails, beside playing: slips, reminders, questions, orders that got lost."""

from random import Random

import pytest

from pbm.demo import players
from pbm.demo.mailer import Writer
from pbm.demo.minds import MINDS
from pbm.demo.players import Habits, Plan, Player, _slip
from pbm.demo.sheet import Sheet
from pbm.mail.imap import ImapSettings, Mailbox
from pbm.mail.smtp import SmtpSettings, Transport
from tests.support.world import World

START = "game: money_grab\nid: g-1\nplayers:\n" + "".join(
    f"  - {{name: {name}, address: {name}@play.test}}\n" for name in ("alice", "bob")
)


@pytest.fixture
def alice() -> Player:
    """Never connected: she only thinks."""
    return Player(
        Writer("alice", "alice@play.test", "top"),
        MINDS["money_grab"]("alice", Random(1)),
        Habits(small=True),
        Mailbox(ImapSettings("127.0.0.1", 1, "none", "alice", "")),
        Transport(SmtpSettings("127.0.0.1", 1, "none")),
        Random(1),
    )


@pytest.fixture(autouse=True)
def careful(monkeypatch: pytest.MonkeyPatch) -> None:
    for whim in ("SLEEPS", "SECOND_THOUGHTS", "SLIPS"):
        monkeypatch.setattr(players, whim, 0.0)


def sheet(world: World, kind: str) -> Sheet:
    return Sheet.read(world.last("alice", kind).raw)


def test_a_round_mail_is_answered_after_a_while(world: World, alice: Player) -> None:
    world.game(START)
    [plan] = alice.react(sheet(world, "round"))
    assert plan.orders[0].startswith("take ")
    assert 5 * 60 <= plan.after <= 9 * 3600


def test_who_has_slept_may_be_woken_by_the_reminder(
    world: World, alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.game(START)
    monkeypatch.setattr(players, "SLEEPS", 1.0)
    assert alice.react(sheet(world, "round")) == []
    world.pass_time(22 * 3600)
    reminder = sheet(world, "reminder")
    plans = [plan for _ in range(20) for plan in alice.react(reminder)]
    assert [plan.why for plan in plans] == ["woken by the reminder"], "once is enough"


def test_a_slip_is_corrected_once_the_receipt_tells(
    world: World, alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.game(START)
    monkeypatch.setattr(players, "SLIPS", 1.0)
    [slip] = alice.react(sheet(world, "round"))
    assert slip.why == "mistypes"
    world.send("alice", "\n".join(slip.lines))
    world.settle()
    [again] = alice.react(sheet(world, "receipt"))
    world.send("alice", "\n".join(again.lines))
    world.settle()
    assert "Taken from your email" in sheet(world, "receipt").text
    assert alice.react(sheet(world, "receipt")) == []
    assert alice.lost == []


def test_an_order_that_the_receipt_passes_over_is_noticed(world: World, alice: Player) -> None:
    world.game(START)
    world.send("alice", "hello")
    world.settle()
    alice._typed_last = ("take 4", "SHOOT nobody")
    alice.react(sheet(world, "receipt"))
    assert alice.lost == ["take 4", "SHOOT nobody"]


def test_a_plan_for_a_phase_that_is_over_is_dropped(world: World, alice: Player) -> None:
    world.game(START)
    [plan] = alice.react(sheet(world, "round"))
    assert alice.current(plan)
    world.send("alice", "TAKE 0")
    world.send("bob", "TAKE 0")
    world.pass_time(10)
    [new] = alice.react(sheet(world, "round"))
    assert not alice.current(plan)
    assert alice.current(new)


def test_what_is_said_stands_below_the_orders(alice: Player) -> None:
    parent = Sheet("round", "", "", "", "", "", "", "", "", ())
    assert Plan(0, parent, ("HIT bob", "HIT carol", "", "SAY: hello")).orders == ("HIT bob", "HIT carol")
    assert Plan(0, parent, ("", "SAY: hello")).orders == ()


@pytest.mark.parametrize("seed", range(20))
def test_slips_swap_two_letters_or_ask_for_too_much(seed: int) -> None:
    names = {"Daphne", "Al", "The Second"}
    wrong = _slip("HIT Daphne", names, Random(seed))
    assert sorted(wrong) == sorted("HIT Daphne")
    assert wrong.startswith("HIT D")
    assert _slip("HIT Al", names, Random(seed)) == "HIT Al"
    assert _slip("TAKE 3", names, Random(seed)) == "TAKE 10"

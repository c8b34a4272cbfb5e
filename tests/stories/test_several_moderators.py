"""Several moderators: the first gets the mails, and where nobody has answered for 48 hours the next one is asked
(INTERFACE.md, `moderator`)."""

import pytest

from pbm.service import desk, mails
from pbm.store.db import transaction
from pbm.store.models import Mail, Question
from tests.support.world import BASE, HOST, Received, World

MODS = (f"first@{HOST}", f"second@{HOST}", f"third@{HOST}")
GRAB = f"""
game: money_grab
id: g1
moderator: [{", ".join(MODS)}]
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
timing: {{default: {{length: 24h, close: deadline}}}}
"""
HOUR, DAY = 3600, 86_400
PROVEN = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def held(world: World, **changes: str) -> None:
    """A game whose close waits for a moderator, and the first one knows."""
    world.game(GRAB.replace("timing", f"approve: {changes.get('approve', 'yes')}\ntiming"))
    for name in ("ann", "bob"):
        world.send(name, "TAKE 1")
    world.pass_time(DAY + 10)
    assert world.row("g1").status == "held"
    assert "a close waits for you" in world.last("first").subject
    assert not world.box("second")


def test_the_next_is_asked_after_48_hours_and_then_the_third(world: World) -> None:
    held(world)
    world.pass_time(48 * HOUR - 60)
    assert not world.box("second")
    world.pass_time(120)
    (asked,) = world.box("second")
    assert "a close waits for you" in asked.subject
    assert f"first@{HOST} was asked 2 days ago, and hasn't answered." in words(asked)
    assert {"PREVIEW", "APPROVE", "EXTEND 24h"} <= set(asked.offers)
    assert not world.box("third")
    world.pass_time(48 * HOUR)
    assert f"second@{HOST} was asked" in words(world.box("third")[0])
    # Behind the last there is nobody: it waits on, and nobody is asked twice.
    counts = [len(world.box(name)) for name in ("first", "second", "third")]
    world.pass_time(20 * DAY)
    assert [len(world.box(name)) for name in ("first", "second", "third")] == counts
    assert world.row("g1").status == "held"


def test_the_one_who_is_asked_next_can_do_all_of_it(world: World) -> None:
    held(world)
    world.pass_time(48 * HOUR + 60)
    world.send("second", "APPROVE")
    world.settle()
    assert world.row("g1").status == "open"
    assert "has closed" in words(world.last("second", "receipt"))
    world.pass_time(48 * HOUR)
    assert not world.box("third")


@pytest.mark.parametrize("text", ["I'll look at it tomorrow.", "PREVIEW"])
def test_any_mail_of_a_moderator_is_an_answer(world: World, text: str) -> None:
    held(world)
    world.pass_time(40 * HOUR)
    world.send("first", text)
    world.pass_time(9 * HOUR)
    assert not world.box("second")
    world.pass_time(9 * DAY)
    assert not world.box("second")


def test_a_mail_that_nothing_proves_to_be_theirs_is_none(world: World) -> None:
    held(world)
    world.send("first", "PREVIEW", to=BASE, subject="[g1] hm")
    world.pass_time(48 * HOUR + 60)
    assert world.box("second")


def test_the_second_moderators_mail_is_one_too(world: World) -> None:
    held(world)
    world.send("second", "STATUS", to=BASE, subject="[g1] how is it?", headers=PROVEN)
    world.pass_time(3 * DAY)
    assert {mail.kind for mail in world.box("second")} == {"receipt"}


def test_a_command_on_the_command_line_is_an_answer(world: World) -> None:
    held(world)
    with transaction():
        desk.announce(world.house, world.table("g1"), "Soon!", desk.By("command line", world.clock.now()), 0)
    world.pass_time(3 * DAY)
    assert not world.box("second")


def test_what_has_settled_itself_is_not_asked_again(world: World) -> None:
    held(world, approve="24h")
    world.pass_time(DAY + 60)
    assert world.row("g1").status == "open"
    world.pass_time(DAY)
    assert not [mail for mail in world.box("second") if "waits for you" in mail.subject]


def test_a_game_that_is_paused_under_silence_and_its_silent_players_are_one_question(world: World) -> None:
    """Ruling G7, and `misses: {ask: 2}`."""
    world.game(GRAB.replace("timing", "silence: 2\ntiming"))
    world.pass_time(2 * DAY + 60)
    assert world.row("g1").status == "paused"
    summary = world.last("first", "summary")
    assert "so the game is paused" in words(summary)
    assert "ann has missed 2 phases in a row" in words(summary)
    wanted = {"RESUME", "END", "EXTEND 24h", "REMOVE bob", "REPLACE ann WITH new@example.org"}
    assert wanted <= set(summary.offers)
    world.pass_time(2 * DAY)
    (asked,) = world.box("second")
    assert all(text in words(asked) for text in ("so the game is paused", "ann has missed 2", "bob has missed 2"))
    assert wanted <= set(asked.offers)
    world.send("second", "RESUME")
    world.settle()
    assert world.row("g1").status == "open"


def test_a_player_who_has_come_back_is_not_asked_about_again(world: World) -> None:
    world.game(GRAB)
    for _ in range(2):
        world.send("ann", "TAKE 1")
        world.pass_time(DAY)
        world.pass_time(60)
    assert "bob has missed 2 phases in a row" in words(world.last("first", "summary"))
    for _ in range(3):
        world.send("ann", "TAKE 1")
        world.send("bob", "TAKE 1")
        world.pass_time(DAY)
        world.pass_time(60)
    assert not world.box("second")


def test_a_mailbox_out_of_reach_goes_on_to_the_next(world: World) -> None:
    world.game(GRAB)
    world.refuse = lambda address: "5.1.1 no such user" if address == f"ann@{HOST}" else None
    with transaction():
        desk.announce(world.house, world.table("g1"), "Hello!", desk.By("mod", world.clock.now()), world.clock.now())
    world.settle()
    assert "REPLACE ann WITH new@example.org" in world.last("first", "trouble").offers
    world.pass_time(47 * HOUR)
    assert not world.box("second")
    world.pass_time(2 * HOUR)
    assert f"ann (ann@{HOST}) was refused" in words(world.last("second", "trouble"))
    world.reports.clear()


def test_a_mail_that_was_put_aside_is_asked_about_until_somebody_settles_it(world: World) -> None:
    world.game(GRAB)
    for settled in (False, True):
        number = world.send("ann", f"TAKE {int(settled)}")
        Mail.update(outcome="shunted", reason="it broke", game="g1").where(Mail.id == number).execute()
        with transaction():
            mails.shunted(world.house, Mail.get_by_id(number), world.clock.now())
        world.deliver()
        assert "a mail was put aside" in world.last("first", "trouble").subject
        if settled:
            Mail.update(outcome="dropped").where(Mail.id == number).execute()
        before = len([mail for mail in world.box("second") if "put aside" in mail.subject])
        world.pass_time(48 * HOUR + 60)
        after = len([mail for mail in world.box("second") if "put aside" in mail.subject])
        assert after - before == int(not settled)


def test_where_there_is_one_moderator_nothing_is_kept(world: World) -> None:
    world.game(GRAB.replace(f"[{', '.join(MODS)}]", MODS[0]).replace("timing", "approve: yes\ntiming"))
    world.pass_time(DAY + 10)
    assert world.row("g1").status == "held"
    assert not Question.select().exists()
    world.pass_time(3 * DAY)
    assert len([mail for mail in world.box("first") if "waits for you" in mail.subject]) == 1

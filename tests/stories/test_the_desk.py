"""The moderator's desk by mail, command by command: what each says and does in each state of a game, with old keys,
and from the wrong people (MAIL.md, the moderator's paragraph). More: tests/service/test_moderator.py."""

import email
import email.policy

import pytest

from pbm.store.models import Mail, Turn
from tests.support.world import BASE, HOST, Received, World

HOUR, DAY = 3600, 86_400
GRAB = f"""
game: money_grab
id: g1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
timing: {{default: {{length: 24h}}}}
"""
BULLET = """
game: buy_the_bullet
id: g1
timing: {default: {length: 24h, min: 0m}}
players:
""" + "".join(f"  - {{name: {name}, address: {name}@{HOST}}}\n" for name in ("ann", "bob", "cid", "dan"))
PROVEN = {"Authentication-Results": f"mx.{HOST}; dmarc=pass header.from={HOST}"}


def words(mail: Received) -> str:
    return " ".join(mail.text.split())


def say(world: World, text: str, *, answers: Received | None = None) -> Received:
    """The moderator writes, and reads the answer: to a mail of ours, or to the base address with a proof."""
    before = len(world.box("mod"))
    if answers is not None:
        world.send("mod", text, answers=answers)
    else:
        world.send("mod", text, to=BASE, subject="[g1] a word", headers=PROVEN)
    world.settle()
    answered = [mail for mail in world.box("mod")[before:] if mail.kind in ("receipt", "question")]
    assert len(answered) == 1, [mail.kind for mail in world.box("mod")[before:]]
    return answered[0]


def state(world: World) -> tuple[object, ...]:
    """All that a command could have changed."""
    row, turn = world.row("g1"), world.table("g1").turn
    of_turn = (turn.id, turn.deadline, turn.status, turn.state) if turn is not None else ()
    addresses = tuple(seat.address for seat in world.table("g1").seats)
    standing = world.table("g1").standing() if turn is not None else {}
    return row.status, row.hold, row.rest, of_turn, addresses, standing


def play(world: World) -> None:
    for name in ("ann", "bob"):
        world.send(name, "TAKE 1")
    world.pass_time(60)


ALL = (
    "EXTEND 24h",
    "CLOSE",
    "PAUSE",
    "RESUME",
    "REMOVE ann",
    "REPLACE ann WITH new@else.test",
    "ORDER ann: TAKE 1",
    "HOLD",
    "APPROVE",
    "UNDO",
    "END",
    "ANNOUNCE: Hello!",
    "PREVIEW",
    "ORDERS",
)
# What can't be done while a game is …, and a word of the reason.
REFUSALS = {
    "signup": dict.fromkeys(set(ALL) - {"END"}, "hasn't started"),
    "open": {"RESUME": "isn't paused", "APPROVE": "nothing of g1 waits", "UNDO": "no phase of g1 has closed yet"},
    "paused": {
        "PAUSE": "is paused already",
        "APPROVE": "nothing of g1 waits",
        "UNDO": "no phase of g1 has closed yet",
    },
    "held": {
        "CLOSE": "waits for (APPROVE)",
        "PAUSE": "waits for (APPROVE)",
        "RESUME": "isn't paused",
        "HOLD": "waits for you already",
        "UNDO": "no phase of g1 has closed yet",
    },
    "over": dict.fromkeys(set(ALL) - {"ANNOUNCE: Hello!", "UNDO"}, "g1 is over") | {"UNDO": "the last digest has left"},
}


def brought_to(world: World, status: str) -> None:
    world.game(GRAB, start=status != "signup")
    if status == "paused":
        say(world, "PAUSE")
    elif status == "held":
        say(world, "HOLD")
        world.pass_time(DAY + 10)
    elif status == "over":
        world.send("mod", "yes", answers=say(world, "END"))
        world.pass_time(10)
    assert world.row("g1").status == status


@pytest.mark.parametrize(("status", "line"), [(s, line) for s, found in REFUSALS.items() for line in sorted(found)])
def test_what_a_game_in_this_state_does_not_take_is_refused_with_the_reason(
    world: World, status: str, line: str
) -> None:
    brought_to(world, status)
    before = state(world)
    answer = say(world, line)
    assert "not taken" in words(answer)
    assert REFUSALS[status][line] in words(answer)
    assert state(world) == before


@pytest.mark.parametrize(
    ("status", "line"), [(s, line) for s in ("open", "paused", "held") for line in ALL if line not in REFUSALS[s]]
)
def test_everything_else_is_done_or_asked_back(world: World, status: str, line: str) -> None:
    brought_to(world, status)
    before = state(world)
    answer = say(world, line)
    assert "not taken" not in words(answer)
    if line.split()[0] in ("REMOVE", "REPLACE", "UNDO", "END"):
        assert answer.kind == "question"
        assert state(world) == before
        world.send("mod", "ok", answers=answer)
        world.settle()
        assert "not taken" not in words(world.last("mod", "receipt"))
        assert state(world) != before
    elif line.split()[0].rstrip(":") in ("ANNOUNCE", "PREVIEW", "ORDERS"):
        assert state(world) == before
    else:
        assert state(world) != before
        assert answer.kind == "receipt"


@pytest.mark.parametrize("line", ["EXTEND 24h", "CLOSE", "ORDER ann: TAKE 1", "HOLD", "APPROVE", "UNDO"])
def test_what_belongs_to_a_phase_is_refused_behind_it_with_a_link_for_the_open_one(world: World, line: str) -> None:
    world.game(GRAB)
    old = say(world, "STATUS")
    play(world)
    before = state(world)
    answer = say(world, line, answers=old)
    assert "Too late for Bout 1, set 1, round 1" in words(answer)
    assert "Bout 1, set 1, round 2 is open" in words(answer)
    assert line in answer.offers
    assert answer.reply_to != old.reply_to
    assert state(world) == before


@pytest.mark.parametrize("line", ["PAUSE", "REMOVE ann", "REPLACE ann WITH new@else.test", "ANNOUNCE: Hello!", "END"])
def test_what_belongs_to_no_phase_is_taken_from_an_older_mail(world: World, line: str) -> None:
    world.game(GRAB)
    old = say(world, "STATUS")
    play(world)
    assert "not taken" not in words(say(world, line, answers=old))


def test_undo_in_answer_to_a_summary_means_the_close_that_it_reports(world: World) -> None:
    world.game(GRAB)
    play(world)
    older = world.last("mod", "summary")
    play(world)
    newer = world.last("mod", "summary")
    assert "UNDO" in older.offers
    assert "Too late" in words(say(world, "UNDO", answers=older))
    question = say(world, "UNDO", answers=newer)
    assert "Bout 1, set 1, round 2 is open again" in words(question)
    world.send("mod", "yes", answers=question)
    world.settle()
    table = world.table("g1")
    assert table.turn is not None
    assert (table.turn.label, world.row("g1").status) == ("Bout 1, set 1, round 2", "paused")
    assert sorted(table.standing()) == ["ann", "bob"]
    # The players' keys of before live again, and so does the moderator's.
    number = world.send("ann", "TAKE 2", answers=next(m for m in reversed(world.box("ann")) if "round 2" in m.subject))
    world.settle()
    assert Mail.get_by_id(number).outcome == "accepted"
    assert "closes now" in words(say(world, "CLOSE"))
    world.pass_time(10)
    assert Turn.get_by_id(table.turn.id).status == "closed"


def test_a_confirmation_that_comes_when_another_phase_is_open_undoes_nothing(world: World) -> None:
    world.game(GRAB)
    play(world)
    question = say(world, "UNDO", answers=world.last("mod", "summary"))
    play(world)
    before = state(world)
    world.send("mod", "yes", answers=question)
    world.settle()
    assert "another phase has opened since you were asked" in words(world.last("mod", "receipt"))
    assert state(world) == before


def test_undo_names_what_is_withdrawn_with_it(world: World) -> None:
    """A pledge, made since the close that is taken back."""
    world.game(BULLET)
    for name, card in (("ann", "diamond"), ("bob", "heart"), ("cid", "heart"), ("dan", "none")):
        world.send(name, f"BID {card}")
    world.pass_time(60)
    world.send("ann", "SHOOT bob")
    world.pass_time(60)
    world.send("bob", "PLEDGE spade TO cid")
    world.pass_time(60)
    summary = world.last("mod", "summary")
    assert "shooting" in summary.subject
    question = say(world, "UNDO", answers=summary)
    assert "bob: (PLEDGE spade TO cid)" in words(question)
    world.send("mod", "yes", answers=question)
    world.settle()
    for name in ("archive", "cid"):
        assert "bob: (PLEDGE spade TO cid)" in words(world.last(name, "notice"))
    assert world.table("g1").view(None)["players"]["bob"]["status"] == "alive"


def test_a_receipt_answers_the_mail_and_goes_to_the_address_on_file(world: World) -> None:
    world.game(GRAB)
    answer = say(world, "EXTEND 2h\nHOLD\nGood morning, all!")
    mail = email.message_from_bytes(answer.raw, policy=email.policy.default)
    assert str(mail["In-Reply-To"]) == "<m1@mod.example>"
    assert str(mail["Auto-Submitted"]) == "auto-replied"
    assert answer.to == f"mod@{HOST}"
    text = words(answer)
    assert "is open until" in text
    assert "waits for your (APPROVE)" in text
    assert "One line was read as chat" in text


def test_the_good_lines_of_a_mail_count_and_the_bad_ones_are_told_first(world: World) -> None:
    world.game(GRAB)
    before = world.table("g1").turn
    assert before is not None
    answer = say(world, "RESUME\nEXTEND 24h\nREMOVE zed")
    assert answer.text.index("not taken") < answer.text.index("is open until")
    after = world.table("g1").turn
    assert after is not None
    assert after.deadline == before.deadline + DAY


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("EXTEN 24h", "did you mean (EXTEND 24h)?"),
        ("CLOSSE", "did you mean (CLOSE)?"),
        ("REMOVE an", "near"),
        ("REPLACE ann", "write it as (REPLACE ann WITH new@example.org)"),
        ("REPLACE ann WITH nobody", "is no e-mail address"),
        ("ORDER ann TAKE 1", "write it as (ORDER ann:"),
        ("RESUME 25:99", "RESUME"),
        ("ANNOUNCE:", "there is no text behind (ANNOUNCE)"),
    ],
)
def test_what_cannot_be_read_is_refused_with_an_example(world: World, line: str, answer: str) -> None:
    world.game(GRAB)
    before = state(world)
    told = words(say(world, line))
    assert "not taken" in told
    assert answer in told
    assert state(world) == before


@pytest.mark.parametrize("line", ["Close the door, please", "I'd extend it", "End of story", "TAKE 2", "Pause for tea"])
def test_chat_of_a_moderator_does_nothing(world: World, line: str) -> None:
    world.game(GRAB)
    before = state(world)
    assert "Nothing has changed" in words(say(world, line))
    assert state(world) == before


@pytest.mark.parametrize("line", ["CLOSE", "EXTEND 24h", "REMOVE bob", "END", "ORDER bob: TAKE 4", "ANNOUNCE: Hello"])
def test_a_player_is_no_moderator(world: World, line: str) -> None:
    world.game(GRAB)
    before = state(world)
    world.send("ann", line)
    world.settle()
    assert state(world) == before
    assert not world.box("mod")
    assert world.last("bob").kind == "round"


def test_a_stranger_is_none_either(world: World) -> None:
    """A stranger who writes with the game's name gets the one short answer, and nothing else."""
    world.game(GRAB)
    before = state(world)
    world.send("eve", "CLOSE", to=BASE, subject="[g1] urgent", headers=PROVEN)
    world.settle()
    assert state(world) == before
    assert {mail.kind for mail in world.box("eve")} == {"stranger"}


def test_remind_writes_to_a_player_who_is_waited_for_and_to_no_other(world: World) -> None:
    """One of the answers that a moderator may tap where a player keeps silent."""
    brought_to(world, "open")
    answer = say(world, "REMIND ann")
    assert "A reminder goes to ann" in words(answer)
    assert [m.kind for m in world.box("ann")][-1] == "reminder"
    assert "reminder" not in [m.kind for m in world.box("bob")]
    world.send("ann", "TAKE 1")
    world.settle()
    assert "isn't waited for" in words(say(world, "REMIND ann"))
    assert "isn't waited for" in words(say(world, "REMIND bob\nREMIND ann"))
    assert [m.kind for m in world.box("bob")][-1] == "reminder"


@pytest.mark.parametrize(
    ("status", "reason"), [("signup", "hasn't started"), ("held", "isn't waited for"), ("over", "over")]
)
def test_remind_has_its_refusals(world: World, status: str, reason: str) -> None:
    brought_to(world, status)
    assert reason in words(say(world, "REMIND ann"))

"""The moderator's commands in each state of a game: what can't be done is status 1, says why, and changes nothing; the
same as by mail (tests/stories/test_the_desk.py)."""

import pytest

from pbm.clock import SystemClock
from pbm.store.models import Game, Log, Outbox, Question, Seat
from tests.support.commands import Pbm
from tests.support.world import BASE, World

DAY = 86_400
ALL = (
    "extend g1 24h",
    "close g1",
    "pause g1",
    "resume g1",
    "remove g1 ann --yes",
    "replace g1 ann new@else.test --yes",
    "order g1 ann TAKE_1",
    "hold g1",
    "approve g1",
    "undo g1 --yes",
    "end g1 --yes",
    "announce g1 Hello",
    "preview g1",
)
REFUSALS = {
    "signup": dict.fromkeys(set(ALL) - {"end g1 --yes"}, "hasn't started"),
    "open": {
        "resume g1": "isn't paused",
        "approve g1": "nothing of g1 waits",
        "undo g1 --yes": "no phase of g1 has closed yet",
        "start g1": "has started already",
    },
    "paused": {"pause g1": "is paused already", "approve g1": "nothing of g1 waits"},
    "held": {
        "close g1": "waits for (APPROVE)",
        "pause g1": "waits for (APPROVE)",
        "resume g1": "isn't paused",
        "hold g1": "waits for you already",
    },
    "over": dict.fromkeys(set(ALL) - {"announce g1 Hello", "undo g1 --yes"}, "g1 is over")
    | {"undo g1 --yes": "the last digest has left", "start g1": "has started already"},
}


def brought_to(pbm: Pbm, world: World, status: str) -> None:
    pbm("game", "new", "g1.yaml", *([] if status == "signup" else ["--start"]))
    for command in {"paused": ["pause"], "held": ["hold", "close"], "over": ["end"]}.get(status, []):
        assert pbm("game", command, "g1", *(["--yes"] if command == "end" else [])).status == 0
    world.clock.move_to(SystemClock().now())
    world.pass_time(10)
    assert world.row("g1").status == status


@pytest.mark.parametrize(("status", "line"), [(s, line) for s, found in REFUSALS.items() for line in sorted(found)])
def test_what_a_game_in_this_state_does_not_take(pbm: Pbm, world: World, status: str, line: str) -> None:
    brought_to(pbm, world, status)
    before = (dict(Game.get().__data__), Outbox.select().count(), Log.select().count())
    found = pbm("game", *(word.replace("_", " ") for word in line.split()))
    assert (found.status, found.out) == (1, "")
    assert REFUSALS[status][line] in found.err
    assert (dict(Game.get().__data__), Outbox.select().count(), Log.select().count()) == before


def test_a_start_asks_who_signed_up_long_ago_and_the_second_word_starts(pbm: Pbm, world: World) -> None:
    (world.folder / "open.yaml").write_text("game: money_grab\nid: open-1\nseats: 2\nstart: moderator\n")
    assert pbm("game", "new", "open.yaml").status == 0
    assert "needs 2" in pbm("game", "start", "open-1").err
    world.clock.move_to(SystemClock().now() - 5 * DAY)
    for name in ("ann", "bob"):
        world.send(name, f"JOIN open-1 AS {name}", to=BASE)
        world.settle()
        world.send(name, "yes", answers=world.last(name, "question"))
        world.settle()
    assert Seat.select().count() == 2
    found = pbm("game", "start", "open-1")
    assert (found.status, "ann@play.test, bob@play.test" in found.out) == (0, True)
    assert pbm("game", "show", "open-1", "--json").json["status"] == "signup"
    assert Question.select().where(Question.kind == "still").count() == 2
    assert pbm("game", "start", "open-1").status == 0
    assert pbm("game", "show", "open-1", "--json").json["status"] == "open"

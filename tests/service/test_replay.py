"""`game replay`: the stored actions played again, and what is stored otherwise found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.service.replay import replay
from pbm.service.rounds import NotNow
from pbm.store.models import Action, Game, Standing, Turn
from tests.support.world import HOST, World

HOUR = 3600
FILE = f"""
game: dont_get_greedy
id: d1
players:
  - {{name: ann, address: ann@{HOST}}}
  - {{name: bob, address: bob@{HOST}}}
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.game(FILE)
    for lines in (("TAKE 1", "TAKE 2"), ("TAKE 2", "TAKE 1")):
        made.send("ann", lines[0])
        made.send("bob", lines[1])
        made.pass_time(60)
    yield made
    made.close()


def faults(world: World) -> list[str]:
    return [fault for played in replay(world.table("d1")) for fault in played.faults]


def test_an_untouched_game_has_no_difference(world: World) -> None:
    assert [(p.turn, p.kind) for p in replay(world.table("d1"))] == [(0, "start"), (1, "close"), (2, "close")]
    assert faults(world) == []


def test_a_changed_state_is_found_at_its_turn(world: World) -> None:
    row = Action.get(Action.kind == "close")
    row.after = {**row.after, "pot": 999}
    row.save()
    played = replay(world.table("d1"))
    assert played[1].faults == ("the state is stored otherwise: pot",)


def test_changed_events_are_found(world: World) -> None:
    row = Action.get(Action.kind == "close")
    row.events = row.events[:-1]
    row.save()
    assert replay(world.table("d1"))[1].faults == ("the events are stored otherwise",)


def test_an_order_changed_afterwards_is_found(world: World) -> None:
    row = Standing.get((Standing.seat == "ann") & (Standing.turn == Turn.get(Turn.n == 1).id))
    row.orders = [{**row.orders[0], "line": "TAKE 5", "args": {"n": 5}}]
    row.save()
    assert replay(world.table("d1"))[1].faults == ("other orders stood: ann",)


def test_another_key_or_another_end_is_found(world: World) -> None:
    Game.update(status="over", winners=["bob"]).where(Game.id == "d1").execute()
    assert faults(world) == ["the game is over"]


def test_an_open_phase_with_another_state_is_found(world: World) -> None:
    turn = world.table("d1").turn
    assert turn is not None
    turn.state = {**turn.state, "pot": 1}
    turn.save()
    assert faults(world) == ["the open phase has another state"]


def test_a_game_that_has_not_started_is_refused(tmp_path: Path, world: World) -> None:
    world.game(FILE.replace("d1", "d2"), start=False)
    with pytest.raises(NotNow, match="hasn't started"):
        replay(world.table("d2"))

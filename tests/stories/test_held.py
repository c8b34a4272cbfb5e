"""Phases that wait for the moderator: nothing is done, and nobody is woken, until there is something to do."""

import pytest

from pbm.service import desk, seats, timer
from pbm.store.db import transaction
from tests.support.world import World

GRAB = """
game: money_grab
id: grab-1
approve: {approve}
players:
  - {{name: alice, address: alice@play.test}}
  - {{name: bob, address: bob@play.test}}
timing: {{default: {{length: 24h}}}}
"""
DAY = 86_400


def _by(world: World) -> desk.By:
    return desk.By("mod", world.clock.now())


@pytest.mark.parametrize("approve", ["yes", "no", "12h"])
def test_a_phase_that_waits_for_the_moderator_wakes_nobody(world: World, approve: str) -> None:
    """Else the service would look again and again, and `serve --once` would never end."""
    world.game(GRAB.format(approve=approve))
    with transaction():
        desk.hold(world.house, world.table("grab-1"), _by(world), world.clock.now())
    world.pass_time(DAY + 60)
    assert world.row("grab-1").status == "held"
    assert timer.next_wake() is None
    world.pass_time(2 * DAY)
    assert world.row("grab-1").status == "held"
    with transaction():
        desk.approve(world.house, world.table("grab-1"), _by(world), world.clock.now())
    assert world.row("grab-1").status == "open"


def test_results_go_out_by_themselves_after_the_time_that_was_named(world: World) -> None:
    world.game(GRAB.format(approve="12h"))
    world.pass_time(DAY + 60)
    assert world.row("grab-1").status == "held"
    world.pass_time(12 * 3600)
    assert world.row("grab-1").status == "open"
    assert world.table("grab-1").turn is not None


def test_every_result_waits_where_the_moderator_wants_it(world: World) -> None:
    world.game(GRAB.format(approve="yes"))
    world.pass_time(DAY + 60)
    assert world.row("grab-1").status == "held"
    assert timer.next_wake() is None


POINT_THIEF = """
game: point_thief
id: pt-1
approve: {approve}
players:
  - {{name: alice, address: alice@play.test}}
  - {{name: bob, address: bob@play.test}}
  - {{name: carol, address: carol@play.test}}
  - {{name: dave, address: dave@play.test}}
timing: {{default: {{length: 24h}}}}
"""


def _remove_whose_turn_it_is(world: World) -> None:
    table = world.table("pt-1")
    with transaction():
        seats.remove(world.house, table, table.open_phase.must[0], _by(world), world.clock.now())


def test_a_removal_that_moves_a_held_game_on_opens_the_next_phase(world: World) -> None:
    """Else nothing would ever close again, and the service would look at it every second."""
    world.game(POINT_THIEF.format(approve="yes"))
    world.pass_time(DAY + 60)
    assert world.row("pt-1").status == "held"
    _remove_whose_turn_it_is(world)
    assert world.row("pt-1").status == "open"
    wake = timer.next_wake()
    assert wake is not None
    assert wake > world.clock.now()
    world.pass_time(DAY + 60)
    assert world.row("pt-1").status == "held"
    with transaction():
        desk.approve(world.house, world.table("pt-1"), _by(world), world.clock.now())
    assert world.row("pt-1").status == "open"


def test_a_removal_that_moves_a_paused_game_on_leaves_the_next_phase_its_whole_time(world: World) -> None:
    world.game(POINT_THIEF.format(approve="no"))
    world.pass_time(DAY - 600)
    with transaction():
        desk.pause(world.house, world.table("pt-1"), _by(world), world.clock.now())
    _remove_whose_turn_it_is(world)
    row = world.row("pt-1")
    assert (row.status, row.rest) == ("paused", DAY)

"""Ruling G7 for every registered rule set: after so many silent phases in a row the service pauses and asks.

On paper, play goes on. Run in the service itself, in memory and under a virtual clock.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm import paper
from pbm.core import registry
from pbm.store.models import Turn
from tests.support.world import World

NAMES = ("alice", "bob", "carol", "dan", "eve", "fay")

every_game = pytest.mark.parametrize("key", registry.keys())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()
    assert made.reports == []


def players(key: str) -> list[str]:
    return list(NAMES[: registry.get(key).facts.seats[1]])


@every_game
def test_G7_a_silent_game_is_paused_and_the_moderator_asked(key: str, world: World) -> None:
    seats = "\n".join(f"  - {{name: {name}, address: {name}@play.test}}" for name in players(key))
    world.game(f"game: {key}\nid: quiet-1\nsilence: 2\nplayers:\n{seats}\n")
    first = world.table("quiet-1").open_phase
    for _ in range(20):
        if world.row("quiet-1").status != "open":
            break
        world.pass_time(86_400)
    assert world.row("quiet-1").status == "paused"
    assert Turn.select().where(Turn.status == "closed").count() == 2
    assert world.table("quiet-1").open_phase != first
    assert "nobody sent a valid order" in " ".join(world.box("mod")[-1].text.split()).lower()
    mails = len(world.box("alice"))
    world.pass_time(30 * 86_400)
    assert world.row("quiet-1").status == "paused"
    assert len(world.box("alice")) == mails


@every_game
def test_G7_silence_is_an_option_of_every_game(key: str, world: World) -> None:
    """It may stand under `options` like the rulings' other options; on paper it is taken, and changes nothing."""
    seats = "\n".join(f"  - {{name: {name}, address: {name}@play.test}}" for name in players(key))
    world.game(f"game: {key}\nid: quiet-1\noptions: {{silence: 1}}\nplayers:\n{seats}\n")
    for _ in range(20):
        if world.row("quiet-1").status != "open":
            break
        world.pass_time(86_400)
    assert world.row("quiet-1").status == "paused"
    assert Turn.select().where(Turn.status == "closed").count() == 1
    scenario = {"game": key, "seed": "00" * 32, "players": players(key), "steps": [{"orders": {}}] * 3}
    assert paper.adjudicate({**scenario, "options": {"silence": 1}}) == paper.adjudicate(scenario)


@pytest.mark.parametrize("value", [0, -1, "3", None, True, 2.5])
def test_G7_silence_is_a_whole_number_of_phases(value: object) -> None:
    scenario = {"game": "money_grab", "seed": "00" * 32, "players": players("money_grab"), "steps": []}
    with pytest.raises(paper.ScenarioFault, match=r"options\.silence"):
        paper.adjudicate({**scenario, "options": {"silence": value}})


@pytest.mark.parametrize("key", ["point_thief", "dont_get_greedy", "money_grab"])
def test_G7_on_paper_a_silent_game_goes_on(key: str) -> None:
    """In the other two, silence ends the game by its own rules (T12 and T13, B4) before that."""
    out = paper.adjudicate({"game": key, "seed": "00" * 32, "players": players(key), "steps": [{"orders": {}}] * 12})
    assert not out["over"]
    assert out["steps"][-1]["next"]["waiting_for"]

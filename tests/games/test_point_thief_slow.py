"""Point Thief against a second adjudicator, written apart: exhaustive small rounds, and random whole games."""

import random
from itertools import product
from typing import Any

import pytest

from pbm import paper
from pbm.games._point_thief_points import CHARACTERS, Turn, score
from tests.support import point_thief_slow as slow

FIELDS = {
    "claim": ("player", "claim", "missed"),
    "reveal": ("picks", "gained", "lost"),
    "missed": ("player",),
    "removed": ("player",),
    "game_over": ("winners",),
}
NOISE = ("PASS", "PICK", "PICK thief", "CLAIM mafia police", "PICK mafia CLAIM nobody", "HIT bob", "please", "")


def narrowed(out: dict[str, Any]) -> dict[str, Any]:
    """An output of `pbm.paper` without what SCENARIOS.md doesn't name, and without the words of refusals."""
    for step in out["steps"]:
        for refusal in step["refused"]:
            assert refusal.pop("reason")
        step["events"] = [{k: e[k] for k in ("type", "to", *FIELDS[e["type"]])} for e in step["events"]]
        public = step["public"]
        step["public"] = {k: public[k] for k in ("order", "round", "points", "beggar_points", "claims")}
    return out


def random_lines(chance: random.Random) -> list[str]:
    """A mail: mostly whole, sometimes half, late changes of mind, and lines that are no orders."""
    lines = []
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        pick, claim = chance.choice(CHARACTERS), chance.choice(CHARACTERS)
        whole = f"PICK {pick} CLAIM {claim}"
        lines.append(chance.choice((whole, whole, whole.lower(), f"PICK {pick}", f"CLAIM  {claim}")))
    if chance.random() < 0.1:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(NOISE))
    return lines


def random_game(chance: random.Random) -> dict[str, Any]:
    """A whole scenario, played by the slow adjudicator as it is made, so that it ends where the game does."""
    names = [f"p{n}" for n in range(chance.choice((3, 3, 4, 4, 5, 6, 9)))]
    chance.shuffle(names)
    options: dict[str, Any] = {}
    if chance.random() < 0.5:
        options["rounds"] = chance.randrange(1, len(names) + 4)
    if chance.random() < 0.5:
        options["lie_rounding"] = "remainder"
    steps: list[dict[str, Any]] = []
    scenario = {
        "game": "point_thief",
        "seed": chance.randbytes(32).hex(),
        "options": options,
        "players": names,
        "steps": steps,
    }
    game = slow.Slow(scenario)
    removals = chance.choice((0.0, 0.05, 0.3))
    talkative = chance.choice((0.3, 0.7, 1.0))
    most = chance.choice((1000, 1000, 5))  # some are cut off under way
    while not game.over and len(steps) < most:
        here = [name for name in names if name not in game.gone]
        step: dict[str, Any]
        if chance.random() < removals:
            acting = game.now()
            step = {"remove": acting if acting and chance.random() < 0.4 else chance.choice(here)}
        else:
            step = {"orders": {name: random_lines(chance) for name in names if chance.random() < talkative}}
        steps.append(step)
        game.step(step)
    return scenario


def compare(seeds: range) -> int:
    """Play the games of these seeds both ways; gives the number that went into a tiebreak."""
    tiebreaks = 0
    for seed in seeds:
        scenario = random_game(random.Random(seed))
        out = narrowed(paper.adjudicate(scenario))
        assert out == slow.adjudicate(scenario), f"seed {seed}"
        rounds = scenario["options"].get("rounds", len(scenario["players"]))
        tiebreaks += out["steps"][-1]["public"]["round"] > rounds if out["steps"] else 0
    return tiebreaks


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("remainder", [False, True])
def test_P6_P7_points_agree_with_the_slow_adjudicator_on_all_small_rounds(players: int, remainder: bool) -> None:
    names = [f"p{n}" for n in range(players)]
    for picks in product(CHARACTERS, repeat=players):
        worth = slow.payoff(dict(zip(names, picks, strict=True)))
        for points in (-2, 0, 1, 2, 7):
            turns = [Turn(name, pick, "mafia") for name, pick in zip(names, picks, strict=True)]
            result = score(turns, dict.fromkeys(names, points), (), remainder=remainder)
            for name, pick in zip(names, picks, strict=True):
                lied_for_nothing = pick != "mafia" and not worth[name]
                after = slow.after_lie(points, remainder) if lied_for_nothing else points + worth[name]
                assert points + result.gained.get(name, 0) - result.lost.get(name, 0) == after


def test_P1_P2_P3_P4_P5_P8_P9_random_games_agree_with_the_slow_adjudicator() -> None:
    assert compare(range(200)) >= 5


@pytest.mark.slow
def test_P1_P2_P3_P4_P5_P8_P9_ten_thousand_games_agree_with_the_slow_adjudicator() -> None:
    assert compare(range(200, 10_200)) >= 200

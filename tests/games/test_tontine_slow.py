"""Tontine against a second adjudicator, written apart: exhaustive small rounds, and random whole games."""

import json
import random
from itertools import product
from typing import Any

import pytest

from pbm import paper
from tests.support import tontine_slow as slow

FIELDS = {
    "hit": ("assassin", "owner", "target", "damage", "stopped"),
    "protection": ("assassin", "owner", "target"),
    "death": ("player",),
    "dividend": ("each",),
    "jailed": ("player",),
    "roulette": ("owner",),
    "new_tokens": (),
    "bribe_told": ("assassin", "by", "target"),
    "bribe_refused": ("assassin", "target"),
    "jury_vote": ("votes",),
    "missed": ("player",),
    "removed": ("player",),
    "game_over": ("winners",),
}
ASSASSINS = ("Xena", "Old Nick", "Golgo 13", "Mata", "jo", "Ze", "Doctor No", "Vex", "Ur")
NOISE = ("", "PASS now", "HIT", "HIT xena", "BRIBE bo", "VOTE", "protect zed", "hello", "SECRET BRIBE HIT bo")
SEED = "00112233445566778899aabbccddeeff" * 2


def narrowed(out: dict[str, Any]) -> dict[str, Any]:
    """An output without what SCENARIOS.md doesn't name, without the words of refusals, and with sorted events."""
    for step in out["steps"]:
        for refusal in step["refused"]:
            assert refusal.pop("reason", "slow")
        step["events"] = sorted(
            ({k: e[k] for k in ("type", "to", *FIELDS[e["type"]])} for e in step["events"]), key=json.dumps
        )
        step["public"] = {k: step["public"][k] for k in ("players", "deaths_rounds")}
        for name, private in step["private"].items():
            step["private"][name] = {k: private[k] for k in ("tokens", "blackmail_used", "misses")}
    return out


def agree(scenario: dict[str, Any], note: object) -> dict[str, Any]:
    out = narrowed(paper.adjudicate(scenario))
    assert out == narrowed(slow.adjudicate(scenario)), note
    return out


def a_line(chance: random.Random, game: slow.Slow, victim: str, purse: int) -> tuple[str, int]:
    """An order that costs at most `purse`, and what it costs; mostly against one victim, so that people die."""
    hired = [name for name in game.names if game.armed[name] or chance.random() < 0.05]
    hired += [game.assassin[name] for name in hired]
    target = victim if chance.random() < 0.7 else chance.choice(game.names)
    kinds = [("HIT", 1), ("PROTECT", 2), ("BRIBE", 3), ("SECRET BRIBE", 5)]
    verb, price = chance.choice([kind for kind in kinds if kind[1] <= max(1, purse)])
    if chance.random() < 0.1:
        verb = verb.lower()
    if price < 3:
        return f"{verb} {target}", price
    return f"{verb} {chance.choice(hired or game.names)} HIT {target}", price


def a_mail(chance: random.Random, game: slow.Slow, name: str, victim: str, nerve: float) -> list[str]:
    """Lines of one player: what the purse allows, more than that with `nerve`, now and then a blackmail or nonsense."""
    if game.phase == "jury":
        return chance.sample([f"VOTE {n}" for n in game.names] + ["PASS", f"vote {victim}", "HIT  al"], 3)
    if chance.random() < 0.15:
        lines = ["BLACKMAIL"] * chance.choice((1, 1, 1, 2))
    elif chance.random() < 0.2:
        lines = ["PASS"]
    else:
        lines, purse = [], game.tokens[name] + (chance.choice((1, 2, 3, 6)) if chance.random() < nerve else 0)
        while purse > 0 or not lines:
            line, price = a_line(chance, game, victim, purse)
            lines.append(line)
            purse -= price if chance.random() < 0.9 else 99
    if chance.random() < 0.08:
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(NOISE))
    if chance.random() < 0.05:
        lines.append(chance.choice(("BLACKMAIL", "PASS", f"VOTE {victim}")))
    return lines


def random_game(chance: random.Random) -> dict[str, Any]:
    """A whole scenario, played by the slow adjudicator as it is made, so that it ends where the game does."""
    names = chance.sample(["al", "bo", "cy", "di", "ed", "fay", "gus", "hal", "jo"], chance.choice((3, 3, 4, 5, 6, 8)))
    options: dict[str, Any] = {"assassins": chance.sample(ASSASSINS, len(names))}
    if chance.random() < 0.4:
        options["dividends"] = chance.choice(([5], [1, 1, 2], [6, 8], [9, 2, 3], [0, 4]))
    if chance.random() < 0.4:
        options["roulette"] = chance.choice(("player", "assassin"))
    if chance.random() < 0.4:
        options["idle_limit"] = chance.choice((1, 2, 3, 4))
    steps: list[dict[str, Any]] = []
    scenario = {
        "game": "tontine",
        "seed": chance.randbytes(32).hex(),
        "options": options,
        "players": names,
        "steps": steps,
    }
    game = slow.Slow(scenario)
    removals = chance.choice((0.0, 0.0, 0.05, 0.2))
    talkative = chance.choice((0.3, 0.8, 0.95, 1.0))
    nerve = chance.choice((0.0, 0.05, 0.3, 1.0))
    idle = chance.choice((0.0, 0.0, 0.0, 0.9))
    while not game.over and len(steps) < 60:
        step: dict[str, Any]
        victim = chance.choice(game.having("alive"))
        if chance.random() < removals:
            step = {"remove": chance.choice([n for n in names if game.status[n] != "removed"])}
        elif chance.random() < idle:
            step = {"orders": {name: ["PASS"] for name in game.having("alive")}}
        else:
            step = {"orders": {}}
            for name in names:
                if chance.random() < talkative and (game.status[name] in ("alive", "jailed") or chance.random() < 0.1):
                    step["orders"][name] = a_mail(chance, game, name, victim, nerve)
        steps.append(step)
        game.step(step)
    return scenario


def compare(seeds: range) -> dict[str, int]:
    """Play the games of these seeds both ways; gives how often each event came up."""
    seen: dict[str, int] = dict.fromkeys(FIELDS, 0)
    for seed in seeds:
        scenario = random_game(random.Random(seed))
        for step in agree(scenario, f"seed {seed}")["steps"]:
            for event in step["events"]:
                seen[event["type"]] += 1
    return seen


def test_T1_to_T18_random_games_agree_with_the_slow_adjudicator() -> None:
    seen = compare(range(300))
    assert min(seen.values()) >= 5, seen


@pytest.mark.slow
def test_T1_to_T18_ten_thousand_games_agree_with_the_slow_adjudicator() -> None:
    seen = compare(range(300, 10_300))
    assert min(seen.values()) >= 250, seen


MENU = ("HIT al", "HIT bo", "HIT cy", "PROTECT al", "PROTECT bo", "BRIBE Mata HIT al", "SECRET BRIBE al HIT bo")


@pytest.mark.parametrize(
    "first", [pytest.param(line, marks=[] if line in ("HIT cy", "PROTECT al") else [pytest.mark.slow]) for line in MENU]
)
def test_T4_T6_T7_T9_all_small_rounds_agree_with_the_slow_adjudicator(first: str) -> None:
    """Every pair of orders of al with every pair of bo, while cy, whose life is down to 1, sends nothing for the second
    time: payments in both waves, lapses, jail, and what a later miss pays."""
    for second, *theirs in product(MENU, repeat=3):
        scenario = {
            "game": "tontine",
            "seed": SEED,
            "options": {"assassins": ["Xena", "Mata", "Ze", "Ur"], "dividends": [3, 4]},
            "players": ["al", "bo", "cy", "dy"],
            "steps": [
                {"orders": {"al": ["HIT dy"], "bo": ["HIT dy"], "cy": ["HIT dy"]}},
                {"orders": {"al": ["HIT cy"], "bo": ["HIT cy"]}},
                {"orders": {"al": [first, second], "bo": theirs}},
            ],
        }
        agree(scenario, (first, second, theirs))

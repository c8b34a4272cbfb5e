"""Coin games on paper, in short: rounds as pairs of takes, None for a miss."""

from collections.abc import Sequence
from typing import Any

from pbm import paper

SEED = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
ALICE, BOB = "alice", "bob"
Take = int | str | list[str] | None


def lines(take: Take) -> list[str]:
    if take is None:
        return []
    return take if isinstance(take, list) else [f"TAKE {take}"]


def played(game: str, *rounds: tuple[Take, Take] | str, **options: int) -> dict[str, Any]:
    """The output for alice and bob. A round is a pair of takes (lists are lines as they are), or a name: a removal."""
    steps: list[dict[str, Any]] = [
        {"remove": each} if isinstance(each, str) else {"orders": {ALICE: lines(each[0]), BOB: lines(each[1])}}
        for each in rounds
    ]
    return paper.adjudicate({"game": game, "seed": SEED, "options": options, "players": [ALICE, BOB], "steps": steps})


def last(out: dict[str, Any]) -> dict[str, Any]:
    step: dict[str, Any] = out["steps"][-1]
    return step


def event(step: dict[str, Any], kind: str) -> dict[str, Any]:
    """The step's one event of this type."""
    (found,) = events(step, kind)
    return found


def events(step: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [found for found in step["events"] if found["type"] == kind]


def both(alice: int, bob: int) -> dict[str, int]:
    return {ALICE: alice, BOB: bob}


def repeat(pair: tuple[Take, Take], times: int) -> Sequence[tuple[Take, Take]]:
    return [pair] * times

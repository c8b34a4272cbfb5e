"""The coin games against a second adjudicator, written apart: exhaustive short plays, and random whole games."""

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from pbm import paper
from tests.support import coins_slow as slow

SEATS = ("alice", "bob")
SEED = "5a" * 32


def scenario(key: str, takes: Sequence[slow.Pair], options: dict[str, int], seed: str = SEED) -> dict[str, Any]:
    steps = [{"orders": {s: [f"TAKE {n}"] for s, n in zip(SEATS, pair, strict=True)}} for pair in takes]
    return {"game": key, "seed": seed, "options": options, "players": list(SEATS), "steps": steps}


def by_seat(values: Sequence[int]) -> dict[str, int]:
    return dict(zip(SEATS, values, strict=True))


def events(step: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [event for event in step["events"] if event["type"] == kind]


def same_greedy(takes: Sequence[slow.Pair], **options: int) -> None:
    rows = slow.greedy(takes, **options)
    played = paper.adjudicate(scenario("dont_get_greedy", takes[: len(rows)], options))
    for pair, row, step in zip(takes, rows, played["steps"], strict=False):
        public = step["public"]
        assert step["round"] == row["played"]
        for key in ("coins", "streaks", "received"):
            assert public[key] == by_seat(row[key]), key
        assert (public["pot"], public["game"]) == (row["pot"], row["game"])
        assert len(events(step, "replay")) == row["replay"]
        (told,) = events(step, "takes")
        assert told["takes"] == by_seat(pair)
        assert {s: n for s, n in told["penalties"].items() if n} == {s: n for s, n in by_seat(row["lost"]).items() if n}
        if row["winner"] is None:
            assert step["next"] == {"phase": "round", "round": row["round"], "waiting_for": list(SEATS)}
        else:
            assert step["next"] is None
            assert played["winners"] == [SEATS[row["winner"]]]
            assert public["round"] == row["played"]
    assert played["over"] == (rows[-1]["winner"] is not None)


def same_grab(takes: Sequence[slow.Pair], seed: str = SEED) -> None:
    rows = slow.grab(takes)
    played = paper.adjudicate(scenario("money_grab", takes[: len(rows)], {}, seed))
    for pair, row, step in zip(takes, rows, played["steps"], strict=False):
        public = step["public"]
        for key in ("coins", "streaks", "penalties", "wins"):
            assert public[key] == by_seat(row[key]), key
        for key in ("pot", "bout", "set", "round"):
            assert public[key] == row[key], key
        assert public["limits"] == slow.limit_cards(bytes.fromhex(seed), row["bout"], row["set"])
        (told,) = events(step, "takes")
        assert told["takes"] == by_seat(pair)
        assert {s: n for s, n in told["penalties"].items() if n} == {s: n for s, n in by_seat(row["lost"]).items() if n}
        assert [tax["coins"] for tax in events(step, "tax")] == ([] if row["taxed"] is None else [row["taxed"]])
        ends = [end["winner"] for end in events(step, "bout_end")]
        assert ends == ([] if row["bout_end"] is None else [SEATS[row["bout_end"]]])
        assert (step["next"] is None) == (row["winner"] is not None)
        if row["winner"] is not None:
            assert played["winners"] == [SEATS[row["winner"]]]
    assert played["over"] == (rows[-1]["winner"] is not None)


def test_D2_D3_every_play_of_higher_lower_and_level_takes() -> None:
    """Pots of 10 to 18 with small takes: counts, the special rule, ends and replays, exhaustively for five rounds."""
    for takes in product([(2, 1), (1, 2), (3, 3)], repeat=6):
        same_greedy(takes, pot=14, replay_pot=10)
    for takes in product([(5, 1), (1, 5), (1, 1), (5, 5)], repeat=4):
        same_greedy(takes, pot=18, replay_pot=12)


def test_M4_streaks_over_every_play_of_six_rounds() -> None:
    """Takes that fit any limit card: higher, lower, tie."""
    for takes in product([(1, 0), (0, 1), (0, 0)], repeat=6):
        same_grab(takes)


def random_greedy(chance: random.Random) -> None:
    takes = [(chance.randint(1, 5), chance.randint(1, 5)) for _ in range(120)]
    if chance.random() < 0.3:
        takes = [pair if chance.random() < 0.3 else (pair[0], pair[0]) for pair in takes]
    same_greedy(takes, pot=chance.choice((100, 40, 17)), replay_pot=chance.choice((40, 10)))


def random_grab(chance: random.Random) -> None:
    """Takes within the limits that will be open: the slow adjudicator is asked for them on the way."""
    seed = chance.randbytes(32).hex()
    takes: list[slow.Pair] = []
    place: dict[str, Any] = {"bout": 1, "set": 1, "round": 1, "winner": None}
    greed = chance.choice((0.2, 0.5, 0.9))
    while place["winner"] is None and len(takes) < 160:
        limit = slow.limit_cards(bytes.fromhex(seed), place["bout"], place["set"])[place["round"] - 1]
        one, two = (limit if chance.random() < greed else chance.randint(0, limit) for _ in SEATS)
        takes.append((one, one) if chance.random() < 0.2 else (one, two))
        place = slow.grab(takes)[-1]
    same_grab(takes, seed)


def test_random_greedy_games_come_out_the_same() -> None:
    for n in range(60):
        random_greedy(random.Random(n))


def test_random_grab_matches_come_out_the_same() -> None:
    for n in range(25):
        random_grab(random.Random(n))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_thousands_of_random_coin_games_come_out_the_same(part: int) -> None:
    for n in range(100 + 200 * part, 300 + 200 * part):
        random_greedy(random.Random(n))
        random_grab(random.Random(n))

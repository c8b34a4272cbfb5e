"""A table of Tontine in the middle of play, for tests that pin rulings: set a moment up, close it, read the events."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from pbm import paper
from pbm.core import play
from pbm.core.draw import Draw
from pbm.core.engine import Json, Order, Step
from pbm.core.orders import Read, read_line
from pbm.games.tontine import GAME, TontineOptions

SEED = "00112233445566778899aabbccddeeff" * 2
DRAW = Draw.from_hex(SEED)
PLAYERS = ("alice", "bob", "carol", "dave", "erin", "frank")
HIRED = ("Ash", "Bee", "Cid", "Dot", "Elk", "Fox")


def table(players: int = 4, *, options: Json | None = None, **given: Mapping[str, Any]) -> Json:
    """A game's state with what is given by player: life, tokens, status, misses, blackmail_used, assassin_in_play."""
    chosen = TontineOptions.model_validate({"assassins": list(HIRED[:players]), **(options or {})})
    state = GAME.start(PLAYERS[:players], chosen, DRAW).state
    for key, values in given.items():
        for name, value in values.items():
            state["players"][name][key] = value
            if key == "status":
                state["players"][name]["assassin_in_play"] = False
                state["players"][name]["left"] = state["round"]
    return state


def order(line: str, state: Json) -> Order:
    read = read_line(line, GAME.grammar(GAME.view(state, None)), near=False)
    assert isinstance(read, Read), line
    return read.orders[0]


def mail(state: Json, seat: str, lines: Sequence[str]) -> play.Checked:
    return play.check(GAME, GAME.view(state, seat), seat, [order(line, state) for line in lines])


def refusals(state: Json, seat: str, *lines: str) -> list[tuple[int | None, str]]:
    return [(refusal.n, refusal.reason) for refusal in mail(state, seat, lines).refusals]


def close(state: Json, idle: bool = True, **orders: Sequence[str]) -> Step:
    """Close the phase with these orders, which must all be good; who isn't named passes, or misses with idle=False."""
    standing: dict[str, tuple[Order, ...]] = {}
    for seat, lines in orders.items():
        checked = mail(state, seat, lines)
        assert not checked.refusals, checked.refusals
        standing[seat] = checked.standing
    phase = GAME.phase(state)
    assert phase is not None
    if idle:
        for seat in phase.must:
            standing.setdefault(seat, (order("PASS", state),))
    before = copy.deepcopy(state)
    step = GAME.close(state, standing, DRAW)
    assert state == before
    return step


def told(step: Step, kind: str, *keys: str) -> list[Any]:
    """The events of a kind: the one key of each, or a tuple of several."""
    found = [event.data for event in step.events if event.type == kind]
    return [data[keys[0]] if len(keys) == 1 else tuple(data[key] for key in keys) for data in found]


def hits(step: Step) -> list[tuple[str, str, int, bool]]:
    """(assassin, target, damage, stopped)"""
    return told(step, "hit", "assassin", "target", "damage", "stopped")


def of(step: Step, key: str) -> Json:
    return {name: player[key] for name, player in step.state["players"].items()}


def paper_game(*steps: Json, players: int = 3, **options: Any) -> Json:
    return paper.adjudicate(
        {
            "game": "tontine",
            "seed": SEED,
            "players": list(PLAYERS[:players]),
            "options": {"assassins": list(HIRED[:players]), **options},
            "steps": list(steps),
        }
    )


def jury(*jurors: str, tokens: Mapping[str, int] | None = None) -> Json:
    state = table(3 + len(jurors), status=dict.fromkeys(jurors, "jailed"), tokens=tokens or {})
    for name in PLAYERS[2 : 3 + len(jurors)]:
        state["players"][name]["assassin_in_play"] = False
        if name not in jurors:
            state["players"][name] |= {"status": "dead", "life": 0}
    return state | {"phase": "jury", "vote": 1, "round": 4}

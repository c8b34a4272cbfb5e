"""Money Grab, best of three bouts: rulings M1 to M7."""

from collections.abc import Sequence
from copy import deepcopy

from pbm.core.draw import Draw
from pbm.core.engine import Event, Facts, Json, Options, Standing, Step
from pbm.games._coins import ROUND, CoinGame, missed, opening, outright, taken, won, zeros

POT, COINS, BOUTS_TO_WIN = 60, 10, 2  # ruling M1
LIMITS = (1, 2, 3, 4)  # ruling M2
MISS = 0  # ruling M3
TIES = 2  # so many ties in a row set both streaks to 0 (ruling M4)
TAX = 2  # ruling M5
ENOUGH = 10  # a bout ends with fewer coins in the pot (ruling M6)
TOP_UP = 10  # ruling M6


class MoneyGrabOptions(Options):
    """Money Grab has no rule options."""


class MoneyGrab(CoinGame):
    facts = Facts(
        key="money_grab",
        title="Money Grab",
        tagline="Two players, best of three bouts: take what the limit card allows, but pay for every winning streak.",
        seats=(2, 2),
        options=MoneyGrabOptions,
        version=1,
        phases=(ROUND,),
    )
    lowest, highest = 0, max(LIMITS)

    def limit(self, view: Json) -> int:
        limit: int = view["limits"][view["round"] - 1]
        return limit

    def rule(self) -> str:
        return "rules M2 and M3"

    def label(self, state: Json) -> str:
        return f"Bout {state['bout']}, set {state['set']}, round {state['round']}"

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        state = opening(seats) | {"wins": zeros(seats)}
        _new_bout(state, 1, draw)
        return Step(state, ())

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        state = deepcopy(state)
        seats = state["seats"]
        limit = self.limit(state)
        takes = {seat: taken(orders, seat, MISS) for seat in seats}
        for seat in seats:
            state["pot"] -= takes[seat]
            state["coins"][seat] += takes[seat]
        penalties = _greed(state, takes)
        state["past"].append({"set": state["set"], "round": state["round"], "limit": limit, "takes": takes})
        told = {
            "takes": dict(takes),
            "penalties": penalties,
            "limit": limit,
            "pot": state["pot"],
            "coins": dict(state["coins"]),
            "streaks": dict(state["streaks"]),
            "tie_run": state["tie_run"],
            "topped_up": 0,
        }
        events = [*missed(orders, seats), Event("takes", "public", told)]
        set_ends = state["round"] == len(LIMITS)
        if set_ends:
            tax = min(TAX, state["pot"])
            state["pot"] -= tax
            events.append(Event("tax", "public", {"coins": tax, "pot": state["pot"], "topped_up": 0}))
        if state["pot"] < ENOUGH:
            winner = outright(state["coins"], {seat: -state["penalties"][seat] for seat in seats})
            if winner is not None:
                return _bout_won(state, winner, events, draw)
            # The last event of the round also tells of the coins that a full tie brings in.
            state["pot"] += TOP_UP
            events[-1].data["topped_up"] = TOP_UP
        if set_ends:
            _new_set(state, state["set"] + 1, draw)
        else:
            state["round"] += 1
        return Step(state, tuple(events))

    def view(self, state: Json, seat: str | None) -> Json:
        figures = {key: dict(state[key]) for key in ("coins", "streaks", "penalties", "wins")}
        place = {key: state[key] for key in ("bout", "set", "pot")}
        own = {"limits": list(state["limits"]), "tie_run": state["tie_run"]}
        return {**place, **figures, **own, **self.common_view(state, seat)}


def _new_bout(state: Json, bout: int, draw: Draw) -> None:
    seats = state["seats"]
    state |= {"bout": bout, "pot": POT, "coins": zeros(seats, COINS), "tie_run": 0}
    state |= {"streaks": zeros(seats), "penalties": zeros(seats), "past": []}
    _new_set(state, 1, draw)


def _new_set(state: Json, number: int, draw: Draw) -> None:
    limits = draw.shuffle(f"bout {state['bout']} set {number}: limits", LIMITS)
    state |= {"set": number, "round": 1, "limits": limits}


def _greed(state: Json, takes: dict[str, int]) -> dict[str, int]:
    """Ruling M4 for this round's takes; changes the state. Gives the coins paid back: {seat: coins}."""
    streaks = state["streaks"]
    more = outright(takes)
    if more is None:
        state["tie_run"] += 1
        if state["tie_run"] >= TIES:
            state["streaks"] = zeros(state["seats"])
        return {}
    state["tie_run"] = 0
    for seat in streaks:
        streaks[seat] = streaks[seat] + 1 if seat == more else 0
    paid = min(streaks[more] - 1, state["coins"][more])
    if not paid:
        return {}
    state["coins"][more] -= paid
    state["pot"] += paid
    state["penalties"][more] += paid
    return {more: paid}


def _bout_won(state: Json, winner: str, events: Sequence[Event], draw: Draw) -> Step:
    state["wins"][winner] += 1
    told = {
        "winner": winner,
        "bout": state["bout"],
        "by": "coins" if outright(state["coins"]) else "penalties",
        **{key: dict(state[key]) for key in ("coins", "penalties", "wins")},
    }
    events = [*events, Event("bout_end", "public", told)]
    if state["wins"][winner] == BOUTS_TO_WIN:
        return won(state, winner, events)
    _new_bout(state, state["bout"] + 1, draw)
    return Step(state, tuple(events))


GAME = MoneyGrab()

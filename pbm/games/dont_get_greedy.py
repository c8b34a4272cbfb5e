"""Don't Get Greedy: rulings D1 to D3."""

from collections.abc import Sequence
from copy import deepcopy

from pydantic import Field

from pbm.core.draw import Draw
from pbm.core.engine import Event, Facts, Json, Options, Standing, Step
from pbm.games._coins import ROUND, CoinGame, missed, opening, outright, taken, won, zeros

LEAST, MOST = 1, 5
MISS = 1  # ruling D1
LAST_COINS = 9  # the game ends after a round that leaves so many or fewer (ruling D3)
MOST_COINS = 1_000_000  # no game that is meant to end has more
GREEDY = 2  # the count at which the special rule strikes (ruling D2)


class GreedyOptions(Options):
    """Both pots hold at least what two players can take in one round, so that no take is ever cut short.

    `pot`: coins at the start (D1); `replay_pot`: of each new game after a full tie (D3).
    """

    pot: int = Field(default=100, ge=2 * MOST, le=MOST_COINS)
    replay_pot: int = Field(default=40, ge=2 * MOST, le=MOST_COINS)


def _fresh(seats: Sequence[str], pot: int) -> Json:
    figures = {key: zeros(seats) for key in ("coins", "streaks", "received")}
    return {"pot": pot, **figures, "round": 1, "past": []}


class DontGetGreedy(CoinGame):
    facts = Facts(
        key="dont_get_greedy",
        title="Don't Get Greedy",
        tagline="Two players, one pot: take more than the other twice running, and you pay for it.",
        seats=(2, 2),
        options=GreedyOptions,
        version=1,
        phases=(ROUND,),
    )
    lowest, highest = LEAST, MOST

    def limit(self, view: Json) -> int:
        return MOST

    def rule(self) -> str:
        return "rule D1"

    def label(self, state: Json) -> str:
        replay = f"Game {state['game']}, round" if state["game"] > 1 else "Round"
        return f"{replay} {state['round']}"

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        assert isinstance(options, GreedyOptions)
        state = opening(seats, game=1, replay_pot=options.replay_pot) | _fresh(seats, options.pot)
        return Step(state, ())

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        state = deepcopy(state)
        seats = state["seats"]
        takes = {seat: taken(orders, seat, MISS) for seat in seats}
        for seat in seats:
            state["pot"] -= takes[seat]
            state["coins"][seat] += takes[seat]
        penalties = _special_rule(state, takes)
        state["past"].append({"round": state["round"], "takes": takes})
        told = {
            "takes": dict(takes),
            "penalties": penalties,
            "pot": state["pot"],
            **{key: dict(state[key]) for key in ("coins", "streaks", "received")},
        }
        events = [*missed(orders, seats), Event("takes", "public", told)]
        if state["pot"] > LAST_COINS:
            state["round"] += 1
            return Step(state, tuple(events))
        winner = outright(state["coins"], state["received"])
        if winner is not None:
            return won(state, winner, events)
        events.append(Event("replay", "public", {"game": state["game"] + 1, "pot": state["replay_pot"]}))
        state |= {"game": state["game"] + 1, **_fresh(seats, state["replay_pot"])}
        return Step(state, tuple(events))

    def view(self, state: Json, seat: str | None) -> Json:
        figures = {key: dict(state[key]) for key in ("coins", "streaks", "received")}
        return {"pot": state["pot"], **figures, "game": state["game"], **self.common_view(state, seat)}


def _special_rule(state: Json, takes: dict[str, int]) -> dict[str, int]:
    """Ruling D2 for this round's takes; changes the state. Gives the coins lost: {seat: coins}."""
    more = outright(takes)
    if more is None:
        return {}
    less = next(seat for seat in state["seats"] if seat != more)
    coins, streaks = state["coins"], state["streaks"]
    streaks[less] = 0
    streaks[more] += 1
    if streaks[more] < GREEDY:
        return {}
    streaks[more] = 0
    # Discarded first, then given, as far as the coins go. Who took more holds at least two coins, so both are paid.
    coins[more] -= 2
    coins[less] += 1
    state["received"][less] += 1
    return {more: 2}


GAME = DontGetGreedy()

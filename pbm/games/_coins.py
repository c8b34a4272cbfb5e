"""What the two coin games share: two players, one kind of order (`TAKE n`), one pot, takes revealed together."""

from collections.abc import Mapping, Sequence
from copy import deepcopy

from pbm.core.draw import Draw
from pbm.core.engine import Event, Form, Json, Order, Phase, PhaseKind, Refusal, Result, Slot, Standing, Step

TAKE = "TAKE"
ROUND = PhaseKind("round", "Round", {"length": "24h"})


def take_form(low: int, high: int) -> Form:
    text = f"take coins from the pot: a whole number from {low} to {high}"
    return Form((TAKE, Slot("coins", "number", low=low, high=high)), text, repeat="last")


def taken(orders: Standing, seat: str, miss: int) -> int:
    """What the seat takes in the round that closes; a miss counts as `miss`."""
    return next((order.number("coins") for order in orders.get(seat, ()) if order.verb == TAKE), miss)


def missed(orders: Standing, seats: Sequence[str]) -> list[Event]:
    """Ruling G3: a public event for each who had to send something and didn't."""
    return [Event("missed", "public", {"player": seat}) for seat in seats if not orders.get(seat)]


def outright(*measures: Mapping[str, int]) -> str | None:
    """The seat that leads by the first of the measures in which the two differ; None when they tie in all of them."""
    for measure in measures:
        (one, ones), (two, twos) = measure.items()
        if ones != twos:
            return one if ones > twos else two
    return None


class CoinGame:
    """The half of a coin game that doesn't depend on its rules; the other half comes from the subclass.

    The state has at least `seats`, `round`, `removed` (names), `winners` (None until the game is over), and `past`: the
    rounds of the bout or game under way, [{`round`, `takes`: {seat: coins}}].
    """

    lowest: int
    highest: int

    def limit(self, view: Json) -> int:
        """The most that may be taken in the open round."""
        raise NotImplementedError

    def rule(self) -> str:
        """The rulings that a refusal of a wrong number names."""
        raise NotImplementedError

    def label(self, state: Json) -> str:
        """The open round as people name it."""
        raise NotImplementedError

    def phase(self, state: Json) -> Phase | None:
        if state["winners"] is not None:
            return None
        return Phase("round", state["round"], self.label(state), tuple(state["seats"]))

    def grammar(self, view: Json) -> tuple[Form, ...]:
        return (take_form(self.lowest, self.highest),)

    def forms(self, view: Json, seat: str) -> tuple[Form, ...]:
        return () if view["winners"] is not None else (take_form(self.lowest, self.limit(view)),)

    def check(self, view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        forms = self.forms(view, seat)
        return tuple(
            Refusal(n, self._reason(view, order))
            for n, order in enumerate(orders)
            if not any(form.takes(order) for form in forms)
        )

    def _reason(self, view: Json, order: Order) -> str:
        if view["winners"] is not None:
            return "the game is over: nothing can be taken any more"
        if order.verb != TAKE:
            return f"{order.verb} is no order of this game; write how many coins you take"
        low, high = self.lowest, self.limit(view)
        return f"{order.number('coins')} is not allowed: in this round you may take {low} to {high} ({self.rule()})"

    def complete(self, view: Json, seat: str, orders: Sequence[Order]) -> bool:
        return bool(orders)

    def act(self, state: Json, seat: str, order: Order, draw: Draw) -> Step:
        raise ValueError("no order of this game takes effect before the round closes")

    def standing(self, state: Json, seat: str) -> tuple[Order, ...]:
        return ()

    def remove(self, state: Json, seat: str, orders: Standing, draw: Draw) -> Step:
        """Ruling G5: the other player wins at once, with no reveal, bout end or count."""
        if seat in state["removed"]:
            raise ValueError(f"{seat} has been removed already")
        if state["winners"] is not None:
            raise ValueError("the game is over: nobody can be removed any more")
        state = deepcopy(state)
        state["removed"].append(seat)
        (other,) = (s for s in state["seats"] if s != seat)
        return won(state, other, [Event("removed", "public", {"player": seat})])

    def common_view(self, state: Json, seat: str | None) -> Json:
        """What both games show beside their own figures; everything in a coin game is public but the open takes."""
        view: Json = {
            "players": {s: {"status": "removed" if s in state["removed"] else "alive"} for s in state["seats"]},
            "round": state["round"],
            "winners": None if state["winners"] is None else list(state["winners"]),
            "past": [{**row, "takes": dict(row["takes"])} for row in state["past"]],
        }
        if seat is not None:
            view |= {"you": seat, "private": {}}
        return view


def won(state: Json, winner: str, events: Sequence[Event]) -> Step:
    """The game's end; the runner-up is the other player, removed or not (ruling G8). `state` is the caller's own."""
    state["winners"] = [winner]
    rest = tuple(seat for seat in state["seats"] if seat != winner)
    over = Event("game_over", "public", {"winners": [winner]})
    return Step(state, (*events, over), Result((winner,), rest))


def opening(seats: Sequence[str], **figures: int) -> Json:
    """The keys of a state that both games have, and a game's own figures."""
    return {"seats": list(seats), "removed": [], "winners": None, "round": 1, "past": [], **figures}


def zeros(seats: Sequence[str], value: int = 0) -> dict[str, int]:
    return dict.fromkeys(seats, value)

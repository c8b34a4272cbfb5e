"""Point Thief: one player after the other picks a character in secret and claims one in public (rulings P1 to P9)."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Literal

from pydantic import Field

from pbm.core.draw import Draw
from pbm.core.engine import (
    Choice,
    Facts,
    Form,
    Json,
    Options,
    Order,
    Phase,
    PhaseKind,
    Refusal,
    Slot,
    Standing,
    Step,
)
from pbm.games._point_thief_points import CHARACTERS
from pbm.games._point_thief_rounds import (
    CLAIM,
    PICK,
    Table,
    is_over,
    order_now,
    playing,
    round_order,
    whose_turn,
)

_CHARACTER = Slot("character", "character", tuple(Choice(name, (name,)) for name in CHARACTERS))
_ANY = Slot("any character", "character", _CHARACTER.choices)
_SLOTS = {PICK: _CHARACTER, CLAIM: _ANY}

FORMS = (
    Form(
        (PICK, _CHARACTER, CLAIM, _ANY),
        "pick a character in secret, and claim to be one, in one line",
        repeat="last",
        split=True,
    ),
    Form((PICK, _CHARACTER), "pick a character, in secret until the reveal", repeat="last"),
    Form((CLAIM, _ANY), "claim to be a character, before all; it need not be true", repeat="last"),
)


class PointThiefOptions(Options):
    """`rounds` (P2): how many there are; None: as many as players. `lie_rounding` (P7): what a lie's half is rounded
    down to: the points that are lost (`loss`) or those that stay (`remainder`)."""

    rounds: int | None = Field(default=None, ge=1)
    lie_rounding: Literal["loss", "remainder"] = "loss"


class PointThief:
    """The rule set. Orders sent ahead are ordinary orders of the open phase; a close keeps those it didn't play."""

    facts = Facts(
        key="point_thief",
        title="Point Thief",
        tagline="Pick a side in secret, say in public which one it was, and hope that enough people believed you.",
        seats=(3, None),
        options=PointThiefOptions,
        version=1,
        phases=(PhaseKind("turn", "Turn", {"length": "24h"}),),
        merge="verb",
        told_on=("reveal", "removed", "game_over"),
    )

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        """Ruling P1: the turn order is drawn; all start with 0 points."""
        chosen = PointThiefOptions.model_validate(options.model_dump())
        state: Json = {
            "players": list(seats),
            "turn_order": draw.shuffle("turn order", seats),
            "rounds": chosen.rounds or len(seats),
            "remainder": chosen.lie_rounding == "remainder",
            "round": 1,
            "tiebreak": 0,
            "order": [],
            "turns": [],
            "tied": [],
            "points": dict.fromkeys(seats, 0),
            "beggar_points": dict.fromkeys(seats, 0),
            "removed": [],
            "queued": {},
            "winners": None,
            "runners_up": [],
        }
        state["order"] = round_order(state)
        return Step(state, ())

    def phase(self, state: Json) -> Phase | None:
        """Ruling P3: one player's turn, closed as soon as pick and claim are in; all others may send ahead."""
        seat = whose_turn(state)
        if seat is None:
            return None
        name = f"Round {state['round']}" if not state["tiebreak"] else f"Tiebreak round {state['tiebreak']}"
        return Phase(
            name="turn",
            round=state["round"],
            label=f"{name}, {seat}'s turn",
            must=(seat,),
            may=tuple(other for other in playing(state) if other != seat),
            at_once=True,
            open_waiting=True,
        )

    def grammar(self, view: Json) -> tuple[Form, ...]:
        return FORMS

    def forms(self, view: Json, seat: str) -> tuple[Form, ...]:
        return FORMS if seat in view["playing"] else ()

    def check(self, view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        """A line is refused only where its writer has no turn to come (P8, P9), or the order is of another game."""
        out = _nothing_to_send(view, seat)
        if out is not None:
            return tuple(Refusal(n, out) for n in range(len(orders)))
        return tuple(
            Refusal(n, f"Point Thief knows PICK and CLAIM with {', '.join(CHARACTERS)} only")
            for n, order in enumerate(orders)
            if not any(form.takes(order) for form in FORMS if not form.split)
        )

    def complete(self, view: Json, seat: str, orders: Sequence[Order]) -> bool:
        """Ruling P3: with only one of pick and claim in, the player is waited for."""
        return {PICK, CLAIM} <= {order.verb for order in orders}

    def act(self, state: Json, seat: str, order: Order, draw: Draw) -> Step:
        """No order of this game takes effect outside a close. Raises ValueError."""
        raise ValueError(f"{order.line} takes effect when its turn is played, not at once")

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        """The turn of the player who acts now, and every turn behind it whose pick and claim are in (P3)."""
        table = Table(deepcopy(state), draw)
        table.take(orders)
        table.close_turn()
        table.play_on()
        return table.step()

    def remove(self, state: Json, seat: str, orders: Standing, draw: Draw) -> Step:
        """Rulings G5 and P9. Raises ValueError where there is nobody to remove, or the game is over."""
        if is_over(state):
            raise ValueError("the game is over; nobody can be removed any more")
        if seat not in state["players"]:
            raise ValueError(f"{seat} is no player of this game")
        if seat in state["removed"]:
            raise ValueError(f"{seat} was removed already")
        table = Table(deepcopy(state), draw)
        table.take(orders)
        table.remove(seat)
        return table.step()

    def standing(self, state: Json, seat: str) -> tuple[Order, ...]:
        """Ruling P3: what this seat has in for a turn to come."""
        sent = state["queued"].get(seat, {})
        return tuple(
            Order(verb, {slot.name: sent[verb]}, f"{verb} {sent[verb]}")
            for verb, slot in _SLOTS.items()
            if verb in sent
        )

    def view(self, state: Json, seat: str | None) -> Json:
        """SCENARIOS.md's keys, and beside them: `players` {name: {`status`: "alive" / "removed"}}, `rounds` (planned),
        `lie_rounding` (option), `tiebreak` (0 or its number), `playing` (who may have a turn), `turn` (whose it is, or
        None), `winners`."""
        public: Json = {
            "order": order_now(state),
            "round": state["round"],
            "points": dict(state["points"]),
            "beggar_points": dict(state["beggar_points"]),
            "claims": {turn["player"]: turn["claim"] for turn in state["turns"]},
            "players": {s: {"status": "removed" if s in state["removed"] else "alive"} for s in state["players"]},
            "rounds": state["rounds"],
            "lie_rounding": "remainder" if state["remainder"] else "loss",
            "tiebreak": state["tiebreak"],
            "playing": playing(state),
            "turn": whose_turn(state),
            "winners": None if state["winners"] is None else list(state["winners"]),
        }
        if seat is None:
            return public
        sent = state["queued"].get(seat)
        queued = {"pick": sent.get(PICK), "claim": sent.get(CLAIM)} if sent else None
        return {**public, "you": seat, "private": {"queued": queued}}


def _nothing_to_send(view: Json, seat: str) -> str | None:
    """Why none of this seat's lines can be taken, or None."""
    if view["winners"] is not None:
        return "the game is over; there is nothing left to send"
    if view["players"][seat]["status"] == "removed":
        return "you were removed from this game, so your orders don't count any more (rule G5)"
    if seat not in view["playing"]:
        tied = ", ".join(view["playing"])
        return f"the tiebreak is played by those who are tied, {tied}; you have nothing to send (rule P8)"
    return None


GAME = PointThief()

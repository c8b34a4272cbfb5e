"""Tontine: the last survivor takes it all (rulings T1 to T18). Assassins are paid by tokens that only deaths bring.

State: `phase` (round, jury, over), `round`, `vote` (1 or 2 in a jury phase, else 0), `idle` (rounds in a row without a
payment), `deaths_rounds`, `options`, `result`, and by player: `life`, `status`, `assassin`, `assassin_in_play`,
`tokens`, `blackmail_used`, `misses`, `left` (the round of leaving the game, or 0), `last` (the accounts of the round
just closed, for the player's own eyes, or None).
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Annotated, Literal

from pydantic import Field, field_validator

from pbm.core.draw import Draw
from pbm.core.engine import (
    Event,
    Facts,
    Form,
    Json,
    Options,
    Order,
    Phase,
    PhaseKind,
    Refusal,
    Standing,
    Step,
)
from pbm.core.names import fold
from pbm.games import _tontine_end as ending
from pbm.games import _tontine_orders as sheet
from pbm.games._tontine_names import names_for
from pbm.games._tontine_round import dividend, settle

LIFE = 3
TOKENS = 1
PUBLIC = ("life", "status", "assassin", "assassin_in_play")
PRIVATE = ("tokens", "blackmail_used", "misses", "last")


class TontineOptions(Options):
    """`assassins`: names in seat order (default: drawn from the list that ships). `dividends`: by the rounds that had a
    death (T6). `roulette`: who dies in T13. `idle_limit`: rounds in a row without a payment (T18)."""

    assassins: list[str] | None = None
    dividends: list[Annotated[int, Field(ge=0)]] = Field(default=[2, 3, 4, 5, 6], min_length=1)
    roulette: Literal["assassin", "player"] = "assassin"
    idle_limit: int = Field(default=10, ge=1)

    @field_validator("assassins")
    @classmethod
    def _names(cls, names: list[str] | None) -> list[str] | None:
        seen: dict[str, str] = {}
        for name in names or ():
            folded = fold(name)
            if not any(c.isalnum() for c in folded):
                raise ValueError(f"{name!r} is no name for an assassin: it needs a letter or a digit")
            if folded in seen:
                raise ValueError(f"{seen[folded]} and {name} are the same name")
            if sheet.HIT in folded.upper().split():
                raise ValueError(f"an assassin can't be called {name}: {sheet.HIT} is a word of the orders")
            seen[folded] = name
        return names


class Tontine:
    facts = Facts(
        key="tontine",
        title="Tontine",
        tagline="Hire assassins, save your tokens, and be the last one standing.",
        seats=(3, None),
        options=TontineOptions,
        version=1,
        phases=(PhaseKind("round", "Round", {"length": "72h"}), PhaseKind("jury", "Jury", {"length": "48h"})),
    )

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        """The first round. Raises ValueError unless the option `assassins` names one assassin a player."""
        assert isinstance(options, TontineOptions)
        names = options.assassins
        if names is None:
            names = draw.shuffle("assassins", names_for(len(seats)))[: len(seats)]
        elif len(names) != len(seats):
            raise ValueError(f"options.assassins: {len(names)} names for {len(seats)} players; each player needs one")
        state: Json = {
            "phase": "round",
            "round": 1,
            "vote": 0,
            "idle": 0,
            "deaths_rounds": 0,
            "options": options.model_dump(),
            "result": None,
            "players": {
                seat: {
                    "life": LIFE,
                    "status": "alive",
                    "assassin": name,
                    "assassin_in_play": True,
                    "tokens": TOKENS,
                    "blackmail_used": False,
                    "misses": 0,
                    "left": 0,
                    "last": None,
                }
                for seat, name in zip(seats, names, strict=True)
            },
        }
        return Step(state, ())

    def phase(self, state: Json) -> Phase | None:
        number = state["round"]
        if state["phase"] == "round":
            return Phase("round", number, f"Round {number}", tuple(sheet.alive(state)))
        if state["phase"] == "jury":
            label = "Jury" if state["vote"] == 1 else "Jury, second vote"
            return Phase("jury", number, label, tuple(sheet.jailed(state)))
        return None

    def grammar(self, view: Json) -> tuple[Form, ...]:
        return sheet.grammar(view)

    def forms(self, view: Json, seat: str) -> tuple[Form, ...]:
        return sheet.forms(view, seat)

    def check(self, view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        return sheet.check(view, seat, orders)

    def complete(self, view: Json, seat: str, orders: Sequence[Order]) -> bool:
        return bool(orders)

    def act(self, state: Json, seat: str, order: Order, draw: Draw) -> Step:
        raise ValueError("nothing in Tontine takes effect before the phase closes")

    def standing(self, state: Json, seat: str) -> tuple[Order, ...]:
        return ()

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        state = deepcopy(state)
        if state["phase"] == "round":
            before = sheet.alive(state)
            events, paid = settle(state, orders, draw)
            events += ending.after_round(state, before, paid=paid)
        else:
            events = ending.close_jury(state, orders, draw)
        return Step(state, tuple(events), ending.result(state))

    def remove(self, state: Json, seat: str, orders: Standing, draw: Draw) -> Step:
        """G5, T17. The assassin of a removed player leaves with its owner, at once. Raises ValueError."""
        state = deepcopy(state)
        player = state["players"][seat]
        if player["status"] == "removed":
            raise ValueError(f"{seat} was removed from the game already")
        before = sheet.alive(state)
        player["status"], player["assassin_in_play"] = "removed", False
        player["left"] = player["left"] or state["round"]
        events = [Event("removed", "public", {"player": seat})]
        left = sheet.alive(state)
        if len(left) < 2:
            events.append(ending.end(state, left, before))
        return Step(state, tuple(events), ending.result(state))

    def view(self, state: Json, seat: str | None) -> Json:
        players, deaths = state["players"], state["deaths_rounds"]
        view: Json = {
            "phase": state["phase"],
            "round": state["round"],
            "vote": state["vote"],
            "deaths_rounds": deaths,
            "next_dividend": dividend(state["options"]["dividends"], deaths + 1),
            "prices": dict(sheet.PRICES),
            "players": {name: {key: player[key] for key in PUBLIC} for name, player in players.items()},
        }
        if seat is not None:
            view["you"] = seat
            view["private"] = {key: players[seat][key] for key in PRIVATE}
            if (last := view["private"]["last"]) is not None:
                view["private"]["last"] = {**last, "orders": [dict(order) for order in last["orders"]]}
        return view


GAME = Tontine()

"""The values of the engine, and the protocol that every rule set implements.

A rule set is a set of functions from values to values. State is plain JSON (dict, list, str, int, bool, None): no
floats, no addresses, no clock. Seats are the players' names, in seat order (ruling G1).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from pbm.core.draw import Draw

Json = dict[str, Any]
Audience = Literal["public", "moderator"] | tuple[str, ...]
Standing = Mapping[str, Sequence["Order"]]


class Options(BaseModel):
    """Rule options of one game (RULINGS.md); a rule set's own model names them and their defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may stand in a slot: the value that the engine sees, and how people may write it.

    The first spelling is the one that we print.
    """

    value: str
    spellings: tuple[str, ...]

    @property
    def shown(self) -> str:
        return self.spellings[0]


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap in a form. `kind` is a word for people: player, assassin, suit, character, number.

    Either `choices`, or a whole number from `low` to `high`.
    """

    name: str
    kind: str
    choices: tuple[Choice, ...] = ()
    low: int = 0
    high: int = 999_999

    @property
    def is_number(self) -> bool:
        return self.kind == "number"

    def values(self) -> tuple[str | int, ...]:
        """All values that fit, for help, links, demo players and tests."""
        if self.is_number:
            return tuple(range(self.low, self.high + 1))
        return tuple(choice.value for choice in self.choices)

    def show(self, value: str | int) -> str:
        for choice in self.choices:
            if choice.value == value:
                return choice.shown
        return str(value)


@dataclass(frozen=True, slots=True)
class Order:
    """One order as the engine sees it. `line` is its canonical text, made of this game's names."""

    verb: str
    args: Mapping[str, str | int]
    line: str

    def __getitem__(self, name: str) -> str | int:
        return self.args[name]

    def text(self, name: str) -> str:
        """An argument that is a choice. Raises TypeError for a number."""
        value = self.args[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} of {self.line!r} is a number")
        return value

    def number(self, name: str) -> int:
        """An argument that is a number. Raises TypeError for a choice."""
        value = self.args[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} of {self.line!r} is not a number")
        return value

    def to_json(self) -> Json:
        return {"verb": self.verb, "args": dict(self.args), "line": self.line}

    @classmethod
    def from_json(cls, data: Json) -> "Order":
        return cls(data["verb"], data["args"], data["line"])


@dataclass(frozen=True, slots=True)
class Form:
    """The shape of an order line: literal words (upper case) and slots in turn, the first part the verb.

    `repeat`: of several such lines in one mail, `all` count, or only the `last` valid one (ruling G2), or the `first`.
    `at_once`: takes effect through `Game.act` when it is in, and can't be taken back (a pledge).
    `public`: what is sent is posted as it comes (a vote of the dead).
    `split`: each literal begins an order of its own (`PICK mafia CLAIM police` is two orders).
    `final`: closes the phase as soon as it is in, so a misspelt name is asked back (a shot).
    """

    parts: tuple[str | Slot, ...]
    help: str
    repeat: Literal["all", "last", "first"] = "all"
    at_once: bool = False
    public: bool = False
    split: bool = False
    final: bool = False

    @property
    def verb(self) -> str:
        first = self.parts[0]
        assert isinstance(first, str)
        return first

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(part for part in self.parts if isinstance(part, Slot))

    def line(self, args: Mapping[str, str | int]) -> str:
        """The order as we print it: `BRIBE Xena HIT bob`."""
        return " ".join(p if isinstance(p, str) else p.show(args[p.name]) for p in self.parts)

    def takes(self, order: Order) -> bool:
        """Whether the order is of this form, with values that its slots offer."""
        return order.verb == self.verb and all(
            slot.low <= value <= slot.high if isinstance(value, int) else any(c.value == value for c in slot.choices)
            for slot in self.slots
            for value in (order.args.get(slot.name, ""),)
        )

    def pattern(self) -> str:
        """The shape for people: `BRIBE assassin HIT player`."""
        return " ".join(p if isinstance(p, str) else p.name for p in self.parts)

    def example(self) -> str:
        """A correct line made of this game's names: the first choice, the middle of a range of numbers."""
        args: dict[str, str | int] = {}
        for slot in self.slots:
            values = slot.values() if not slot.is_number else (min(slot.high, max(slot.low, 3)),)
            args[slot.name] = next((v for v in values if v not in args.values()), values[0])
        return self.line(args)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an order line isn't taken. `n`: its index in the orders checked; None: the whole mail is refused."""

    n: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, and who may know it: there is no default audience."""

    type: str
    to: Audience
    data: Json = field(default_factory=dict)

    def seen_by(self, seat: str | None) -> bool:
        """Whether the reader (None: the public) may know it."""
        return self.to == "public" or (seat is not None and isinstance(self.to, tuple) and seat in self.to)

    def to_json(self) -> Json:
        return {"type": self.type, "to": list(self.to) if isinstance(self.to, tuple) else self.to, **self.data}

    @classmethod
    def from_json(cls, data: Json) -> "Event":
        rest = {k: v for k, v in data.items() if k not in ("type", "to")}
        to = data["to"]
        return cls(data["type"], tuple(to) if isinstance(to, list) else to, rest)


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: `winners` may be empty (ruling G6); `runners_up` by ruling G8."""

    winners: tuple[str, ...]
    runners_up: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    state: Json
    events: tuple[Event, ...]
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Phase:
    """What is open now; computed from the state, never stored.

    `must`: who has to act, in seat order. `may`: who else may send an order. `label` names it for people, and stands
    in subjects (`Round 3`, `Bout 1, set 2, round 3`). `at_once`: closes as soon as the orders are in, whatever the
    timing says. `open_waiting`: who is waited for is public.
    """

    name: str
    round: int
    label: str
    must: tuple[str, ...]
    may: tuple[str, ...] = ()
    at_once: bool = False
    open_waiting: bool = False


@dataclass(frozen=True, slots=True)
class PhaseKind:
    """A kind of phase of a rule set, with its own timing (INTERFACE.md, `timing`): {"length": "48h", "min": "12h"}."""

    name: str
    title: str
    timing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a rule set says of itself. `merge`: a newer mail replaces all orders (`mail`, ruling G2), or those of the
    same verb only (`verb`, ruling P3). `press`: whose private press the rules allow. `told_on`: where a close tells
    only the list and who must act next, the events that are told to everybody (Point Thief's reveal)."""

    key: str
    title: str
    tagline: str
    seats: tuple[int, int | None]
    options: type[Options]
    version: int
    phases: tuple[PhaseKind, ...]
    merge: Literal["mail", "verb"] = "mail"
    press: Literal["all", "alive"] = "all"
    told_on: tuple[str, ...] = ()


class Game(Protocol):
    """A rule set. Every function is pure: inputs are left unchanged, and equal inputs give equal results.

    `view(state, None)` is the public state (SCENARIOS.md, `public`, and whatever `forms` and `check` need beside it);
    `view(state, seat)` is the same with `you` (the seat) and `private` (SCENARIOS.md, `private`) added. There is no
    default view.
    """

    facts: Facts

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        """The game's first state. `seats`: names in seat order, their number already checked against `facts`."""
        ...

    def phase(self, state: Json) -> Phase | None:
        """The phase that is open, or None once the game is over."""
        ...

    def grammar(self, view: Json) -> tuple[Form, ...]:
        """Every order of this game in any phase, with all names: tells an order from chat. From the public view."""
        ...

    def forms(self, view: Json, seat: str) -> tuple[Form, ...]:
        """What this seat may write now; exactly what `check` accepts line by line. From the seat's view."""
        ...

    def check(self, view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        """Why orders of one mail can't be taken; from the seat's own view, so that a refusal can't leak."""
        ...

    def complete(self, view: Json, seat: str, orders: Sequence[Order]) -> bool:
        """Whether these standing orders are all that this seat has to send: else it is still waited for."""
        ...

    def act(self, state: Json, seat: str, order: Order, draw: Draw) -> Step:
        """An order that takes effect at once (`Form.at_once`), checked before."""
        ...

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        """The open phase closes with all orders that stand, checked before. A seat that isn't named sent nothing."""
        ...

    def remove(self, state: Json, seat: str, orders: Standing, draw: Draw) -> Step:
        """Ruling G5. `orders`: all that stand (the removed player's are dropped). Closes nothing, save by ruling P9."""
        ...

    def standing(self, state: Json, seat: str) -> tuple[Order, ...]:
        """Orders that the state keeps for the phase that is open (Point Thief's, sent ahead). Nobody else has any."""
        ...

    def view(self, state: Json, seat: str | None) -> Json: ...

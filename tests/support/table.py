"""A table at which any rule set can be played, move by move, while every call into it is audited.

The audit: what goes in is left unchanged, what comes out is plain JSON without floats and survives a round trip, and
the same call gives the same result. The state that is played on is the one that came back from JSON.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pbm.core import play, registry
from pbm.core.draw import Draw
from pbm.core.engine import Event, Form, Game, Json, Order, Phase, Refusal, Result, Slot, Step
from pbm.core.orders import Read, read_line


def plain(value: Any) -> Any:
    """The value after a trip through JSON. Fails for anything that isn't the same behind it, and for floats."""
    back = json.loads(json.dumps(value, allow_nan=False))
    assert back == value, "changed by a trip through JSON"
    _no_floats(value)
    return back


def _no_floats(value: Any) -> None:
    assert not isinstance(value, float), f"a float: {value!r}"
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _no_floats(part)


def _step_json(step: Step) -> str:
    events = [event.to_json() for event in step.events]
    result = None if step.result is None else [list(step.result.winners), list(step.result.runners_up)]
    return json.dumps([step.state, events, result])


@dataclass
class Table:
    """A game under way. `told`: all events of the last call that changed the state; `removed`: who, by events.

    `audit`: what part of the calls is audited.
    """

    game: Game
    seats: tuple[str, ...]
    options: Json
    draw: Draw
    state: Json = field(default_factory=dict)
    result: Result | None = None
    standing: dict[str, tuple[Order, ...]] = field(default_factory=dict)
    acted: set[str] = field(default_factory=set)
    told: tuple[Event, ...] = ()
    removed: set[str] = field(default_factory=set)
    audit: float = 1.0
    lot: Random = field(default_factory=lambda: Random(0))

    @classmethod
    def start(cls, key: str, seats: Sequence[str], options: Json, draw: Draw, audit: float = 1.0) -> "Table":
        table = cls(registry.get(key), tuple(seats), options, draw, audit=audit)
        model = table.game.facts.options.model_validate(options)
        step = table.game.start(table.seats, model, draw)
        assert _step_json(step) == _step_json(table.game.start(table.seats, model, draw))
        table.state = {}
        table._take(step)
        return table

    def twin(self) -> "Table":
        """Another table with the same game at the same point."""
        state, standing = json.loads(json.dumps(self.state)), dict(self.standing)
        copy = Table(self.game, self.seats, self.options, self.draw, state, self.result, standing)
        copy.acted, copy.removed = set(self.acted), set(self.removed)
        return copy

    def _unaudited(self) -> bool:
        return self.audit < 1 and self.lot.random() >= self.audit

    def phase(self) -> Phase | None:
        if self._unaudited():
            return self.game.phase(self.state)
        before = json.dumps(self.state)
        phase = self.game.phase(self.state)
        assert json.dumps(self.state) == before, "phase() changed the state"
        assert phase == self.game.phase(self.state)
        return phase

    def view(self, seat: str | None) -> Json:
        if self._unaudited():
            return self.game.view(self.state, seat)
        before = json.dumps(self.state)
        view = self.game.view(self.state, seat)
        assert view == self.game.view(self.state, seat)
        shown: Json = plain(view)
        _spoil(view)
        assert json.dumps(self.state) == before, "a view shares its parts with the state"
        return shown

    def forms(self, seat: str) -> tuple[Form, ...]:
        view = self.view(seat)
        if self._unaudited():
            return self.game.forms(view, seat)
        before = json.dumps(view)
        forms = self.game.forms(view, seat)
        assert json.dumps(view) == before, "forms() changed the view"
        return forms

    def check(self, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        view = self.view(seat)
        before = json.dumps(view)
        refusals = self.game.check(view, seat, orders)
        assert json.dumps(view) == before, "check() changed the view"
        assert all(refusal.reason.strip() for refusal in refusals)
        assert all(refusal.n is None or 0 <= refusal.n < len(orders) for refusal in refusals)
        return refusals

    def read(self, seat: str, line: str) -> tuple[Order, ...]:
        """The orders of a line that this game's grammar reads; none for any other."""
        read = read_line(line, self.game.grammar(self.view(seat)), near=False)
        return read.orders if isinstance(read, Read) else ()

    def mail(self, seat: str, lines: Sequence[str]) -> tuple[tuple[Refusal, ...], tuple[Event, ...]]:
        """One mail of orders. Gives what was refused, and the events of what took effect at once."""
        orders = [order for line in lines for order in self.read(seat, line)]
        if not self._unaudited():
            self.check(seat, orders)
        checked = play.check(self.game, self.view(seat), seat, orders)
        events: list[Event] = []
        for _, order in checked.at_once:
            if not self.check(seat, [order]):
                events += self._call("act", seat, order)
                self.acted.add(seat)
        if checked.standing:
            self.standing[seat] = play.merge(self.game, self.standing.get(seat, ()), checked.standing)
        return checked.refusals, tuple(events)

    def waiting(self) -> tuple[str, ...]:
        return play.waiting(self.game, self.state, self.standing)

    def close(self) -> tuple[Event, ...]:
        events = self._call("close", self.standing)
        self.standing = self._kept()
        self.acted = set()
        return events

    def remove(self, seat: str) -> tuple[Event, ...]:
        """Ruling G5: what no longer holds drops out. Raises ValueError as the game does."""
        before = self.phase()
        events = self._call("remove", seat, {s: orders for s, orders in self.standing.items() if s != seat})
        self.standing.pop(seat, None)
        if self.game.facts.merge == "verb":
            self.standing = self._kept()
        else:
            after = self.phase()
            assert after is None or (before is not None and (after.name, after.round) == (before.name, before.round))
        if self.result is None:
            self.standing, _ = play.recheck(self.game, self.state, self.standing)
            self.standing = {s: orders for s, orders in self.standing.items() if orders}
        return events

    def _kept(self) -> dict[str, tuple[Order, ...]]:
        if self.result is not None:
            return {}
        return {seat: orders for seat in self.seats if (orders := self.game.standing(self.state, seat))}

    def _call(self, name: str, *args: Any) -> tuple[Event, ...]:
        """A call that changes the state, made twice and audited."""
        call = getattr(self.game, name)
        if self._unaudited():
            return self._take(call(self.state, *args, self.draw))
        before = json.dumps(self.state), repr(args)
        step = call(self.state, *args, self.draw)
        assert (json.dumps(self.state), repr(args)) == before, f"{name}() changed what it was given"
        assert _step_json(step) == _step_json(call(self.state, *args, self.draw)), f"{name}() isn't a function"
        assert (json.dumps(self.state), repr(args)) == before
        held = json.dumps(step.state)
        _spoil(self.state)
        assert json.dumps(step.state) == held, f"the state that {name}() gives shares parts with the one it got"
        return self._take(step)

    def _take(self, step: Step) -> tuple[Event, ...]:
        self.state = plain(step.state) if not self._unaudited() else json.loads(json.dumps(step.state))
        self.result = step.result
        self.told = tuple(self._event(event) for event in step.events)
        self.removed |= {event.data["player"] for event in self.told if event.type == "removed"}
        return self.told

    def _event(self, event: Event) -> Event:
        plain(event.to_json())
        assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event
        if isinstance(event.to, tuple):
            assert event.to, f"{event.type} is for nobody"
            assert set(event.to) <= set(self.seats)
        else:
            assert event.to in ("public", "moderator")
        return event


def _spoil(value: Any) -> None:
    """Empty every list and mapping inside, so that whoever shares one shows it."""
    if isinstance(value, dict):
        for part in value.values():
            _spoil(part)
        value.clear()
    elif isinstance(value, list):
        for part in value:
            _spoil(part)
        value.clear()


# --- random players ---------------------------------------------------------------------------------------------------


def value_for(slot: Slot, chance: Random, *, beyond: bool = False) -> str | int:
    """Something that fits the slot; with `beyond`, a number may be just outside of it."""
    if slot.is_number:
        return chance.randint(max(0, slot.low - beyond), min(slot.high, slot.low + 20) + beyond)
    return chance.choice(slot.choices).value


def line_for(form: Form, chance: Random, *, beyond: bool = False) -> str:
    return form.line({slot.name: value_for(slot, chance, beyond=beyond) for slot in form.slots})


def random_mail(table: Table, seat: str, chance: Random) -> list[str]:
    """Order lines that a lively player might send now: mostly good ones, some that get refused, sometimes none."""
    forms = [form for form in table.forms(seat) if all(slot.is_number or slot.choices for slot in form.slots)]
    lines: list[str] = []
    if forms and chance.random() < 0.93:
        acting = [form for form in forms if form.verb != play.PASS] or forms
        pool = acting if chance.random() < 0.85 else forms
        lines = [line_for(chance.choice(pool), chance) for _ in range(chance.choice((1, 1, 1, 2, 2, 3)))]
    if chance.random() < 0.1:
        stray = [f for f in table.game.grammar(table.view(seat)) if all(s.is_number or s.choices for s in f.slots)]
        lines.insert(chance.randrange(len(lines) + 1), line_for(chance.choice(stray), chance, beyond=True))
    return lines


def random_table(key: str, n: int, variants: Mapping[str, Sequence[Json]], audit: float) -> tuple[Table, Random]:
    """The n-th random game of a rule set, just begun, and the chance to play it by."""
    chance = Random(f"{key} {n}")
    least, most = registry.get(key).facts.seats
    count = chance.randint(least, min(most or least + 5, least + 5))
    names = ["alice", "bob", "Carol", "dan", "Éva", "f-g", "Hal 9", "ida", "jo", "kim", "lu", "max"][:count]
    chance.shuffle(names)
    options = chance.choice(variants.get(key, ({},)))
    return Table.start(key, names, dict(options), Draw(chance.randbytes(32)), audit), chance

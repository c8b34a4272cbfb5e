"""A game at the table: its row, its seats, its rule set and the phase that is open, looked up together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pbm.core import play, registry
from pbm.core.draw import Draw
from pbm.core.engine import Form, Json, Order, Phase
from pbm.core.engine import Game as Rules
from pbm.core.names import fold
from pbm.store.models import Absence, Game, Seat, Standing, Turn
from pbm.store.statements import Statement
from pbm.timing import Absence as Span
from pbm.timing import PhaseTiming, merge_timing

_SEATS: Statement[Seat] = Statement(
    lambda game: Seat.select().where((Seat.game == game) & (Seat.waitlist == False)).order_by(Seat.n)  # noqa: E712
)
_STANDING: Statement[Standing] = Statement(lambda turn: Standing.select().where(Standing.turn == turn))
_ABSENCES: Statement[Absence] = Statement(
    lambda game: Absence.select(Absence.seat, Absence.start, Absence.end).join(Seat).where(Seat.game == game)
)


@dataclass
class Table:
    """One game under way. Reads the database when asked; keeps nothing over a transaction."""

    game: Game
    rules: Rules
    seats: list[Seat]
    turn: Turn | None
    _standing: dict[str, Standing] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, game: Game | str) -> "Table":
        """Raises Game.DoesNotExist for an id that there isn't."""
        row = Game.get_by_id(game) if isinstance(game, str) else game
        seats = _SEATS.all(row.id)
        turn = Turn.get_by_id(row.turn) if row.turn is not None else None
        return cls(row, registry.get(row.rules), seats, turn)

    @property
    def id(self) -> str:
        return str(self.game.id)

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @cached_property
    def draw(self) -> Draw:
        assert self.game.key is not None
        return Draw.from_hex(self.game.key)

    @property
    def options(self) -> Any:
        return self.rules.facts.options.model_validate(self.game.options)

    @property
    def settings(self) -> Json:
        settings: Json = self.game.settings
        return settings

    @property
    def state(self) -> Json:
        assert self.turn is not None
        state: Json = self.turn.state
        return state

    @property
    def phase(self) -> Phase | None:
        return self.rules.phase(self.state) if self.turn is not None else None

    @property
    def open_phase(self) -> Phase:
        phase = self.phase
        assert phase is not None
        return phase

    def seat(self, name: str) -> Seat:
        """Raises LookupError, with the names there are."""
        for seat in self.seats:
            if fold(seat.name) == fold(name):
                return seat
        raise LookupError(f"no player {name!r} in {self.id}; there are: {', '.join(self.names)}")

    def view(self, seat: str | None) -> Json:
        return self.rules.view(self.state, seat)

    def forms(self, seat: str) -> tuple[Form, ...]:
        return self.rules.forms(self.view(seat), seat)

    @property
    def grammar(self) -> tuple[Form, ...]:
        return self.rules.grammar(self.view(None))

    @property
    def rows(self) -> dict[str, Standing]:
        """What each seat has in for the open phase, by name; seats with nothing aren't there."""
        if self._standing is None:
            assert self.turn is not None
            self._standing = {row.seat: row for row in _STANDING.all(self.turn.id)}
        return self._standing

    def row(self, seat: str) -> Standing:
        """The seat's row for the open phase, made where it is missing."""
        assert self.turn is not None
        if seat not in self.rows:
            self.rows[seat] = Standing.create(turn=self.turn.id, seat=seat)
        return self.rows[seat]

    def standing(self, until: int | None = None) -> dict[str, tuple[Order, ...]]:
        """The orders that stand, {seat: orders} in seat order; with `until`, of mails that had arrived by then."""
        found: dict[str, tuple[Order, ...]] = {}
        for name in self.names:
            row = self.rows.get(name)
            if row is not None:
                orders = tuple(Order.from_json(o) for o in row.orders if until is None or o["at"] <= until)
                if orders:
                    found[name] = orders
        return found

    def waiting(self, until: int | None = None) -> tuple[str, ...]:
        """Who must act and has no valid order in (yet, or by `until`), in seat order."""
        if self.turn is None or self.turn.status != "open":
            return ()
        return play.waiting(self.rules, self.state, self.standing(until))

    def concerned(self, state: Json) -> frozenset[str]:
        """Who has the deadline of this state's phase in a calendar: who must act, and, where a close is mailed to all,
        who may."""
        phase = self.rules.phase(state)
        if phase is None:
            return frozenset()
        return frozenset(phase.must if self.rules.facts.told_on else (*phase.must, *phase.may))

    def timing(self, phase: str) -> PhaseTiming:
        """INTERFACE.md: the game file's phase, its default, the rule set's own, the config's default; key by key."""
        given = self.settings["timing"]
        own = next((dict(kind.timing) for kind in self.rules.facts.phases if kind.name == phase), {})
        return merge_timing(given.get(phase, {}), given.get("default", {}), own, self.settings["default_timing"])

    def absences(self, names: Iterable[str]) -> list[Span]:
        wanted = set(names)
        ids = {seat.id for seat in self.seats if seat.name in wanted}
        return [Span(row.start, row.end) for row in _ABSENCES.all(self.id) if row.seat_id in ids]

    def closes(self) -> int:
        """When the open phase closes if it isn't closed early: its deadline, or the end of its grace."""
        assert self.turn is not None
        return int(self.turn.deadline) + self.grace

    @property
    def grace(self) -> int:
        """Seconds of grace behind the open phase's deadline; none after CLOSE."""
        assert self.turn is not None
        return self.timing(self.turn.phase).grace if self.turn.grace else 0

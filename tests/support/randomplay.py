"""One random game of any rule set, from the first phase to the last, checked against the protocol on its way."""

from collections.abc import Iterator, Sequence

import pytest

from pbm.core.engine import Event
from tests.support.books import BOOKS, VARIANTS, Entry
from tests.support.table import random_mail, random_table

MOST_PHASES = 3000


class Play:
    """`moves` plays on, and gives the events of each call that changed the state."""

    def __init__(self, key: str, n: int, *, removals: float = 0.02, audit: float = 0.05) -> None:
        self.key = key
        self.table, self.chance = random_table(key, n, VARIANTS, audit)
        self.removals = removals

    def moves(self) -> Iterator[Sequence[Event]]:
        table, chance = self.table, self.chance
        for _ in range(MOST_PHASES):
            phase = table.phase()
            if phase is None:
                assert table.result is not None
                return
            self._audit_phase()
            if chance.random() < self.removals:
                yield from self._remove(chance.choice(table.seats))
                if table.result is not None:
                    continue
            for seat in chance.sample(table.seats, len(table.seats)):
                if chance.random() < 0.9:
                    _, events = table.mail(seat, random_mail(table, seat, chance))
                    if events:
                        yield events
            if chance.random() < self.removals:
                yield from self._remove(chance.choice(table.seats))
                if table.result is not None:
                    continue
            yield self._close()
        pytest.fail(f"no end after {MOST_PHASES} phases")

    def _audit_phase(self) -> None:
        table, phase = self.table, self.table.phase()
        assert phase is not None
        assert phase.label.strip()
        assert phase.name in {kind.name for kind in table.game.facts.phases}
        for seats in (phase.must, phase.may):
            assert list(seats) == [seat for seat in table.seats if seat in seats], "not in seat order"
        assert not set(phase.must) & set(phase.may)
        assert not table.removed & {*phase.must, *phase.may}
        assert all(table.forms(seat) for seat in phase.must)
        assert not any(table.forms(seat) for seat in table.removed)

    def _remove(self, seat: str) -> Iterator[Sequence[Event]]:
        table = self.table
        if seat in table.removed:
            with pytest.raises(ValueError, match=r"\w+ \w+"):
                table.game.remove(table.state, seat, table.standing, table.draw)
            return
        events = table.remove(seat)
        assert events[0].type == "removed"
        assert events[0].data["player"] == seat
        assert events[0].to == "public"
        assert seat not in table.standing
        yield events

    def _close(self) -> Sequence[Event]:
        """Ruling G3: a `missed` event for everybody who was waited for and sent nothing, and for nobody else."""
        table = self.table
        waiting, phase = set(table.waiting()), table.phase()
        assert phase is not None
        silent = {s for s in phase.must if not table.standing.get(s) and s not in table.acted}
        events = table.close()
        missed = [event.data["player"] for event in events if event.type == "missed"]
        assert len(missed) == len(set(missed))
        assert silent <= set(missed) <= waiting
        return events


def play_out(key: str, n: int, *, removals: float = 0.02, audit: float = 0.05) -> Play:
    """Play one game to its end, checking the books after every call. Gives the game as it ended."""
    game = Play(key, n, removals=removals, audit=audit)
    table = game.table
    before, own = table.view(None), {seat: table.view(seat)["private"] for seat in table.seats}
    for events in game.moves():
        after = table.view(None)
        own_after = {seat: table.view(seat)["private"] for seat in table.seats}
        if key in BOOKS:
            BOOKS[key](Entry(before, after, own, own_after, events))
        ends = [event for event in events if event.type == "game_over"]
        assert len(ends) == (table.result is not None)
        if table.result is not None:
            winners = list(table.result.winners)
            assert ends[0].to == "public"
            assert ends[0].data["winners"] == winners
            assert not set(winners) & set(table.result.runners_up)
            assert not set(winners) & table.removed
            assert {*winners, *table.result.runners_up} <= set(table.seats)
        before, own = after, own_after
    assert table.phase() is None
    assert not any(table.forms(seat) for seat in table.seats)
    return game

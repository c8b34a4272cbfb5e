"""A phase that has just closed: what the mails of its close are made of."""

from dataclasses import dataclass

from pbm.core.engine import Event, Result
from pbm.store.models import Turn


@dataclass(frozen=True, slots=True)
class Closed:
    """A phase that has just closed, for the mails: its row, what happened, and whether the game ended with it. `freed`:
    who has its deadline in a calendar still, though it closed before."""

    turn: Turn
    events: tuple[Event, ...]
    result: Result | None
    freed: frozenset[str] = frozenset()

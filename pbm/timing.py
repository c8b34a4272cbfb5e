"""When a phase closes: the algebra of deadlines (INTERFACE.md, "Game file" and "Closing").

Every instant here is a whole second UTC (``int``), every length a number of seconds. Nothing asks what time it
is: the caller passes the instants in. The words for it, read and written, come
from :mod:`pbm.timewords`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pbm.timewords import (
    DAY,
    days_text,
    in_zone,
    iso,
    length_text,
    local_instant,
    parse_at,
    parse_away,
    parse_close,
    parse_days,
    parse_length,
    parse_zone,
    utc,
    words,
)

__all__ = [
    "READERS",
    "Absence",
    "PhaseTiming",
    "absence",
    "align",
    "begun",
    "budget_used",
    "days_text",
    "deadline",
    "early_close",
    "in_zone",
    "iso",
    "length_text",
    "merge_timing",
    "parse_at",
    "parse_away",
    "parse_days",
    "parse_length",
    "parse_zone",
    "push_past_absences",
    "reminders",
    "resume",
    "utc",
    "words",
]

Close = Literal["all-in", "deadline"]


@dataclass(frozen=True, slots=True)
class PhaseTiming:
    """How one phase is timed.

    ``length``, ``min``, ``max``, ``delay``, ``grace`` are seconds; ``at`` is hour and minute; ``days`` are
    allowed weekdays, 0 for Monday, None for every day; ``at`` and ``days`` count in ``timezone``.
    """

    length: int
    min: int = 0
    max: int = 7 * DAY
    close: Close = "all-in"
    at: tuple[int, int] | None = None
    days: frozenset[int] | None = None
    timezone: str = "UTC"
    delay: int = 0
    grace: int = 0

    def __post_init__(self) -> None:
        if self.length <= 0:
            raise ValueError("a phase has a length of more than 0, for example 24h")
        if self.days is not None and not self.days:
            raise ValueError("a phase needs at least one day, for example mon-fri")


@dataclass(frozen=True, slots=True)
class Absence:
    """A player's AWAY as instants: from 0:00 of its first day up to, not including, 24:00 of its last."""

    start: int
    end: int

    def holds(self, instant: int) -> bool:
        """Whether the instant lies inside; the end itself, where a deadline is moved to, doesn't."""
        return self.start <= instant < self.end


READERS: Mapping[str, Callable[[str], object]] = {
    "length": parse_length,
    "min": parse_length,
    "max": parse_length,
    "close": parse_close,
    "at": parse_at,
    "days": parse_days,
    "timezone": parse_zone,
    "delay": parse_length,
    "grace": parse_length,
}
"""How the text of each timing key is read; each raises ValueError with an example."""


def merge_timing(*layers: Mapping[str, object]) -> PhaseTiming:
    """Put a phase's timing together, key by key: the first layer that names a key wins.

    The layers come in INTERFACE.md's order: the game file's phase, its ``default``, the rule set's own phase, the
    config's default. A layer may hold text (``"48h"``) or values that have been read; None for ``at`` or ``days``
    takes back what a later layer would say. ValueError: an unknown key, text that can't be read, no length anywhere.
    """
    known = {field.name for field in fields(PhaseTiming)}
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            if key not in known:
                raise ValueError(f"{key} is no timing key; they are {', '.join(sorted(known))}")
            if key not in merged:
                merged[key] = READERS[key](value) if isinstance(value, str) else value
    if "length" not in merged:
        raise ValueError("no length is named, for example 24h")
    return PhaseTiming(**merged)


def align(instant: int, timing: PhaseTiming) -> int:
    """The first instant not before this one that has local time ``at`` on an allowed day.

    With ``days`` alone: the same local time on the next allowed day (the instant itself where its day is allowed).
    A local time in a DST gap stands for the first instant after the gap, and belongs to the day that it names.
    """
    if timing.at is None and timing.days is None:
        return instant
    local = datetime.fromtimestamp(instant, ZoneInfo(timing.timezone))
    today = local.date()
    if timing.at is None:
        if _allowed(today, timing):
            return instant
        clock, first = local.time(), 1
    else:
        # From yesterday on: where clocks go back over midnight, yesterday's `at` can still lie ahead.
        clock, first = time(*timing.at), -1
    for step in range(first, 9):
        day = today + timedelta(days=step)
        if _allowed(day, timing):
            found = local_instant(day, clock, timing.timezone)
            if found >= instant:
                return found
    raise ValueError(f"no allowed day within a week of {today}: {timing}")


def _allowed(day: date, timing: PhaseTiming) -> bool:
    return timing.days is None or day.weekday() in timing.days


def deadline(opened: int, timing: PhaseTiming, absences: Sequence[Absence] = ()) -> int:
    """The deadline of a phase that opened at this second; ``absences``: of those who must act in it."""
    own = align(opened + timing.length, timing)
    return push_past_absences(own, timing, absences, own + timing.max)


def push_past_absences(deadline: int, timing: PhaseTiming, absences: Sequence[Absence], limit: int) -> int:
    """Move a deadline out of the absences of those who must act: to the end, then ``at`` and ``days``, repeated.

    ``limit`` is the phase's own deadline (EXTEND and RESUME included) plus ``timing.max``: it wins over everything
    but a deadline that lies later already, which stays.
    """
    moved = deadline
    while moved < limit:
        # The latest end of those that hold it: whichever were taken first, all of them have to be left behind.
        ends = [absence.end for absence in absences if absence.holds(moved)]
        if not ends:
            return moved
        moved = align(max(ends), timing)
    return max(deadline, limit)


def early_close(opened: int, last_change: int, timing: PhaseTiming) -> int:
    """The earliest second of a close before the deadline, where ``close`` is all-in and nobody is waited for.

    ``last_change``: the newest arrival that changed orders or waiting (``opened`` where there was none).
    """
    return max(opened + timing.min, last_change + timing.delay)


def resume(deadline: int, paused: int, resumed: int) -> int:
    """The deadline after RESUME: the rest that PAUSE froze runs on from there, without ``at`` and ``days``."""
    return resumed + max(0, deadline - paused)


def reminders(opened: int, deadline: int, leads: Iterable[int]) -> list[int]:
    """The instants, in order, at which reminders are due, ``leads`` seconds before the deadline.

    One that is due within the first quarter of the phase, its last second included, is left out.
    """
    due = {deadline - lead for lead in leads if lead > 0}
    return sorted(at for at in due if 4 * (at - opened) > deadline - opened)


def absence(first: date, last: date, zone: str) -> Absence:
    """The instants of AWAY: both days, in this zone, belong to it. ValueError: the last is before the first."""
    if last < first:
        raise ValueError(f"the last day, {last}, is before the first, {first}; right is: 2026-12-20 TO 2026-12-27")
    midnight = time(0)
    return Absence(local_instant(first, midnight, zone), local_instant(last + timedelta(days=1), midnight, zone))


def budget_used(spans: Iterable[tuple[date, date]]) -> int:
    """How many days these absences take, both ends counted; a day that is in two of them counts once."""
    used, free_from = 0, date.min
    for first, last in sorted(spans):
        start = max(first, free_from)
        if start <= last:
            used += (last - start).days + 1
            free_from = last + timedelta(days=1)
    return used


def begun(spans: Iterable[tuple[date, date]], today: date) -> list[tuple[date, date]]:
    """What is left of absences after AWAY NONE on this day: the days that have begun, today's included."""
    return [(first, min(last, today)) for first, last in spans if first <= today]

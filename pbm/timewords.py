"""Times in words: reading what people write about them, and writing them for people. English, whatever the locale.

Everything that reads raises ValueError whose text says what is wrong and shows the right form, so that a mail, a
command and a configuration file refuse in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from rapidfuzz import fuzz, process

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
LONGEST = 1000 * DAY

_UNITS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY}
_NAMES = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (1, "second"))
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# Names that zone files bring along, and that mean nothing to a reader.
_NO_ZONES = {"Factory", "localtime", "posixrules"}


def parse_length(text: str) -> int:
    """Seconds of a length: ``20s``, ``30m``, ``48h``, ``3d``. ValueError for anything else, and beyond 1000 days."""
    found = re.fullmatch(r"([0-9]{1,9}) ?([smhd])", text.strip().lower())
    if found is None:
        raise ValueError(
            f"{_shown(text)} is no length; write a whole number with s, m, h or d, for example 30m, 48h or 3d"
        )
    seconds = int(found[1]) * _UNITS[found[2]]
    if seconds > LONGEST:
        raise ValueError(f"{_shown(text)} is too long; at most 1000d")
    return seconds


def length_text(seconds: int) -> str:
    """The shortest text that :func:`parse_length` reads as these seconds: ``48h``, and ``3d`` from three days on."""
    if seconds >= 3 * DAY and seconds % DAY == 0:
        return f"{seconds // DAY}d"
    for unit, size in (("h", HOUR), ("m", MINUTE)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def words(seconds: int, parts: int = 2) -> str:
    """A length for people, ``2 days 3 hours``: the largest units, at most ``parts`` of them, the rest left off."""
    found: list[str] = []
    for size, name in _NAMES:
        count, seconds = divmod(seconds, size)
        if count:
            found.append(f"{count} {name}{'' if count == 1 else 's'}")
        if len(found) == parts:
            break
    return " ".join(found) or "0 seconds"


def parse_at(text: str) -> tuple[int, int]:
    """Hour and minute of ``18:00``."""
    found = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})", text.strip())
    if found is None or int(found[1]) > 23 or int(found[2]) > 59:
        raise ValueError(f"{_shown(text)} is no time of day; write hours and minutes, for example 18:00")
    return int(found[1]), int(found[2])


def parse_days(text: str) -> frozenset[int]:
    """Weekdays, 0 for Monday, of a list or range, also over the weekend's edge: ``mon-fri``, ``fri-mon, wed``."""
    days: set[int] = set()
    for part in text.split(","):
        ends = [_weekday(name) for name in part.split("-")]
        if len(ends) > 2 or None in ends:
            raise ValueError(
                f"{_shown(text)} are no days; write a list or range of mon, tue, wed, thu, fri, sat, sun,"
                " for example mon-fri"
            )
        first, last = ends[0] or 0, ends[-1] or 0
        days.update((first + step) % 7 for step in range((last - first) % 7 + 1))
    return frozenset(days)


def _weekday(name: str) -> int | None:
    name = name.strip().lower()
    for number, day in enumerate(_DAYS):
        if name in (day.lower(), day[:3].lower()):
            return number
    return None


def days_text(days: Iterable[int]) -> str:
    """The list that :func:`parse_days` reads as these days: ``mon,tue``."""
    return ",".join(_DAYS[day][:3].lower() for day in sorted(days))


def parse_close(text: str) -> str:
    """``all-in`` or ``deadline``."""
    word = text.strip().lower()
    if word not in ("all-in", "deadline"):
        raise ValueError(f"{_shown(text)} is no way to close; write all-in or deadline")
    return word


@cache
def zones() -> dict[str, str]:
    """Every zone name that this machine knows, by its lower-case form."""
    return {name.lower(): name for name in sorted(available_timezones() - _NO_ZONES)}


def parse_zone(text: str) -> str:
    """The IANA name of a time zone, whatever its case. ValueError with near names."""
    wanted = "_".join(text.split())
    found = zones().get(wanted.lower())
    if found is None:
        near = near_zones(wanted)
        hint = f"did you mean {' or '.join(near)}?" if near else "write it like Europe/Berlin"
        raise ValueError(f"{_shown(text)} is no time zone; {hint}")
    return found


def near_zones(text: str, limit: int = 3) -> list[str]:
    """Zone names that the text may mean: its city first (``berlin``), then whatever is spelt much like it."""
    wanted = "_".join(text.split()).lower()[:64]
    same_city = [name for low, name in zones().items() if wanted and low.rpartition("/")[2] == wanted]
    if same_city:
        return same_city[:limit]
    # A bare city is compared with cities: beside whole names its region's letters would count against it.
    spelt = {low: low if "/" in wanted else low.rpartition("/")[2] for low in zones()}
    near = process.extract(wanted, spelt, scorer=fuzz.ratio, score_cutoff=80, limit=limit)
    return [zones()[low] for _, _, low in near]


def parse_away(text: str) -> tuple[date, date] | None:
    """First and last day of ``2026-12-20 TO 2026-12-27``; None for ``NONE``."""
    if text.strip().upper() == "NONE":
        return None
    found = re.fullmatch(r"(\d{4}-\d{1,2}-\d{1,2})\s+TO\s+(\d{4}-\d{1,2}-\d{1,2})", text.strip(), re.ASCII | re.I)
    right = "write it like AWAY 2026-12-20 TO 2026-12-27, or AWAY NONE"
    if found is None:
        raise ValueError(f"{_shown(text)} are no days of absence; {right}")
    first, last = _day(found[1], right), _day(found[2], right)
    if last < first:
        raise ValueError(f"the last day, {last}, comes before the first, {first}; {right}")
    return first, last


def _day(text: str, right: str) -> date:
    year, month, day = (int(part) for part in text.split("-"))
    try:
        # Zones and calendars are kept for about this span; nobody is away outside it.
        if not 2000 <= year < 2200:
            raise ValueError(year)
        return date(year, month, day)
    except ValueError:
        raise ValueError(f"there is no day {text}; {right}") from None


def parse_until(text: str, zone: str, now: int) -> int:
    """The instant of ``2026-12-24 18:00`` in a zone, of ``2026-12-24 18:00 UTC``, or of a length from now (``24h``)."""
    found = re.fullmatch(r"(\d{4}-\d{1,2}-\d{1,2})[ T](\d{1,2}:\d{2})(?: ?(UTC|Z))?", text.strip(), re.ASCII | re.I)
    right = "write it like 2026-12-24 18:00, or a length like 24h"
    if found is None:
        try:
            return now + parse_length(text)
        except ValueError:
            raise ValueError(f"{_shown(text)} is no time; {right}") from None
    hour, minute = parse_at(found[2])
    return local_instant(_day(found[1], right), time(hour, minute), "UTC" if found[3] else zone)


def local_instant(day: date, clock: time, zone: str) -> int:
    """The instant of a local time: in a DST gap the first instant after it, and of one that comes twice the later."""
    tz = ZoneInfo(zone)
    naive = datetime.combine(day, clock.replace(fold=0))
    # fold=1 counts with the offset after a change of the clock: the later of two, and an instant before a gap.
    early, late = (int(naive.replace(tzinfo=tz, fold=fold).timestamp()) for fold in (0, 1))
    if early <= late:
        return late
    before, after = late, early  # in a gap the clock changes between the two
    offset = _offset(after, tz)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(middle, tz) == offset:
            after = middle
        else:
            before = middle
    return after


def _offset(instant: int, tz: ZoneInfo) -> float:
    shift = datetime.fromtimestamp(instant, tz).utcoffset()
    assert shift is not None
    return shift.total_seconds()


def in_zone(instant: int, zone: str) -> str:
    """For a reader in this zone: ``Friday 4 December 2026, 18:00 (Europe/Berlin)``; seconds only where there are."""
    when = datetime.fromtimestamp(instant, ZoneInfo(zone))
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]} {when.year}, {_clock(when)} ({zone})"


def utc(instant: int) -> str:
    """``Fri 4 Dec 2026 17:00 UTC``; seconds only where there are."""
    when = datetime.fromtimestamp(instant, UTC)
    return f"{_DAYS[when.weekday()][:3]} {when.day} {_MONTHS[when.month - 1][:3]} {when.year} {_clock(when)} UTC"


def iso(instant: int) -> str:
    """``2026-12-04T17:00:00Z``."""
    return datetime.fromtimestamp(instant, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _clock(when: datetime) -> str:
    return f"{when.hour:02}:{when.minute:02}" + (f":{when.second:02}" if when.second else "")


def _shown(text: str) -> str:
    """What was written, short and on one line."""
    text = " ".join(text.split())
    return f"'{text if len(text) <= 40 else text[:39] + '…'}'"

"""The calendar attachment of a deadline (MAIL.md, *What is sent*): RFC 5545, published by RFC 5546, section 3.2.1."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from icalendar import Calendar, Event, vCalAddress, vText

PRODUCT = "-//pbm//Play by mail//EN"
METHOD = "PUBLISH"


@dataclass(frozen=True, slots=True)
class Entry:
    """A phase's deadline in somebody's calendar. The same for all readers of a phase.

    `uid`: one a phase. `sequence`: counts up whenever the deadline moves or is cancelled. `at`, `stamp`: seconds UTC;
    `stamp` is when this version was made (the phase opened, the deadline moved). `cancelled`: the phase closed early.
    """

    uid: str
    title: str
    note: str
    at: int
    stamp: int
    organizer: str
    sequence: int = 0
    cancelled: bool = False


@lru_cache(maxsize=256)
def calendar(entries: tuple[Entry, ...]) -> bytes:
    """The entries as one calendar file: CRLF, UTF-8, folded lines. Kept: all players of a phase get the same bytes."""
    file = Calendar()
    file.add("prodid", PRODUCT)
    file.add("version", "2.0")
    file.add("method", METHOD)
    for entry in entries:
        file.add_component(_event(entry))
    return bytes(file.to_ical())


def _event(entry: Entry) -> Event:
    event = Event()
    event.add("uid", entry.uid)
    event.add("dtstamp", datetime.fromtimestamp(entry.stamp, UTC))
    # A deadline is an instant: by RFC 5545, 3.6.1, an event with a DTSTART and no DTEND takes no time.
    event.add("dtstart", datetime.fromtimestamp(entry.at, UTC))
    event.add("summary", entry.title)
    event.add("description", entry.note)
    event.add("sequence", entry.sequence)
    event.add("status", "CANCELLED" if entry.cancelled else "CONFIRMED")
    event.add("transp", "TRANSPARENT")
    organizer = vCalAddress(f"mailto:{entry.organizer}")
    organizer.params["cn"] = vText("Play by mail")
    event.add("organizer", organizer)
    return event

"""The calendar attachment of a deadline (MAIL.md, *What is sent*)."""

from dataclasses import replace
from datetime import UTC, datetime

from icalendar import Calendar

from pbm.mail.calendar import Entry, calendar

AT = 1_796_403_600
ENTRY = Entry(
    uid="t1.grab-1@example.org",
    title="[grab-1] Round 3; your order, please",
    note="Answer the email.\nIt's short: " + "ö" * 100,
    at=AT,
    stamp=AT - 86_400,
    organizer="pbm@example.org",
)


def test_a_deadline_is_published_as_an_event_without_length() -> None:
    file = Calendar.from_ical(calendar((ENTRY,)))
    assert file["METHOD"] == "PUBLISH"
    (event,) = file.walk("VEVENT")
    assert event["UID"] == ENTRY.uid
    assert event.decoded("DTSTART") == datetime.fromtimestamp(AT, UTC)
    assert event.decoded("DTSTAMP") == datetime.fromtimestamp(AT - 86_400, UTC)
    assert "DTEND" not in event
    assert event["SEQUENCE"] == 0
    assert event["STATUS"] == "CONFIRMED"
    assert event["SUMMARY"] == ENTRY.title
    assert event["DESCRIPTION"] == ENTRY.note
    assert event["ORGANIZER"] == "mailto:pbm@example.org"


def test_a_moved_and_a_cancelled_deadline_keep_their_uid() -> None:
    moved = replace(ENTRY, at=AT + 3600, sequence=1)
    gone = replace(moved, sequence=2, cancelled=True)
    events = [Calendar.from_ical(calendar((entry,))).walk("VEVENT")[0] for entry in (ENTRY, moved, gone)]
    assert {str(event["UID"]) for event in events} == {ENTRY.uid}
    assert [event["SEQUENCE"] for event in events] == [0, 1, 2]
    assert [event["STATUS"] for event in events] == ["CONFIRMED", "CONFIRMED", "CANCELLED"]
    assert Calendar.from_ical(calendar((gone,)))["METHOD"] == "PUBLISH"


def test_the_next_deadline_stands_beside_one_that_is_called_off() -> None:
    gone = replace(ENTRY, sequence=1, cancelled=True)
    coming = replace(ENTRY, uid="t2.grab-1@example.org", at=AT + 86_400)
    file = Calendar.from_ical(calendar((coming, gone)))
    assert [(str(e["UID"]), str(e["STATUS"])) for e in file.walk("VEVENT")] == [
        (coming.uid, "CONFIRMED"),
        (gone.uid, "CANCELLED"),
    ]


def test_lines_are_crlf_and_folded() -> None:
    data = calendar((ENTRY,))
    lines = data.split(b"\r\n")
    assert data.endswith(b"END:VCALENDAR\r\n")
    assert b"\n" not in b"".join(lines)
    assert max(map(len, lines)) <= 75
    assert calendar((replace(ENTRY),)) == data

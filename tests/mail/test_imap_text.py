"""The texts of IMAP that are ours: names, sets, dates and answers to FETCH."""

import calendar
import imaplib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.mail import imap_text as wire


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("INBOX", '"INBOX"'),
        ("Entwürfe & mehr", '"Entw&APw-rfe &- mehr"'),
        ("~peter/mail/台北/日本語", '"~peter/mail/&U,BTFw-/&ZeVnLIqe-"'),  # RFC 3501 section 5.1.3
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("😀", '"&2D3eAA-"'),
    ],
)
def test_folder_names_are_quoted_and_in_modified_utf7(name: str, wanted: str) -> None:
    assert wire.folder_name(name) == wanted


@given(st.text(max_size=30))
def test_modified_utf7_is_printable_ascii_and_reversible(name: str) -> None:
    coded = wire.modified_utf7(name)
    assert all(" " <= character <= "~" for character in coded)
    assert _decoded(coded) == name


def _decoded(coded: str) -> str:
    """By way of Python's UTF-7: `&` for `+`, `,` for `/`; a plain `+` must be escaped first."""
    parts = []
    for index, part in enumerate(coded.split("&")):
        if index == 0:
            parts.append(part)
            continue
        packed, _, plain = part.partition("-")
        parts.append((f"+{packed.replace(',', '/')}-".encode().decode("utf-7") if packed else "&") + plain)
    return "".join(parts)


@pytest.mark.parametrize("text", ["a\r\nb", "a\nb", "a\rb", "a\0b"])
def test_line_breaks_are_refused_in_strings(text: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        wire.quote(text)


@given(st.sets(st.integers(1, 60)))
def test_sets_of_uids_are_short_and_complete(uids: set[int]) -> None:
    text = wire.uid_set(uids)
    found: list[int] = []
    for part in filter(None, text.split(",")):
        low, _, high = part.partition(":")
        found.extend(range(int(low), int(high or low) + 1))
    assert found == sorted(uids)
    assert text.count(",") == sum(1 for uid in uids if uid + 1 not in uids) - 1 or not uids


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("29-Nov-2026 10:00:00 +0000", calendar.timegm((2026, 11, 29, 10, 0, 0))),
        ("29-Nov-2026 10:00:00 +0545", calendar.timegm((2026, 11, 29, 4, 15, 0))),
        (" 1-jan-1970 00:00:00 -0130", 5400),
        ("29-FEB-2028 23:59:59 +0000", calendar.timegm((2028, 2, 29, 23, 59, 59))),
    ],
)
def test_an_internaldate_is_read_to_the_second(text: str, seconds: int) -> None:
    assert wire.read_internaldate(text) == seconds


@given(st.integers(0, 4_000_000_000))
def test_an_internaldate_is_what_another_library_writes(seconds: int) -> None:
    assert wire.read_internaldate(imaplib.Time2Internaldate(seconds).strip('"')) == seconds


@pytest.mark.parametrize("text", ["", "29-Foo-2026 10:00:00 +0000", "2026-11-29T10:00:00Z", "29-Nov-2026 10:00:00"])
def test_what_is_no_internaldate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="INTERNALDATE"):
        wire.read_internaldate(text)


def test_nothing_in_a_string_or_a_body_passes_for_an_item() -> None:
    lines: list[bytes | bytearray] = [
        b'1 FETCH (X-NOTE "UID 9 )(" FLAGS (\\Seen UID) UID 5 X (a (UID 7)) BODY[]<0> {16}',
        bytearray(b"UID 8)\r\nUID 8 ()"),
        b")",
        b'2 FETCH (BODY[] "UID 3 \\" )" UID 6)',
        b"3 FETCH (FLAGS ())",
        b"done UID 4",
    ]
    found = list(wire.read_fetch(lines))
    assert [(one.uid, one.body) for one in found] == [(5, b"UID 8)\r\nUID 8 ()"), (6, b'UID 3 " )'), (None, None)]


def test_numbers_in_the_tagged_line_are_no_uids() -> None:
    assert wire.read_uids([b"5 3", b"", b"9", b"Search completed (0.001 + 7 secs)."]) == [3, 5, 9]
    assert wire.read_uids([b"8 done"]) == []

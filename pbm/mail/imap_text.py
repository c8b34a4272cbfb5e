"""The texts of the IMAP protocol that aioimaplib leaves to its caller (RFC 3501, pure).

Names are quoted and in modified UTF-7, sets of UIDs are ranges, and answers to FETCH are read token by token,
so that nothing inside a quoted string or a literal can pass for an item of the answer.
"""

import base64
import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_DATE = re.compile(r"\s*(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)")
_FETCH = re.compile(rb"\d+ FETCH \(", re.IGNORECASE)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+', re.DOTALL)
_LITERAL_END = re.compile(rb"\{\d+\}$")
_UIDVALIDITY = re.compile(rb"\[UIDVALIDITY (\d+)\]", re.IGNORECASE)
_APPENDUID = re.compile(rb"\[APPENDUID (\d+) (\d+)\]", re.IGNORECASE)


@dataclass(slots=True)
class Fetched:
    """One message of an answer to FETCH: items by their name in capitals, and the body if one came."""

    items: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None

    @property
    def uid(self) -> int | None:
        text = self.items.get("UID", "")
        return int(text) if text.isdigit() else None


def quote(text: str) -> str:
    """A quoted string (RFC 3501 section 4.3); refuses the characters that would end the line."""
    if any(character in text for character in "\r\n\0"):
        raise ValueError("a line break or NUL can't stand in an IMAP string")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def folder_name(name: str) -> str:
    """A folder's name as it goes on the wire: modified UTF-7 (RFC 3501 section 5.1.3), quoted."""
    return quote(modified_utf7(name))


def modified_utf7(text: str) -> str:
    """RFC 3501 section 5.1.3: `Entwürfe & mehr` → `Entw&APw-rfe &- mehr`."""
    parts: list[str] = []
    for run in re.findall(r"[ -~]+|[^ -~]+", text):
        if " " <= run[0] <= "~":
            parts.append(run.replace("&", "&-"))
        else:
            packed = base64.b64encode(run.encode("utf-16-be")).decode("ascii")
            parts.append("&" + packed.rstrip("=").replace("/", ",") + "-")
    return "".join(parts)


def uid_set(uids: Iterable[int]) -> str:
    """`[5, 3, 4, 9]` → `3:5,9`."""
    runs: list[list[int]] = []
    for uid in sorted(set(uids)):
        if runs and uid == runs[-1][1] + 1:
            runs[-1][1] = uid
        else:
            runs.append([uid, uid])
    return ",".join(str(low) if low == high else f"{low}:{high}" for low, high in runs)


def read_uids(lines: Sequence[bytes]) -> list[int]:
    """The numbers of an answer to SEARCH; the last line is the tagged one, which may hold numbers too."""
    return sorted({int(word) for line in lines[:-1] for word in bytes(line).split() if word.isdigit()})


def read_uidvalidity(lines: Sequence[bytes]) -> int | None:
    """The UIDVALIDITY of an answer to SELECT."""
    for line in lines:
        if found := _UIDVALIDITY.search(line):
            return int(found[1])
    return None


def read_appenduid(lines: Sequence[bytes]) -> int | None:
    """The UID that APPEND gave (RFC 4315); None where the server doesn't tell."""
    for line in lines:
        if found := _APPENDUID.search(line):
            return int(found[2])
    return None


def read_internaldate(text: str) -> int:
    """`29-Nov-2026 10:00:00 +0100` → seconds UTC. Independent of the locale, unlike strptime. ValueError."""
    found = _DATE.fullmatch(text)
    if not found or found[2].lower() not in _MONTHS:
        raise ValueError(f"not an INTERNALDATE: {text[:40]!r}")
    day, year, hour, minute, second = (int(found[n]) for n in (1, 3, 4, 5, 6))
    offset = (int(found[8]) * 60 + int(found[9])) * 60
    moment = calendar.timegm((year, _MONTHS[found[2].lower()], day, hour, minute, second))
    return moment - offset if found[7] == "+" else moment + offset


def read_fetch(lines: Sequence[bytes | bytearray]) -> Iterator[Fetched]:
    """Messages of aioimaplib's flat list of lines: text is `bytes`, a literal is a `bytearray`.

    The order of the items is the server's, and lines about other messages (a flag that somebody set) may
    stand among them: these come out without a body.
    """
    group: list[bytes | bytearray] = []
    for line in lines[:-1]:
        if not isinstance(line, bytearray) and _FETCH.match(line):
            if group:
                yield _read_group(group)
            group = [line]
        elif group:
            group.append(line)
    if group:
        yield _read_group(group)


def _read_group(group: Sequence[bytes | bytearray]) -> Fetched:
    found = Fetched()
    name: str | None = None
    depth = 0
    for index, piece in enumerate(group):
        if isinstance(piece, bytearray):
            if name is not None and name.startswith("BODY[") and depth == 1:
                found.body = bytes(piece)
            name = None
            continue
        text = piece[piece.index(b"(") :] if index == 0 else piece
        for token in _TOKEN.findall(_LITERAL_END.sub(b"", text)):
            if token in (b"(", b")"):
                depth += 1 if token == b"(" else -1
                if depth == 1:
                    name = None
            elif depth != 1:
                continue
            elif name is None:
                name = token.decode("ascii", "replace").upper()
            else:
                _store(found, name, token)
                name = None
    return found


def _store(found: Fetched, name: str, token: bytes) -> None:
    value = re.sub(rb"\\(.)", rb"\1", token[1:-1], flags=re.DOTALL) if token.startswith(b'"') else token
    if name.startswith("BODY["):
        found.body = b"" if token.upper() == b"NIL" else value
    else:
        found.items[name] = value.decode("ascii", "replace")

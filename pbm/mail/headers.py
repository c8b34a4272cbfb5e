"""A header block → its fields, RFC 2047 words and RFC 2231 parameters; linear in its length, never an exception."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote_to_bytes

from pbm.mail.charsets import decode
from pbm.mail.limits import MAX_FIELD, MAX_HEAD, Unreadable

Fields = tuple[tuple[str, str], ...]
"""(name in lower case, unfolded value) in the order of the mail. RFC 2047 words are still encoded: decoding a
structured field before its grammar is read would let a display name become an address."""

_NAME = re.compile(rb"([!-9;-~]{1,200})[ \t]*:")
_STRAY_PARAM = re.compile(rb"(?:boundary|charset|format|name|filename)=", re.IGNORECASE)
_CONTROL = {code: " " if code == 9 else None for code in (*range(32), *range(0x7F, 0xA0))}
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
_THREAD = (b"references", b"in-reply-to")


def split_head(data: bytes) -> tuple[Fields, bytes]:
    """Fields and body of a mail or of a part whose lines end in LF.

    A stray line among the fields is skipped; a line that is no field, followed by none, begins the body.
    Raises `Unreadable` where the block or one field is over its limit (References and In-Reply-To are cut instead).
    """
    fields: list[tuple[str, str]] = []
    name, value = b"", bytearray()
    position, length = 0, len(data)

    def flush() -> None:
        if not name:
            return
        if len(value) > MAX_FIELD and name not in _THREAD:
            raise Unreadable("a header of the mail is longer than 32 KB")
        text = bytes(value)
        if len(text) > MAX_FIELD:
            text = b" ".join(text.split()[-20:])[-MAX_FIELD:]
        fields.append((name.decode("ascii"), decode(text).translate(_CONTROL).strip()))

    while position < length:
        end = data.find(b"\n", position)
        end = length if end < 0 else end
        line = data[position:end]
        if not line:
            position = end + 1
            break
        if end > MAX_HEAD:
            raise Unreadable("the header of the mail is longer than 128 KB")
        if line[0] in b" \t":
            if not line.strip() and not _NAME.match(data, end + 1) and data[end + 1 : end + 2] != b"\n":
                position = end + 1
                break
            if name:
                value += b" " + line.lstrip(b" \t")
        elif found := _NAME.match(line):
            flush()
            name, value = found[1].lower(), bytearray(line[found.end() :])
        elif name and _STRAY_PARAM.match(line):
            value += b" " + line
        elif fields or name:
            # One line that a gateway broke: go on if a field follows, else the body begins here.
            after = data[end + 1 : end + 400]
            if not _NAME.match(after):
                break
        elif not line.startswith((b"From ", b">From ")):
            break
        position = end + 1
    flush()
    return tuple(fields), data[position:]


def first(fields: Iterable[tuple[str, str]], name: str) -> str | None:
    """The value of the first field of that (lower-case) name."""
    return next((value for key, value in fields if key == name), None)


def every(fields: Iterable[tuple[str, str]], *names: str) -> list[str]:
    """All values of the fields of those (lower-case) names, in the order of the mail."""
    return [value for key, value in fields if key in names]


def message_ids(value: str) -> tuple[str, ...]:
    """The message ids `<…>` of an In-Reply-To or References field, at most the last 20."""
    return tuple(_MESSAGE_ID.findall(value)[-20:])


def decode_words(value: str) -> str:
    """RFC 2047: encoded words → text; neighbours of one charset are joined before they are decoded."""
    if "=?" not in value:
        return value
    out: list[str] = []
    held, held_label, at = b"", "", 0
    for found in _WORD.finditer(value):
        between = value[at : found.start()]
        label = found[1].partition("*")[0].lower()
        if held and (between.strip() or label != held_label):
            out.append(decode(held, held_label))
            held = b""
        if between.strip() or at == 0:
            out.append(between)
        held, held_label, at = held + _word_bytes(found[2], found[3]), label, found.end()
    out.append(decode(held, held_label))
    out.append(value[at:])
    return "".join(out).translate(_CONTROL)


def _word_bytes(how: str, text: str) -> bytes:
    raw = text.encode("utf-8", "replace")
    if how in "qQ":
        return binascii.a2b_qp(raw.replace(b"_", b" "), header=True)
    return base64_bytes(raw)


_PADDING = re.compile(rb"=[=\s]*")
_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))


def base64_bytes(data: bytes) -> bytes:
    """What base64 text holds, padded or not; runs that were padded one by one are decoded one by one."""
    out = bytearray()
    for run in _PADDING.split(data):
        clean = run.translate(None, _NOT_BASE64)
        clean = clean[: len(clean) - 1] if len(clean) % 4 == 1 else clean
        if clean:
            out += binascii.a2b_base64(clean + b"=" * (-len(clean) % 4))
    return bytes(out)


def value_and_params(value: str) -> tuple[str, Mapping[str, str]]:
    """A field such as Content-Type → its value in lower case, and its parameters (RFC 2231 continuations joined).

    Of a parameter that stands twice the first counts.
    """
    head, _, rest = value.partition(";")
    plain: dict[str, str] = {}
    pieces: dict[str, dict[int, tuple[str, bool]]] = {}
    at, length = 0, len(rest)
    while at < length:
        equals = rest.find("=", at)
        if equals < 0:
            break
        key = rest[at:equals].rpartition(";")[2].strip().lower()
        at = equals + 1
        while at < length and rest[at] in " \t":
            at += 1
        if at < length and rest[at] == '"':
            text, at = _quoted(rest, at + 1)
        else:
            end = rest.find(";", at)
            end = length if end < 0 else end
            text, at = rest[at:end].partition("(")[0].strip(), end
        if "*" in key:
            base, _, number = key.partition("*")
            coded = number.endswith("*") or not number
            index = number.rstrip("*")
            if index.isascii() and (index.isdigit() or not index) and len(index) < 4:
                pieces.setdefault(base, {}).setdefault(int(index or 0), (text, coded))
        elif key:
            plain.setdefault(key, text)
    for base, parts in pieces.items():
        plain.setdefault(base, _joined(parts))
    return head.partition("(")[0].strip().lower(), plain


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The quoted string that begins at `at` (behind its quote), and the place behind it."""
    out: list[str] = []
    while at < len(text):
        stops = [place for place in (text.find('"', at), text.find("\\", at)) if place >= 0]
        if not stops:
            out.append(text[at:])
            return "".join(out), len(text)
        stop = min(stops)
        out.append(text[at:stop])
        if text[stop] == '"':
            return "".join(out), stop + 1
        out.append(text[stop + 1 : stop + 2])
        at = stop + 2
    return "".join(out), len(text)


def _joined(parts: dict[int, tuple[str, bool]]) -> str:
    label, out = "", b""
    for place, (text, coded) in sorted(parts.items()):
        if coded and place == 0 and text.count("'") >= 2:
            label, _, text = text.split("'", 2)
        out += unquote_to_bytes(text) if coded else text.encode("utf-8", "replace")
    return decode(out, label)

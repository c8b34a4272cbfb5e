"""Address fields (RFC 5322) → bare addresses; linear, without recursion, and strict where people would be fooled."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pbm.mail.headers import decode_words


@dataclass(frozen=True, slots=True)
class Mailbox:
    """One entry of an address field: a display name (decoded) and a bare address, or None where it has no sound one."""

    name: str
    address: str | None


_SOUND = re.compile(r"[^\s@<>,;:()\[\]\\\"]+@(?:[^\s@<>,;:()\[\]\\\"]+|\[[0-9A-Fa-f.:IPv]+\])")
_QUOTED_LOCAL = re.compile(r'"[^"\\]{1,100}"@[^\s@<>,;:()\[\]\\"]+')
_SPECIAL = re.compile(r'["(<,;:\[]')


def bare(text: str) -> str | None:
    """`text` as a bare address with its domain in lower case, or None if it isn't exactly one."""
    text = text.strip()
    if len(text) > 320 or not (_SOUND.fullmatch(text) or _QUOTED_LOCAL.fullmatch(text)):
        return None
    local, _, domain = text.rpartition("@")
    return f"{local}@{domain.lower().rstrip('.')}"


def mailboxes(value: str, limit: int = 1000) -> list[Mailbox]:
    """Every entry of an address field, at most `limit`. Comments are dropped; groups give their members."""
    out: list[Mailbox] = []
    words: list[str] = []
    comments: list[str] = []
    angle: str | None = None
    at, length = 0, len(value)

    def flush() -> None:
        nonlocal angle
        phrase = " ".join("".join(words).split())
        if angle is not None:
            route = angle.rpartition(":")[2] if angle.startswith("@") else angle
            out.append(Mailbox(decode_words(phrase).strip('" '), bare(route)))
        elif phrase:
            out.append(Mailbox(decode_words(" ".join(comments)), bare(phrase)))
        words.clear()
        comments.clear()
        angle = None

    while at < length and len(out) < limit:
        found = _SPECIAL.search(value, at)
        if found is None:
            words.append(value[at:])
            break
        words.append(value[at : found.start()])
        at, sign = found.end(), found[0]
        if sign == '"':
            end = _closing(value, at, '"')
            words.append(value[at - 1 : end + 1])
            at = end + 1
        elif sign == "(":
            end = _comment(value, at)
            comments.append(value[at : end - 1])
            words.append(" ")
            at = end
        elif sign == "<":
            if angle is not None:
                flush()
            end = value.find(">", at)
            end = length if end < 0 else end
            angle, at = value[at:end].strip(), end + 1
        elif sign == "[":
            end = value.find("]", at)
            end = length if end < 0 else end
            words.append(value[at - 1 : end + 1])
            at = end + 1
        elif sign == ":":
            words.clear()
        else:
            flush()
    flush()
    return out


def _closing(value: str, at: int, sign: str) -> int:
    while at < len(value):
        if value[at] == "\\":
            at += 2
        elif value[at] == sign:
            return at
        else:
            at += 1
    return len(value)


def _comment(value: str, at: int) -> int:
    """The place behind the comment whose text begins at `at`; comments nest."""
    depth = 1
    while at < len(value) and depth:
        sign = value[at]
        if sign == "\\":
            at += 1
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        at += 1
    return at

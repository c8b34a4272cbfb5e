"""A letter → the lines of the body that says most about what is new, and what their markup says of each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbm.mail.attributions import unglued
from pbm.mail.html import html_lines
from pbm.mail.letter import Letter
from pbm.mail.limits import MAX_LINES
from pbm.mail.marks import marked

_ZERO_WIDTH = dict.fromkeys((8203, 8204, 8206, 8207, 8288, 65279, 173, *range(8234, 8239), *range(8294, 8298)))
_DEPTH = re.compile(r"(?:> ?){0,60}")
_SOFT_FROM = 56
"""A flowed line shorter than this, with the next word, wasn't broken by the client: its blank at the end was typed."""


@dataclass(frozen=True, slots=True)
class BodyLine:
    """One line; `quoted`, `tail`, `signature`, `attribution` as in `pbm.mail.html.HtmlLine`."""

    text: str
    quoted: bool = False
    tail: bool = False
    signature: bool = False
    attribution: bool = False


def body_lines(letter: Letter, parses: Callable[[str], bool] | None = None) -> tuple[list[BodyLine], list[BodyLine]]:
    """The lines to read, and the lines of the HTML body.

    Those to read are the text body's, or the HTML body's where there is no text or only HTML tells what is quoted.
    """
    plain = plain_lines(letter, parses)
    rich = rich_lines(letter)
    if rich and (not any(line.text.strip() for line in plain) or _stub(plain, rich)):
        return rich, rich
    if any(line.quoted or line.tail for line in rich) and not any(line.quoted for line in plain):
        return rich, rich
    return plain, rich


def rich_lines(letter: Letter) -> list[BodyLine]:
    """The lines of the HTML body."""
    if not letter.html or not letter.html.strip():
        return []
    return [
        BodyLine(_clean(text), line.quoted or marked(text), line.tail, line.signature, line.attribution)
        for line in html_lines(letter.html)
        for text in unglued(line.text)
    ]


def plain_lines(letter: Letter, parses: Callable[[str], bool] | None = None) -> list[BodyLine]:
    """The lines of the text body; those that format=flowed broke (RFC 3676) are whole again."""
    if letter.text is None:
        return []
    lines = letter.text.split("\n", MAX_LINES)[:MAX_LINES]
    if letter.flowed:
        lines = _unflow(lines, letter.delsp, parses)
    return [BodyLine(_clean(line), marked(line)) for whole in lines for line in unglued(whole)]


def _clean(line: str) -> str:
    return line.translate(_ZERO_WIDTH).rstrip(" \t\u00a0\u3000") if not line.isascii() else line.rstrip()


def _stub(plain: list[BodyLine], rich: list[BodyLine]) -> bool:
    """The text body only says that the mail is HTML; the HTML body doesn't say that."""
    words = " ".join(line.text for line in plain).split()
    if len(words) > 40 or not any("html" in word.lower() for word in words):
        return False
    return " ".join(words) not in " ".join(" ".join(line.text for line in rich).split())


def _unflow(lines: list[str], delsp: bool, parses: Callable[[str], bool] | None) -> list[str]:
    out: list[str] = []
    held: list[str] = []
    held_depth = held_length = 0

    def flush() -> None:
        nonlocal held_length
        if held:
            out.append(">" * held_depth + (" " if held_depth else "") + "".join(held))
            held.clear()
            held_length = 0

    for line in lines:
        prefix = _DEPTH.match(line)
        lead = prefix[0].rstrip(" ") if prefix else ""
        depth, rest = lead.count(">"), line[len(lead) :].removeprefix(" ")
        if held:
            word = rest.split(" ", 1)[0]
            short = held_length + len(word) < _SOFT_FROM
            whole = parses is not None and held_depth == 0 and parses("".join(held).strip())
            if depth != held_depth or rest == "-- " or ((short or whole) and not delsp):
                flush()
        soft = rest.endswith(" ") and rest != "-- "
        if not held:
            held_depth = depth
        held.append(rest[:-1] if soft and delsp else rest)
        held_length = len(rest)
        if not soft:
            flush()
    flush()
    return out

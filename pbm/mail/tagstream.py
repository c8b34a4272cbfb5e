"""A tolerant HTML tokenizer for mails: text, start tags and end tags, in linear time and without a tree.

A tree of a crafted megabyte costs too much memory, and the standard library's parser differs between versions.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:_-]{0,30}")
_ATTR = re.compile(r"(?<![\w:-])([a-zA-Z][\w:-]{0,30})\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))")
_RAW = ("script", "style", "title", "xml", "template", "textarea", "select", "svg")
_MAX_TAG = 4000


@dataclass(frozen=True, slots=True)
class Token:
    """`value` is the text (entities decoded) or the tag's name in lower case; `attrs` the raw inside of a start tag."""

    kind: Literal["text", "start", "end"]
    value: str
    attrs: str = ""

    def attributes(self) -> dict[str, str]:
        """Attributes by lower-case name; the first of two counts."""
        out: dict[str, str] = {}
        for found in _ATTR.finditer(self.attrs):
            value = found[2] or found[3] or found[4] or ""
            out.setdefault(found[1].lower(), html.unescape(value) if "&" in value else value)
        return out


def tokens(source: str) -> Iterator[Token]:
    """The tokens of `source` in order. Comments, declarations, scripts and styles are dropped."""
    at, length = 0, len(source)
    # Where no such sign comes any more, no tag looks for it again: each is sought to the end at most once.
    gone: set[str] = set()
    while at < length:
        open_at = source.find("<", at)
        if open_at < 0:
            yield Token("text", html.unescape(source[at:]))
            return
        if open_at > at:
            yield Token("text", html.unescape(source[at:open_at]))
        at = open_at + 1
        lead = source[at : at + 1]
        if source.startswith("!--", at):
            end = source.find("-->", at)
            at = length if end < 0 else end + 3
        elif lead in ("!", "?"):
            end = source.find(">", at)
            at = length if end < 0 else end + 1
        elif found := _NAME.match(source, at + (lead == "/")):
            end = _tag_end(source, found.end(), gone)
            name = found[0].lower()
            if lead == "/":
                yield Token("end", name)
            else:
                yield Token("start", name, source[found.end() : min(end, found.end() + _MAX_TAG)])
            at = end + 1
            if lead != "/" and name in _RAW and source[end - 1 : end] != "/":
                close = re.compile(f"</{name}", re.IGNORECASE).search(source, at)
                at = length if close is None else close.start()
        else:
            yield Token("text", "<")


def _tag_end(source: str, at: int, gone: set[str]) -> int:
    """The place of the `>` that ends the tag, quotes respected where they are closed."""
    while True:
        end = source.find(">", at)
        if end < 0:
            return len(source)
        quotes = [place for sign in "\"'" if sign not in gone and (place := source.find(sign, at, end)) >= 0]
        if not quotes:
            return end
        opened = min(quotes)
        sign = source[opened]
        closed = source.find(sign, opened + 1)
        if closed < 0:
            gone.add(sign)
            return end
        at = closed + 1

"""What mail programs make of a mail of ours when its reader answers: quoted, re-wrapped, turned to text, recoded.

Every function is deterministic; `lines` gives all lines that any of these programs could send back.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import lxml.html

from pbm.core.engine import Form
from pbm.core.words import MODERATOR_WORDS, SERVICE_WORDS
from pbm.mail.commands import Role
from pbm.mail.lines import Grammar, read_lines

ROLES: tuple[Role, ...] = ("player", "moderator")
MARKS = ("> ", "", ">> ", "| ")

_BLOCKS = "p|div|li|tr|h1|h2|blockquote|br|table|ul|title"


def html_to_text(page: str) -> Iterator[str]:
    """HTML as text, in the ways seen: tags dropped; a line a block; a line a cell; one single run of words."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    yield "".join(str(text) for text in lxml.html.fromstring(body).itertext())
    rows = re.sub(r">\s+<", "> <", body)
    by_block = re.sub(rf"<(?:{_BLOCKS})[ >]|</(?:{_BLOCKS})>", "\n\\g<0>", rows)
    yield _stripped(by_block)
    yield _stripped(re.sub(r"</t[dh]>", "\n", by_block))
    yield " ".join(_stripped(rows).split())
    # Links written out behind their words.
    linked = re.sub(r'<a [^>]*href="([^"]*)"[^>]*>(.*?)</a>', "\\2 &lt;\\1&gt;", by_block)
    yield _stripped(linked)


def _stripped(page: str) -> str:
    text = re.sub(r"<!DOCTYPE[^>]*>|<[^>]*>", "", page)
    for entity, sign in (("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text


def recoded(text: str) -> Iterator[str]:
    """The text as charsets leave it that lack some of its letters."""
    yield text
    if text.isascii():
        return
    for charset in ("ascii", "latin-1", "iso8859-15", "iso2022_jp"):
        for errors in ("replace", "ignore"):
            yield text.encode(charset, errors).decode(charset)


def pieces(text: str) -> Iterator[str]:
    """What a program wraps by itself: each line as it is; each paragraph run together; all of it run together."""
    yield from text.splitlines()
    yield from (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    yield " ".join(text.split())


def rewrapped(piece: str, widths: Iterable[int]) -> Iterator[str]:
    """The piece as it is, and wrapped at each width, less what a quote's marks take of the narrowest."""
    yield piece
    for width in widths:
        for mark in MARKS if width == 20 else MARKS[:1]:
            yield from textwrap.wrap(piece, width - len(mark))


def lines(text: str, page: str, widths: Iterable[int]) -> set[str]:
    """Every line that an answer could quote from this mail, without its marks."""
    sources = (text, *html_to_text(page))
    found = {piece.strip() for source in sources for seen in recoded(source) for piece in pieces(seen)}
    return {line.strip() for piece in found for line in rewrapped(piece, widths)} - {""}


class Readers:
    """The service reading lines of a player's mail, and of the moderator's."""

    def __init__(self, forms: Sequence[Form], names: Sequence[str]) -> None:
        def example(verb: str) -> str | None:
            return next((form.example() for form in forms if form.verb == verb), None)

        self._grammars = [Grammar(forms, names, role, example, names) for role in ROLES]
        words = (*SERVICE_WORDS, *MODERATOR_WORDS, *(form.verb.split()[0] for form in forms))
        self._words = frozenset(word.lower() for word in words)

    def acted_on(self, found: Iterable[str]) -> list[str]:
        """Those of the lines that the service would do something about."""
        return [line for line in sorted(found) if self._may(line) and any(self._acts(line, g) for g in self._grammars)]

    def _may(self, line: str) -> bool:
        """Spares a look at lines of plain letters that begin with none of our words, however they are marked."""
        first = re.search(r"[A-Za-z]+", line)
        return not line.isascii() or (first is not None and first[0].lower() in self._words)

    @staticmethod
    def _acts(line: str, grammar: Grammar) -> bool:
        reading = read_lines([(line, False)], grammar)
        return bool(reading.orders or reading.commands or reading.press)

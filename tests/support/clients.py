"""What mail programs make of a mail of ours when its reader answers: quoted, re-wrapped, turned to text, recoded.

Every function is deterministic; `lines` gives all lines that any of these programs could send back.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

import lxml.html

from pbm.core.engine import Form
from pbm.mail.lines import Grammar, Reading, read_lines

WIDTHS = (20, 23, 27, 34, 41, 55, 60, 66, 70, 72, 76, 78, 100)
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


def rewrapped(text: str, widths: Iterable[int] = WIDTHS) -> Iterator[str]:
    """Lines as they are; each line wrapped; each paragraph run together and wrapped; all of it run together."""
    lines = text.splitlines()
    yield from lines
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text)]
    whole = " ".join(text.split())
    for width in widths:
        for mark in MARKS[:1] if width != 20 else MARKS:
            for piece in (*lines, *paragraphs, whole):
                yield from textwrap.wrap(piece, width - len(mark))


def lines(text: str, page: str, widths: Iterable[int] = WIDTHS) -> set[str]:
    """Every line that an answer could quote from this mail, without its marks."""
    sources = [text, *html_to_text(page)]
    return {
        line.strip()
        for source in sources
        for seen in recoded(source)
        for line in rewrapped(seen, widths)
        if line.strip()
    }


def readers(forms: Sequence[Form], names: Sequence[str]) -> tuple[Callable[[str], Reading], ...]:
    """How the service reads one line: of a player, and of the moderator."""

    def of(grammar: Grammar) -> Callable[[str], Reading]:
        return lambda line: read_lines([(line, False)], grammar)

    def example(verb: str) -> str | None:
        return next((form.example() for form in forms if form.verb == verb), None)

    return (
        of(Grammar(forms, names, "player", example, names)),
        of(Grammar(forms, names, "moderator", example, names)),
    )


def read(found: Iterable[str], how: Iterable[Callable[[str], Reading]]) -> list[str]:
    """Those lines that the service would act on."""
    ways = tuple(how)
    bad = []
    for line in sorted(found):
        for way in ways:
            reading = way(line)
            if reading.orders or reading.commands or reading.press:
                bad.append(line)
    return bad

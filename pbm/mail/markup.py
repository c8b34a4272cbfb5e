"""Block markup: what templates write, read once and printed twice, as text and as HTML.

A blank line separates blocks. The head of a line says what it is:

    # heading      ## smaller one (so is every # but the first)      * list item      | cell | cell | table row
    > user text    ! warning    = label | value | smaller value: a fact in a box      ~ small print

The first row of a table is its header. Anything else is a paragraph. Inline: `**bold**`; HTML's entities (`&#42;`)
stand for signs that would be markup, which is how inserted values are made harmless (templates.py). Orders are marked
by private-use characters, which no inserted value can hold; `(HIT bob)` is the only way in which they are printed.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["heading", "subheading", "text", "items", "table", "user", "warning", "facts", "small"]

# Private-use characters: an order, bold, a blank that our own wrapping keeps, and a link with hidden lines.
ORDER, ORDER_END = "\ue000", "\ue001"
KEEP = "\ue002"
BOLD, BOLD_END = "\ue003", "\ue004"
LINK, LINK_BODY, LINK_END = "\ue005", "\ue006", "\ue007"
SAID = "\ue008"  # first in an order: one that was sent, not one to send
PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
HIDDEN = re.compile(f"{LINK_BODY}[^{LINK_END}]*{LINK_END}")

WIDTH = 72

_HEADS: tuple[tuple[str, Kind], ...] = (
    ("## ", "subheading"),
    ("# ", "heading"),
    ("* ", "items"),
    ("| ", "table"),
    ("> ", "user"),
    ("! ", "warning"),
    ("= ", "facts"),
    ("~ ", "small"),
)
_JOINED: frozenset[Kind] = frozenset({"text", "warning", "small"})  # lines of these run on


@dataclass(frozen=True, slots=True)
class Block:
    """A block: rows of leaves. Only tables and facts have more than one leaf in a row; a leaf is one line of text with
    the private-use characters above in it, its entities resolved and its blanks single."""

    kind: Kind
    rows: tuple[tuple[str, ...], ...]


def parse(source: str) -> tuple[Block, ...]:
    """The blocks of a markup text. Every text has a reading; nothing raises."""
    blocks: list[tuple[Kind, list[tuple[str, ...]]]] = []
    fresh, titled = True, False
    for raw in str(source).splitlines():  # plain: markupsafe's own class is slow
        line = raw.strip()
        if not line:
            fresh = True
            continue
        kind, rest = _head(line)
        if kind == "heading":
            kind, titled = "subheading" if titled else "heading", True
        row = _cells(rest) if kind in ("table", "facts") else (_leaf(rest),)
        last = blocks[-1] if blocks else None
        if last is None or last[0] != kind or (fresh and kind != "items") or kind in ("heading", "subheading"):
            blocks.append((kind, [row]))
        elif kind in _JOINED:
            last[1][0] = (f"{last[1][0][0]} {row[0]}",)
        else:
            last[1].append(row)
        fresh = False
    return tuple(Block(kind, tuple(rows)) for kind, rows in blocks)


def _head(line: str) -> tuple[Kind, str]:
    for head, kind in _HEADS:
        if line.startswith(head):
            return kind, line[len(head) :]
        if line == head.rstrip() and kind == "user":
            return kind, ""
    return "text", line


def _cells(rest: str) -> tuple[str, ...]:
    return tuple(_leaf(cell) for cell in rest.strip().removesuffix("|").split("|"))


def _leaf(text: str) -> str:
    if "**" in text:
        parts = text.split("**")
        marks = (BOLD, BOLD_END)
        text = parts[0] + "".join(marks[n % 2] + part for n, part in enumerate(parts[1:]))
        if len(parts) % 2 == 0:
            text += BOLD_END
    if "&" in text:
        text = html.unescape(text)
    return " ".join(text.split())


def rows(blocks: Iterable[Block]) -> list[tuple[str, ...]]:
    """All rows of leaves in reading order: what HTML flattened to text says, one after the other."""
    return [row for block in blocks for row in block.rows]


def with_rows(blocks: Iterable[Block], new: Iterable[tuple[str, ...]]) -> tuple[Block, ...]:
    """The same blocks with other rows in their places."""
    it = iter(new)
    return tuple(Block(block.kind, tuple(next(it) for _ in block.rows)) for block in blocks)


# -- text ----------------------------------------------------------------------------------------------------------


def narrowed(blocks: tuple[Block, ...], width: int = WIDTH) -> tuple[Block, ...]:
    """The blocks as the text part shows them: a table that is too wide becomes a list of records.

    To be done before the guard looks, since a record repeats the table's header. Without such a table, the same
    blocks.
    """
    if not any(block.kind == "table" and sum(_widths(block)) > width for block in blocks):
        return blocks
    return tuple(_records(b) if b.kind == "table" and sum(_widths(b)) > width else b for b in blocks)


def _records(table: Block) -> Block:
    header, *rows = table.rows
    return Block("items", tuple((_record(header, row),) for row in rows))


def _record(header: Sequence[str], row: Sequence[str]) -> str:
    head, *rest = row
    labels = header[1:] if len(header) > 2 else ("",)  # two columns explain each other
    told = [f"{label}: {cell}" if label else cell for label, cell in zip(labels, rest, strict=False) if cell]
    return f"{head} – {'; '.join(told)}" if told else head


def to_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """The text part: lines of at most `width` columns where words allow, LF, no blanks at their ends."""
    return "\n\n".join("\n".join(map(str.rstrip, _text_lines(block, width))) for block in blocks) + "\n"


def _text_lines(block: Block, width: int) -> Iterator[str]:
    rows = [tuple(plain(leaf) for leaf in row) for row in block.rows]
    match block.kind:
        case "heading":
            lines = _wrap(rows[0][0], width)
            yield from lines
            # No sign that may stand for a list mark: a reader takes those off.
            yield "=" * max(columns(line) for line in lines)
        case "subheading":
            yield from _wrap(f"== {rows[0][0]} ==", width)
        case "items":
            for row in rows:
                yield from _wrap(row[0], width, "* ", "  ")
        case "table":
            yield from _text_table(block, rows)
        case "user":
            for row in rows:
                yield from _wrap(row[0], width, "  | ", "  | ")
        case "warning":
            yield from _wrap(rows[0][0], width, "!! ", "   ")
        case "facts":
            for label, *values in rows:
                yield from _wrap(f"{label}:" if values else label, width, "    ", "    ")
                for value in values:
                    yield from _wrap(value, width, "      ", "      ")
        case _:
            yield from _wrap(rows[0][0], width)


def _text_table(block: Block, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    sizes = _widths(block)
    sizes[-1] += 2
    right = numeric_columns(block)
    for n, row in enumerate(rows):
        cells = [_pad(row[c] if c < len(row) else "", size - 2, right=right[c]) for c, size in enumerate(sizes)]
        yield "  ".join(cells)
        if n == 0:
            yield "  ".join("-" * (size - 2) for size in sizes)


def _widths(block: Block) -> list[int]:
    """Columns that each column of the table takes, the gap of two behind all but the last included."""
    count = max(len(row) for row in block.rows)
    sizes = [max(columns(plain(row[c])) if c < len(row) else 0 for row in block.rows) + 2 for c in range(count)]
    sizes[-1] -= 2
    return sizes


def numeric_columns(block: Block) -> list[bool]:
    """For each column of a table, whether all below its header are numbers: those are set flush right."""
    count = max(len(row) for row in block.rows)
    cells = [[plain(row[c]) for row in block.rows[1:] if c < len(row) and row[c]] for c in range(count)]
    return [bool(column) and all(cell.lstrip("+-−").isdecimal() for cell in column) for column in cells]


def plain(leaf: str) -> str:
    """A leaf as text: orders in parentheses, no bold, kept blanks still marked."""
    if leaf.isascii():
        return leaf
    return PRIVATE.sub(_plain_sign, HIDDEN.sub("", leaf))


def _plain_sign(found: re.Match[str]) -> str:
    return {ORDER: "(", ORDER_END: ")", KEEP: KEEP}.get(found[0], "")


def columns(text: str) -> int:
    """Columns that the text takes on a terminal: wide East Asian letters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, size: int, *, right: bool) -> str:
    gap = " " * (size - columns(text))
    text = text.replace(KEEP, " ")
    return gap + text if right else text + gap


def _wrap(text: str, width: int, head: str = "", indent: str = "") -> list[str]:
    """Lines broken at blanks only, never inside a word, nor at a blank that is to be kept."""
    lines: list[str] = []
    line, used = head, len(head)
    bare = True
    measure = len if text.isascii() else columns
    for word in text.split(" "):
        size = measure(word)
        if not bare and used + 1 + size > width:
            lines.append(line.replace(KEEP, " "))
            line, used, bare = indent, len(indent), True
        line += word if bare else " " + word
        used += size + (not bare)
        bare = False
    lines.append(line.replace(KEEP, " "))
    return lines

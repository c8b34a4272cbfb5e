"""What commands print: tables for people, JSON for programs, progress only for a terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any


def emit(value: Any, *, pretty: bool = False) -> None:
    """One JSON document, on one line unless `pretty`; in UTF-8 whatever the locale."""
    indent = 2 if pretty else None
    try:
        raw = json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:  # half a surrogate pair, from an escape in somebody's file
        raw = json.dumps(value, indent=indent).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(raw + b"\n")
    sys.stdout.buffer.flush()


def show(value: Any) -> None:
    """What `--json` prints: indented for a terminal, on one line for a pipe."""
    emit(value, pretty=sys.stdout.isatty())


def say(text: str) -> None:
    """A line for people; what their terminal can't print is replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def table(head: Sequence[str], rows: Sequence[Sequence[object]], *, empty: str) -> None:
    """Columns as wide as they need to be; a pipe gets them whole, a terminal as `rich` fits them in."""
    if not rows:
        say(empty)
        return
    cells = [["" if cell is None else " ".join(str(cell).split()) for cell in row] for row in rows]
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(*head, box=None, pad_edge=False, header_style="bold")
        for row in cells:
            drawn.add_row(*(Text(cell) for cell in row))
        Console().print(drawn)
        return
    widths = [max(len(row[n]) for row in [list(head), *cells]) for n in range(len(head))]
    for row in [list(head), *cells]:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

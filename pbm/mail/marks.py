"""Marks that clients put before each line of a quote."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbm.mail.phrases import WROTE

LONGEST = 400
"""Characters of an attribution, its wrapped lines together."""
EMPHASIS = " \t*_~\u00a0\u200e\u200f\u202a\u202c\u2068\u2069"
_MARK = re.compile(r"[\s\u00a0]{0,8}(?:>|＞|&gt;)")
_WROTE_AFTER_BREAK = re.compile(r"\s{0,3}>\s{0,3}[^\s>].{0,40}[:：]\s{0,3}$")
_OTHER_MARKS = "|:}%»›"


def marked(line: str) -> bool:
    """A line that a client prefixed with `>`."""
    return bool(_MARK.match(line))


def other_mark(lines: Sequence[str]) -> str | None:
    """The sign that begins the first lines behind an attribution, where a client marks with another than `>`."""
    shown = [line.lstrip() for line in lines if line.strip()][:3]
    if len(shown) < 2 or shown[0][0] not in _OTHER_MARKS or any(line[0] != shown[0][0] for line in shown[:2]):
        return None
    return shown[0][0]


def wraps_attribution(line: str, before: str) -> bool:
    """`> wrote:` is no quoted line where the client broke `Bob <bob@x.org` before the bracket."""
    return bool(_WROTE_AFTER_BREAK.match(line)) and ("@" in before or "<" in before) and bool(WROTE.search(line))

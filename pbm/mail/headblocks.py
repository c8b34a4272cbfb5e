"""Header blocks that clients write above what they quote, `From: … Sent: …`, and separators such as
`-----Original Message-----`, in any language.

Each function looks at a few short lines only (`LONGEST`), so no crafted mail can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from pbm.mail.marks import EMPHASIS, LONGEST
from pbm.mail.phrases import ADDRESS, CLEAR_DATE, DASHES, DATE, FORWARDED, FULL_DATE, LABELS, ORIGINAL

_COMMAND = re.compile(r"[\s*_\-\d.]{0,6}[A-Z]{3,}\b")
_DASHED = re.compile(r"[-_=*~‐‑‒–—―\s]{2,}([^\s-].{0,60}?)[-_=*~‐‑‒–—―\s:]{2,}")
_LABEL = re.compile(
    r"[\s*_\u200e\u200f]{0,6}([^\d\W][^:：*_\n]{0,24}?)[\s*_\u00a0]{0,6}[:：][\s*_\u00a0]{0,6}(.{0,300})"
)
_INNER_LABEL = re.compile(r"(?<![\w@.])([^\W\d][^\W\d]{0,18})\s{0,2}[:：](?=\s)")


class Opens(IntEnum):
    """What the lines just found say of what follows them."""

    NOTHING = 0
    QUOTE = 1
    HEADERS = 2
    FORWARD = 3


def dashed(line: str) -> bool:
    """A few words between dashes, as clients write above a header block: `----- Mail original -----`."""
    text = line.strip(EMPHASIS)
    return 6 < len(text) < 100 and text[:3] == text[0] * 3 and text.endswith(DASHES) and bool(_DASHED.fullmatch(text))


def separator(line: str, headers_follow: bool = False) -> Opens:
    """`-----Original Message-----`, `Begin forwarded message:` and their like in other languages.

    Without dashes such words count only above a header block.
    """
    text = line.strip(EMPHASIS)
    if not 5 < len(text) < 100:
        return Opens.NOTHING
    between = _DASHED.fullmatch(text)
    inner = (between[1] if between else text).replace("&nbsp;", " ").strip(" *_:：-‐‑‒–—=")
    if not (between or headers_follow or text.endswith((":", "：", ";"))):
        return Opens.NOTHING
    if FORWARDED.fullmatch(inner) or (between and FORWARDED.match(inner)):
        return Opens.FORWARD
    if not (between or headers_follow):
        return Opens.NOTHING
    if ORIGINAL.fullmatch(inner) or (between and ORIGINAL.match(inner) and not inner.lower().startswith("original ")):
        return Opens.QUOTE
    return Opens.NOTHING


def header_block(lines: Sequence[str], start: int) -> int | None:
    """The line behind a block `From: … Sent: … To: … Subject: …` that begins at `start`, in any language, or None.

    Known labels want a sender and two more; unknown ones want three lines in a row, with an address and a date.
    """
    if _LABEL.match(lines[start][:LONGEST]) is None:
        return _bare_labels(lines, start)
    if _headers_in_one_line(lines[start]):
        return start + 1
    groups: dict[str, str] = {}
    known = unknown = 0
    at, last, loose = start, start, 0
    while at < len(lines) and at - last <= 2 and at - start < 24:
        line = lines[at][:LONGEST]
        found = _LABEL.match(line)
        group = LABELS.get(" ".join(found[1].split()).casefold()) if found else None
        if found and group:
            if unknown and not known:
                # The block begins further down; what stands above it may be anybody's words.
                return None
            groups.setdefault(group, found[2])
            known += 1
            last = at
        elif found and at == last + (at > start) and not loose:
            unknown += 1
            if not known and (unknown > 8 or _COMMAND.match(line)):
                return None
            groups.setdefault(f"?{unknown}", found[2])
            last = at
        elif line.strip():
            # A wrapped value: no more than one line of it, and something must follow to count it in.
            loose += 1
            if loose > 3 or known == 0:
                break
        at += 1
    values = list(groups.values())
    sender = "from" in groups
    if sender and known >= 3 and ("date" in groups or "subject" in groups or "to" in groups):
        return _after(lines, last)
    if sender and known == 2 and ADDRESS.search(groups["from"]) and any(FULL_DATE.search(value) for value in values):
        return _after(lines, last)
    if known >= 3 and any(ADDRESS.search(value) for value in values) and any(DATE.search(value) for value in values):
        return _after(lines, last)
    if known + unknown >= 3 and any(ADDRESS.search(v) for v in values) and any(FULL_DATE.search(v) for v in values):
        return _after(lines, last)
    return None


def _bare_labels(lines: Sequence[str], start: int) -> int | None:
    """The header of Lotus Notes: `Bob <bob@x.org>`, a date, then `To`, `cc`, `Subject` on lines of their own."""
    head = [line.strip() for line in lines[start : start + 3] if line.strip()]
    if len(head) < 2 or len(head[0]) > 100 or not ADDRESS.search(head[0]) or not CLEAR_DATE.match(head[1]):
        return None
    last, groups = start, set()
    for place in range(start + 1, min(start + 16, len(lines))):
        label = lines[place].strip(EMPHASIS + ":").casefold()
        if label in LABELS and len(label) > 1:
            groups.add(LABELS[label])
            last = place
    if len(groups & {"to", "subject", "other"}) < 2:
        return None
    # The value of the last label stands on the next line that isn't empty.
    return next((place + 1 for place in range(last + 1, len(lines)) if lines[place].strip()), last + 1)


def _headers_in_one_line(line: str) -> bool:
    """`From: Bob <bob@x.org> Sent: … To: … Subject: …`, where a client lost the line ends."""
    if len(line) > 1000 or not ADDRESS.search(line) or not FULL_DATE.search(line):
        return False
    groups = {LABELS.get(" ".join(found[1].split()).casefold()) for found in _INNER_LABEL.finditer(line)}
    return "from" in groups and len(groups & {"date", "to", "subject"}) >= 2


def _after(lines: Sequence[str], last: int) -> int:
    """A subject that was wrapped ends on the line below it, if an empty line follows that."""
    if last + 2 < len(lines) and lines[last + 1].strip() and not lines[last + 2].strip() and len(lines[last]) > 50:
        return last + 2
    return last + 1

"""Where a quote begins: attribution lines ("On … Bob wrote:"), header blocks of clients, separators.

Each function looks at a few short lines only (`LONGEST`), so no crafted mail can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum

from pbm.mail.phrases import ADDRESS, DATE, FORWARDED, FULL_DATE, LABELS, ORIGINAL, WROTE

LONGEST = 400
"""Characters of an attribution, its wrapped lines together."""
_WINDOW = 6
_TIME = re.compile(r"\d{1,2}[:.h]\d{2}")
_COMMAND = re.compile(r"[\s*_\-\d.]{0,6}[A-Z]{3,}\b")
_CLEAR_DATE = re.compile(
    rf"{FULL_DATE.pattern}|\d{{1,2}}[:.h]\d{{2}}|\d{{1,2}}[./-]\d{{1,2}}|(?<!\d)(?:19|20|25)\d{{2}}(?!\d)|\d月|\d월"
)
_RUN_ON = re.compile(r".{10,250}?[:：](?=\s{2,}\S)")
_HINT = re.compile(r"[\d@<]")
_EMPHASIS = " \t*_~\u00a0\u200e\u200f\u202a\u202c\u2068\u2069"
_END = re.compile(r"[:：︰;]\W{0,4}$|-{3,}$|wrote\.{0,3}$")
_OLD_GMAIL = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2} (?:\d{1,2}:\d{2} (?:GMT|UTC)|[^@]{1,80}<)")
_DASHED = re.compile(r"[-_=*~‐‑‒–—―\s]{2,}([^\s-].{0,60}?)[-_=*~‐‑‒–—―\s:]{2,}")
_DASHES = tuple("-_=*~‐‑‒–—―")
_MARK = re.compile(r"[\s\u00a0]{0,8}(?:>|＞|&gt;)")
_WROTE_AFTER_BREAK = re.compile(r"\s{0,3}>\s{0,3}[^\s>].{0,40}[:：]\s{0,3}$")
_LABEL = re.compile(
    r"[\s*_\u200e\u200f]{0,6}([^\d\W][^:：*_\n]{0,24}?)[\s*_\u00a0]{0,6}[:：][\s*_\u00a0]{0,6}(.{0,300})"
)
_INNER_LABEL = re.compile(r"(?<![\w@.])([^\W\d][^\W\d]{0,18})\s{0,2}[:：](?=\s)")
_OTHER_MARKS = "|:}%»›"


class Opens(IntEnum):
    """What the lines just found say of what follows them."""

    NOTHING = 0
    QUOTE = 1
    HEADERS = 2
    FORWARD = 3


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


def may_introduce(line: str, quote_follows: bool) -> bool:
    """A cheap look before the dear ones: only such a line can end or begin what introduces a quote."""
    text = line.strip(_EMPHASIS)
    if quote_follows or ":" in text or "：" in text or text[:1].isdigit() or text.endswith(_DASHES):
        return True
    return len(text) < 40 and bool(ORIGINAL.fullmatch(text))


def attribution(text: str, *, quote_follows: bool, names: Sequence[str] = ()) -> bool:
    """Whether `text` (its lines joined by a space) introduces a quote, in whatever language.

    `quote_follows`: the next line that isn't empty carries a mark. `names`: lower-case names and addresses of those
    who could be quoted.
    """
    text = text.strip(_EMPHASIS)
    if len(text) > LONGEST or len(text) < 6:
        return False
    ends = bool(_END.search(text))
    if not ends and not quote_follows:
        return bool(_OLD_GMAIL.match(text))
    lower = text.lower()
    named = any(name in lower for name in names)
    if not (named or quote_follows or _HINT.search(text)):
        return False
    address = bool(ADDRESS.search(text)) or ("<" in text and ">" in text and "<http" not in text)
    # "round 3" looks like a date of its own kind: alone it is one only where a marked quote follows.
    date = bool((DATE if quote_follows else _CLEAR_DATE).search(text))
    wrote = bool(WROTE.search(text))
    if ends and wrote and (address or date or (named and len(text) < 120)):
        # "wrote" near the end or the front: a sentence that merely mentions it has words on both sides.
        return _frames(text)
    if ends and address and FULL_DATE.search(text):
        return True
    if quote_follows:
        if ends and (address or FULL_DATE.search(text) or (date and len(text) < 120)):
            return True
        if ends and wrote and len(text) < 120:
            return True
        if (address or wrote) and FULL_DATE.search(text):
            return True
    return bool(_OLD_GMAIL.match(text))


def _frames(text: str) -> bool:
    words = list(WROTE.finditer(text))
    return any(found.start() < 40 or found.end() > len(text) - 60 for found in words)


def find_attribution(
    lines: Sequence[str], end: int, floor: int, *, quote_follows: bool, names: Sequence[str]
) -> int | None:
    """The first line of an attribution that ends with line `end`, or None; none before line `floor` belongs to it."""
    last = lines[end]
    if len(last) > LONGEST or not last.strip():
        return None
    if not (_END.search(last.strip(_EMPHASIS)) or quote_follows or _OLD_GMAIL.match(last.strip(_EMPHASIS))):
        return None
    begin = None
    for start in range(end, max(floor, end - _WINDOW + 1) - 1, -1):
        if not lines[start].strip():
            break
        if start < end and not (
            _CLEAR_DATE.search(lines[start]) or ADDRESS.search(lines[start]) or "<" in lines[start]
        ):
            lower = lines[start].lower()
            if not any(name in lower for name in names):
                continue
        joined = " ".join(line.strip() for line in lines[start : end + 1])
        if len(joined) > LONGEST:
            break
        if attribution(joined, quote_follows=quote_follows, names=names):
            begin = start
            break
    if begin is None:
        return None
    return _upward(lines, begin, end, floor)


def _upward(lines: Sequence[str], begin: int, end: int, floor: int) -> int:
    """An attribution whose date or name was wrapped off begins one or two lines higher."""
    own = " ".join(lines[begin : end + 1])
    if DATE.search(own) and (ADDRESS.search(own) or "<" in own) and not own.lstrip()[:1].islower():
        return begin
    broken = own.lstrip().startswith(("<", "mailto:"))
    for start in range(begin - 1, max(floor, begin - 4) - 1, -1):
        above = lines[start].strip(_EMPHASIS)
        if not above or above == "<":
            broken = broken or above == "<"
            continue
        if len(above) > 200 or (above.endswith((".", "!", "?", ":")) and not ADDRESS.search(above)):
            break
        dated = start == begin - 1 and bool(FULL_DATE.search(above)) and bool(_TIME.search(above))
        wrapped = (
            broken
            or dated
            or above.endswith((",", "<", "("))
            or len(above) > 45
            or (start == begin - 1 and ADDRESS.search(above))
        )
        if wrapped and DATE.search(above) and not DATE.search(own):
            return start
        if wrapped and ADDRESS.search(above) and not ADDRESS.search(own):
            return start
        if not broken:
            break
    return begin


def run_on_attribution(line: str, names: Sequence[str]) -> bool:
    """A line that goes on with the quoted text behind `… wrote:   ` (Yahoo's mobile programs)."""
    found = _RUN_ON.match(line.lstrip()[:LONGEST])
    if found is None or not WROTE.search(found[0]) or not FULL_DATE.search(found[0]):
        return False
    return bool(ADDRESS.search(found[0])) and attribution(found[0], quote_follows=False, names=names)


def dashed(line: str) -> bool:
    """A few words between dashes, as clients write above a header block: `----- Mail original -----`."""
    text = line.strip(_EMPHASIS)
    return 6 < len(text) < 100 and text[:3] == text[0] * 3 and text.endswith(_DASHES) and bool(_DASHED.fullmatch(text))


def separator(line: str, headers_follow: bool = False) -> Opens:
    """`-----Original Message-----`, `Begin forwarded message:` and their like in other languages.

    Without dashes such words count only above a header block.
    """
    text = line.strip(_EMPHASIS)
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
        return None
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

"""Lines that introduce a quote, "On … Bob wrote:", in any language, wrapped or not.

Each function looks at a few short lines only (`LONGEST`), so no crafted mail can make it slow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbm.mail.marks import EMPHASIS, LONGEST
from pbm.mail.phrases import ADDRESS, CLEAR_DATE, DASHES, DATE, FULL_DATE, ORIGINAL, WROTE

_WINDOW = 6
_TIME = re.compile(r"\d{1,2}[:.h]\d{2}")
_DATE_FIRST = re.compile(r"\d{1,4}\s?[./-年].{3,20}\d{1,2}[:.h]\d{2}")
_NAME_AND_ADDRESS = re.compile(r"[^:<>]{1,60}<[^\s<>@]{1,64}@[^\s<>@]{1,200}>\s{0,2}[:：]")
_GLUED = re.compile(
    r"(.{1,200}?)[ \u00a0]{1,3}((?:On|Am|Le|El|Il|Em|Op|Den) (?:[^\W\d]{1,12}[.,]{0,2} ){0,3}\d.{15,300})"
)
_RUN_ON = re.compile(r".{10,250}?[:：](?=\s{2,}\S)")
_HINT = re.compile(r"[\d@<]")
_END = re.compile(r"[:：︰;]\W{0,4}$|-{3,}$|wrote\.{0,3}$")
_OLD_GMAIL = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2} (?:\d{1,2}:\d{2} (?:GMT|UTC)|[^@]{1,80}<)")


def may_introduce(line: str, quote_follows: bool) -> bool:
    """A cheap look before the dear ones: only such a line can end or begin what introduces a quote."""
    text = line.strip(EMPHASIS)
    if quote_follows or ":" in text or "@" in text or "：" in text or text[:1].isdigit() or text.endswith(DASHES):
        return True
    return len(text) < 40 and bool(ORIGINAL.fullmatch(text))


def attribution(text: str, *, quote_follows: bool, names: Sequence[str] = ()) -> bool:
    """Whether `text` (its lines joined by a space) introduces a quote, in whatever language.

    `quote_follows`: the next line that isn't empty carries a mark. `names`: lower-case names and addresses of those
    who could be quoted.
    """
    text = text.strip(EMPHASIS)
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
    date = bool((DATE if quote_follows else CLEAR_DATE).search(text))
    wrote = bool(WROTE.search(text))
    if ends and wrote and (address or date or (named and len(text) < 120)):
        # "wrote" near the end or the front: a sentence that merely mentions it has words on both sides.
        return _frames(text)
    if ends and ((address and FULL_DATE.search(text)) or _NAME_AND_ADDRESS.fullmatch(text)):
        return True
    if quote_follows:
        if ends and (address or FULL_DATE.search(text) or (date and len(text) < 120)):
            return True
        if ends and wrote and len(text) < 120:
            return True
        if FULL_DATE.search(text) and (address or wrote or (len(text) < 80 and _DATE_FIRST.match(text))):
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
    if not (_END.search(last.strip(EMPHASIS)) or quote_follows or _OLD_GMAIL.match(last.strip(EMPHASIS))):
        return None
    begin = None
    for start in range(end, max(floor, end - _WINDOW + 1) - 1, -1):
        if not lines[start].strip():
            break
        if start < end and not (CLEAR_DATE.search(lines[start]) or ADDRESS.search(lines[start]) or "<" in lines[start]):
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
        above = lines[start].strip(EMPHASIS)
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


def unglued(line: str) -> list[str]:
    """A line and the attribution that a client put right behind it; the line alone where there is none."""
    if len(line) > LONGEST or "@" not in line or not line.rstrip().endswith(":"):
        return [line]
    found = _GLUED.fullmatch(line.rstrip())
    if found is None or DATE.search(found[1]) or ADDRESS.search(found[1]) or "<" in found[1]:
        return [line]
    return [found[1], found[2]] if attribution(found[2], quote_follows=False) else [line]


def run_on_attribution(line: str, names: Sequence[str]) -> bool:
    """A line that goes on with the quoted text behind `… wrote:   ` (Yahoo's mobile programs)."""
    found = _RUN_ON.match(line.lstrip()[:LONGEST])
    if found is None or not WROTE.search(found[0]) or not FULL_DATE.search(found[0]):
        return False
    return bool(ADDRESS.search(found[0])) and attribution(found[0], quote_follows=False, names=names)

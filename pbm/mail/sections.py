"""The lines of a body, each with the part of the mail it belongs to: new, quoted, behind a quote, signature."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from pbm.mail.attributions import find_attribution, may_introduce, run_on_attribution
from pbm.mail.body import BodyLine
from pbm.mail.headblocks import Opens, dashed, header_block, separator
from pbm.mail.marks import other_mark, wraps_attribution
from pbm.mail.notices import RULE, SIGNATURE_MARK, phone_line

_INITIALS = re.compile(r"\s{0,6}([^\W\d_]{1,4})>")
_MOST_LOOKS = 1500
"""Lines of one mail that are looked at closely for an attribution or a header block."""


class Mark(Enum):
    """What a line is. An empty line is NEW where it lies between new lines; nobody minds elsewhere."""

    NEW = auto()
    QUOTED = auto()
    HEAD = auto()
    """An attribution, a header block, a separator."""
    TAIL = auto()
    """Behind a HEAD that no marked quote follows."""
    SIGNATURE = auto()
    NOTICE = auto()


@dataclass(slots=True)
class Sections:
    """`tail_from`: where an unmarked quote begins; `tail_headers`: a header block opens it; `forwarded`: a forward's
    separator does."""

    marks: list[Mark]
    doubtful: set[int] = field(default_factory=set)
    tail_from: int = 1 << 30
    tail_headers: bool = False
    forwarded: bool = False


def divide(lines: Sequence[BodyLine], names: Sequence[str], keep: Callable[[str], bool]) -> Sections:
    """Divide a body by its marks, containers, attributions, header blocks and signatures."""
    texts = [line.text for line in lines]
    marks = [_first_mark(line, texts, number) for number, line in enumerate(lines)]
    _mark_initials(marks, texts)
    sections = Sections(marks)
    _find_heads(sections, lines, texts, names, keep)
    _continue_wrapped(sections, texts)
    _find_signatures(sections, texts, keep)
    return sections


def _first_mark(line: BodyLine, texts: Sequence[str], number: int) -> Mark:
    if line.quoted:
        before = next((texts[n] for n in range(number - 1, max(-1, number - 4), -1) if texts[n].strip()), "")
        return Mark.NEW if wraps_attribution(line.text, before) else Mark.QUOTED
    return Mark.SIGNATURE if line.signature and line.text.strip() else Mark.NEW


def _mark_initials(marks: list[Mark], texts: Sequence[str]) -> None:
    """`PbM> text`: some clients put the initials of the quoted person before the mark, on every line."""
    found = [(number, match[1]) for number, text in enumerate(texts) if (match := _INITIALS.match(text))]
    often = Counter(initials for _, initials in found)
    for number, initials in found:
        if often[initials] > 1:
            marks[number] = Mark.QUOTED


def _find_heads(
    sections: Sections,
    lines: Sequence[BodyLine],
    texts: Sequence[str],
    names: Sequence[str],
    keep: Callable[[str], bool],
) -> None:
    marks = sections.marks
    following = _following(marks, texts)
    number = floor = 0
    looks = _MOST_LOOKS
    while number < len(texts):
        if lines[number].tail and sections.tail_from > number and texts[number].strip():
            _open_tail(sections, number, Opens.HEADERS)
        if marks[number] not in (Mark.NEW, Mark.TAIL) or not texts[number].strip():
            number += 1
            continue
        if not may_introduce(texts[number], following[number]):
            number += 1
            continue
        looks -= 1
        if not looks:
            # Nobody writes this; whatever it is, nothing of it is played unasked.
            sections.doubtful.update(range(number, len(texts)))
            return
        opens, begin, end = _head_at(texts, number, floor, lines, following, names, keep)
        if opens is Opens.NOTHING:
            number += 1
            continue
        for place in range(begin, end):
            marks[place] = Mark.HEAD
        _rule_above(marks, texts, begin)
        quote = following[end - 1] or _mark_by_sign(marks, texts, end)
        if opens is Opens.FORWARD or not quote:
            _open_tail(sections, end, opens)
        number = floor = end


def _mark_by_sign(marks: list[Mark], texts: Sequence[str], start: int) -> bool:
    """Mark the lines that another sign than `>` marks, from `start` on; False where there is no such sign."""
    sign = other_mark(texts[start : start + 8])
    if sign is None:
        return False
    for place in range(start, len(texts)):
        if texts[place].lstrip().startswith(sign) and marks[place] in (Mark.NEW, Mark.TAIL):
            marks[place] = Mark.QUOTED
    return True


def _head_at(
    texts: Sequence[str],
    number: int,
    floor: int,
    lines: Sequence[BodyLine],
    following: Sequence[bool],
    names: Sequence[str],
    keep: Callable[[str], bool],
) -> tuple[Opens, int, int]:
    """What is at line `number`: how it opens a quote, its first line, and the line behind it."""
    text = texts[number]
    if len(text) > 1000:
        return (Opens.QUOTE if run_on_attribution(text, names) else Opens.NOTHING), number, number + 1
    if keep(text):
        return Opens.NOTHING, number, number
    if lines[number].attribution:
        end = number + 1
        while end < len(texts) and lines[end].attribution:
            end += 1
        forward = any(separator(line) is Opens.FORWARD for line in texts[number:end])
        return (Opens.FORWARD if forward else Opens.QUOTE), number, end
    after = next((n for n in range(number + 1, min(number + 4, len(texts))) if texts[n].strip()), None)
    behind = header_block(texts, after) if after is not None and len(text.strip()) < 100 else None
    if (opens := separator(text, behind is not None)) is not Opens.NOTHING:
        return opens, number, behind or number + 1
    if run_on_attribution(text, names):
        return Opens.QUOTE, number, number + 1
    if (behind := header_block(texts, number)) is not None:
        return Opens.HEADERS, number, behind
    begin = find_attribution(texts, number, floor, quote_follows=following[number], names=names)
    if begin is not None and not any(keep(line) for line in texts[begin : number + 1]):
        return Opens.QUOTE, begin, number + 1
    return Opens.NOTHING, number, number


def _following(marks: Sequence[Mark], texts: Sequence[str]) -> list[bool]:
    """Of each line, whether the next one that isn't empty is marked as quoted."""
    out = [False] * len(texts)
    state = False
    for number in range(len(texts) - 1, -1, -1):
        out[number] = state
        if texts[number].strip():
            state = marks[number] is Mark.QUOTED
    return out


def _open_tail(sections: Sections, start: int, opens: Opens) -> None:
    if start >= sections.tail_from:
        return
    sections.tail_from = start
    sections.tail_headers = opens in (Opens.HEADERS, Opens.FORWARD)
    sections.forwarded = sections.forwarded or opens is Opens.FORWARD
    for place in range(start, len(sections.marks)):
        if sections.marks[place] is Mark.NEW:
            sections.marks[place] = Mark.TAIL


def _rule_above(marks: list[Mark], texts: Sequence[str], begin: int) -> None:
    """The line of dashes or underscores that clients draw above a header block belongs to it."""
    for place in range(begin - 1, max(-1, begin - 4), -1):
        if not texts[place].strip():
            continue
        if marks[place] is Mark.NEW and (RULE.fullmatch(texts[place][:250]) or dashed(texts[place][:250])):
            marks[place] = Mark.HEAD
        return


def _continue_wrapped(sections: Sections, texts: Sequence[str]) -> None:
    """`> a long quoted line` that a gateway wrapped goes on without its mark: a short line right below, where the
    width of the mail leaves no other reading, and more quoted lines below that. Twice in a mail is a habit; once is
    doubtful."""
    marks = sections.marks
    found = []
    for number in range(1, len(texts) - 1):
        if (
            marks[number] is not Mark.NEW
            or marks[number - 1] is not Mark.QUOTED
            or marks[number + 1] is not Mark.QUOTED
        ):
            continue
        line, above = texts[number].strip(), texts[number - 1]
        if not line or not 64 <= len(above) <= 100 or len(line) > 40:
            continue
        if len(above) + 1 + len(line.split(" ", 1)[0]) > 72 and line[:1].islower():
            found.append(number)
    for number in found:
        if len(found) > 1:
            marks[number] = Mark.QUOTED
        else:
            sections.doubtful.add(number)


def _find_signatures(sections: Sections, texts: Sequence[str], keep: Callable[[str], bool]) -> None:
    marks = sections.marks
    signing = False
    for number, text in enumerate(texts):
        if marks[number] is Mark.SIGNATURE:
            if keep(text):
                marks[number] = Mark.NEW
            continue
        if marks[number] not in (Mark.NEW, Mark.TAIL):
            signing = False
            continue
        if SIGNATURE_MARK.fullmatch(text[:20]) and len(text) < 12:
            signing = True
            marks[number] = Mark.SIGNATURE
        elif (signing and not keep(text)) or (phone_line(text) and not keep(text)):
            marks[number] = Mark.SIGNATURE

"""A letter → the lines that its writer newly wrote, by evidence (MAIL.md, "What is read from a mail").

No line is left out because of where it stands: bottom and inline replies live. A line goes because a client marked
it as quoted, because it stood in a mail of ours, or because it lies behind an attribution or a header block whose
quote has no marks. Where that can't be told it stays, as doubtful: the service asks before it plays such a line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pbm.mail.body import BodyLine, body_lines, plain_lines, rich_lines
from pbm.mail.evidence import Sent, words_of
from pbm.mail.letter import Letter, read_letter
from pbm.mail.notices import RULE, banner, disclaimer, list_footer
from pbm.mail.sections import Mark, Sections, divide

Parses = Callable[[str], bool]
"""Whether a line is a whole order of the game."""
_MOST_QUESTIONS = 1000


@dataclass(frozen=True, slots=True)
class NewLine:
    """A newly written line, trimmed, list marks still on. `doubtful`: it may be quoted; ask before it counts."""

    text: str
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class NewText:
    """What the writer wrote: the text as it stands, and its lines that aren't empty."""

    text: str = ""
    lines: tuple[NewLine, ...] = ()


def new_text(
    letter: Letter,
    sent: Sequence[str | bytes] = (),
    earlier: Sequence[str] = (),
    names: Sequence[str] = (),
    parses: Parses | None = None,
    *,
    answers_receipt: bool = False,
) -> NewText:
    """The newly written text of `letter`.

    `sent`: our mails in that thread (bytes: whole mails; text: bodies). `earlier`: lines that this writer sent before
    in that thread. `names`: names and addresses that an attribution may have: ours and the writer's. `parses` keeps
    lines of a signature that are orders. `answers_receipt`: it answers a receipt of ours.
    """
    keep = _bounded(parses)
    lines, rich = body_lines(letter, keep)
    texts = [line.text for line in lines]
    known = tuple({name.casefold() for name in (*names, letter.sender or "", letter.from_name) if len(name) > 2})
    sections = divide(lines, known, keep)
    evidence = Sent(_bodies(sent))
    if evidence:
        _subtract(sections, texts, evidence)
    _settle_tail(sections, texts, evidence, {_folded(line) for line in earlier})
    _compare_bodies(sections, texts, () if rich is lines else rich)
    _drop_notices(sections, texts, keep)
    _doubt_earlier(sections, lines, {_folded(line) for line in earlier}, keep, answers_receipt=answers_receipt)
    return _written(sections, texts)


def _bounded(parses: Parses | None) -> Parses:
    """`parses`, asked once a line and at most `_MOST_QUESTIONS` times: a grammar is dear, and a mail may be crafted."""
    known: dict[str, bool] = {}

    def ask(line: str) -> bool:
        if parses is None or len(line) > 500:
            return False
        if line not in known:
            if len(known) >= _MOST_QUESTIONS:
                return False
            known[line] = parses(line)
        return known[line]

    return ask


def _bodies(sent: Sequence[str | bytes]) -> list[list[str]]:
    out: list[list[str]] = []
    for mail in sent:
        if isinstance(mail, str):
            out.append(mail.splitlines())
            continue
        letter = read_letter(mail)
        out += [[line.text for line in lines] for lines in (plain_lines(letter), rich_lines(letter)) if lines]
    return out


def _folded(line: str) -> str:
    return " ".join(words_of(line.strip().lstrip("-*•·>0123456789.) ")))


def _subtract(sections: Sections, texts: Sequence[str], evidence: Sent) -> None:
    """What we sent is quoted, wherever it stands and however it is wrapped."""
    marks = sections.marks
    open_lines = [n for n, mark in enumerate(marks) if mark in (Mark.NEW, Mark.TAIL, Mark.SIGNATURE)]
    for number, covered in zip(open_lines, evidence.covered([texts[n] for n in open_lines]), strict=True):
        # A rule of one of our tables has no words; it goes with the line above it.
        above = next((marks[n] for n in range(number - 1, max(-1, number - 4), -1) if texts[n].strip()), None)
        if covered or (above is Mark.QUOTED and RULE.fullmatch(texts[number])):
            marks[number] = Mark.QUOTED


def _settle_tail(sections: Sections, texts: Sequence[str], evidence: Sent, earlier: set[str]) -> None:
    """Lines behind an attribution whose quote has no marks.

    With what we sent at hand, lines that we didn't send are an answer below or inside the quote; doubtful where much of
    the quote isn't ours. Without, they are the quote, unless nothing is written above: then the attribution may be all
    that was quoted.
    """
    marks = sections.marks
    tail = [n for n, mark in enumerate(marks) if mark is Mark.TAIL]
    if not tail or sections.forwarded:
        return
    behind = [
        mark
        for mark, text in zip(marks[sections.tail_from :], texts[sections.tail_from :], strict=True)
        if mark in (Mark.QUOTED, Mark.TAIL) and text.strip()
    ]
    quoted = behind.count(Mark.QUOTED)
    ours = bool(evidence) and quoted * 2 >= len(behind)
    # Where nearly all of the quote is ours, the rest of it is as surely not ours.
    certain = ours and quoted * 3 >= len(behind) * 2 and quoted >= 3
    above = any(mark is Mark.NEW for mark in marks[: sections.tail_from])
    if not ours and (above or sections.tail_headers):
        return
    for number in tail:
        if earlier and _folded(texts[number]) in earlier and ours:
            marks[number] = Mark.QUOTED
        else:
            marks[number] = Mark.NEW
            if not certain:
                sections.doubtful.add(number)


def _compare_bodies(sections: Sections, texts: Sequence[str], rich: Sequence[BodyLine]) -> None:
    """A line that the HTML body has only inside its quotes is quoted, though the text body lost the marks."""
    if not any(line.quoted for line in rich):
        return
    written = f" {' '.join(word for line in rich if not line.quoted for word in words_of(line.text))} "
    quoted = f" {' '.join(word for line in rich if line.quoted for word in words_of(line.text))} "
    candidates = [n for n, mark in enumerate(sections.marks) if mark is Mark.NEW][:500]
    for number in candidates:
        words = f" {' '.join(words_of(texts[number]))} "
        if words.strip() and words not in written and words in quoted:
            sections.marks[number] = Mark.QUOTED


def _drop_notices(sections: Sections, texts: Sequence[str], keep: Parses) -> None:
    marks = sections.marks
    paragraph: list[int] = []
    for number in range(len(marks) + 1):
        if number < len(marks) and marks[number] is Mark.NEW and texts[number].strip():
            if banner(texts[number]) and not keep(texts[number]):
                marks[number] = Mark.NOTICE
                continue
            if list_footer(texts, number):
                for later in range(number, len(marks)):
                    if marks[later] is Mark.NEW and not keep(texts[later]):
                        marks[later] = Mark.NOTICE
                continue
            paragraph.append(number)
            continue
        if paragraph and disclaimer(" ".join(texts[n].strip() for n in paragraph)):
            _drop_disclaimer(marks, paragraph, texts, keep)
        paragraph = []


def _drop_disclaimer(marks: list[Mark], paragraph: Sequence[int], texts: Sequence[str], keep: Parses) -> None:
    """Lines of one paragraph that are boilerplate. Orders typed right above it, without a gap, stay."""
    first = 0
    while first < len(paragraph) and disclaimer(" ".join(texts[n].strip() for n in paragraph[first + 1 :])):
        if len(texts[paragraph[first]]) > 60:
            break
        first += 1
    for number in paragraph[first:]:
        if not keep(texts[number]):
            marks[number] = Mark.NOTICE


def _doubt_earlier(
    sections: Sections, lines: Sequence[BodyLine], earlier: set[str], keep: Parses, *, answers_receipt: bool
) -> None:
    """A line that its writer sent before may be quoted without marks: where it stands below a quote that has none, or,
    in an answer to a receipt (behind which lies the writer's own mail), below other text."""
    if not earlier:
        return
    marks = sections.marks
    unmarked = (n for n, mark in enumerate(marks) if mark is Mark.QUOTED and not lines[n].quoted)
    sign = min(sections.tail_from, next(unmarked, len(lines)))
    seen_other = False
    for number, mark in enumerate(marks):
        text = lines[number].text
        if mark is not Mark.NEW or not text.strip():
            continue
        if _folded(text) in earlier:
            if number > sign or (answers_receipt and seen_other):
                sections.doubtful.add(number)
        elif not keep(text):
            seen_other = True


def _written(sections: Sections, texts: Sequence[str]) -> NewText:
    """The new lines in their order; rules that a client drew beside what is left out go with it."""
    kept: list[NewLine] = []
    block: list[NewLine] = []
    for number, text in enumerate([*texts, ""]):
        if number < len(texts) and sections.marks[number] is Mark.NEW:
            if block or (text.strip() and not RULE.fullmatch(text)):
                block.append(NewLine(text, number in sections.doubtful))
            continue
        while block and (not block[-1].text.strip() or RULE.fullmatch(block[-1].text)):
            block.pop()
        if block:
            kept += [*block, NewLine("")]
        block = []
    body: list[str] = []
    for line in kept:
        if line.text.strip() or (body and body[-1]):
            body.append(line.text if line.text.strip() else "")
    lines = tuple(NewLine(line.text.strip(), line.doubtful) for line in kept if line.text.strip())
    return NewText("\n".join(body).strip("\n"), lines)

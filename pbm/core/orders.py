"""A line of text → orders, by a game's forms (MAIL.md, *What is read from a mail*).

The same parser reads a player's mail (`near`: misspellings are taken where they are clear, with a note) and a scenario
file (names and verbs spelled right).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pbm.core.engine import Form, Order, Slot
from pbm.core.names import fold, is_near, match, nearest, printed

# Marks of a list at the head of a line: "- ", "* ", "• ", "1. ", "2) ".
_LIST = re.compile(r"^(?:[-*+•·‣▪◦●○–—→]\s*|\d{1,3}[.)]\s+)")
_QUOTES = "\"'“”„‟«»‹›‘’‚‛`´「」『』〝〞＂"
_EMPHASIS = "*~`"
_CLOSING = ".,;!…:。！，；、"
_NUMBER = re.compile(r"^\d{1,6}$")
MAX_LINE = 400


@dataclass(frozen=True, slots=True)
class Read:
    """A whole order line: usually one order, two for `PICK x CLAIM y`. `notes`: what a misspelling was read as."""

    orders: tuple[Order, ...]
    form: Form
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A line with a verb that is no order. `reason` for its writer; `verb` None: it only looks like one."""

    reason: str
    verb: str | None


def plain(line: str) -> str:
    """The line without what doesn't matter: list marks, emphasis, quotation marks, closing punctuation, full-width
    letters, invisible characters. A parenthesis at its head stays: such a line is never an order."""
    text = printed(line[: MAX_LINE * 4])
    while True:
        before = text
        text = _LIST.sub("", text, count=1).strip()
        text = text.strip(_QUOTES + _EMPHASIS).strip()
        if text == before:
            break
    text = "".join(c for c in text if c not in _EMPHASIS and c not in '"“”„«»')
    while text and (text[-1] in _CLOSING or text[-1] in _QUOTES or text[-1] in _EMPHASIS):
        text = text[:-1].rstrip()
    if text[:1] == "_" and text[-1:] == "_" and len(text) > 2:
        text = text.strip("_").strip()
    return " ".join(text.split())


def is_aside(text: str) -> bool:
    """Whether a plain line begins with a parenthesis, or holds one that isn't matched: how *we* write an order, and
    what re-wrapping leaves of it. Never an order."""
    return text.startswith("(") or text.count("(") != text.count(")")


def first_word(text: str) -> str:
    return fold(text.split(" ", 1)[0].rstrip(":,") if text else "")


def read_line(line: str, forms: Sequence[Form], *, near: bool) -> Read | Unread | None:
    """What the line says by these forms: a whole order, a refusal with its reason, or None: chat."""
    text = plain(line)
    if not text or len(text) > MAX_LINE or is_aside(text):
        return None
    words = text.split(" ")
    ranked = sorted(forms, key=lambda form: (-len(form.verb.split()), -len(form.parts)))
    candidates = [(form, rest) for form in ranked if (rest := _after_verb(words, form.verb)) is not None]
    unread: Unread | None = None
    for form, rest in candidates:
        found = _fill(form, rest, near=near)
        if isinstance(found, Read):
            return found
        # A form that the line can't be meant for (`PICK x CLAIM y` without a CLAIM) has no better reason than the rest.
        if unread is None or (unread.reason.startswith("write it as") and not found.reason.startswith("write it as")):
            unread = found
    if unread is not None:
        form, rest = candidates[0]
        return unread if not near or _looks_meant(rest, forms, form) else None
    return _misspelt_verb(words, ranked) if near else None


def _after_verb(words: Sequence[str], verb: str) -> list[str] | None:
    """The words behind the verb, a colon behind it left out, or None if the line doesn't begin with it."""
    parts = verb.split(" ")
    if len(words) < len(parts):
        return None
    head = [fold(word) for word in words[: len(parts)]]
    rest = list(words[len(parts) :])
    if head[-1].endswith(":"):
        head[-1] = head[-1].rstrip(":")
    elif rest and rest[0] == ":":
        rest = rest[1:]
    return rest if head == [fold(part) for part in parts] else None


def _looks_meant(rest: Sequence[str], forms: Sequence[Form], form: Form) -> bool:
    """Whether a line with a verb that isn't a whole order is meant as one: its second word is a number, a name, a
    suit, a character, or near one (MAIL.md); else it is chat (`Take care,`)."""
    if form.verb in STRICT_VERBS:
        return True
    if not rest or not form.slots:
        return False
    word = rest[0].rstrip(":,.;")
    if any(c.isdigit() for c in word):
        return True
    choices = (choice for f in forms for slot in f.slots for choice in slot.choices)
    return any(is_near(word, spelling.split(" ")[0]) for choice in choices for spelling in choice.spellings)


# Verbs that nobody writes in chat: refused with anything unreadable behind them (MAIL.md).
STRICT_VERBS = frozenset({"SECRET BRIBE"})


def _misspelt_verb(words: Sequence[str], forms: Sequence[Form]) -> Unread | None:
    for form in forms:
        parts = form.verb.split(" ")
        head = " ".join(words[: len(parts)]).rstrip(":")
        long_enough = len(form.verb) >= 4
        if long_enough and fold(head) != fold(form.verb) and nearest(head, [form.verb]):
            read = _fill(form, list(words[len(parts) :]), near=True)
            if isinstance(read, Read) and len(words) > len(parts) - (not form.slots):
                meant = "; ".join(order.line for order in read.orders)
                return Unread(f"did you mean ({meant})?", form.verb)
    return None


def _fill(form: Form, rest: Sequence[str], *, near: bool) -> Read | Unread:
    """The form's slots filled with the words behind its verb, or the reason why they can't be."""
    if not form.slots:
        if rest:
            return Unread(f"{form.verb} stands alone on its line", form.verb)
        return Read((Order(form.verb, {}, form.line({})),), form)
    gaps = next(_split(form.parts[1:], rest), None)
    if gaps is None:
        return Unread(f"write it as ({form.pattern()})", form.verb)
    args: dict[str, str | int] = {}
    notes: list[str] = []
    best: Unread | None = None
    for gaps in _split(form.parts[1:], rest):
        args, notes, fault = _values(form.slots, gaps, near=near)
        if fault is None:
            return Read(_orders(form, args), form, tuple(notes))
        best = best or Unread(fault, form.verb)
    assert best is not None
    return best


def _split(parts: Sequence[str | Slot], words: Sequence[str]) -> Iterator[list[list[str]]]:
    """All ways to lay the words into the slots, with the literals where they must stand."""
    if not parts:
        if not words:
            yield []
        return
    head, tail = parts[0], parts[1:]
    if isinstance(head, str):
        after = _after_verb(words, head)
        if after is not None:
            yield from _split(tail, after)
        return
    if not tail:
        if words:
            yield [list(words)]
        return
    for n in range(1, len(words)):
        for gaps in _split(tail, words[n:]):
            yield [list(words[:n]), *gaps]


def _values(
    slots: Sequence[Slot], gaps: Sequence[Sequence[str]], *, near: bool
) -> tuple[dict[str, str | int], list[str], str | None]:
    args: dict[str, str | int] = {}
    notes: list[str] = []
    for slot, gap in zip(slots, gaps, strict=True):
        text = " ".join(gap)
        if slot.is_number:
            digits = _decimal(text)
            if digits is None:
                return args, notes, f"“{text}” is no whole number"
            args[slot.name] = digits
            continue
        found = match(text, _spellings(slot), near=near)
        if found.value is None:
            return args, notes, _unknown(slot, text, found.close)
        if found.near:
            notes.append(f"“{text}” was read as {slot.show(found.value)}")
        args[slot.name] = found.value
    return args, notes, None


def _spellings(slot: Slot) -> list[tuple[str, str]]:
    """What a line may name, by its own spelling; then by that which :func:`plain` leaves of it (`Robert Jr.`)."""
    exact = [(spelling, choice.value) for choice in slot.choices for spelling in choice.spellings]
    return exact + [(bare, value) for spelling, value in exact if (bare := _bare(spelling)) not in ("", spelling)]


_bare = lru_cache(maxsize=4096)(plain)  # the same few names are compared with every line


def _unknown(slot: Slot, text: str, close: Sequence[str]) -> str:
    if close:
        return f"“{text}” is no {slot.kind} here; near are {', '.join(slot.show(value) for value in close[:4])}"
    return f"“{text}” is no {slot.kind} here; there are {', '.join(c.shown for c in slot.choices[:12]) or 'none'}"


def _decimal(text: str) -> int | None:
    try:
        digits = "".join(str(unicodedata.decimal(c)) for c in text)
    except ValueError:
        return None
    return int(digits) if _NUMBER.match(digits) else None


def _orders(form: Form, args: dict[str, str | int]) -> tuple[Order, ...]:
    if not form.split:
        return (Order(form.verb, args, form.line(args)),)
    orders: list[Order] = []
    verb = ""
    for part in form.parts:
        if isinstance(part, str):
            verb = part
        else:
            value = args[part.name]
            orders.append(Order(verb, {part.name: value}, f"{verb} {part.show(value)}"))
    return tuple(orders)

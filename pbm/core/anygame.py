"""Whether a line could be an order or a service word of some game, where it isn't known which (`pbm explain`).

Names of players and assassins are any one to three words; all else must be as the rule sets have it.
"""

from functools import cache

from pbm.core import registry
from pbm.core.engine import Form, Slot
from pbm.core.names import fold
from pbm.core.orders import is_aside, plain
from pbm.core.words import ALONE_WORDS, SERVICE_WORDS

_NAMES = ("player", "assassin")


def could_be_order(line: str) -> bool:
    """Whether the line, alone, has the shape of an order or of a service word."""
    text = plain(line)
    if not text or len(text) > 120 or is_aside(text):
        return False
    words = fold(text).replace(":", " ").split()
    if len(words) == 1 and words[0].upper() in ALONE_WORDS & set(SERVICE_WORDS):
        return True
    return any(_fits(form.parts, words) for form in _forms())


@cache
def _forms() -> tuple[Form, ...]:
    return tuple(form for key in registry.BUILT_IN for form in registry.grammar(key))


def _fits(parts: tuple[str | Slot, ...], words: list[str]) -> bool:
    if not parts:
        return not words
    head, tail = parts[0], parts[1:]
    if isinstance(head, str):
        literal = fold(head).split()
        return words[: len(literal)] == literal and _fits(tail, words[len(literal) :])
    return any(_may_be(head, words[:n]) and _fits(tail, words[n:]) for n in range(1, min(len(words), 3) + 1))


def _may_be(slot: Slot, words: list[str]) -> bool:
    text = " ".join(words)
    if slot.is_number:
        return text.isdecimal()
    if slot.kind in _NAMES:
        return True
    return any(fold(spelling) == text for choice in slot.choices for spelling in choice.spellings)

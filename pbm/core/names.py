"""Names of players and things: when two are the same, which are allowed, and which one a misspelling means.

MAIL.md, *What is read from a mail*: names match whatever their case, accents or Unicode form.
"""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import OSA

MAX_NAME = 24

# Letters that Unicode doesn't take apart, though people type them without the stroke.
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"})


def printed(text: str) -> str:
    """The text without invisible characters and in compatibility form, runs of white space as one blank."""
    text = unicodedata.normalize("NFKC", text)
    kept = (c for c in text if unicodedata.category(c) not in ("Cf", "Cc") or c in "\t\n")
    return " ".join("".join(kept).replace("\ufe0f", "").replace("\ufe0e", "").split())


@lru_cache(maxsize=4096)  # the same few names and verbs are compared with every line
def fold(text: str) -> str:
    """What of a name counts when two are compared: no case, no accents, one Unicode form, single blanks."""
    text = printed(text).casefold()
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(unicodedata.normalize("NFKC", text.casefold()).translate(_PLAIN).split())


def name_fault(name: str, reserved: Collection[str]) -> str | None:
    """Why a player can't have this name, or None. `reserved`: the words of the grammar, in any case (MAIL.md)."""
    if name != printed(name):
        return "a name has no invisible or compatibility characters, and single blanks between its words"
    if len(name) > MAX_NAME:
        return f"a name has at most {MAX_NAME} characters; this one has {len(name)}"
    # Vowel signs of Indic scripts are marks, and part of a word as letters are.
    bad = sorted({c for c in name if not (c.isalnum() or unicodedata.category(c)[0] == "M" or c in "-_ ")})
    if bad:
        return f"a name has letters, digits, '-', '_' and blanks only, not {' '.join(bad)}"
    if not any(c.isalpha() for c in name):
        return "a name needs a letter"
    taken = {fold(word) for word in reserved}
    for word in fold(name).replace("-", " ").replace("_", " ").split():
        if word in taken:
            return f"“{word}” is a word of the orders; a name can't have it as a word of its own"
    return None


@dataclass(frozen=True, slots=True)
class Match:
    """Which of the values a text means. `near`: it was misspelt. `value` None: unclear; `close` has the near ones."""

    value: str | None
    near: bool = False
    close: tuple[str, ...] = ()


def match(text: str, spellings: Iterable[tuple[str, str]], *, near: bool) -> Match:
    """The value whose spelling the text is. `spellings`: (spelling, value) pairs.

    With `near`, a misspelling is taken where it is clear: distance 1 for spellings of 4 to 7 letters, 2 from 8 on, and
    no other value within one more (MAIL.md).
    """
    wanted = fold(text)
    folded = [(fold(spelling), value) for spelling, value in spellings]
    for spelling, value in folded:
        if spelling == wanted:
            return Match(value)
    bare = wanted.strip("_-")
    for spelling, value in folded:
        if spelling == bare:
            return Match(value)
    if not near or not all(c.isalnum() or c in "-_ '" for c in wanted):
        return Match(None)
    best: dict[str, tuple[int, int]] = {}  # value: (its distance, letters of that spelling)
    for spelling, value in folded:
        distance = OSA.distance(wanted, spelling)
        if value not in best or distance < best[value][0]:
            best[value] = (distance, len(spelling))
    ranked = sorted(best.items(), key=lambda item: item[1][0])
    close = tuple(value for value, (distance, letters) in ranked if distance <= max(1, min(3, letters // 2)))
    if ranked:
        value, (distance, letters) = ranked[0]
        allowed = 2 if letters >= 8 else 1 if letters >= 4 else 0
        rivals = [v for v, (d, _) in ranked[1:] if d <= distance + 1]
        if distance <= allowed and not rivals:
            return Match(value, near=True, close=(value,))
    return Match(None, close=close)


def is_near(text: str, spelling: str) -> bool:
    """Whether the text may be the spelling mistyped: one letter off, two from eight letters on; not in two letters."""
    wanted, known = fold(text), fold(spelling)
    if min(len(wanted), len(known)) < 3:
        return wanted == known
    return OSA.distance(wanted, known) <= (2 if len(known) >= 8 else 1)


def nearest(word: str, words: Sequence[str], limit: int = 1) -> str | None:
    """The one of the words that is at most `limit` letters off, if there is just one; None where it is unclear."""
    wanted = fold(word)
    found = [w for w in words if OSA.distance(wanted, fold(w)) <= limit]
    return found[0] if len(found) == 1 else None

"""Text as mail programs may take it apart: the pieces between which lines break, and what lossy charsets leave of them.

For the guard (guard.py), which looks for runs of pieces that would be read as an order.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import TypeVar

from pbm.core.names import fold
from pbm.core.orders import plain
from pbm.mail.markup import HIDDEN, KEEP, LINK_BODY, ORDER, ORDER_END, PRIVATE

T = TypeVar("T")

# From here on a program may cut a word in two.
LONG = 16
# What is remembered: words and lines, and whole leaves, which take more room.
_MEMORY = 5_000
_LEAVES = 2_000

_CHARSETS = ("ascii", "latin-1", "iso8859-15", "iso2022_jp")
_TOKEN = re.compile(r"\S+")
# Where a line may break inside a token: behind a hyphen or dash, and where letters of scripts that are written without
# blanks, or signs, meet Latin ones.
_INSIDE = re.compile(
    "(?<=[-\u2010-\u2015\u00ad])(?=.)|(?<=[\u2190-\udfff\uf900-\ufeff\U00010000-\U000effff])(?=[A-Za-z])"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A leaf as one reader sees it: its pieces, and those that could begin something, with their word."""

    views: tuple[str, ...]
    hot: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf cut into pieces, stretches that may begin or end a line. `spans`: where each stands in the leaf; `glued`:
    to the piece before, without a blank; `inside` an order that we print as such. `seen`: as it is, then as each of
    the lossy charsets leaves it."""

    spans: tuple[tuple[int, int], ...]
    glued: tuple[bool, ...]
    inside: tuple[bool, ...]
    seen: tuple[Seen, ...]


@dataclass(frozen=True, slots=True)
class Stream:
    """The pieces of all leaves, one after the other."""

    views: Sequence[str]
    hot: Sequence[tuple[int, str]]
    leaf: Sequence[int]
    glued: Sequence[bool]
    inside: Sequence[bool]

    def next(self, n: int) -> int | None:
        """The next piece with something to read in it, in whatever leaf."""
        return next((m for m in range(n + 1, len(self.views)) if any(c.isalnum() for c in self.views[m])), None)


class Cutter:
    """Cuts leaves (markup.py) into pieces, and knows those that begin with one of the given words (folded)."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = frozenset(words)
        self._leaves: dict[str, Leaf] = {}
        self._firsts: dict[str, str] = {}

    def word(self, view: str) -> str:
        """The first word, folded, of a line that begins here; "" if that begins with a parenthesis."""
        found = self._firsts.get(view)
        if found is None:
            text = plain(view)
            found = "" if text.startswith("(") else fold(text.rstrip(":,-?").strip("_"))
            remember(self._firsts, view, found)
        return found

    def leaf(self, text: str) -> Leaf:
        found = self._leaves.get(text)
        if found is None:
            found = self._cut(text)
            remember(self._leaves, text, found, limit=_LEAVES)
        return found

    def _cut(self, leaf: str) -> Leaf:
        spans: list[tuple[int, int]] = []
        views: list[str] = []
        glued: list[bool] = []
        inside: list[bool] = []
        within = False
        for token in _TOKEN.finditer(leaf.replace(KEEP, " ")):
            text, at, start = token[0], 0, token.start()
            within = within or ORDER in text
            for end in (*self._breaks(text), len(text)):
                spans.append((start + at, start + end))
                views.append(_view(text[at:end]))
                glued.append(at > 0)
                inside.append(within)
                at = end
            within = within and ORDER_END not in text
        seen = tuple(self._seen(tuple(lossy), glued) for lossy in (views, *_lossy(views)))
        return Leaf(tuple(spans), tuple(glued), tuple(inside), seen)

    def _seen(self, views: tuple[str, ...], glued: Sequence[bool]) -> Seen:
        hot = []
        for n, view in enumerate(views):
            word = self.word(view)
            if view and word not in self._words and n + 1 < len(views) and glued[n + 1]:
                # The line needn't break inside the token, though none of our words is as long as a dozen pieces.
                more = takewhile(lambda m: glued[m], range(n + 1, min(n + 12, len(views))))
                word = self.word(view + "".join(views[m] for m in more))
            if word in self._words:
                hot.append((n, word))
        return Seen(views, tuple(hot))

    def _breaks(self, text: str) -> list[int]:
        """Where a line may break inside a token, in order."""
        if LINK_BODY in text or (text.isascii() and "-" not in text and len(text) <= LONG):
            return []
        ends = {found.start() for found in _INSIDE.finditer(text)}
        if len(text) > LONG:
            low = text.lower()
            tails = (len(text) - len(word) for word in self._words if low.endswith(word) and len(low) == len(text))
            ends |= {tail for tail in tails if tail > 0}
        return sorted(ends)


@lru_cache(maxsize=16)
def cutter_of(words: frozenset[str]) -> Cutter:
    """The one for these words. All games of a rule set share it: most of what it remembers is the templates' text."""
    return Cutter(words)


def remember(memory: dict[str, T], key: str, value: T, limit: int = _MEMORY) -> None:
    """Keep a value; once there are too many, forget all."""
    if len(memory) >= limit:
        memory.clear()
    memory[key] = value


def _view(text: str) -> str:
    """What a reader sees of a piece of a leaf."""
    if text.isascii():
        return text
    return PRIVATE.sub("", HIDDEN.sub("", text).replace(ORDER, "(").replace(ORDER_END, ")"))


def _lossy(views: Sequence[str]) -> Iterator[list[str]]:
    """The pieces as each charset leaves them where it drops what it lacks; nothing if they are ASCII."""
    if all(view.isascii() for view in views):
        return
    for charset in _CHARSETS:
        yield [view if view.isascii() else "".join(c for c in view if _has(charset, c)) for view in views]


def streams(leaves: Sequence[Leaf]) -> Iterator[Stream]:
    """The whole mail as its reader sees it, and as each charset leaves it, where that is something else."""
    number = [n for n, leaf in enumerate(leaves) for _ in leaf.spans]
    glued = [g for leaf in leaves for g in leaf.glued]
    inside = [i for leaf in leaves for i in leaf.inside]
    done: list[list[str]] = []
    for c in range(1 + len(_CHARSETS)):
        if c and all(len(leaf.seen) == 1 for leaf in leaves):
            return
        views: list[str] = []
        hot: list[tuple[int, str]] = []
        for leaf in leaves:
            seen = leaf.seen[c if len(leaf.seen) > 1 else 0]
            hot.extend((len(views) + n, word) for n, word in seen.hot)
            views.extend(seen.views)
        if views not in done:
            done.append(views)
            yield Stream(views, hot, number, glued, inside)


@cache
def _has(charset: str, letter: str) -> bool:
    try:
        letter.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def printed(leaves: Sequence[str], cut: Sequence[Leaf], opens: dict[int, int], keeps: set[int]) -> list[str]:
    """The leaves with a parenthesis before each piece of `opens` and behind the one it leads to, and kept blanks."""
    out = list(leaves)
    places = [(n, span) for n, leaf in enumerate(cut) for span in leaf.spans]
    # At one place a closing parenthesis comes first, then the blank, then an opening one.
    changes: dict[int, list[tuple[int, int, str]]] = {}
    for first, last in opens.items():
        leaf, (start, _) = places[first]
        begin, end = places[last][1]
        # A sentence's full stop stays outside.
        word = leaves[leaf][begin:end].rstrip(".,;:!?…")
        changes.setdefault(leaf, []).extend([(start, 2, "("), (begin + len(word) if word else end, 0, ")")])
    for n in keeps:
        leaf, (start, _) = places[n]
        changes.setdefault(leaf, []).append((start - 1, 1, KEEP))
    for leaf, marks in changes.items():
        text, at, parts = leaves[leaf], 0, list[str]()
        for place, _, sign in sorted(marks):
            parts += [text[at:place], sign]
            at = place + (sign == KEEP)
        out[leaf] = "".join([*parts, text[at:]])
    return out

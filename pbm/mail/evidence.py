"""What a mail shares with mails that were sent before: runs of words, whatever the client did to the lines.

Clients re-wrap, change marks and charsets, and turn HTML to text; the order of the words stays. A word keeps its
parentheses: that is how a command stands in our mails, `(HIT bob)`, and how it differs from one just typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_SEED = 4
"""Words that begin a run."""
_PLACES = 8
"""Places that are tried for one seed."""
_RUN = 300
"""Words after which a run is taken up anew, so that a crafted mail can't make all places run to its end."""
_KEEP = re.compile(r"[^a-z0-9()]+")
_MARKS = re.compile(r"^(?:[\s\u00a0]{0,4}[>|])+")
_MOST_WORDS = 40_000


def words_of(line: str) -> list[str]:
    """The words of a line, folded to what survives a change of charset; lines break at hyphens too."""
    out = []
    for word in _MARKS.sub("", line[:4000]).replace("-", " ").split():
        if word.isascii():
            if (kept := _KEEP.sub("", word.lower())).strip("()"):
                out.append(kept)
            continue
        folded = unicodedata.normalize("NFKD", word).casefold()
        kept = _KEEP.sub("", folded)
        if kept.strip("()"):
            out.append(kept)
        elif not kept and any(char.isalnum() for char in folded):
            out.append(folded)
    return out


class Sent:
    """The words of all mails that were sent in a thread, indexed by runs of `_SEED`."""

    def __init__(self, bodies: Iterable[Sequence[str]]) -> None:
        self._words: list[str] = []
        for lines in bodies:
            for line in lines:
                self._words += words_of(line)
            # A word that no mail has: no run goes from one mail into the next.
            self._words.append("\n")
            if len(self._words) > _MOST_WORDS:
                break
        self._index: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(self._words) - _SEED + 1):
            places = self._index.setdefault(tuple(self._words[place : place + _SEED]), [])
            if len(places) < _PLACES:
                places.append(place)

    def __bool__(self) -> bool:
        return bool(self._index)

    def covered(self, lines: Sequence[str]) -> list[bool]:
        """Of each line, whether its words stand in a run of at least `_SEED` words that was sent before.

        A run goes over line ends. Four of five words must be covered, and all of a line of fewer than eight: an order
        may differ by one word from an example of ours.
        """
        words: list[str] = []
        owner: list[int] = []
        for number, line in enumerate(lines):
            mine = words_of(line)
            words += mine
            owner += [number] * len(mine)
            if len(words) > _MOST_WORDS:
                break
        hit = bytearray(len(words))
        at = 0
        while at + _SEED <= len(words):
            length = self._longest(words, at)
            if length:
                hit[at : at + length] = b"\1" * length
                at += length
            else:
                at += 1
        total, good = [0] * len(lines), [0] * len(lines)
        for place, number in enumerate(owner):
            total[number] += 1
            good[number] += hit[place]
        return [
            count > 0 and (covered == count or (count >= 8 and covered * 5 >= count * 4))
            for count, covered in zip(total, good, strict=True)
        ]

    def _longest(self, words: Sequence[str], at: int) -> int:
        best = 0
        for place in self._index.get(tuple(words[at : at + _SEED]), ()):
            length = _SEED
            while (
                length < _RUN
                and at + length < len(words)
                and place + length < len(self._words)
                and words[at + length] == self._words[place + length]
            ):
                length += 1
            best = max(best, length)
        return best

"""No line of ours parses as an order (MAIL.md, *What is sent*; DESIGN.md).

Whatever a mail program does to our text, a line that it makes is a run of consecutive words of it: quoting puts marks
in front, re-wrapping breaks at blanks and hyphens, HTML turned to text flattens cells and paragraphs, a charset that
lacks a letter drops it or puts a `?`. So the guard looks at the words of a mail as one stream, and wherever a run of
them would be read as an order it puts the verb behind a parenthesis, `(hit bob)`: a line that begins there begins with
a parenthesis, and one that begins inside holds one that isn't matched. The same for words that count only alone on
their line (`wait`), where they could come to stand alone; where they couldn't, our own wrapping keeps them with the
next word.
"""

import re
from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Literal

from rapidfuzz.distance import OSA

from pbm.core.engine import Form, Slot
from pbm.core.names import fold, match
from pbm.core.orders import Read, plain, read_line
from pbm.core.words import ALONE_WORDS, MODERATOR_WORDS, SERVICE_WORDS
from pbm.mail.cutting import LONG, Stream, cutter_of, printed, remember, streams
from pbm.mail.markup import KEEP, Block, rows, with_rows

Verdict = Literal["order", "refused", "chat"]

# The narrowest line: MAIL.md's 20 columns less a quote's marks.
NARROW = 16
# A block of so few letters, with a pair of parentheses or two, stays on one line.
_SHORT = 12
# Signs that a charset drops may stand between the words of an order; so many pieces are looked at in all.
_FAR = 40
# Service words that are refused, not read as chat, whatever stands behind them: no template should say them.
_TOUCHY = frozenset({"away", "timezone", "address", "mails"})


class Guard:
    """Knows what could be read as an order in mails of one game.

    `forms`: the game's grammar (any phase, all names). `extra_words`: service and moderator words; all by default, for
    a mail may be quoted by anybody. One guard serves all mails of a game while its names stay: it remembers.
    """

    def __init__(
        self, forms: Sequence[Form], extra_words: Collection[str] = (*SERVICE_WORDS, *MODERATOR_WORDS)
    ) -> None:
        self._forms = tuple(forms)
        words = {fold(word) for word in extra_words}
        lone = {fold(form.verb) for form in forms if not form.slots and " " not in form.verb}
        self._alone = lone | (words & {fold(word) for word in ALONE_WORDS})
        self._service = words - self._alone
        self._verbs = {fold(form.verb.split()[0]) for form in forms if form.slots or " " in form.verb}
        self._cutter = cutter_of(frozenset(self._alone | self._service | self._verbs))
        self._spelt = sorted({fold(s) for f in forms for slot in f.slots for c in slot.choices for s in c.spellings})
        literals = {fold(part) for form in forms for part in form.parts[1:] if isinstance(part, str)}
        self._heads = sorted({spelt.split()[0] for spelt in (*self._spelt, *literals) if spelt})
        self._longest = {fold(form.verb.split()[0]): 1 for form in forms}
        for form in forms:
            first = fold(form.verb.split()[0])
            self._longest[first] = max(self._longest[first], _length(form))
        self._verdicts: dict[str, Verdict] = {}
        self._plausible: dict[str, bool] = {}

    def safe(self, text: str) -> str:
        """A line of text made safe by itself."""
        return self.safe_blocks((Block("text", ((text,),)),))[0].rows[0][0].replace(KEEP, " ")

    def safe_blocks(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The blocks of a mail made safe together; KEEP stands for a blank not to be broken at.

        Rows of one block may be run together, leaves of one row come to stand on one line or each on its own. Doing it
        again changes nothing.
        """
        leaves = [leaf for row in rows(blocks) for leaf in row]
        single = [len(block.rows) == 1 and len(row) == 1 for block in blocks for row in block.rows for _ in row]
        cut = [self._cutter.leaf(leaf) for leaf in leaves]
        opens: dict[int, int] = {}  # piece that gets "(" in front: piece that gets ")" behind
        keeps: set[int] = set()
        for stream in streams(cut):
            self._scan(stream, single, opens, keeps)
        safe = iter(printed(leaves, cut, opens, keeps))
        return with_rows(blocks, [tuple(next(safe) for _ in row) for row in rows(blocks)])

    def doubtful(self, text: str) -> list[str]:
        """Words of a template's own text that are better said otherwise, since they mean something to the service.

        Stricter than `safe_blocks`, which leaves them be where no line could come to hold them alone.
        """
        leaf = self._cutter.leaf(text)
        words = self._alone | (self._service & _TOUCHY)
        views = zip(leaf.seen[0].views, leaf.inside, strict=True)
        return [view for view, inside in views if not inside and self._cutter.word(view) in words]

    def _scan(self, stream: Stream, single: Sequence[bool], opens: dict[int, int], keeps: set[int]) -> None:
        for n, word in stream.hot:
            if n in opens:
                continue
            end = None
            if word in self._verbs or word in self._alone:
                # Inside parentheses of ours what reaches their end has one that isn't matched.
                stop = min((last for first, last in opens.items() if first < n <= last), default=len(stream.views))
                end = self._order(word, stream, n, stop)
            if end is None and word in self._service:
                end = self._service_line(word, stream, n)
            if end is None and word in self._alone:
                end = self._lonely(stream, single, n, keeps)
            if end is not None:
                opens[n] = end if stream.leaf[end] == stream.leaf[n] else n

    def _lonely(self, stream: Stream, single: Sequence[bool], n: int, keeps: set[int]) -> int | None:
        """The piece itself if a line could come to hold it alone; else the blank behind it is to be kept, if any."""
        views, leaf = stream.views, stream.leaf[n]
        after = stream.next(n)
        if after is None or stream.leaf[after] != leaf:
            # The last word of its leaf: alone if a line may break before it, or if there are only list marks there.
            before = list(takewhile(lambda m: stream.leaf[m] == leaf, range(n - 1, -1, -1)))
            text = " ".join(views[m] for m in (*reversed(before), n))
            short = single[leaf] and len(text.replace("(", "").replace(")", "")) <= _SHORT
            return None if short and self._cutter.word(plain(text)) != self._cutter.word(views[n]) else n
        # The guard may yet put parentheses around the next word.
        between = sum(len(views[m]) + 1 for m in range(n, after))
        if between + len(views[after].strip("()")) + 2 > NARROW:
            return n
        keeps.update(m for m in range(n + 1, after + 1) if not stream.glued[m])
        return None

    def _order(self, word: str, stream: Stream, n: int, stop: int) -> int | None:
        """The last piece of the game's order that begins at piece n and ends before piece `stop`, or None."""
        views, inside = stream.views, stream.inside[n]
        rest = stream.next(n)
        if rest is None:
            return None
        if len(views[rest]) >= LONG and not inside:
            return n
        if not any(self._looks(view) for view in views[n + 1 : rest + 2]):
            return None
        best: int | None = None
        text = ""
        left = self._longest.get(word, 1)
        for m in range(n, min(stop, n + _FAR)):
            text = f"{text}{views[m]}" if stream.glued[m] else f"{text} {views[m]}"
            wordy = any(c.isalnum() for c in views[m])
            left -= wordy
            if left < 0:
                break
            if m == n:
                continue  # a word that is an order by itself counts only alone on its line
            verdict = self._verdict(text.rstrip("? "))
            if verdict == "order" and wordy:
                best = m
            elif best is None and (verdict == "order" or (verdict == "refused" and not inside)):
                best = n
        return best

    def _verdict(self, text: str) -> Verdict:
        found = self._verdicts.get(text)
        if found is None:
            read = read_line(text, self._forms, near=True)
            # No name has parentheses; with them a line is at most refused, and may be but an accident of ours.
            chat = read is None or "(" in text or ")" in text
            found = "order" if isinstance(read, Read) else "chat" if chat else "refused"
            remember(self._verdicts, text, found)
        return found

    def _looks(self, view: str) -> bool:
        """Whether the word may begin what stands in a slot, misspelt or not. Spares most looks at whole lines."""
        found = self._plausible.get(view)
        if found is None:
            word = fold(plain(view).rstrip(":").strip("_-"))
            found = bool(word) and (
                any(c.isdigit() for c in word)
                or any(word.startswith(h) or h.startswith(word) or OSA.distance(word, h) <= 2 for h in self._heads)
                or any(OSA.distance(word, whole) <= 2 for whole in self._spelt)
            )
            remember(self._plausible, view, found)
        return found

    def _names(self, view: str) -> bool:
        """Whether the word is, or is much like, the first of a name."""
        word = plain(view).rstrip(":")
        return bool(word) and any(
            fold(word) == head or (min(len(word), len(head)) >= 3 and match(word, [(head, head)], near=True).close)
            for head in self._heads
        )

    def _service_line(self, word: str, stream: Stream, n: int) -> int | None:
        """The last piece of what a service word with an argument begins, or None where it is just a word."""
        views = stream.views
        rest = stream.next(n)
        if rest is None:
            return n if word in _TOUCHY or plain(views[n]).isupper() else None
        after = fold(plain(views[rest]).rstrip(":"))
        match word:
            case "tell" | "say" | "announce":
                ahead = views[n : n + 8] if word == "tell" else (views[n], *views[rest : rest + 1])
                colons = [m for m, view in enumerate(ahead) if ":" in view]
                capitals = plain(views[n]).rstrip(":,").isupper()
                return n + colons[0] if colons else n if capitals else None
            case "away":
                return rest if after == "none" or after[:1].isdigit() else None
            case "timezone":
                return n
            case "address":
                return rest if "@" in after else None
            case "mails":
                return rest if after in ("all", "needed") else None
            case "extend":
                return rest if after[:1].isdigit() else None
            case "join":
                further = {fold(view) for view in views[n + 1 : n + 6]}
                return rest if "as" in further or any(c.isdigit() or c == "-" for c in after) else None
            case "order":
                colon = any(":" in view for view in views[rest : rest + 8])
                return rest if colon and self._names(views[rest]) else None
            case _:  # remove, replace: of a player
                return rest if self._names(views[rest]) else None


def _length(form: Form) -> int:
    """Pieces that a line of the form may have: its words, and one more a part for misspelt blanks."""
    return sum(
        max((len(re.split(r"[\s-]+", s)) for c in part.choices for s in c.spellings), default=1) + 1
        if isinstance(part, Slot)
        else len(part.split()) + 1
        for part in form.parts
    )

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
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Literal, TypeVar

from rapidfuzz.distance import OSA

from pbm.core.engine import Form, Slot
from pbm.core.names import fold, match
from pbm.core.orders import Read, plain, read_line
from pbm.core.words import ALONE_WORDS, MODERATOR_WORDS, SERVICE_WORDS
from pbm.mail.markup import HIDDEN, KEEP, LINK_BODY, ORDER, ORDER_END, PRIVATE, Block, rows, with_rows

T = TypeVar("T")
Verdict = Literal["order", "refused", "chat"]

# The narrowest line: MAIL.md's 20 columns less a quote's marks.
NARROW = 16
# A block of so few letters, with a pair of parentheses or two, stays on one line.
_SHORT = 12
# From here on a program may cut a word in two.
LONG = 16
# What a guard remembers: words and lines, and whole leaves, which take more room.
_MEMORY = 5_000
_LEAVES = 500

_CHARSETS = ("ascii", "latin-1", "iso8859-15", "iso2022_jp")
_TOKEN = re.compile(r"\S+")
# Where a line may break inside a token: behind a hyphen or dash, and where letters of scripts that are written without
# blanks, or signs, meet Latin ones.
_INSIDE = re.compile(
    "(?<=[-\u2010-\u2015\u00ad])(?=.)|(?<=[\u2190-\udfff\uf900-\ufeff\U00010000-\U000effff])(?=[A-Za-z])"
)
# Service words that are refused, not read as chat, whatever stands behind them: no template should say them.
_TOUCHY = frozenset({"away", "timezone", "address", "mails"})


@dataclass(frozen=True, slots=True)
class _Seen:
    """A leaf as one reader sees it: its pieces, and those that could begin something, with their word."""

    views: tuple[str, ...]
    hot: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A leaf cut into pieces, stretches that may begin or end a line. `spans`: where each stands in the leaf; `glued`:
    to the piece before, without a blank; `inside` an order that we print as such. `seen`: as it is, then as each of
    the lossy charsets leaves it."""

    spans: tuple[tuple[int, int], ...]
    glued: tuple[bool, ...]
    inside: tuple[bool, ...]
    seen: tuple[_Seen, ...]


@dataclass(frozen=True, slots=True)
class _Stream:
    """The pieces of all leaves, one after the other."""

    views: Sequence[str]
    hot: Sequence[tuple[int, str]]
    leaf: Sequence[int]
    glued: Sequence[bool]
    inside: Sequence[bool]

    def next(self, n: int) -> int | None:
        """The next piece with something to read in it, in whatever leaf."""
        return next((m for m in range(n + 1, len(self.views)) if any(c.isalnum() for c in self.views[m])), None)


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
        self._first = self._alone | self._service | self._verbs
        self._spelt = sorted({fold(s) for f in forms for slot in f.slots for c in slot.choices for s in c.spellings})
        literals = {fold(part) for form in forms for part in form.parts[1:] if isinstance(part, str)}
        self._heads = sorted({spelt.split()[0] for spelt in (*self._spelt, *literals) if spelt})
        self._longest = {fold(form.verb.split()[0]): 1 for form in forms}
        for form in forms:
            first = fold(form.verb.split()[0])
            self._longest[first] = max(self._longest[first], _length(form))
        self._leaves: dict[str, _Leaf] = {}
        self._firsts: dict[str, str] = {}
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
        cut = [self._leaf(leaf) for leaf in leaves]
        opens: dict[int, int] = {}  # piece that gets "(" in front: piece that gets ")" behind
        keeps: set[int] = set()
        for stream in _streams(cut):
            self._scan(stream, single, opens, keeps)
        safe = iter(_printed(leaves, cut, opens, keeps))
        return with_rows(blocks, [tuple(next(safe) for _ in row) for row in rows(blocks)])

    def doubtful(self, text: str) -> list[str]:
        """Words of a template's own text that are better said otherwise, since they mean something to the service.

        Stricter than `safe_blocks`, which leaves them be where no line could come to hold them alone.
        """
        leaf = self._leaf(text)
        words = self._alone | (self._service & _TOUCHY)
        views = zip(leaf.seen[0].views, leaf.inside, strict=True)
        return [view for view, inside in views if not inside and self._word(view) in words]

    def _scan(self, stream: _Stream, single: Sequence[bool], opens: dict[int, int], keeps: set[int]) -> None:
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

    def _lonely(self, stream: _Stream, single: Sequence[bool], n: int, keeps: set[int]) -> int | None:
        """The piece itself if a line could come to hold it alone; else the blank behind it is to be kept, if any."""
        views, leaf = stream.views, stream.leaf[n]
        after = stream.next(n)
        if after is None or stream.leaf[after] != leaf:
            # The last word of its leaf: alone if a line may break before it, or if there are only list marks there.
            before = list(takewhile(lambda m: stream.leaf[m] == leaf, range(n - 1, -1, -1)))
            text = " ".join(views[m] for m in (*reversed(before), n))
            short = single[leaf] and len(text.replace("(", "").replace(")", "")) <= _SHORT
            return None if short and self._word(plain(text)) != self._word(views[n]) else n
        # The guard may yet put parentheses around the next word.
        between = sum(len(views[m]) + 1 for m in range(n, after))
        if between + len(views[after].strip("()")) + 2 > NARROW:
            return n
        keeps.update(m for m in range(n + 1, after + 1) if not stream.glued[m])
        return None

    def _word(self, view: str) -> str:
        """The first word, folded, of a line that begins here; "" if that begins with a parenthesis."""
        found = self._firsts.get(view)
        if found is None:
            text = plain(view)
            found = "" if text.startswith("(") else fold(text.rstrip(":,-?").strip("_"))
            _remember(self._firsts, view, found)
        return found

    def _order(self, word: str, stream: _Stream, n: int, stop: int) -> int | None:
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
        for m in range(n, min(stop, n + self._longest.get(word, 1))):
            text = f"{text}{views[m]}" if stream.glued[m] else f"{text} {views[m]}"
            if m == n:
                continue  # a word that is an order by itself counts only alone on its line
            verdict = self._verdict(text.rstrip("? "))
            if verdict == "order" and any(c.isalnum() for c in views[m]):
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
            _remember(self._verdicts, text, found)
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
            _remember(self._plausible, view, found)
        return found

    def _names(self, view: str) -> bool:
        """Whether the word is, or is much like, the first of a name."""
        word = plain(view).rstrip(":")
        return bool(word) and any(
            fold(word) == head or (min(len(word), len(head)) >= 3 and match(word, [(head, head)], near=True).close)
            for head in self._heads
        )

    def _service_line(self, word: str, stream: _Stream, n: int) -> int | None:
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

    def _leaf(self, text: str) -> _Leaf:
        found = self._leaves.get(text)
        if found is None:
            found = self._cut(text)
            _remember(self._leaves, text, found, limit=_LEAVES)
        return found

    def _cut(self, leaf: str) -> _Leaf:
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
        return _Leaf(tuple(spans), tuple(glued), tuple(inside), seen)

    def _seen(self, views: tuple[str, ...], glued: Sequence[bool]) -> _Seen:
        hot = []
        for n, view in enumerate(views):
            word = self._word(view)
            if view and word not in self._first and n + 1 < len(views) and glued[n + 1]:
                # The line needn't break inside the token, though none of our words is as long as a dozen pieces.
                more = takewhile(lambda m: glued[m], range(n + 1, min(n + 12, len(views))))
                word = self._word(view + "".join(views[m] for m in more))
            if word in self._first:
                hot.append((n, word))
        return _Seen(views, tuple(hot))

    def _breaks(self, text: str) -> list[int]:
        """Where a line may break inside a token, in order."""
        if LINK_BODY in text or (text.isascii() and "-" not in text and len(text) <= LONG):
            return []
        ends = {found.start() for found in _INSIDE.finditer(text)}
        if len(text) > LONG:
            low = text.lower()
            tails = (len(text) - len(word) for word in self._first if low.endswith(word) and len(low) == len(text))
            ends |= {tail for tail in tails if tail > 0}
        return sorted(ends)


def _length(form: Form) -> int:
    """Pieces that a line of the form may have: its words, and one more a part for misspelt blanks."""
    return sum(
        max((len(re.split(r"[\s-]+", s)) for c in part.choices for s in c.spellings), default=1) + 1
        if isinstance(part, Slot)
        else len(part.split()) + 1
        for part in form.parts
    )


def _remember(memory: dict[str, T], key: str, value: T, limit: int = _MEMORY) -> None:
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


def _streams(leaves: Sequence[_Leaf]) -> Iterator[_Stream]:
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
            yield _Stream(views, hot, number, glued, inside)


@cache
def _has(charset: str, letter: str) -> bool:
    try:
        letter.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def _printed(leaves: Sequence[str], cut: Sequence[_Leaf], opens: dict[int, int], keeps: set[int]) -> list[str]:
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

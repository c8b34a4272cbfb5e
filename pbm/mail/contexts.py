"""What each kind of mail is made of (MAIL.md, *What is sent*): plain values, one class a kind.

Instants are whole seconds UTC. Lines of orders are bare (`HIT bob`): the templates put them in parentheses. A view is
the reader's (`Game.view`), never a state; events are those that this reader may know.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pbm import timewords
from pbm.core.engine import Event, Form, Json, Order


@dataclass(frozen=True, slots=True)
class About:
    """The game that a mail is about: its id, the key of its rule set (the templates' folder), its title for people."""

    id: str
    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Due:
    """A deadline, and the zone of who reads it."""

    at: int
    zone: str = "UTC"

    @property
    def local(self) -> str:
        return timewords.in_zone(self.at, self.zone)

    @property
    def utc(self) -> str:
        return timewords.utc(self.at)

    @property
    def short(self) -> str:
        """For subjects: `Fri 4 Dec, 18:00`, with the zone where it is UTC."""
        day, number, month, _, clock, *_ = self.local.split()
        return f"{day[:3]} {number} {month[:3]}, {clock}" + (" UTC" if self.zone == "UTC" else "")


# -- the game's course ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opening:
    """What is told once, at the start. `pace`: sentences about phases, press, absences, anonymity, as the game has
    them. `seed_hash`: SHA-256 of the draw key (ruling G4). `options`: name → value, all of them."""

    players: tuple[str, ...]
    seed_hash: str
    options: Mapping[str, Any]
    pace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Over:
    """How a game ended. `record`: (label, value) pairs of ruling G8. `names`: (seat, who it was), anonymous games
    only. `key`: the draw key in hex, public from now on."""

    winners: tuple[str, ...]
    key: str
    runners_up: tuple[str, ...] = ()
    record: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Invitation:
    """A game opens. `join`: the line that a newcomer sends (`JOIN grab-1 AS Bob`), None for listed players and where
    sign-up is shut; `reader` None: the public call on the list. `begins`: a sentence (`It begins when …`)."""

    about: About
    reader: str | None
    tagline: str
    begins: str
    base: str
    players: tuple[str, ...] = ()
    join: str | None = None
    pace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """A phase opened, and this reader may act in it: the result before it, what is known, what may be sent.

    `label`: of the open phase; `closed`: of the one that closed before it, None for the first. `must`: waited for.
    `stands`: lines in already (sent ahead). `dropped`: lines of this seat that a removal made void (ruling G5).
    `early`: whether the phase closes as soon as everybody's orders are in. `notes`: sentences for this reader.
    """

    about: About
    reader: str
    label: str
    due: Due
    view: Json
    forms: tuple[Form, ...]
    must: bool = True
    early: bool = True
    closed: str | None = None
    events: tuple[Event, ...] = ()
    stands: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    opening: Opening | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A phase closed, for a player who has nothing to send in the next one, or at the game's end (`over`).

    `next_label`, `due`: the phase that is open now. `opening` instead of `closed`: the start, for who can't act yet.
    """

    about: About
    reader: str
    view: Json
    closed: str | None
    events: tuple[Event, ...] = ()
    next_label: str | None = None
    due: Due | None = None
    over: Over | None = None
    notes: tuple[str, ...] = ()
    opening: Opening | None = None


@dataclass(frozen=True, slots=True)
class Digest:
    """The public mail of a close (or of the start: `opening`), to the archive list. `view`: the public one."""

    about: About
    view: Json
    closed: str | None
    base: str
    events: tuple[Event, ...] = ()
    next_label: str | None = None
    due: Due | None = None
    over: Over | None = None
    opening: Opening | None = None


@dataclass(frozen=True, slots=True)
class Reminder:
    """Only to players who still have to act. `left`: seconds to the deadline."""

    about: About
    reader: str
    label: str
    due: Due
    left: int
    view: Json
    forms: tuple[Form, ...]
    stands: tuple[str, ...] = ()


# -- answers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that wasn't taken, and why."""

    line: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Press that goes out: its text whole. `to` None: the public list (SAY); empty: everybody (TELL ALL)."""

    to: tuple[str, ...] | None
    text: str
    later: bool = False  # held until grace is over


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a player's mail.

    `understood`: order lines taken from this mail, `replaced` those they replace, `stands` all that count now;
    `paid` the same as values, for the game's word on their cost (`KEY/cost.txt`). `done`: sentences about service
    words and things that took effect at once. `notes`: what misspellings were read as. `refused`, `ignored`: lines not
    taken, and the number of those read as chat. `too_late`: of a phase that has closed: its label and, for a one-tap
    link, the lines that the open phase takes. `other_address`: where the mail came from, if not the address on file.
    `closing`: why nothing can be changed any more, None while it can. `doubtful`: lines to be confirmed as new.
    """

    about: About
    reader: str
    view: Json
    understood: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    stands: tuple[str, ...] = ()
    paid: tuple[Order, ...] = ()
    notes: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    sent: tuple[Sent, ...] = ()
    refused: tuple[Refused, ...] = ()
    doubtful: tuple[str, ...] = ()
    ignored: int = 0
    too_late: str | None = None
    again: tuple[str, ...] = ()
    label: str | None = None
    due: Due | None = None
    must: bool = False
    closing: str | None = None
    other_address: str | None = None
    forms: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True)
class Help:
    """HELP: what may be written now, and the service words. `about` None: to somebody without a seat.

    `name`, `example`: somebody else's name and an order of this game, for examples. `press`: whether TELL is allowed.
    `base`: the service's address.
    """

    about: About | None
    reader: str | None
    view: Json
    forms: tuple[Form, ...] = ()
    label: str | None = None
    due: Due | None = None
    moderator: bool = False
    name: str = "bob"
    example: str = "PASS"
    press: bool = True
    base: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """RULES: the rule page of this very game."""

    about: About
    view: Json
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Status:
    """STATUS: a copy of what the seat may know, without keys: it may be forwarded. `reader` None: the moderator's."""

    about: About
    reader: str | None
    view: Json
    label: str | None = None
    due: Due | None = None
    waiting: tuple[str, ...] | None = None
    settings: tuple[tuple[str, str], ...] = ()
    events: tuple[Event, ...] = ()
    closed: str | None = None


@dataclass(frozen=True, slots=True)
class Stands:
    """ORDERS: what stands, by seat; a player's own alone, a moderator's all."""

    about: About
    label: str | None
    due: Due | None
    lines: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...] = ()
    moderator: bool = False


QuestionKind = Literal["join", "lines", "resign", "address", "game", "name", "still"]


@dataclass(frozen=True, slots=True)
class Question:
    """Something is asked back; a plain reply confirms (`game`: the reply names one of `choices`).

    `join`: confirm signing up as `name`. `lines`: orders wait, from another address. `resign`, `address` (`detail`:
    the new one), `name` (a misspelt name in an order that can't be taken back), `still` (in, before the
    start). `due`: until when.
    """

    kind: QuestionKind
    about: About | None
    reader: str | None = None
    name: str | None = None
    lines: tuple[str, ...] = ()
    detail: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    due: Due | None = None


@dataclass(frozen=True, slots=True)
class Welcome:
    """Somebody has joined, or moved up from the waiting list. `begins`: a sentence."""

    about: About
    reader: str
    players: tuple[str, ...]
    begins: str
    moved_up: bool = False


@dataclass(frozen=True, slots=True)
class Stranger:
    """The one polite answer to somebody who has no seat. Nothing of theirs is echoed."""

    base: str
    open_games: tuple[tuple[str, str], ...] = ()


# -- what others do ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Press:
    """TELL, to one of those addressed. `to`: all of them; empty: everybody. `copy`: the moderator reads along."""

    about: About
    reader: str | None
    writer: str
    to: tuple[str, ...]
    text: str
    copy: bool = False


ActKind = Literal["event", "say", "away", "back", "resign"]


@dataclass(frozen=True, slots=True)
class Act:
    """A public act, to the list as it comes. `event`: the game's (`pledge`, `vote`), `say`: `text`, `away`: `days`."""

    about: About
    kind: ActKind
    seat: str
    base: str
    view: Json
    events: tuple[Event, ...] = ()
    text: str = ""
    days: tuple[str, str] | None = None
    due: Due | None = None


NoticeKind = Literal[
    "extended", "paused", "resumed", "closing", "removed", "replaced", "withdrawn", "announced", "ended"
]


@dataclass(frozen=True, slots=True)
class Notice:
    """What the moderator did, to players and to the list (`reader` None). `seat`: who was removed or replaced.

    `withdrawn`: `label` is the phase that is open again, `lost` what is withdrawn with it (sentences). `text`: the
    announcement, or what the moderator adds. `base`: the service's address, for the list.
    """

    about: About
    kind: NoticeKind
    reader: str | None
    view: Json
    seat: str | None = None
    label: str | None = None
    due: Due | None = None
    text: str = ""
    lost: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    base: str | None = None


# -- the moderator's -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tally:
    """A list in a summary: a heading and its sentences; left out where empty."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BeforeDeadline:
    about: About
    label: str
    due: Due
    missing: tuple[str, ...]
    complete: tuple[str, ...]
    waits: tuple[str, ...] = ()
    tallies: tuple[Tally, ...] = ()


@dataclass(frozen=True, slots=True)
class AtClose:
    """The summary of a close. `stood`: orders by seat, as they stood; `missed`: who sent nothing. `held`: the result
    waits for APPROVE. `views`: each seat's own, for the private events. `needs`: what a person has to settle,
    in sentences, `choices`: (line, what it does). `tallies`: strikes, late and refused mails, bounces, what
    was sent."""

    about: About
    closed: str
    view: Json
    stood: Mapping[str, tuple[str, ...]]
    missed: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    next_label: str | None = None
    due: Due | None = None
    over: Over | None = None
    held: bool = False
    undo: bool = True
    views: Mapping[str, Json] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    tallies: tuple[Tally, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """Something needs a person: `what` (a short title), `why` (sentences), `choices`: (line, what it does)."""

    about: About | None
    what: str
    why: tuple[str, ...]
    choices: tuple[tuple[str, str], ...] = ()
    tallies: tuple[Tally, ...] = ()
    reader_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Desk:
    """The receipt of a moderator's mail. `confirm`: a line asked back, with what it would do. `preview`: sentences.

    `too_late`, `again`: as in Receipt.
    """

    about: About
    label: str | None = None
    due: Due | None = None
    done: tuple[str, ...] = ()
    confirm: tuple[tuple[str, str], ...] = ()
    refused: tuple[Refused, ...] = ()
    preview: tuple[Event, ...] | None = None
    view: Json = field(default_factory=dict)
    views: Mapping[str, Json] = field(default_factory=dict)
    ignored: int = 0
    too_late: str | None = None
    again: tuple[str, ...] = ()

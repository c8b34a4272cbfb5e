"""Demo players: they read their own mailbox over IMAP, and answer over SMTP after a while, as people do.

Some answer at once and some next morning; now and then one forgets, changes their mind, misspells a name or asks for
too much. What they play is decided by their minds (pbm.demo.minds).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random

from pbm.demo.mailer import Writer
from pbm.demo.minds import Mind, Thought
from pbm.demo.sheet import Sheet
from pbm.mail.imap import Mailbox
from pbm.mail.smtp import Sent, Transport

MINUTE, HOUR = 60, 3600
SLEEPS = 0.03
SECOND_THOUGHTS = 0.04
SLIPS = 0.04


class PostFailed(Exception):
    """A demo player's mail wasn't taken by the mail server."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A mail that somebody is going to write. `after`: seconds from now. `why`: in a few words, for who watches."""

    after: int
    parent: Sheet
    lines: tuple[str, ...]
    why: str = ""

    @property
    def orders(self) -> tuple[str, ...]:
        """The lines above what is said."""
        return () if self.parent.kind == "question" else tuple(takewhile(bool, self.lines))


@dataclass(frozen=True, slots=True)
class Habits:
    """How somebody types orders. `small`: in small letters; `listed`: as a list; `late`: stretches all delays."""

    small: bool = False
    listed: bool = False
    late: float = 1.0


@dataclass
class Player:
    """`fresh`: whether something has been delivered that wasn't read yet (what IDLE would tell)."""

    writer: Writer
    mind: Mind
    habits: Habits
    mailbox: Mailbox
    transport: Transport
    chance: Random
    fresh: bool = False
    asked: Sheet | None = None
    """The newest mail that asks for something."""
    _asleep: bool = field(default=False, init=False)
    _meant: tuple[str, ...] = field(default=(), init=False)
    """What should have been written, where a slip was sent instead."""
    _typed_last: tuple[str, ...] = field(default=(), init=False)
    lost: list[str] = field(default_factory=list, init=False)
    """Orders of which the receipt says nothing: there should be none."""
    _sent: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        return self.writer.name

    async def open(self) -> None:
        await self.mailbox.connect()

    async def close(self) -> None:
        await self.mailbox.close()
        await self.transport.close()

    async def read(self) -> list[Plan]:
        """Fetch what has come, and decide what to write. Errors: MailboxError."""
        self.fresh = False
        plans: list[Plan] = []
        async for batch in self.mailbox.fetch_new(lambda folder, validity, uids: ()):
            for arrival in batch:
                plans += self.react(Sheet.read(arrival.raw))
            for arrival in batch:
                await self.mailbox.settle(arrival.folder, arrival.uidvalidity, [arrival.uid])
        return plans

    async def send(self, plan: Plan, at: int, base: str) -> None:
        """Write the mail that was planned. Raises PostFailed."""
        self._sent += 1
        self._typed_last = plan.orders
        raw = self.writer.reply(plan.parent, plan.lines, at, self._sent)
        outcome = await self.transport.send(self.writer.address, plan.parent.reply_to or base, raw)
        if not isinstance(outcome, Sent):
            raise PostFailed(f"{self.name}: {outcome.text}")

    # -- deciding --------------------------------------------------------------------------------------------------

    def react(self, sheet: Sheet) -> list[Plan]:
        """What a mail makes this player write, and when."""
        match sheet.kind:
            case "round":
                self.asked, self._asleep, self._meant = sheet, False, ()
                return self._turn(sheet)
            case "reminder":
                return self._reminded(sheet)
            case "receipt":
                return self._corrected(sheet)
            case "question":
                return [Plan(self._soon(), sheet, ("Yes, that is what I mean.",), "confirms")]
        thought = self.mind.hear(sheet)
        return [self._plan(sheet, thought)] if thought else []

    def current(self, plan: Plan) -> bool:
        """Whether nothing newer has come that makes this mail pointless."""
        return (
            plan.parent.kind not in ("round", "reminder")
            or self.asked is None
            or self.asked.phase == (plan.parent.phase)
        )

    def _turn(self, sheet: Sheet) -> list[Plan]:
        if sheet.must and self.chance.random() < SLEEPS:
            self._asleep = True
            return []
        thought = self.mind.think(sheet)
        if not thought:
            return []
        first = self._slipped(sheet, thought) or self._plan(sheet, thought)
        if sheet.must and not self._meant and self.chance.random() < SECOND_THOUGHTS:
            again = self.mind.think(sheet)
            if again.orders and again.orders != thought.orders:
                later = first.after + self.chance.randint(5 * MINUTE, 3 * HOUR)
                return [first, Plan(later, sheet, self._typed(Thought(again.orders)), "thinks better of it")]
        return [first]

    def _reminded(self, sheet: Sheet) -> list[Plan]:
        if not self._asleep or self.chance.random() < 0.3:
            return []
        thought = self.mind.think(self.asked or sheet)
        self._asleep = False
        return [Plan(self._soon(), sheet, self._typed(thought), "woken by the reminder")] if thought else []

    def _corrected(self, sheet: Sheet) -> list[Plan]:
        """A receipt that says that something wasn't taken: once more, and carefully."""
        told = sheet.text.casefold()
        typed, self._typed_last = self._typed_last, ()
        if not self._meant:
            joined = told.replace(") (", " ")  # `PICK x CLAIM y` is two orders
            lines = ((line, f"({line.removeprefix('- ').casefold()})") for line in typed)
            self.lost += [line for line, shown in lines if shown not in told and shown not in joined]
        if not self._meant or "not taken:" not in told:
            return []
        meant, self._meant = self._meant, ()
        return [Plan(self._soon(), sheet, self._typed(Thought(meant)), "corrects it")]

    def _plan(self, sheet: Sheet, thought: Thought, why: str = "") -> Plan:
        quick, slow = 5 * MINUTE, int(9 * HOUR * self.habits.late)
        after = int(self.chance.triangular(quick, slow, quick + (slow - quick) / 6))
        return Plan(after, sheet, self._typed(thought), why)

    def _soon(self) -> int:
        return self.chance.randint(2 * MINUTE, 40 * MINUTE)

    # -- typing ----------------------------------------------------------------------------------------------------

    def _typed(self, thought: Thought) -> tuple[str, ...]:
        orders = [line.lower() if self.habits.small else line for line in thought.orders]
        if self.habits.listed and len(orders) > 1:
            orders = [f"- {line}" for line in orders]
        words = list(thought.words)
        if self.writer.signature and any(line.startswith(("TELL ", "SAY:")) for line in words):
            words.append("END")
        return (*orders, *([""] if words else []), *words)

    def _slipped(self, sheet: Sheet, thought: Thought) -> Plan | None:
        """Now and then a finger slips: a name is misspelt, or a number is too high."""
        if not thought.orders or self.chance.random() >= SLIPS:
            return None
        wrong = tuple(_slip(line, _names(sheet), self.chance) for line in thought.orders)
        if wrong == thought.orders:
            return None
        self._meant = thought.orders
        return self._plan(sheet, Thought(wrong, thought.words), "mistypes")


def _names(sheet: Sheet) -> set[str]:
    return {row["Player"] for row in sheet.standing if "Player" in row}


def _slip(line: str, names: Iterable[str], chance: Random) -> str:
    """The order with two letters of a name in it swapped, or with a number far too high."""
    for name in sorted(names, key=len, reverse=True):
        if len(name) >= 4 and line.endswith(f" {name}"):
            at = chance.randint(1, len(name) - 3)
            bad = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
            return line.removesuffix(name) + bad
    return re.sub(r"\d+$", lambda found: str(int(found[0]) + 7), line)

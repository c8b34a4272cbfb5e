"""What needs a person: the first moderator is asked, and the next one where nobody has answered for 48 hours
(INTERFACE.md, `moderator`). Any mail and any command of a moderator is an answer.

A need is a row of the questions with `until`: when it lapses. It bears no token of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.addresses import address_key
from pbm.core.engine import Json
from pbm.service.table import Table
from pbm.store.models import Mail, Question, Seat
from pbm.timewords import words

KIND = "need"
PATIENCE = 48 * 3600


@dataclass(frozen=True, slots=True)
class Need:
    """`what`: approve, silence, missing, address or shunted; `of`: whom or which mail it is about. `title`: for a
    subject; `why`: sentences; `choices`: (line, what it does)."""

    what: str
    title: str
    why: tuple[str, ...]
    choices: tuple[tuple[str, str], ...] = ()
    of: str | int | None = None

    def to_json(self) -> Json:
        choices = [list(choice) for choice in self.choices]
        return {"what": self.what, "title": self.title, "why": list(self.why), "choices": choices, "of": self.of}

    @classmethod
    def from_json(cls, data: Json) -> "Need":
        choices = tuple((line, effect) for line, effect in data["choices"])
        return cls(data["what"], data["title"], tuple(data["why"]), choices, data["of"])


APPROVE = Need(
    "approve",
    "a close waits for you",
    ("The deadline has passed; the phase closes when you say so.",),
    (("PREVIEW", "see what would happen"), ("APPROVE", "close the phase now"), ("EXTEND 24h", "give more time")),
)


def of_close(table: Table, *, silent: bool) -> tuple[Need, ...]:
    """What a close leaves to be settled: nobody has written for long (ruling G7), one player keeps missing (`misses:
    {ask}`)."""
    found = []
    if silent:
        why = "For many phases in a row nobody sent a valid order, so the game is paused: let it go on, or end it."
        go_on = (("RESUME", "the clock runs on"), ("END", "the game is over, and nobody wins"))
        found.append(Need("silence", "the game is paused", (why,), go_on))
    ask = table.settings["misses"]["ask"]
    for seat in table.seats:
        if ask and seat.misses and seat.misses % ask == 0 and table.game.status != "over":
            found.append(_missing(seat))
    return tuple(found)


def _missing(seat: Seat) -> Need:
    why = (
        f"{seat.name} has missed {seat.misses} phases in a row. You can write to them ({seat.address}), or answer this."
    )
    choices = (
        (f"REMIND {seat.name}", "a reminder goes to them now"),
        ("EXTEND 24h", "give everybody another day, and tell them so"),
        (f"REMOVE {seat.name}", "they are out of the game"),
        (f"REPLACE {seat.name} WITH new@example.org", "somebody else plays on, with the address that you write there"),
    )
    return Need("missing", f"{seat.name} is silent", (why,), choices, seat.name)


def asked(
    game: str | None, turn: int | None, moderators: Sequence[str], address: str, needs: Sequence[Need], now: int
) -> None:
    """The moderator of this address has been asked. Where there is nobody to be asked next, nothing is kept."""
    if following(moderators, address) is None:
        return
    for need in needs:
        Question.create(
            game=game,
            seat=None,
            address=address,
            kind=KIND,
            data=need.to_json(),
            at=now,
            turn=turn,
            until=now + PATIENCE,
        )


def following(moderators: Sequence[str], address: str) -> str | None:
    """Who is asked when this one is silent; None behind the last."""
    keys = [address_key(moderator) for moderator in moderators]
    place = keys.index(address_key(address)) + 1 if address_key(address) in keys else 0
    return moderators[place] if place < len(moderators) else None


def answered(game: str, now: int) -> None:
    """A moderator of the game has written, or done something: nobody else need be asked."""
    Question.update(answered=now, until=None).where(
        (Question.game == game) & (Question.kind == KIND) & Question.answered.is_null()
    ).execute()


def still(row: Question, table: Table | None) -> bool:
    """Whether it still needs a person; what has settled itself meanwhile doesn't."""
    need = Need.from_json(row.data)
    if need.what == "shunted":
        mail = Mail.get_or_none(Mail.id == need.of)
        return mail is not None and mail.outcome == "shunted"
    if table is None or table.game.status == "over":
        return False
    seat = next((seat for seat in table.seats if seat.name == need.of), None)
    return {
        "approve": table.game.status == "held",
        "silence": table.game.status == "paused",
        "missing": seat is not None and bool(seat.misses),
        "address": seat is not None and bool(seat.bounced),
    }[need.what]


def in_vain(row: Question, now: int) -> str:
    """`mod@example.org was asked 2 days ago, and hasn't answered.`"""
    return f"{row.address} was asked {words(now - row.at)} ago, and hasn't answered."

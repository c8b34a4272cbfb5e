"""A page → a row of the outbox: reply token, Message-ID, thread, bytes; all fixed when it is queued (DESIGN.md)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbm.mail import compose
from pbm.mail.address import reply_address
from pbm.mail.calendar import Entry
from pbm.mail.compose import Head, Mailbox
from pbm.mail.contexts import About
from pbm.mail.letter import Letter
from pbm.mail.pages import Page
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Game, Outbox, Question, Seat, Token, Turn
from pbm.store.statements import Statement

_MAILS_TO: Statement[Outbox] = Statement(
    lambda reader, address, game: Outbox.select(Outbox.id).where(
        (Outbox.game == game) & (Outbox.reader == reader) & (Outbox.recipient == address)
    )
)
_MAILS_OF_NO_GAME_TO: Statement[Outbox] = Statement(
    lambda reader, address: Outbox.select(Outbox.id).where(
        Outbox.game.is_null() & (Outbox.reader == reader) & (Outbox.recipient == address)
    )
)
# Readers that are no seat; no name of a player has such a sign in it.
LIST, MODERATOR, OTHER = "<list>", "<moderator>", "<other>"

_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>")


@dataclass(frozen=True, slots=True)
class To:
    """One recipient: the mailbox, who it is in this game, and the token an answer bears (None: the base address)."""

    mailbox: Mailbox
    reader: str
    token: str | None


def about(table: Table) -> About:
    return About(table.id, table.rules.facts.key, table.game.title)


def to_seat(house: House, table: Table, seat: Seat) -> To:
    """A seat, with its token for the phase that is open (MAIL.md: every mail to a seat carries a live token)."""
    turn, generation = table.game.turn, seat.generation
    token = house.keys.token(game=table.id, seat=str(seat.n), turn=str(turn), purpose="order", generation=generation)
    Token.keep([_row(token, table.id, seat.n, None, turn, "order", generation, 0)])
    return To(Mailbox(seat.name, seat.address), seat.name, token)


def to_list(table: Table) -> To | None:
    """The archive list, or None where the game has none."""
    if table.game.archive is None:
        return None
    return To(Mailbox("", table.game.archive), LIST, None)


def to_moderator(house: House, table: Table, now: int, address: str | None = None) -> To:
    """The moderator (the first, or the one of this address), with a token for the phase that is open."""
    to = address or table.game.moderators[0]
    turn = table.game.turn
    purpose = f"moderate {to}"
    token = house.keys.token(game=table.id, seat=None, turn=str(turn), purpose=purpose)
    Token.keep([_row(token, table.id, None, to, turn, "moderate", 0, now)])
    return To(Mailbox("", to), MODERATOR, token)


def to_question(house: House, table: Table | None, seat: Seat | None, question: Question) -> To:
    """Whoever has to confirm: the token is the question's own."""
    game = table.id if table is not None else ""
    number = str(seat.n) if seat is not None else None
    purpose = f"question-{question.id}"
    # Which of this reader's own questions it is: no two readers share a counter (DESIGN.md).
    own = Question.select().where((Question.address == question.address) & (Question.id <= question.id)).count()
    token = house.keys.token(
        game=game, seat=number, turn=str(question.turn), purpose=f"question {question.address} {own}"
    )
    n, generation = (seat.n, seat.generation) if seat is not None else (None, 0)
    Token.keep([_row(token, game or None, n, question.address, question.turn, purpose, generation, question.at)])
    reader = seat.name if seat is not None else MODERATOR if table is not None else OTHER
    return To(Mailbox(seat.name if seat is not None else "", question.address), reader, token)


def to_stranger(address: str) -> To:
    return To(Mailbox("", address), OTHER, None)


def _row(
    token: str,
    game: str | None,
    seat: int | None,
    address: str | None,
    turn: int | None,
    purpose: str,
    generation: int,
    made: int,
) -> dict[str, object]:
    return {
        "token": token,
        "game": game,
        "seat": seat,
        "address": address,
        "turn": turn,
        "purpose": purpose,
        "generation": generation,
        "made": made,
    }


def queue(
    house: House,
    table: Table | None,
    to: To,
    kind: str,
    page: Page,
    now: int,
    *,
    answers: Letter | None = None,
    entries: Sequence[Entry] = (),
    due: int | None = None,
    turn: int | None = None,
) -> Outbox:
    """Queue one mail. `answers`: the mail that it answers. `due`: not sent before (press in grace)."""
    game = table.id if table is not None else None
    phase = turn if turn is not None else (table.game.turn if table is not None else None)
    thread = _thread_of(table, to)
    n = thread.posted + 1 if thread is not None else _number(game, to)
    message_id = house.keys.message_id(
        game=game or "", reader=f"{to.reader} {to.mailbox.address}", turn=str(phase), kind=kind, n=n, host=house.host
    )
    parent = _usable(answers.message_id) if answers is not None else None
    head = Head(
        sender=Mailbox(house.name, house.address),
        to=to.mailbox,
        subject=page.subject,
        message_id=message_id,
        date=now,
        kind=kind,
        reply_to=reply_address(house.pattern, to.token) if to.token else house.address,
        in_reply_to=parent,
        references=_references(thread, parent),
        auto="auto-replied" if answers is not None else "auto-generated",
        entries=tuple(entries),
    )
    guard = house.guard(table)
    raw = compose.build(
        head, page.source, guard=guard, boundary=house.keys.boundary(message_id), links=to.token is not None
    )
    row: Outbox = Outbox.create(
        game=game,
        turn=phase,
        reader=to.reader,
        kind=kind,
        recipient=to.mailbox.address,
        subject=page.subject,
        message_id=message_id,
        content=raw,
        queued=now,
        due=due if due is not None else now,
    )
    if thread is not None:
        thread.root, thread.last, thread.posted = thread.root or message_id, message_id, n
        thread.save(only=["root", "last", "posted"])
    return row


def _thread_of(table: Table | None, to: To) -> Game | Seat | None:
    """The row that keeps this reader's thread: private and public mails are never joined. A moderator, or somebody
    who is in no game, has none."""
    if table is None:
        return None
    if to.reader == LIST:
        return table.game
    return next((seat for seat in table.seats if seat.name == to.reader), None)


def _number(game: str | None, to: To) -> int:
    """The n of a reader without a thread of its own: no two readers share a counter (DESIGN.md)."""
    same = (to.reader, to.mailbox.address)
    found = _MAILS_TO.tuples(*same, game) if game is not None else _MAILS_OF_NO_GAME_TO.tuples(*same)
    return len(found) + 1


def _usable(message_id: str | None) -> str | None:
    return message_id if message_id is not None and _MESSAGE_ID.fullmatch(message_id) else None


def _references(thread: Game | Seat | None, parent: str | None) -> tuple[str, ...]:
    """The thread's root and the parent, no more."""
    root, last = (thread.root, thread.last) if thread is not None else (None, None)
    return tuple(dict.fromkeys(i for i in (root, parent or last) if i))


def deadline_entry(house: House, table: Table, turn: Turn, now: int, *, cancelled: bool = False) -> Entry:
    """The phase's deadline for a calendar: one UID a phase, SEQUENCE when it moves or is cancelled."""
    return Entry(
        uid=f"{table.id}-{turn.n}.pbm@{house.host}",
        title=f"{table.game.title}: {turn.label}",
        note=f"Deadline of {turn.label} in {table.id}.",
        at=turn.deadline,
        stamp=now,
        organizer=house.address,
        sequence=turn.moved + int(cancelled),
        cancelled=cancelled,
    )

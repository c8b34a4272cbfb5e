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
from pbm.store.models import Outbox, Question, Seat, Token, Turn

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
    turn = table.game.turn
    token = house.keys.token(
        game=table.id, seat=str(seat.n), turn=str(turn), purpose="order", generation=seat.generation
    )
    _keep(token, table.id, now=0, seat=seat.n, turn=turn, purpose="order", generation=seat.generation)
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
    _keep(token, table.id, now=now, address=to, turn=turn, purpose="moderate")
    return To(Mailbox("", to), MODERATOR, token)


def to_question(house: House, table: Table | None, seat: Seat | None, question: Question) -> To:
    """Whoever has to confirm: the token is the question's own."""
    game = table.id if table is not None else ""
    number = str(seat.n) if seat is not None else None
    purpose = f"question-{question.id}"
    token = house.keys.token(game=game, seat=number, turn=str(question.turn), purpose=purpose)
    _keep(
        token,
        game or None,
        now=question.at,
        seat=seat.n if seat is not None else None,
        address=question.address,
        turn=question.turn,
        purpose=purpose,
        generation=seat.generation if seat is not None else 0,
    )
    reader = seat.name if seat is not None else MODERATOR if table is not None else OTHER
    return To(Mailbox(seat.name if seat is not None else "", question.address), reader, token)


def to_stranger(address: str) -> To:
    return To(Mailbox("", address), OTHER, None)


def _keep(
    token: str,
    game: str | None,
    *,
    now: int,
    purpose: str,
    seat: int | None = None,
    address: str | None = None,
    turn: int | None = None,
    generation: int = 0,
) -> None:
    Token.insert(
        token=token,
        game=game,
        seat=seat,
        address=address,
        turn=turn,
        purpose=purpose,
        generation=generation,
        made=now,
    ).on_conflict_ignore().execute()


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
    n = _number(house, game, to, phase, kind, now)
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
        references=_thread(table, to, parent),
        auto="auto-replied" if answers is not None else "auto-generated",
        entry=entries[-1] if entries else None,
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
    if table is not None and to.reader == LIST:
        if table.game.root is None:
            table.game.root = message_id
        table.game.last_public = message_id
        table.game.save()
    return row


def _number(house: House, game: str | None, to: To, turn: int | None, kind: str, now: int) -> int:
    """The n of this reader's mail of this kind in this phase: readers share no counter (DESIGN.md)."""
    same = Outbox.select().where(
        (Outbox.game == game)
        & (Outbox.reader == to.reader)
        & (Outbox.recipient == to.mailbox.address)
        & (Outbox.turn == turn)
        & (Outbox.kind == kind)
    )
    return int(same.count()) + 1


def _usable(message_id: str | None) -> str | None:
    return message_id if message_id is not None and _MESSAGE_ID.fullmatch(message_id) else None


def _thread(table: Table | None, to: To, parent: str | None) -> tuple[str, ...]:
    """The thread's root and the parent, no more; private and public mails are never joined."""
    if table is None:
        return (parent,) if parent else ()
    if to.reader == LIST:
        root, last = table.game.root, table.game.last_public
    else:
        mine = Outbox.select(Outbox.message_id).where((Outbox.game == table.id) & (Outbox.reader == to.reader))
        first = mine.order_by(Outbox.id).first()
        newest = mine.order_by(Outbox.id.desc()).first()
        root = first.message_id if first else None
        last = newest.message_id if newest else None
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

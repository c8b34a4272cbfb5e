"""The mails of a game's course: opening and start, each close with its digest, results and round mails, reminders."""

from collections.abc import Sequence

from pbm.core.engine import Event, Json, Result
from pbm.mail import contexts as c
from pbm.mail.calendar import Entry
from pbm.service import post
from pbm.service.closed import Closed
from pbm.service.house import House
from pbm.service.mails.desk import before_deadline, summary
from pbm.service.mails.facts import over_of, pace, public_due
from pbm.service.mails.roundmail import round_mail
from pbm.service.table import Table
from pbm.store.models import Outbox, Seat, Turn
from pbm.store.statements import Statement

# Only these can be superseded while queued (MAIL.md).
SUPERSEDED = ("round", "receipt", "reminder")
_SUPERSEDE: Statement[Outbox] = Statement(
    lambda game, turn: Outbox.update(status="cancelled", error="its phase has closed").where(
        (Outbox.game == game) & (Outbox.turn == turn) & (Outbox.status == "queued") & Outbox.kind.in_(SUPERSEDED)
    )
)


def started(house: House, table: Table, events: Sequence[Event], now: int) -> None:
    """The game has started: the list, then each player; those who may act get their first round mail with it."""
    opening = c.Opening(
        players=tuple(table.names),
        seed_hash=table.draw.commitment(),
        options=table.options.model_dump(),
        pace=pace(table),
    )
    _tell(house, table, None, tuple(events), None, opening, now)


def turned(house: House, table: Table, closed: Closed, now: int, *, silent: bool = False) -> None:
    """A phase has closed, and perhaps the game: digest, results, round mails, the moderator's summary. `silent`: the
    game is paused, since nobody has written for too long (ruling G7)."""
    _tell(house, table, closed.turn, closed.events, closed.result, None, now, freed=closed.freed)
    summary(house, table, closed, now, silent=silent)


def _tell(
    house: House,
    table: Table,
    closed: Turn | None,
    events: tuple[Event, ...],
    result: Result | None,
    opening: c.Opening | None,
    now: int,
    *,
    freed: frozenset[str] = frozenset(),
) -> None:
    label = closed.label if closed is not None else None
    over = over_of(table, result) if result is not None else None
    turn = table.turn if result is None else None
    to_all = post.to_list(table)
    if to_all is not None:
        digest = c.Digest(
            about=post.about(table),
            view=table.view(None),
            closed=label,
            base=house.address,
            events=tuple(event for event in events if event.seen_by(None)),
            next_label=turn.label if turn is not None else None,
            due=public_due(table) if turn is not None else None,
            over=over,
            opening=opening,
        )
        post.queue(house, table, to_all, "digest", house.pages.digest(digest), now, turn=closed.id if closed else None)
    everybody = _told_to_all(table, events) or over is not None or opening is not None
    off = _called_off(house, table, closed, freed, now) if closed is not None else {}
    for seat in table.seats:
        gone = tuple(off.get(seat.name, ()))
        _tell_seat(house, table, seat, label, events, over, opening, now, everybody=everybody, gone=gone)


def _called_off(house: House, table: Table, closed: Turn, freed: frozenset[str], now: int) -> dict[str, list[Entry]]:
    """The deadlines that players have in their calendars though they lie behind: that of the phase that closed early;
    where not every close is mailed to all, those of the whole round."""
    turns = {closed.id: closed} if freed else {}
    if table.rules.facts.told_on:
        early = (Turn.game == table.id) & (Turn.round == closed.round) & Turn.early.is_null(False)
        turns.update({turn.id: turn for turn in Turn.select().where(early & (Turn.status == "closed"))})
    off: dict[str, list[Entry]] = {}
    for turn in turns.values():
        for name in freed if turn.id == closed.id else table.concerned(turn.state):
            off.setdefault(name, []).append(post.deadline_entry(house, table, turn, now, cancelled=True))
    return off


def _told_to_all(table: Table, events: Sequence[Event]) -> bool:
    """Point Thief's turns are told to the player whose turn it is and to the list; the reveal to everybody."""
    on = table.rules.facts.told_on
    return not on or any(event.type in on for event in events)


def _tell_seat(
    house: House,
    table: Table,
    seat: Seat,
    label: str | None,
    events: Sequence[Event],
    over: c.Over | None,
    opening: c.Opening | None,
    now: int,
    *,
    everybody: bool,
    gone: tuple[Entry, ...],
) -> None:
    mine = tuple(event for event in events if event.seen_by(seat.name))
    private = any(event.to != "public" for event in mine)
    turn, phase = (table.turn, table.phase) if over is None else (None, None)
    paused = table.game.status == "paused"
    notes = ("The game is paused; the deadline is told anew when it goes on. What you send is kept.",) if paused else ()
    told = private or (everybody and (seat.mails == "all" or opening is not None))
    must = phase is not None and seat.name in phase.must
    if (must or (phase is not None and told)) and round_mail(
        house, table, seat, now, closed=label, events=mine, notes=notes, opening=opening, gone=gone
    ):
        return
    if told or over is not None:
        result = c.Result(
            about=post.about(table),
            reader=seat.name,
            view=table.view(seat.name),
            closed=label,
            events=mine,
            next_label=turn.label if turn is not None else None,
            due=c.Due(turn.deadline, seat.timezone) if turn is not None else None,
            over=over,
            notes=notes,
            opening=opening,
        )
        to = post.to_seat(house, table, seat)
        post.queue(house, table, to, "result", house.pages.result(result), now, entries=gone)


def reminded(house: House, table: Table, now: int, *, last: bool) -> None:
    """A reminder to those who still have to act, and no others; with the last the moderator hears who is missing."""
    missing = table.waiting()
    for name in missing:
        remind(house, table, table.seat(name), now)
    if last:
        before_deadline(house, table, missing, now)


def remind(house: House, table: Table, seat: Seat, now: int) -> None:
    """A reminder to one seat that still has to act."""
    turn = table.turn
    assert turn is not None
    view: Json = table.view(seat.name)
    ctx = c.Reminder(
        about=post.about(table),
        reader=seat.name,
        label=turn.label,
        due=c.Due(turn.deadline, seat.timezone),
        left=max(0, turn.deadline - now),
        view=view,
        forms=table.rules.forms(view, seat.name),
        stands=tuple(order.line for order in table.standing().get(seat.name, ())),
    )
    post.queue(house, table, post.to_seat(house, table, seat), "reminder", house.pages.reminder(ctx), now)


def supersede(table: Table, turn: Turn) -> None:
    """Round mails, reminders and receipts of a phase that has closed are not sent late: they are cancelled."""
    _SUPERSEDE.run(table.id, turn.id)


def cancel_for(table: Table, address: str, *, all_kinds: bool) -> None:
    """What is still queued to an address that is no longer a seat's: all of it, or what the seat's fresh start makes
    needless; results and press never are."""
    queued = (Outbox.game == table.id) & (Outbox.recipient == address) & (Outbox.status == "queued")
    kinds = queued if all_kinds else queued & Outbox.kind.in_(SUPERSEDED)
    Outbox.update(status="cancelled", error="the seat has another address now").where(kinds).execute()

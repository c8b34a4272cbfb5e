"""UNDO: the newest close is withdrawn, and its phase is open again, but paused (MAIL.md, *Addresses* and the
moderator's paragraph). Nothing is deleted."""

from dataclasses import dataclass

from pbm import timing
from pbm.core import play
from pbm.core.engine import Event, Json, Order
from pbm.service import mails, rounds
from pbm.service.desk import By, log
from pbm.service.house import House
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Action, Outbox, Question, Standing, Token, Turn

# What a close, and the phase behind it, send; press, absences and receipts are no part of it, and stay.
OF_A_CLOSE = ("digest", "result", "round", "summary", "reminder", "act")


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be withdrawn. `action`: what closed the phase; `state`: the game's just before it; `since`: what
    took effect after it; `lost`: the same in words, with the votes since."""

    closed: Turn
    action: Action
    state: Json
    since: tuple[Action, ...]
    lost: tuple[str, ...]


def plan(table: Table) -> Plan:
    """Which close UNDO would take back. Raises NotNow where there is none, or where the game's end is known."""
    if table.turn is None:
        raise NotNow(f"{table.id} hasn't started")
    over = table.game.status == "over"
    closed = table.turn if over else _newest_closed(table)
    if over and _told(table, closed):
        raise NotNow("the last digest has left, and the key of all chance with it; it can't be undone")
    done = Action.select().where((Action.game == table.id) & (Action.withdrawn == False))  # noqa: E712
    action = done.where(Action.turn == closed.id).order_by(Action.id.desc()).first()
    if action is None:
        raise NotNow(f"what closed {closed.label} isn't on record")
    before = done.where(Action.id < action.id).order_by(Action.id.desc()).first()
    since = tuple(done.where(Action.id > action.id).order_by(Action.id))
    return Plan(closed, action, before.after, since, tuple(_lost(table, action, since)))


def _newest_closed(table: Table) -> Turn:
    row: Turn | None = (
        Turn.select().where((Turn.game == table.id) & (Turn.status == "closed")).order_by(Turn.n.desc()).first()
    )
    if row is None:
        raise NotNow(f"no phase of {table.id} has closed yet")
    return row


def _told(table: Table, last: Turn) -> bool:
    """Whether the mails of the game's end, which show the key, have begun to leave."""
    sent = Outbox.select().where(
        (Outbox.game == table.id)
        & (Outbox.turn == last.id)
        & Outbox.kind.in_(("digest", "result"))
        & (Outbox.queued >= (last.closed or 0))
        & ((Outbox.status == "sent") | (Outbox.tries > 0))
    )
    return bool(sent.exists())


def _lost(table: Table, action: Action, since: tuple[Action, ...]) -> list[str]:
    lost = []
    for row in (action, *since) if action.kind == "remove" else since:
        if row.kind == "act":
            lost.append(f"{row.seat}: ({Order.from_json(row.orders[0]).line})")
        elif row.kind == "remove":
            lost.append(f"{row.seat} is back in the game")
    if table.turn is not None and table.turn.status == "open":
        for name, orders in table.standing().items():
            forms = [(o, play.form_of(table.rules, table.view(None), o)) for o in orders]
            lost += [f"{name}: ({order.line})" for order, form in forms if form is not None and form.public]
    return lost


def undo(house: House, table: Table, by: By, now: int) -> str:
    """Withdraw the newest close; the phase is open again with the orders as they stood, under a new id, and paused.
    Raises NotNow."""
    made = plan(table)
    open_before = table.turn if table.game.status != "over" else None
    log(table, by, "undo", now, text=f"turn {made.closed.n} withdrawn", n=made.closed.n, lost=list(made.lost))
    _cancel(table, made, open_before)
    Action.update(withdrawn=True).where((Action.game == table.id) & (Action.id >= made.action.id)).execute()
    for row in (made.closed, open_before):
        if row is not None:
            row.status, row.wake, row.early, row.held = "withdrawn", None, None, None
            row.save()
    _uncount(table, made.action)
    turn = _open_again(table, made, now)
    _keep_keys(made.closed, turn)
    rounds.rearm(table)
    mails.notice(house, table, "withdrawn", now, lost=made.lost, gone=open_before)
    return (
        f"Turn {made.closed.n} is withdrawn: {turn.label} is open again, with what had been sent for it, and paused"
        " until (RESUME) or (CLOSE)."
    )


def _cancel(table: Table, made: Plan, open_before: Turn | None) -> None:
    """Mails of the close, and of the phase that it opened, that are still queued."""
    of_the_close = (Outbox.turn == made.closed.id) & (Outbox.queued >= made.action.at)
    if open_before is not None:
        of_the_close |= Outbox.turn == open_before.id
    Outbox.update(status="cancelled", error="what it tells was withdrawn (UNDO)").where(
        (Outbox.game == table.id) & (Outbox.status == "queued") & Outbox.kind.in_(OF_A_CLOSE) & of_the_close
    ).execute()


def _uncount(table: Table, action: Action) -> None:
    """The misses of the close that never was, and its silence (ruling G7)."""
    missed = {e.data["player"] for e in map(Event.from_json, action.events) if e.type == "missed"}
    for seat in table.seats:
        if seat.name in missed and seat.misses:
            seat.misses -= 1
            seat.save()
    if action.kind == "close" and not action.orders:
        table.game.silent = max(0, table.game.silent - 1)


def _open_again(table: Table, made: Plan, now: int) -> Turn:
    closed, game = made.closed, table.game
    timed = table.timing(closed.phase)
    deadline = now + timed.length
    newest = Turn.select(Turn.n).where(Turn.game == table.id).order_by(Turn.n.desc()).get()
    turn: Turn = Turn.create(
        game=table.id,
        n=newest.n + 1,
        phase=closed.phase,
        round=closed.round,
        label=closed.label,
        status="open",
        opened=now,
        due=deadline,
        deadline=deadline,
        reminders=timing.reminders(now, deadline, table.settings["reminders"]),
        state=made.state,
        # What happened in the phase before it closed stays, and is told again when it closes.
        events=closed.events[: len(closed.events) - len(made.action.events)],
        changed=now,
    )
    for row in Standing.select().where(Standing.turn == closed.id):
        Standing.create(turn=turn.id, seat=row.seat, orders=row.orders, newest=row.newest, wait=row.wait, wish=row.wish)
    game.turn, game.status, game.rest, game.hold = turn.id, "paused", timed.length, False
    game.ended = game.winners = game.runners_up = None
    game.save()
    table.turn, table._standing = turn, None
    return turn


def _keep_keys(closed: Turn, turn: Turn) -> None:
    """Its tokens of before live again, and what waited for a confirming reply waits for it again."""
    Token.update(turn=turn.id).where(Token.turn == closed.id).execute()
    Question.update(turn=turn.id).where((Question.turn == closed.id) & Question.answered.is_null()).execute()

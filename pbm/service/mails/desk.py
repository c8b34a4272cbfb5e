"""The moderator's mails: summaries, and what needs a person."""

from collections.abc import Sequence

from pbm.core.engine import Order
from pbm.mail import contexts as c
from pbm.mail.pages import Page
from pbm.service import needs, post
from pbm.service.closed import Closed
from pbm.service.house import House
from pbm.service.mails.facts import over_of
from pbm.service.needs import Need
from pbm.service.table import Table
from pbm.store.models import Absence, Action, Game, Log, Mail, Outbox, Question, Seat, Turn
from pbm.store.statements import Statement
from pbm.timewords import in_zone

_CLOSE: Statement[Action] = Statement(
    lambda turn: Action.select(Action.orders).where((Action.turn == turn) & (Action.kind == "close")).limit(1)
)
_READ: Statement[Mail] = Statement(
    lambda game, since, until: (
        Mail.select(Mail.seat, Mail.reason, Mail.outcome, Mail.arrived)
        .where((Mail.game == game) & (Mail.at >= since) & (Mail.at <= until))
        .order_by(Mail.id)
    )
)
_FAILED: Statement[Outbox] = Statement(
    lambda game, since: (
        Outbox.select(Outbox.reader, Outbox.error)
        .where((Outbox.game == game) & (Outbox.status == "failed") & (Outbox.queued >= since))
        .order_by(Outbox.id)
    )
)
_REMINDED: Statement[Outbox] = Statement(
    lambda game, turn: (
        Outbox.select(Outbox.reader, Outbox.queued)
        .where((Outbox.game == game) & (Outbox.turn == turn) & (Outbox.kind == "reminder"))
        .order_by(Outbox.id)
    )
)
_QUEUED: Statement[Outbox] = Statement(
    lambda game, at: (
        Outbox.select(Outbox.kind, Outbox.reader)
        .where((Outbox.game == game) & (Outbox.queued == at))
        .order_by(Outbox.id)
    )
)


def before_deadline(house: House, table: Table, missing: tuple[str, ...], now: int) -> None:
    """Who is missing shortly before the deadline, reminded when, bounced, away."""
    turn = table.turn
    assert turn is not None
    phase = table.open_phase
    waits = tuple(name for name in phase.must if name in table.rows and table.rows[name].wait)
    ids = [seat.id for seat in table.seats]
    absences = Absence.select().where((Absence.start <= now) & (Absence.end > now) & Absence.seat.in_(ids))
    away = {absence.seat.id for absence in absences}
    bounced = tuple(f"{s.name} ({s.address})" for s in table.seats if s.bounced)
    absent = tuple(s.name for s in table.seats if s.id in away)
    sent: dict[str, list[str]] = {}
    for row in _REMINDED.all(table.id, turn.id):
        sent.setdefault(row.reader, []).append(in_zone(row.queued, "UTC"))
    reminded = tuple(f"{name}: {'; '.join(instants)}" for name, instants in sent.items() if name in missing)
    ctx = c.BeforeDeadline(
        about=post.about(table),
        label=turn.label,
        due=c.Due(turn.deadline),
        missing=missing,
        complete=tuple(name for name in phase.must if name not in missing),
        waits=waits,
        tallies=(
            c.Tally("Reminded", reminded),
            c.Tally("Mail to these bounced", bounced),
            c.Tally("Absent", absent),
        ),
    )
    page = house.pages.before_deadline(ctx)
    post.queue(house, table, post.to_moderator(house, table, now), "summary", page, now)


def summary(house: House, table: Table, closed: Closed, now: int, *, silent: bool = False) -> None:
    """The summary of a close: all orders, misses, late and refused mails, bounces, what was sent. What the moderator is
    asked (a silent game or player) stands in it, for there is one mail of a close."""
    turn = closed.turn
    open_turn = table.turn if closed.result is None else None
    orders = _orders_of(turn)
    open_needs = needs.of_close(table, silent=silent)
    ctx = c.AtClose(
        about=post.about(table),
        closed=turn.label,
        view=table.view(None),
        stood=orders,
        views={seat.name: table.view(seat.name) for seat in table.seats},
        missed=tuple(e.data["player"] for e in closed.events if e.type == "missed"),
        events=closed.events,
        next_label=open_turn.label if open_turn is not None else None,
        due=c.Due(open_turn.deadline) if open_turn is not None else None,
        over=over_of(table, closed.result) if closed.result is not None else None,
        undo=closed.result is None,
        needs=tuple(why for need in open_needs for why in need.why),
        choices=_choices(open_needs),
        tallies=_tallies(table, turn, now),
    )
    _to_first(house, table, "summary", house.pages.at_close(ctx), open_needs, now)


def _choices(open_needs: Sequence[Need]) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(choice for need in open_needs for choice in need.choices))


def _to_first(house: House, table: Table, kind: str, page: Page, open_needs: Sequence[Need], now: int) -> None:
    """To the first moderator; what needs a person is kept, for the next one to be asked."""
    to = post.to_moderator(house, table, now)
    post.queue(house, table, to, kind, page, now)
    game = table.game
    needs.asked(game.id, game.turn, game.moderators, to.mailbox.address, open_needs, now)


def _orders_of(turn: Turn) -> dict[str, tuple[str, ...]]:
    action = _CLOSE.first(turn.id)
    if action is None or not action.orders:
        return {}
    return {name: tuple(Order.from_json(o).line for o in orders) for name, orders in action.orders.items()}


def _tallies(table: Table, turn: Turn, now: int) -> tuple[c.Tally, ...]:
    mails = _READ.all(table.id, turn.opened, now)
    refused = tuple(f"{m.seat or 'somebody'}: {m.reason}" for m in mails if m.outcome == "refused")
    late = tuple(f"{m.seat or 'somebody'}, {in_zone(m.arrived, 'UTC')}" for m in mails if m.arrived > turn.deadline)
    bounced = tuple(f"{s.name} ({s.address})" for s in table.seats if s.bounced)
    trouble = tuple(f"{row.reader}: {row.error}" for row in _FAILED.all(table.id, turn.opened))
    kinds: dict[str, list[str]] = {}
    for row in _QUEUED.all(table.id, now):
        kinds.setdefault(row.kind, []).append("the list" if row.reader == post.LIST else row.reader)
    told = tuple(f"{kind} to {', '.join(readers)}" for kind, readers in kinds.items())
    rows = Log.select().where((Log.game == table.id) & (Log.what == "order") & (Log.at >= turn.opened))
    entered = tuple(
        f"{row.data['seat']}: {', '.join(f'({line})' for line in row.data['lines'])}, by {row.who}"
        for row in rows.order_by(Log.id)
        if row.data["turn"] == turn.id
    )
    return (
        c.Tally("Entered by the moderator", entered),
        c.Tally("Refused mails", refused),
        c.Tally("Mails after the deadline", late),
        c.Tally("Mail to these bounced", bounced),
        c.Tally("Delivery trouble", trouble),
        c.Tally("Sent", told),
    )


_UNREACHABLE = (
    "The deadline has passed, but the mailbox can't be read.",
    "The phase closes as soon as it can, with every mail that came in time.",
)


def unreachable(house: House, table: Table, now: int) -> None:
    """A deadline waits for the mailbox."""
    ctx = c.Asked(about=post.about(table), what="a deadline waits for the mailbox", why=_UNREACHABLE)
    _to_first(house, table, "summary", house.pages.asked(ctx), (), now)


def held(house: House, table: Table, now: int) -> None:
    """A close waits for the moderator's APPROVE."""
    need = needs.APPROVE
    ctx = c.Asked(about=post.about(table), what=need.title, why=need.why, choices=need.choices)
    _to_first(house, table, "summary", house.pages.asked(ctx), (need,), now)


def trouble(house: House, table: Table, text: str, now: int, *, seat: Seat | None = None) -> None:
    """Delivery trouble and the like, in one sentence. `seat`: whose address can't be reached."""
    what = "trouble with mail"
    open_needs: tuple[Need, ...] = ()
    if seat is not None and table.game.status not in ("signup", "over"):
        replace = f"REPLACE {seat.name} WITH new@example.org"
        choices = ((replace, "somebody else plays on, or the same with another address"),)
        open_needs = (Need("address", what, (text,), choices, seat.name),)
    ctx = c.Asked(about=post.about(table), what=what, why=(text,), choices=_choices(open_needs))
    _to_first(house, table, "trouble", house.pages.asked(ctx), open_needs, now)


def asked_next(house: House, table: Table | None, rows: Sequence[Question], address: str, now: int) -> None:
    """What another moderator has been asked in vain, to the next."""
    open_needs = [Need.from_json(row.data) for row in rows]
    ctx = c.Asked(
        about=post.about(table) if table is not None else None,
        what=open_needs[0].title,
        why=(needs.in_vain(rows[0], now), *(why for need in open_needs for why in need.why)),
        choices=_choices(open_needs),
    )
    to = post.to_moderator(house, table, now, address) if table is not None else post.to_stranger(address)
    post.queue(house, table, to, "trouble", house.pages.asked(ctx), now)
    moderators = table.game.moderators if table is not None else house.moderators
    game, turn = (table.id, table.game.turn) if table is not None else (None, None)
    needs.asked(game, turn, moderators, address, open_needs, now)


def clock(house: House, jump: int, offset: int, now: int) -> None:
    """A clock is wrong: every moderator whose game is open hears of it, once for all their games."""
    why = []
    if jump:
        why.append(f"The clock of this service has jumped by {jump} seconds.")
    if offset:
        why.append(f"The mail server's clock differs from it by {offset} seconds; deadlines wait that much longer.")
    addresses: dict[str, str] = {}
    for game in Game.select(Game.id, Game.moderators).where(Game.status.in_(("open", "paused", "held"))):
        addresses.setdefault(game.moderators[0], game.id)
    for address, game_id in sorted(addresses.items()):
        table = Table.of(game_id)
        ctx = c.Asked(about=post.about(table), what="a clock is wrong", why=tuple(why))
        to = post.to_moderator(house, table, now, address)
        post.queue(house, table, to, "trouble", house.pages.asked(ctx), now)


def shunted(house: House, mail: Mail, now: int) -> None:
    """A mail that couldn't be read has been put aside: its game's moderator, or the service's, settles it."""
    game = Game.get_or_none(Game.id == mail.game) if mail.game else None
    need = Need(
        "shunted",
        "a mail was put aside",
        (
            f"Mail {mail.id} couldn't be read, and was put aside: {mail.reason}.",
            f"See it with “pbm mail show {mail.id}”; settle it with “pbm mail accept” or “pbm mail drop”.",
        ),
        of=mail.id,
    )
    if game is not None:
        table = Table.of(game)
        ctx = c.Asked(about=post.about(table), what=need.title, why=need.why)
        _to_first(house, table, "trouble", house.pages.asked(ctx), (need,), now)
    elif house.moderators:
        ctx = c.Asked(about=None, what=need.title, why=need.why)
        post.queue(house, None, post.to_stranger(house.moderators[0]), "trouble", house.pages.asked(ctx), now)
        needs.asked(None, None, house.moderators, house.moderators[0], (need,), now)

"""A seat's game orders: checked by the game, kept until the phase closes, or done at once (rulings G2, P3, B8)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.core import play
from pbm.core.engine import Event, Json, Order
from pbm.mail.lines import OrderLine
from pbm.service import mails, questions, rounds
from pbm.service.house import House
from pbm.service.receipt import Receipt
from pbm.service.table import Table
from pbm.store.models import Seat


@dataclass(frozen=True, slots=True)
class Post:
    """The mail that orders came by: its arrival (seconds UTC, the mail server's clock), its UID, whether it came from
    another address than the one on file, and whether its token still lives for the open phase; `phase` is the label of
    the phase that the token was made for."""

    at: int
    uid: int
    foreign: bool = False
    live: bool = True
    phase: str = "that phase"


def take(
    house: House, table: Table, seat: Seat, lines: Sequence[OrderLine], post: Post, receipt: Receipt, now: int
) -> tuple[Event, ...]:
    """Take one mail's order lines for a seat; what became of each goes into the receipt. Gives the events of what
    took effect at once."""
    if not lines:
        return ()
    if table.turn is None or table.turn.status != "open":
        receipt.refused += [(line.line, f"{table.id} is not under way") for line in lines]
        return ()
    orders = [order for line in lines for order in line.orders]
    source = [line for line in lines for _ in line.orders]
    checked = play.check(table.rules, table.view(seat.name), seat.name, orders)
    if not post.live:
        _too_late(post, lines, orders, checked, receipt)
        return ()
    frozen = _frozen(table, seat, post)
    if frozen:
        receipt.refused += [(line.line, frozen) for line in lines]
        return ()
    reasons: dict[str, str] = {}
    for refusal in checked.refusals:
        for n in range(len(orders)) if refusal.n is None else [refusal.n]:
            reasons.setdefault(source[n].line, refusal.reason)
    events = _at_once(house, table, seat, checked.at_once, source, receipt, reasons, now)
    standing = _asked(house, table, seat, checked.standing, orders, source, post, receipt, now)
    if standing and table.turn.status == "open":
        for order in _keep(table, seat, standing, post, receipt):
            form = play.form_of(table.rules, table.view(seat.name), order)
            if form is not None and form.public:
                mails.voted(house, table, seat, order, now)
    receipt.refused += list(reasons.items())
    for line in lines:
        if line.line not in reasons:
            receipt.notes += line.notes
    return events


def _too_late(
    post: Post, lines: Sequence[OrderLine], orders: Sequence[Order], checked: play.Checked, receipt: Receipt
) -> None:
    """An older token: orders don't count, but the receipt offers those lines that the open phase accepts."""
    receipt.late = post.phase
    refused = {r.n for r in checked.refusals}
    if None not in refused:
        receipt.open_lines = [order.line for n, order in enumerate(orders) if n not in refused]
    receipt.refused += [(line.line, f"it came too late for {post.phase}") for line in lines]


def _frozen(table: Table, seat: Seat, post: Post) -> str | None:
    """Why orders can't change now: in grace only those who were missing at the deadline may still send them; what
    closes its phase as soon as it is in (a shot, a claim) can't be taken back."""
    turn = table.turn
    assert turn is not None
    if table.game.status == "open" and post.at > turn.deadline and seat.name not in table.waiting(until=turn.deadline):
        return "the deadline has passed; only who was missing then may still send orders"
    phase = table.open_phase
    if phase.at_once and seat.name in phase.must and seat.name not in table.waiting():
        standing = ", ".join(order.line for order in table.standing().get(seat.name, ()))
        return f"your order is in and can't be taken back ({standing})"
    return None


def _at_once(
    house: House,
    table: Table,
    seat: Seat,
    orders: Sequence[tuple[int, Order]],
    source: Sequence[OrderLine],
    receipt: Receipt,
    reasons: dict[str, str],
    now: int,
) -> tuple[Event, ...]:
    events: list[Event] = []
    for n, order in orders:
        fault = table.rules.check(table.view(seat.name), seat.name, [order])
        if fault:
            reasons[source[n].line] = fault[0].reason
            continue
        events += rounds.act(house, table, seat.name, order, now)
        receipt.done.append(order.line)
    return tuple(events)


def _asked(
    house: House,
    table: Table,
    seat: Seat,
    standing: Sequence[Order],
    orders: Sequence[Order],
    source: Sequence[OrderLine],
    post: Post,
    receipt: Receipt,
    now: int,
) -> list[Order]:
    """Leave out what waits for a confirming reply: a shot from another address, or at a misspelt name (MAIL.md)."""
    kept: list[Order] = []
    # By identity: a mail may say the same thing twice, and a mail of ten thousand lines mustn't take its square.
    line_of = {id(order): line for order, line in zip(orders, source, strict=True)}
    for order in standing:
        form = play.form_of(table.rules, table.view(seat.name), order)
        line = line_of[id(order)]
        if form is not None and form.final and (post.foreign or line.asked):
            receipt.waits.append(order.line)
            questions.ask(house, table, seat, "order", {"order": order.to_json(), "line": order.line}, now)
        else:
            kept.append(order)
    return kept


def _keep(table: Table, seat: Seat, new: Sequence[Order], post: Post, receipt: Receipt) -> list[Order]:
    """Ruling G2: the newest mail's orders replace those before; P3: of the same verb only. An older mail that is read
    later changes nothing. Gives the orders that stand by this mail."""
    turn = table.turn
    assert turn is not None
    row = table.row(seat.name)
    # A mail of before the phase counts as if it were sent when the phase opened (INTERFACE.md, Closing).
    stamp = [max(post.at, turn.opened), post.uid]
    fresh: list[Json] = [{**order.to_json(), "at": stamp[0], "uid": stamp[1]} for order in new]
    if table.rules.facts.merge == "mail":
        if row.newest is not None and row.newest > stamp:
            receipt.notes.append("a newer mail of yours was read before this one, and stands")
            return []
        replaced, kept = row.orders, []
    else:
        newer = {o["verb"] for o in row.orders if [o["at"], o["uid"]] > stamp}
        if row.newest is not None and row.newest > stamp and not row.orders:
            receipt.notes.append("a newer mail of yours was read before this one, and stands")
            return []
        fresh = [o for o in fresh if o["verb"] not in newer]
        verbs = {o["verb"] for o in fresh}
        replaced = [o for o in row.orders if o["verb"] in verbs]
        kept = [o for o in row.orders if o["verb"] not in verbs]
    receipt.replaced += [o["line"] for o in replaced if o["line"] not in {f["line"] for f in fresh}]
    row.orders = [*kept, *fresh]
    row.newest = stamp if row.newest is None else max(row.newest, stamp)
    row.save()
    receipt.taken += [o["line"] for o in fresh]
    turn.changed = max(turn.changed, stamp[0])
    rounds.rearm(table)
    return [Order.from_json(o) for o in fresh]


def clear(table: Table, seat: Seat, post: Post, receipt: Receipt) -> None:
    """CLEAR: take back what can be taken back."""
    turn = table.turn
    if turn is None or turn.status != "open" or not post.live:
        receipt.refused.append(("CLEAR", "no phase is open for which this mail could take orders back"))
        return
    frozen = _frozen(table, seat, post)
    if frozen:
        receipt.refused.append(("CLEAR", frozen))
        return
    row = table.row(seat.name)
    stamp = [max(post.at, turn.opened), post.uid]
    if row.newest is not None and row.newest > stamp:
        receipt.notes.append("a newer mail of yours was read before this one, and stands")
        return
    receipt.replaced += [o["line"] for o in row.orders]
    receipt.done.append("Your orders for this phase are taken back.")
    row.orders, row.newest = [], stamp
    row.save()
    turn.changed = max(turn.changed, stamp[0])
    rounds.rearm(table)


def confirmed(house: House, table: Table, seat: Seat, order: Order, post: Post, receipt: Receipt, now: int) -> None:
    """An order whose question was answered: taken as if it had come by a mail of the address on file."""
    line = OrderLine(order.line, (order,))
    take(house, table, seat, [line], Post(post.at, post.uid, foreign=False, live=post.live), receipt, now)

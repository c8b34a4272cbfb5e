"""Public acts as they come, press, and the moderator's notices."""

from collections.abc import Mapping, Sequence

from pbm.core.engine import Event, Order
from pbm.mail import contexts as c
from pbm.service import post
from pbm.service.house import House
from pbm.service.mails.facts import public_due
from pbm.service.mails.roundmail import round_mail
from pbm.service.table import Table
from pbm.store.models import Seat, Turn


def acted(
    house: House, table: Table, events: Sequence[Event], dropped: Mapping[str, Sequence[Order]], now: int
) -> None:
    """What took effect within a phase (a pledge, a removal): the list at once; seats that hear of it in private, and
    those whose orders dropped out by a removal (ruling G5), get a mail of their own."""
    public = tuple(event for event in events if event.seen_by(None))
    removed = next((event.data["player"] for event in public if event.type == "removed"), None)
    to_all = post.to_list(table)
    if public and to_all is not None:
        seat = removed or next((e.data.get("from") or e.data.get("player") or "" for e in public), "")
        if removed is not None:
            page = house.pages.notice(
                c.Notice(
                    post.about(table), "removed", None, table.view(None), seat=seat, events=public, base=house.address
                )
            )
        else:
            page = house.pages.act(
                c.Act(post.about(table), "event", seat, house.address, table.view(None), events=public)
            )
        post.queue(house, table, to_all, "act", page, now)
    for seat_row in table.seats:
        _to_seat(house, table, seat_row, events, tuple(o.line for o in dropped.get(seat_row.name, ())), removed, now)


def _to_seat(
    house: House,
    table: Table,
    seat: Seat,
    events: Sequence[Event],
    dropped: tuple[str, ...],
    removed: str | None,
    now: int,
) -> None:
    mine = tuple(event for event in events if event.seen_by(seat.name))
    private = any(event.to != "public" for event in mine)
    turn = table.turn
    if turn is None or turn.status != "open":
        return
    if dropped and round_mail(house, table, seat, now, events=mine, dropped=dropped):
        return
    if private or dropped or (removed is not None and seat.mails == "all") or seat.name == removed:
        view = table.view(seat.name)
        notice = c.Notice(
            post.about(table), "removed", seat.name, view, seat=removed or seat.name, events=mine, label=turn.label
        )
        post.queue(house, table, post.to_seat(house, table, seat), "notice", house.pages.notice(notice), now)


def voted(house: House, table: Table, seat: Seat, order: Order, now: int) -> None:
    """A public vote, posted as it comes (ruling B7)."""
    to_all = post.to_list(table)
    if to_all is None:
        return
    event = Event("voted", "public", {**order.args, "player": seat.name, "line": order.line})
    ctx = c.Act(post.about(table), "event", seat.name, house.address, table.view(None), events=(event,))
    post.queue(house, table, to_all, "act", house.pages.act(ctx), now)


def said(house: House, table: Table, seat: Seat, text: str, now: int, *, due: int | None = None) -> None:
    """SAY: to the public list, signed."""
    to_all = post.to_list(table)
    if to_all is None:
        return
    ctx = c.Act(post.about(table), "say", seat.name, house.address, table.view(None), text=text)
    post.queue(house, table, to_all, f"press-{seat.n}", house.pages.act(ctx), now, due=due)


def told(
    house: House, table: Table, seat: Seat, to: Sequence[str], text: str, now: int, *, due: int | None = None
) -> None:
    """TELL: to each of those addressed; where the game says so, the moderator reads along."""
    everybody = len(to) == len(table.seats) - 1
    for name in to:
        ctx = c.Press(post.about(table), name, seat.name, () if everybody else tuple(to), text)
        reader = post.to_seat(house, table, table.seat(name))
        post.queue(house, table, reader, f"press-{seat.n}", house.pages.press(ctx), now, due=due)
    if table.settings["press_copy"]:
        ctx = c.Press(post.about(table), None, seat.name, () if everybody else tuple(to), text, copy=True)
        moderator = post.to_moderator(house, table, now)
        post.queue(house, table, moderator, f"press-{seat.n}", house.pages.press(ctx), now, due=due)


def notice(
    house: House,
    table: Table,
    kind: c.NoticeKind,
    now: int,
    *,
    seat: str | None = None,
    text: str = "",
    lost: tuple[str, ...] = (),
    but: str | None = None,
    gone: Turn | None = None,
) -> None:
    """What the moderator did: to the list, and to every player but one who hears of it by another mail. `gone`: a
    phase whose deadline is called off."""
    turn = table.turn if table.turn is not None and table.turn.status == "open" else None
    label = turn.label if turn is not None else None
    to_all = post.to_list(table)
    about = post.about(table)
    freed = table.concerned(gone.state) if gone is not None else frozenset()
    if to_all is not None:
        due = public_due(table) if turn is not None else None
        page = house.pages.notice(
            c.Notice(about, kind, None, table.view(None), seat, label, due, text, lost, base=house.address)
        )
        post.queue(house, table, to_all, "notice", page, now)
    for row in table.seats:
        if row.name == but:
            continue
        due = c.Due(turn.deadline, row.timezone) if turn is not None else None
        entries = [post.deadline_entry(house, table, turn, now)] if turn is not None and turn.moved else []
        if gone is not None and row.name in freed:
            entries.append(post.deadline_entry(house, table, gone, now, cancelled=True))
        page = house.pages.notice(c.Notice(about, kind, row.name, table.view(row.name), seat, label, due, text, lost))
        post.queue(house, table, post.to_seat(house, table, row), "notice", page, now, entries=entries)


def away(house: House, table: Table, seat: Seat, days: tuple[str, str] | None, now: int) -> None:
    """AWAY and AWAY NONE: public acts."""
    to_all = post.to_list(table)
    if to_all is None:
        return
    due = public_due(table) if table.turn is not None and table.turn.status == "open" else None
    kind: c.ActKind = "away" if days is not None else "back"
    ctx = c.Act(post.about(table), kind, seat.name, house.address, table.view(None), days=days, due=due)
    post.queue(house, table, to_all, "away", house.pages.act(ctx), now)

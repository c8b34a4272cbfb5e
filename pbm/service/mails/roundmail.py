"""The round mail of one seat: what happened, what is known to it, what it may send, until when."""

from pbm.core.engine import Event
from pbm.mail import contexts as c
from pbm.mail.calendar import Entry
from pbm.service import post
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Seat


def round_mail(
    house: House,
    table: Table,
    seat: Seat,
    now: int,
    *,
    closed: str | None = None,
    events: tuple[Event, ...] = (),
    dropped: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    opening: c.Opening | None = None,
    gone: tuple[Entry, ...] = (),
) -> bool:
    """Queue it, with the deadline for the calendar; False where the seat may send nothing now. `closed`: the label of
    the phase that closed before; `dropped`: orders that a removal made void (ruling G5); `gone`: calendar entries that
    are called off."""
    turn, phase = table.turn, table.phase
    if turn is None or turn.status != "open" or phase is None:
        return False
    view = table.view(seat.name)
    forms = table.rules.forms(view, seat.name)
    if not forms or seat.name not in (*phase.must, *phase.may):
        return False
    ctx = c.Round(
        about=post.about(table),
        reader=seat.name,
        label=turn.label,
        due=c.Due(turn.deadline, seat.timezone),
        view=view,
        forms=forms,
        must=seat.name in phase.must,
        early=phase.at_once or table.timing(turn.phase).close == "all-in",
        closed=closed,
        events=events,
        stands=tuple(order.line for order in table.standing().get(seat.name, ())),
        dropped=dropped,
        notes=notes,
        opening=opening,
    )
    to = post.to_seat(house, table, seat)
    entry = post.deadline_entry(house, table, turn, now)
    post.queue(house, table, to, "round", house.pages.round(ctx), now, entries=[entry, *gone])
    return True

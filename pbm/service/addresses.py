"""A seat gets another address: ADDRESS, confirmed from both, and REPLACE, by the moderator. Earlier tokens end."""

from pbm.addresses import address_key
from pbm.service import mails
from pbm.service.house import House
from pbm.service.receipt import Receipt
from pbm.service.table import Table
from pbm.store.models import Question, Seat


def taken(house: House, table: Table, address: str, seat: Seat | None = None) -> bool:
    """Whether somebody else in this game (a moderator, the service itself) has the address (MAIL.md)."""
    key = address_key(address)
    others = [s.address for s in table.seats if seat is None or s.id != seat.id]
    return key in {address_key(a) for a in (*others, *table.game.moderators, house.address)}


def change(table: Table, seat: Seat, address: str) -> None:
    """All earlier tokens of the seat end for good; mails that are still queued to the old address are not sent."""
    mails.cancel_for(table, seat.address)
    seat.address, seat.address_key = address, address_key(address)
    seat.generation += 1
    seat.bounced = False
    seat.save()


def confirm(house: House, table: Table, seat: Seat, question: Question, receipt: Receipt, now: int) -> None:
    """One of the two addresses has said yes; with the other's yes the address changes."""
    new = question.data["new"]
    question.answered = now
    question.save()
    other = (
        Question.select()
        .where(
            (Question.game == table.id)
            & (Question.seat == seat.n)
            & (Question.kind == "address")
            & (Question.address != question.address)
            & (Question.answered.is_null(False))
        )
        .order_by(Question.id.desc())
    )
    if not any(row.data["new"] == new and row.data["old"] == seat.address for row in other):
        receipt.done.append(f"Thank you; now the other address has to confirm, too ({new} and {seat.address}).")
        return
    if taken(house, table, new, seat):
        receipt.refused.append((f"ADDRESS {new}", "that address can't be used in this game"))
        return
    change(table, seat, new)
    receipt.done.append(f"Your mails of this game go to {new} now.")
    if table.turn is None:
        mails.welcome(house, table, seat, now)
    else:
        mails.catch_up(house, table, seat, now)

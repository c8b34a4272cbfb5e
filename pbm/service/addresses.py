"""A seat gets another address: ADDRESS, confirmed from both, and REPLACE, by the moderator. Earlier tokens end
(MAIL.md)."""

from pbm.addresses import address_key
from pbm.service import mails, questions
from pbm.service.house import House
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Question, Seat


def taken(house: House, table: Table, address: str, seat: Seat | None = None) -> bool:
    """Whether somebody else in this game (a moderator, the service itself) has the address (MAIL.md)."""
    key = address_key(address)
    others = [s.address for s in table.seats if seat is None or s.id != seat.id]
    return key in {address_key(a) for a in (*others, *table.game.moderators, house.address)}


def change(table: Table, seat: Seat, address: str, *, new_person: bool) -> None:
    """All earlier tokens of the seat end for good. What is still queued to the old address is not sent to somebody who
    plays no longer; who has only moved still gets results and press there."""
    mails.cancel_for(table, seat.address, all_kinds=new_person)
    seat.address, seat.address_key = address, address_key(address)
    seat.generation += 1
    seat.bounced = False
    seat.save()


def ask(house: House, table: Table, seat: Seat, new: str, now: int) -> None:
    """ADDRESS: both addresses have to say yes; where mail to the old one bounces, the moderator in its place."""
    data = {"line": f"ADDRESS {new}", "new": new, "old": seat.address}
    if seat.bounced:
        asked = [
            [f"ADDRESS {new}", f"{seat.name} is played from {new}, as {seat.name} asks; their old address bounces"]
        ]
        told = {**data, "word": "ADDRESS", "name": seat.name, "argument": new, "asked": asked}
        first = table.game.moderators[0]
        questions.ask(house, table, None, _of_moderator(seat), told, now, address=first)
    else:
        questions.ask(house, table, seat, "address", data, now)
    questions.ask(house, table, seat, "address", data, now, address=new)


def _of_moderator(seat: Seat) -> str:
    return f"address-{seat.n}"


def confirm(house: House, table: Table, seat: Seat, question: Question, now: int) -> bool:
    """One of those who were asked has said yes; True where nobody is waited for any more, and the address has changed.
    Raises NotNow where it can't be used."""
    new = question.data["new"]
    question.answered, question.data = now, {**question.data, "yes": True}
    question.save()
    if not _agreed(table, seat, new):
        return False
    if taken(house, table, new, seat):
        raise NotNow("that address can't be used in this game")
    change(table, seat, new, new_person=False)
    if table.turn is None:
        mails.welcome(house, table, seat, now)
    else:
        mails.catch_up(house, table, seat, now)
    return True


def _agreed(table: Table, seat: Seat, new: str) -> bool:
    """Whether the new address, and the old one or a moderator, have said yes: of each the newest question counts, and
    one that was answered with NO, or that a newer one has replaced, is no yes."""
    of_seat = (Question.seat == seat.n) & (Question.kind == "address")
    of_moderator = Question.seat.is_null() & (Question.kind == _of_moderator(seat))
    newest: dict[str, Question] = {}
    for row in Question.select().where((Question.game == table.id) & (of_seat | of_moderator)).order_by(Question.id):
        newest[address_key(row.address)] = row
    said = {
        key
        for key, row in newest.items()
        if row.data.get("yes") and row.data["new"] == new and row.data["old"] == seat.address
    }
    return address_key(new) in said and len(said) > 1

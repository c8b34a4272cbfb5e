"""The moderator's commands about single players: REMIND, REMOVE, REPLACE, ORDER; as in `desk`, each once for mail and
command line (MAIL.md)."""

from collections.abc import Sequence

from pbm.addresses import address_fault, address_key
from pbm.core.orders import Read, Unread, read_line
from pbm.mail.lines import OrderLine
from pbm.service import addresses, mails, orders, rounds
from pbm.service.desk import By, log, open_turn
from pbm.service.house import House
from pbm.service.orders import Post
from pbm.service.receipt import Receipt
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Question, Seat

FOR_YOU = "The moderator entered this for you; it reached them by another way."


def seat_of(table: Table, name: str) -> Seat:
    """The seat of this name. Raises NotNow, with the names there are."""
    try:
        return table.seat(name)
    except LookupError as fault:
        raise NotNow(str(fault.args[0])) from None


def remind(house: House, table: Table, name: str, by: By, now: int) -> str:
    """REMIND: a reminder goes to a player now. Raises NotNow where they aren't waited for."""
    open_turn(table)
    seat = seat_of(table, name)
    if table.game.status == "held" or seat.name not in table.waiting():
        raise NotNow(f"{seat.name} isn't waited for now")
    log(table, by, "remind", now, seat=seat.name)
    mails.remind(house, table, seat, now)
    return f"A reminder goes to {seat.name}."


def can_remove(table: Table, name: str) -> Seat:
    """The seat that REMOVE would remove. Raises NotNow where there is nothing to remove."""
    open_turn(table)
    seat = seat_of(table, name)
    try:
        table.rules.remove(table.state, seat.name, table.standing(), table.draw)
    except ValueError as fault:
        raise NotNow(str(fault)) from None
    return seat


def remove(house: House, table: Table, name: str, by: By, now: int) -> str:
    """REMOVE (ruling G5)."""
    seat = can_remove(table, name)
    log(table, by, "remove", now, seat=seat.name)
    rounds.remove(house, table, seat.name, now)
    return f"{seat.name} is out of the game" + ("; the game is over." if table.game.status == "over" else ".")


def can_replace(house: House, table: Table, name: str, address: str) -> Seat:
    """The seat that REPLACE would give to somebody else. Raises NotNow where the address can't be used."""
    open_turn(table)
    seat = seat_of(table, name)
    if fault := address_fault(address):
        raise NotNow(fault)
    if address_key(address) == address_key(seat.address):
        raise NotNow(f"that is the address of {seat.name} already")
    if addresses.taken(house, table, address, seat):
        raise NotNow("that address is in this game already")
    return seat


def replace(house: House, table: Table, name: str, address: str, by: By, now: int) -> str:
    """REPLACE: a new person plays the seat. The old address is out at once; the new one gets all that the seat may
    know."""
    seat = can_replace(house, table, name, address)
    log(table, by, "replace", now, seat=seat.name, old=seat.address, new=address)
    addresses.change(table, seat, address, new_person=True)
    # What was counted of, and set by, the one who played before says nothing of the one who plays now.
    seat.misses, seat.timezone, seat.mails = 0, "UTC", "all"
    seat.save()
    mails.catch_up(house, table, seat, now)
    mails.notice(house, table, "replaced", now, seat=seat.name, but=seat.name)
    return f"{seat.name} is played from {address} now, which has been sent all that the seat may know."


def moved(house: House, table: Table, question: Question, by: By, now: int) -> str:
    """ADDRESS of a player whose old address bounces: the moderator says that it is they. Raises NotNow."""
    seat = seat_of(table, question.data["name"])
    log(table, by, "address", now, seat=seat.name, old=seat.address, new=question.data["new"])
    if addresses.confirm(house, table, seat, question, now):
        return f"The mails of {seat.name} go to {question.data['new']} now."
    return f"The mails of {seat.name} go to {question.data['new']} as soon as that address has said yes, too."


def order(house: House, table: Table, name: str, lines: Sequence[str], by: By, now: int) -> Receipt:
    """ORDER: what reached the moderator otherwise, taken as one mail of the player's. Raises NotNow where no phase is
    open; the receipt says what became of each line."""
    turn = open_turn(table)
    seat = seat_of(table, name)
    receipt, read = Receipt(), []
    for line in lines:
        found = _read(table, line)
        if isinstance(found, OrderLine):
            read.append(found)
        else:
            receipt.refused.append((line, found))
    # Behind the deadline, too, the moderator's word counts, as if it had come in time.
    post = Post(min(by.at, turn.deadline), by.uid)
    orders.take(house, table, seat, read, post, receipt, now)
    if receipt.taken or receipt.done:
        log(table, by, "order", now, seat=seat.name, lines=[*receipt.taken, *receipt.done], turn=turn.id)
        told = Receipt(receipt.taken, receipt.done, [FOR_YOU, *receipt.notes], replaced=receipt.replaced)
        mails.receipt(house, table, seat, told, None, now)
    return receipt


def _read(table: Table, line: str) -> OrderLine | str:
    """The order line, or why it is none."""
    found = read_line(line, table.grammar, near=True)
    if isinstance(found, Unread):
        return found.reason
    if not isinstance(found, Read):
        return "it is no order of this game"
    if found.notes and found.form.final:
        return f"did you mean ({'; '.join(order.line for order in found.orders)})? It can't be taken back"
    return OrderLine(line.strip(), found.orders, found.notes)

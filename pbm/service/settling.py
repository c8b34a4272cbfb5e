"""Mails that a person settles: accepted for a seat, dropped, read or sent again (`pbm mail …`). All is logged.

Each function runs in its caller's transaction, and raises `NotNow` with the reason where it can't be done.
"""

from collections.abc import Sequence

from pbm.mail.letter import read_letter
from pbm.service import desk, mails, outbox, reading, seats
from pbm.service.desk import By
from pbm.service.house import House
from pbm.service.orders import Post
from pbm.service.receipt import Receipt
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Log, Mail, Outbox


def accept(house: House, table: Table, number: int, seat_name: str, lines: Sequence[str], by: By, now: int) -> Receipt:
    """Its new lines, or `lines` instead of them, count for the seat as of the mail's arrival; the player gets the
    receipt."""
    mail = _mail(number)
    if mail.outcome == "accepted":
        raise NotNow(f"in-{number} was accepted already, for {mail.seat} of {mail.game}")
    seat = seats.seat_of(table, seat_name)
    desk.open_turn(table)
    if desk.passed(table, mail.arrived):
        raise NotNow(f"in-{number} arrived after the deadline; (ORDER {seat.name}: …) enters what it says all the same")
    letter = read_letter(bytes(mail.content), own=house.own)
    text = [(line, False) for line in lines]
    found = text or reading.new_lines(house, table, seat, letter, mail.id)
    receipt = reading.take_lines(house, table, seat, found, Post(mail.arrived, mail.uid), now)
    receipt.notes.append("The moderator has settled this mail for you.")
    mails.receipt(house, table, seat, receipt, letter, now)
    mail.outcome, mail.reason, mail.game, mail.seat = "accepted", f"accepted by {by.who}", table.id, seat.name
    mail.turn, mail.at = None, now
    mail.lines = [line for line, _ in found if line.strip()][:100]
    mail.save()
    desk.log(table, by, "mail accept", now, mail=number, seat=seat.name, lines=[line for line, _ in text])
    return receipt


def drop(number: int, who: str, now: int) -> str:
    """An incoming mail that needs no answer."""
    mail = _mail(number)
    if mail.outcome in ("accepted", "dropped"):
        raise NotNow(f"in-{number} is settled already: {mail.outcome}")
    mail.outcome, mail.reason, mail.turn, mail.at = "dropped", f"dropped by {who}", None, now
    mail.save()
    _log(mail.game, who, "mail drop", f"in-{number}", now)
    return f"in-{number} is dropped."


def reread(number: int, who: str, now: int) -> str:
    """A shunted mail is read again, as if it had just been fetched."""
    mail = _mail(number)
    if mail.outcome != "shunted":
        raise NotNow(f"in-{number} isn't shunted but {mail.outcome}")
    mail.outcome, mail.reason, mail.turn, mail.tries = "new", "", None, 0
    mail.save()
    _log(mail.game, who, "mail retry", f"in-{number}", now)
    return f"in-{number} will be read again."


def resend(number: int, who: str, now: int) -> str:
    """A failed mail is queued again, the same bytes."""
    row = _outgoing(number)
    if not outbox.retry(number, now):
        raise NotNow(f"out-{number} hasn't failed: it is {row.status}")
    _log(row.game, who, "mail retry", f"out-{number}", now)
    return f"out-{number} is queued again."


def cancel(number: int, who: str, now: int) -> str:
    """An outgoing mail that hasn't left, and needn't."""
    row = _outgoing(number)
    if row.status not in ("queued", "failed"):
        raise NotNow(f"out-{number} is {row.status}")
    row.status, row.error = "cancelled", f"dropped by {who}"
    row.save()
    _log(row.game, who, "mail drop", f"out-{number}", now)
    return f"out-{number} won't be sent."


def _mail(number: int) -> Mail:
    row: Mail | None = Mail.get_or_none(Mail.id == number)
    if row is None:
        raise NotNow(f"there is no mail in-{number}")
    return row


def _outgoing(number: int) -> Outbox:
    row: Outbox | None = Outbox.get_or_none(Outbox.id == number)
    if row is None:
        raise NotNow(f"there is no mail out-{number}")
    return row


def _log(game: str | None, who: str, what: str, mail: str, now: int) -> None:
    Log.create(game=game, at=now, who=who, what=what, data={"mail": mail})

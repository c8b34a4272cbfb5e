"""One incoming mail → orders, answers, an outcome. Runs in one transaction; nothing here talks to the network.

Every mail ends as accepted, refused (with a receipt), dropped (with a reason) or shunted for a person; or it stays
`new` because it arrived after a deadline, and waits until that phase has closed.
"""

from pbm.mail.letter import read_letter
from pbm.mail.trust import judge
from pbm.service import answers, bounces, mails, moderator, reading, signup
from pbm.service.house import House
from pbm.service.outcome import Outcome
from pbm.service.sender import case_of, twin_of
from pbm.service.table import Table
from pbm.store.db import transaction
from pbm.store.models import Mail

# A mail whose reading fails this often is put aside for a person, so that it doesn't hold up those behind it.
TRIES = 3


def pending() -> list[int]:
    """The mails to read, in the order of their arrival; those that wait for a phase to close only once it has."""
    rows = (
        Mail.select(Mail.id, Mail.turn, Mail.game, Mail.arrived)
        .where(Mail.outcome == "new")
        .order_by(Mail.arrived, Mail.uid, Mail.id)
    )
    return [row.id for row in rows if row.turn is None or not _still_closed(row)]


def _still_closed(row: Mail) -> bool:
    """Whether the phase that the mail waits for is still open, with the mail behind its deadline (which may move)."""
    table = Table.of(str(row.game))
    if table.turn is None or table.turn.id != row.turn or table.game.status not in ("open", "held"):
        return False
    return _too_early(table, row) or bool(row.arrived > table.turn.deadline)


def _too_early(table: Table, mail: Mail) -> bool:
    """Whether the mail came after the open phase's end, and has to wait until that has closed."""
    if table.turn is None or table.turn.status != "open" or table.game.status not in ("open", "held"):
        return False
    if table.turn.early is not None:
        return bool(mail.arrived > table.turn.early)
    return bool(mail.arrived > table.closes())


def read_all(house: House, now: int, limit: int = 500) -> int:
    """Read what is pending, each mail in its own transaction; gives how many were read."""
    numbers = pending()[:limit]
    for number in numbers:
        read_one(house, number, now)
    return len(numbers)


def read_one(house: House, number: int, now: int) -> Outcome:
    """Read one mail. A fault in the reading shunts it after some tries; it never stops the service."""
    try:
        with transaction():
            mail = Mail.get_by_id(number)
            if mail.outcome != "new":
                return Outcome(mail.outcome, mail.reason)
            outcome = _read(house, mail, now)
            _settle(mail, outcome, now)
            return outcome
    except Exception as fault:
        house.report("mail_failed", mail=number, fault=f"{type(fault).__name__}: {fault}", exc_info=True)
        with transaction():
            mail = Mail.get_by_id(number)
            mail.tries += 1
            if mail.tries >= TRIES:
                _settle(mail, Outcome("shunted", f"reading it failed: {type(fault).__name__}", mail.game), now)
                mails.shunted(house, mail, now)
            mail.save()
        return Outcome(mail.outcome, mail.reason)


def _settle(mail: Mail, outcome: Outcome, now: int) -> None:
    mail.outcome = "new" if outcome.waits is not None else outcome.outcome
    mail.reason, mail.game, mail.seat = outcome.reason, outcome.game, outcome.seat
    mail.turn = outcome.waits
    mail.at = now
    mail.save()


def _read(house: House, mail: Mail, now: int) -> Outcome:
    raw = bytes(mail.content)
    letter = read_letter(raw, own=house.own)
    mail.sender = letter.sender
    twin = twin_of(mail)
    if twin is not None:
        return Outcome("dropped", f"the same mail as {twin.id}", twin.game, twin.seat)
    case = case_of(house, letter, mail.arrived)
    verdict = judge(case)
    if case.holder is None and verdict.do in ("act", "confirm", "which") and signup.join_line(letter):
        # Who plays in one game may join another; it is asked back like any JOIN, so it needs no proof.
        return signup.read(house, letter, mail, now)
    match verdict.do:
        case "drop":
            return Outcome("dropped", verdict.reason)
        case "bounce":
            return bounces.take(house, raw, letter, now)
        case "listed":
            return answers.listed(house, letter, mail, verdict.reason, now)
        case "base":
            return signup.read(house, letter, mail, now)
        case "which":
            return answers.which(house, letter, now)
        case "unreadable":
            return answers.unreadable(house, letter, verdict, now)
    assert verdict.game is not None
    table = Table.of(verdict.game) if verdict.game else None
    if table is not None and verdict.seat is not None and _too_early(table, mail):
        assert table.turn is not None
        return Outcome("new", "it waits for its phase to close", table.id, verdict.seat, waits=table.turn.id)
    if verdict.do == "answer":
        assert case.holder is not None
        assert case.holder.question is not None
        return answers.confirmed(house, table, letter, mail, case.holder.question, now)
    assert table is not None
    if verdict.moderator:
        return moderator.read(house, table, letter, mail, verdict, now)
    seat = table.seat(verdict.seat or "")
    if verdict.do == "confirm":
        return answers.ask_sender(house, table, seat, letter, mail, now)
    return reading.play_mail(house, table, seat, letter, mail, now, holder=case.holder, quiet=verdict.quiet)

"""Mails that aren't played as they stand: those whose sender has to confirm, those that say yes, and those that can
only be answered."""

from pbm.addresses import address_key
from pbm.core.engine import Order
from pbm.mail.letter import Letter
from pbm.mail.trust import Verdict
from pbm.service import addresses, mails, moderator, orders, questions, reading, rounds, signup, starting
from pbm.service.house import House
from pbm.service.orders import Post
from pbm.service.outcome import Outcome
from pbm.service.receipt import Receipt
from pbm.service.sender import claims_of
from pbm.service.table import Table
from pbm.store.models import Mail, Outbox, Question, Seat, Turn


def ask_sender(house: House, table: Table, seat: Seat, letter: Letter, mail: Mail, now: int) -> Outcome:
    """A mail without a token that nothing proves: the address on file is asked, and shown the lines that wait."""
    lines = reading.new_lines(house, table, seat, letter, mail.id)
    if not any(line.strip() for line, _ in lines):
        return Outcome("dropped", "it says nothing, and nothing proves who sent it", table.id, seat.name)
    asked = questions.ask(house, table, seat, "lines", {"lines": [list(line) for line in lines][:80]}, now)
    reason = "its sender was asked to confirm" if asked else "its sender was asked to confirm earlier today"
    return Outcome("refused", reason, table.id, seat.name)


def confirmed(house: House, table: Table | None, letter: Letter, mail: Mail, number: int, now: int) -> Outcome:
    """A reply to a question of ours. Anything but a NO says yes; a question is answered once."""
    question = Question.get_or_none(Question.id == number)
    if question is None:
        return Outcome("dropped", "its question is gone")
    if table is None or question.kind == "join":
        return signup.confirmed(house, question, letter, mail, now)
    if question.seat is None:
        return moderator.confirmed(house, table, question, letter, mail, now, says_no=questions.says_no(letter))
    seat = next((seat for seat in table.seats if seat.n == question.seat), None)
    if seat is None:
        return Outcome("dropped", "its writer has left the game before its start", table.id)
    receipt = Receipt(other_address=_other(letter, seat, question))
    if question.answered is not None:
        receipt.refused.append((question.data.get("line", "your answer"), "it was answered"))
        mails.receipt(house, table, seat, receipt, letter, now)
        return Outcome("refused", "its question was answered before", table.id, seat.name)
    if question.kind in ("order", "resign") and address_key(letter.sender or "") != address_key(seat.address):
        # MAIL.md: these wait for a reply from the address on file; the token alone isn't enough.
        receipt.refused.append((question.data["line"], f"please confirm it from {seat.address}"))
        mails.receipt(house, table, seat, receipt, letter, now)
        return Outcome("refused", "it must be confirmed from the address on file", table.id, seat.name)
    if question.kind == starting.KIND:
        return _still_in(house, table, seat, question, letter, now)
    if questions.says_no(letter):
        question.answered = now
        question.save()
        receipt.done.append("Nothing was done.")
    else:
        _do(house, table, seat, question, letter, mail, receipt, now)
    mails.receipt(house, table, seat, receipt, letter, now)
    outcome = "refused" if receipt.refused and not receipt.useful else "accepted"
    return Outcome(outcome, receipt.refused[0][1] if receipt.refused else "", table.id, seat.name)


def _still_in(house: House, table: Table, seat: Seat, question: Question, letter: Letter, now: int) -> Outcome:
    """Before a game starts: the seat is kept, or goes to the next one."""
    receipt = Receipt(other_address=_other(letter, seat, question))
    gone = questions.says_no(letter)
    receipt.done.append("Your seat is free for somebody else." if gone else "Your seat is yours.")
    mails.receipt(house, table, seat, receipt, letter, now)
    if gone:
        starting.leaves(house, table, seat, now)
    else:
        starting.stays(house, table, seat, question, now)
    return Outcome("accepted", "", table.id, seat.name)


def _other(letter: Letter, seat: Seat, question: Question) -> str:
    """The address that an answer came from, where it is neither the one on file nor the one that was asked."""
    wrote = letter.sender or ""
    known = (address_key(seat.address), address_key(question.address))
    return "" if address_key(wrote) in known else wrote


def _do(
    house: House, table: Table, seat: Seat, question: Question, letter: Letter, mail: Mail, receipt: Receipt, now: int
) -> None:
    made = Turn.find(question.turn) if question.turn is not None else None
    post = Post(
        mail.arrived,
        mail.uid,
        foreign=bool(receipt.other_address),
        live=question.turn == table.game.turn,
        phase=made.label if made is not None else "that phase",
    )
    data = question.data
    if question.kind == "address":
        new = data["new"]
        try:
            done = addresses.confirm(house, table, seat, question, now)
            told = (
                f"Your mails of this game go to {new} now."
                if done
                else "Thank you; the other side has to confirm, too."
            )
            receipt.done.append(told)
        except rounds.NotNow as fault:
            receipt.refused.append((data["line"], str(fault)))
        return
    question.answered = now
    question.save()
    if question.kind == "order":
        orders.confirmed(house, table, seat, Order.from_json(data["order"]), post, receipt, now)
    elif question.kind == "resign" and table.game.status == "signup":
        starting.leaves(house, table, seat, now)
        receipt.done.append("Your seat is free for somebody else.")
    elif question.kind == "resign":
        try:
            rounds.remove(house, table, seat.name, now)
            receipt.done.append("You have left the game.")
        except rounds.NotNow as fault:
            receipt.refused.append(("RESIGN", str(fault)))
    else:
        read = reading.take_lines(house, table, seat, [(line, False) for line, _ in data["lines"]], post, now)
        for name in ("taken", "done", "notes", "refused", "waits", "replaced", "open_lines", "texts", "answers"):
            getattr(receipt, name).extend(getattr(read, name))
        receipt.chat, receipt.late = read.chat, read.late


def unreadable(house: House, letter: Letter, verdict: Verdict, now: int) -> Outcome:
    """A mail over the limits: the seat or moderator whose token it bears is told what to do."""
    assert verdict.game is not None
    table = Table.of(verdict.game)
    if verdict.seat is None:
        mails.trouble(house, table, f"A mail of yours couldn't be read: {verdict.reason}.", now)
        return Outcome("refused", verdict.reason, table.id)
    seat = table.seat(verdict.seat)
    receipt = Receipt()
    receipt.refused.append(("your mail", f"{verdict.reason}; please send your lines as plain text"))
    mails.receipt(house, table, seat, receipt, letter, now)
    return Outcome("refused", verdict.reason, table.id, seat.name)


def listed(house: House, letter: Letter, mail: Mail, reason: str, now: int) -> Outcome:
    """An order that came through the list isn't played, and its writer is warned at once."""
    for claim in claims_of(letter.sender or ""):
        if claim.open and claim.seat is not None:
            table = Table.of(claim.game)
            seat = table.seat(claim.seat)
            if any(
                reading.is_order(table, seat, line)
                for line, _ in reading.new_lines(house, table, seat, letter, mail.id)
            ):
                receipt = Receipt()
                receipt.refused.append(("your mail to the list", "orders never go there; nothing of it was played"))
                mails.receipt(house, table, seat, receipt, letter, now)
                return Outcome("refused", reason, table.id, seat.name)
    return Outcome("dropped", reason)


def which(house: House, letter: Letter, now: int) -> Outcome:
    """An address with several open games, and nothing that says which: asked, three times a day at most."""
    asked = Outbox.select().where(
        (Outbox.recipient == (letter.sender or "")) & (Outbox.kind == "which") & (Outbox.queued > now - questions.DAY)
    )
    if asked.count() >= questions.A_DAY:
        return Outcome("dropped", "its sender was asked which game it is for, and not again today")
    games = sorted({claim.game for claim in claims_of(letter.sender or "") if claim.open})
    mails.which_game(house, letter, games, now)
    return Outcome("refused", "its sender was asked which game it is for")

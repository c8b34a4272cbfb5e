"""A player's mail → what its new lines ask for, and the doing of it: one receipt a mail."""

from collections.abc import Sequence

from pbm.core.engine import Form
from pbm.mail.letter import Letter
from pbm.mail.lines import Grammar, is_whole, read_lines
from pbm.mail.reply import new_text
from pbm.mail.trust import Holder
from pbm.service import mails, orders, press, questions, words
from pbm.service.house import House
from pbm.service.orders import Post
from pbm.service.outcome import Outcome
from pbm.service.receipt import Receipt
from pbm.service.sender import answers_receipt, same_round, sent_in_thread, written_before
from pbm.service.table import Table
from pbm.store.models import Mail, Seat, Turn

Lines = Sequence[tuple[str, bool]]
"""New lines in order, blank ones too, each with whether it is in doubt that it is new."""


def is_order(table: Table, seat: Seat, line: str) -> bool:
    """Whether the line is a whole order or service word of this game."""
    return is_whole(line, grammar_of(table, seat))


def play_mail(
    house: House,
    table: Table,
    seat: Seat,
    letter: Letter,
    mail: Mail,
    now: int,
    *,
    holder: Holder | None,
    quiet: bool = False,
) -> Outcome:
    """A mail that acts for a seat: its lines, done in order, and one receipt for all of it."""
    foreign = letter.sender is not None and letter.sender.lower() != seat.address.lower()
    made = Turn.find(holder.turn) if holder is not None else None
    live = holder is None or holder.live
    post = Post(mail.arrived, mail.uid, foreign, live, made.label if made is not None else "that phase")
    lines = new_lines(house, table, seat, letter, mail.id)
    if holder is None and is_order(table, seat, letter.subject):
        # Read only in mails to the base address (MAIL.md): in an answer the subject is ours.
        lines = [(letter.subject, False), *lines]
    mail.lines = [line for line, _ in lines if line.strip()][:100]
    if _waits_in_grace(table, seat, lines, post):
        assert table.turn is not None
        return Outcome("new", "it waits for the end of grace", table.id, seat.name, waits=table.turn.id)
    receipt = take_lines(house, table, seat, lines, post, now, token_turn=holder.turn if holder else None)
    receipt.other_address = (letter.sender or "") if foreign else ""
    if letter.unread and not mail.lines:
        receipt.refused.append(("your mail", f"{letter.unread}; please send your lines as plain text"))
    if not quiet:
        mails.receipt(house, table, seat, receipt, letter, now)
    refused = bool(receipt.refused) and not receipt.useful
    reason = receipt.refused[0][1] if refused else ""
    return Outcome("refused" if refused else "accepted", reason, table.id, seat.name)


def _waits_in_grace(table: Table, seat: Seat, lines: Lines, post: Post) -> bool:
    """In grace nobody gains by being late: a pledge waits for the next phase of its round, and press for its end
    (INTERFACE.md), unless the seat was missing at the deadline."""
    turn = table.turn
    if turn is None or turn.status != "open" or table.game.status != "open" or post.at <= turn.deadline:
        return False
    if seat.name in table.waiting(until=turn.deadline):
        return False
    at_once = {form.verb for form in table.grammar if form.at_once}
    found = read_lines(lines, grammar_of(table, seat))
    return bool(found.press) or any(order.verb in at_once for line in found.orders for order in line.orders)


def take_lines(
    house: House, table: Table, seat: Seat, lines: Lines, post: Post, now: int, *, token_turn: int | None = None
) -> Receipt:
    """Do what the lines of one mail ask for; the receipt says what became of each. `token_turn`: the phase of the
    token that the mail came by."""
    reading = read_lines(lines, grammar_of(table, seat))
    receipt = Receipt(chat=reading.chat)
    receipt.refused += [(line.line, line.reason) for line in reading.refused]
    if reading.doubtful:
        receipt.waits += reading.doubtful
        receipt.notes.append("it isn't clear whether you wrote these lines now or quoted them")
        questions.ask(house, table, seat, "lines", {"lines": [[line, False] for line in reading.doubtful]}, now)
    clears = [line for line in reading.commands if line.command.word == "CLEAR"]
    for clear in clears[:1]:
        words.obey(house, table, seat, clear.command, post, receipt, now)
    standing = list(reading.orders)
    if not post.live and same_round(table.game, token_turn):
        # A pledge belongs to its round, so a token of an earlier phase of the round still makes one (MAIL.md).
        at_once = {form.verb for form in table.grammar if form.at_once}
        pledges = [line for line in standing if all(order.verb in at_once for order in line.orders)]
        standing = [line for line in standing if line not in pledges]
        orders.take(house, table, seat, pledges, Post(post.at, post.uid, post.foreign), receipt, now)
    orders.take(house, table, seat, standing, post, receipt, now)
    for line in reading.commands:
        if line.command.word != "CLEAR":
            words.obey(house, table, seat, line.command, post, receipt, now)
    press.send(house, table, seat, reading.press, post.at, receipt, now)
    return receipt


def new_lines(house: House, table: Table, seat: Seat, letter: Letter, number: int) -> Lines:
    """The lines that the player newly wrote: not what they quoted of us, nor what they sent before. `number`: of the
    stored mail."""
    grammar = grammar_of(table, seat)
    found = new_text(
        letter,
        sent=sent_in_thread(letter, table.id, seat.name),
        earlier=written_before(table.id, seat.name, number),
        names=(house.name, house.address, seat.name, seat.person, seat.address),
        parses=lambda line: is_whole(line, grammar),
        answers_receipt=answers_receipt(letter),
    )
    return with_blanks(found.text, [(line.text, line.doubtful) for line in found.lines])


def with_blanks(text: str, lines: list[tuple[str, bool]]) -> Lines:
    """The new lines with the blank ones between them, which belong to a text of press."""
    out: list[tuple[str, bool]] = []
    left = list(lines)
    for line in text.splitlines():
        if not line.strip():
            out.append(("", False))
        elif left:
            out.append(left.pop(0))
    return [*out, *left]


def grammar_of(table: Table, seat: Seat) -> Grammar:
    forms: tuple[Form, ...] = table.grammar if table.turn is not None else ()
    now_open = table.forms(seat.name) if table.turn is not None and table.turn.status == "open" else ()

    def example(verb: str) -> str | None:
        for form in (*now_open, *forms):
            if not verb or form.verb == verb:
                return form.example()
        return None

    return Grammar(forms, table.names, "player", example, press_to=[n for n in table.names if n != seat.name])

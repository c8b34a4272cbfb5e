"""A player's service words: HELP … RESIGN, from any seat, dead or alive, in any phase (MAIL.md)."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from pbm import timing
from pbm.addresses import address_key
from pbm.mail.commands import Command
from pbm.service import addresses, mails, orders, questions, rounds
from pbm.service.house import House
from pbm.service.orders import Post
from pbm.service.receipt import Receipt
from pbm.service.table import Table
from pbm.store.models import Absence, Seat
from pbm.timewords import in_zone

Word = Callable[[House, Table, Seat, Command, Post, Receipt, int], None]


def obey(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    """Do what the word says; what came of it goes into the receipt."""
    WORDS[command.word](house, table, seat, command, post, receipt, now)


def _answer(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    if command.word == "STATUS" and table.turn is None:
        receipt.refused.append((command.word, "the game hasn't started"))
    elif command.word.lower() not in receipt.answers:
        receipt.answers.append(command.word.lower())
        if command.word == "STATUS":
            receipt.done.append("A copy of how things stand, without keys, comes in an e-mail of its own.")


def _clear(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    orders.clear(table, seat, post, receipt)


def _wait(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    phase, turn = table.phase, table.turn
    if turn is None or turn.status != "open" or phase is None or seat.name not in phase.must:
        receipt.refused.append((command.word, "it is for players who have to act in the open phase"))
        return
    if not post.live:
        receipt.refused.append((command.word, f"it came by a mail of an earlier phase; {turn.label} is open now"))
        return
    row = table.row(seat.name)
    stamp = [max(post.at, turn.opened), post.uid]
    if row.wish is not None and row.wish > stamp:
        return
    wait = command.word == "WAIT"
    row.wait, row.wish = wait, stamp
    row.save()
    turn.changed = max(turn.changed, stamp[0])
    rounds.rearm(table)
    until = in_zone(turn.deadline, seat.timezone)
    receipt.done.append(
        f"The phase stays open until {until}, unless you write (READY)."
        if wait
        else "You no longer hold the phase open."
    )


def _timezone(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    seat.timezone = command.argument
    seat.save()
    receipt.done.append(f"Your deadlines are shown in the time of {command.argument}.")


def _mails(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    seat.mails = command.argument
    seat.save()
    needed = "Only mails that you need will reach you: where you must act, receipts, reminders, private news, the end."
    receipt.done.append(needed if command.argument == "needed" else "All mails of this game will reach you.")


def _resign(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    if table.game.status == "over" or (table.game.status == "signup" and not table.settings["seats"]):
        receipt.refused.append(("RESIGN", "the game is not under way"))
        return
    receipt.waits.append("RESIGN")
    questions.ask(house, table, seat, "resign", {"line": "RESIGN"}, now)


def _address(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    new = command.argument
    if addresses.taken(house, table, new, seat):
        receipt.refused.append((f"ADDRESS {new}", "that address can't be used in this game"))
        return
    if address_key(new) == address_key(seat.address):
        receipt.notes.append("that is your address already")
        return
    receipt.waits.append(f"ADDRESS {new}")
    addresses.ask(house, table, seat, new, now)


def _away(house: House, table: Table, seat: Seat, command: Command, post: Post, receipt: Receipt, now: int) -> None:
    if table.turn is None:
        receipt.refused.append((f"AWAY {command.argument}", "the game hasn't started"))
        return
    zone = "UTC" if table.settings["anonymous"] else seat.timezone
    if table.settings["anonymous"] and table.turn is not None:
        zone = table.timing(table.turn.phase).timezone
    today = datetime.fromtimestamp(now, UTC).astimezone(ZoneInfo(zone)).date()
    rows = list(Absence.select().where(Absence.seat == seat.id))
    if command.argument == "NONE":
        _back(rows, today)
        receipt.done.append("Days of absence that had not begun are given back; a deadline that was moved stays.")
        mails.away(house, table, seat, None, now)
        return
    first, last = (date.fromisoformat(day) for day in command.argument.split(" "))
    line = f"AWAY {first} TO {last}"
    spans = [(date.fromisoformat(r.first), date.fromisoformat(r.last)) for r in rows]
    budget, used = table.settings["away"], timing.budget_used(spans)
    if last < today:
        receipt.refused.append((line, "these days are over"))
        return
    if timing.budget_used([*spans, (first, last)]) > budget:
        left = max(0, budget - used)
        receipt.refused.append((line, f"you have {left} of {budget} days of absence left in this game"))
        return
    span = timing.absence(first, last, zone)
    Absence.create(seat=seat.id, first=first.isoformat(), last=last.isoformat(), start=span.start, end=span.end)
    receipt.done.append(f"You are away from {first} to {last}.")
    turn = table.turn
    if turn is not None and turn.status == "open" and seat.name in table.open_phase.must and post.at <= turn.deadline:
        before = turn.deadline
        rounds.move_deadline(table, turn.deadline, own=turn.due)
        rounds.rearm(table)
        if turn.deadline != before:
            receipt.done.append(f"The deadline has moved to {in_zone(turn.deadline, seat.timezone)}.")
    mails.away(house, table, seat, (first.isoformat(), last.isoformat()), now)


def _back(rows: list[Absence], today: date) -> None:
    for row in rows:
        first, last = date.fromisoformat(row.first), date.fromisoformat(row.last)
        if first > today:
            row.delete_instance()
        elif last > today:
            # The days that have begun count; what is left of this one moves no deadline any more.
            row.last = today.isoformat()
            row.end = min(row.end, row.start + (today - first).days * 86_400 + 86_400)
            row.save()


WORDS: dict[str, Word] = {
    "HELP": _answer,
    "RULES": _answer,
    "STATUS": _answer,
    "ORDERS": _answer,
    "CLEAR": _clear,
    "WAIT": _wait,
    "READY": _wait,
    "TIMEZONE": _timezone,
    "MAILS": _mails,
    "AWAY": _away,
    "ADDRESS": _address,
    "RESIGN": _resign,
}

"""The moderator's commands about a game's course, each once, for mail and command line alike (MAIL.md).

Every function runs in its caller's transaction, writes down who did what, posts what the players should know, and
gives a sentence for the one who asked. Each raises `NotNow`, with the reason, where it can't be done.
"""

from dataclasses import dataclass

from peewee import fn

from pbm.core.engine import Json
from pbm.service import mails, needs, rounds, starting, timer
from pbm.service.house import House
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Game, Log, Mail, Turn
from pbm.timewords import in_zone, words

# The UID of what came by no mail: newer than any mail of the same second.
LAST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class By:
    """Who commands: `who` for the log; `at`, `uid`: of the mail, by the mail server's clock, or now and LAST."""

    who: str
    at: int
    uid: int = LAST


def log(table: Table, by: By, what: str, now: int, **data: object) -> None:
    """Write down what a moderator did; nothing of it is ever deleted."""
    needs.answered(table.id, now)
    kept: Json = {"turn": table.game.turn, **data}
    Log.create(game=table.id, at=now, who=by.who, what=what, data=kept)


def zone(table: Table) -> str:
    """The zone in which a moderator reads deadlines: that of the game's timing."""
    return table.timing(table.turn.phase).timezone if table.turn is not None else "UTC"


def until(table: Table) -> str:
    """`Round 3 is open until Friday …`."""
    assert table.turn is not None
    return f"{table.turn.label} is open until {in_zone(table.turn.deadline, zone(table))}."


def open_turn(table: Table) -> Turn:
    if table.game.status == "signup":
        raise NotNow(f"{table.id} hasn't started")
    if table.game.status == "over" or table.turn is None:
        raise NotNow(f"{table.id} is over")
    return table.turn


def passed(table: Table, at: int) -> bool:
    """Whether the open phase's end lies behind the instant: it closes as soon as the mailbox has been read."""
    return table.game.status == "open" and table.turn is not None and at > table.closes()


def start(house: House, game: Game, by: By, now: int) -> str:
    """`game start`: at once, or when those who signed up long ago have said that they are still in."""
    table = starting.begin(house, game, now, by_moderator=True)
    log(table or Table.of(game), by, "start", now)
    if table is None:
        names = ", ".join(str(question.address) for question in starting.asked(game.id))
        return (
            f"Those who signed up more than 3 days ago are asked whether they are still in ({names}). {game.id} starts"
            " when they have answered, or after 48 hours without those who haven't; or at once, if you start it again."
        )
    return f"{table.id} has started. {until(table)}"


def extend(house: House, table: Table, seconds: int, by: By, now: int) -> str:
    """EXTEND: absolute hours, without `at` and `days`; while the game is paused they are added to the frozen rest."""
    turn = open_turn(table)
    if seconds <= 0:
        raise NotNow("there is no time to add")
    rounds.extend(table, seconds)
    log(table, by, "extend", now, seconds=seconds)
    if table.game.status == "paused":
        more = f"{words(seconds)} more for {turn.label}, once play goes on."
        mails.notice(house, table, "announced", now, text=more)
        return f"{more} In all {words(table.game.rest or 0)} are left then."
    mails.notice(house, table, "extended", now)
    return until(table)


def close(house: House, table: Table, by: By, now: int) -> str:
    """CLOSE: the deadline is the arrival of the command, or of the game's newest mail already processed, if later. The
    service closes behind its fence."""
    turn = open_turn(table)
    if table.game.status == "held":
        raise NotNow(f"{turn.label} has passed its deadline and waits for (APPROVE)")
    if passed(table, by.at):
        raise NotNow(f"{turn.label} has passed its deadline; it closes as soon as the mailbox has been read")
    newest = Mail.select(fn.MAX(Mail.arrived)).where((Mail.game == table.id) & (Mail.outcome != "new")).scalar()
    rounds.end_at(table, max(by.at, newest or 0))
    log(table, by, "close", now, deadline=turn.deadline)
    mails.notice(house, table, "closing", now)
    return f"{turn.label} closes now, with every mail that has reached the mailbox."


def pause(house: House, table: Table, by: By, now: int) -> str:
    """PAUSE: the time that is left is frozen; orders are taken, and nothing closes."""
    turn = open_turn(table)
    if table.game.status == "paused":
        raise NotNow(f"{table.id} is paused already")
    if table.game.status == "held":
        raise NotNow(f"{turn.label} waits for (APPROVE); nothing closes before it")
    if passed(table, by.at):
        raise NotNow(f"{turn.label} has passed its deadline; (EXTEND 24h) opens it again, (HOLD) keeps its result back")
    rounds.pause(table, by.at)
    log(table, by, "pause", now, rest=table.game.rest)
    mails.notice(house, table, "paused", now)
    return f"{table.id} is paused; {words(table.game.rest or 0)} are left of {turn.label}."


def resume(house: House, table: Table, instant: int | None, by: By, now: int) -> str:
    """RESUME: the frozen rest runs on, or the phase is open until the instant that was named; without `at` and
    `days`."""
    open_turn(table)
    if instant is not None and instant <= now:
        raise NotNow("that time is over")
    rounds.resume(table, now, instant - now if instant is not None else None)
    log(table, by, "resume", now, until=instant)
    mails.notice(house, table, "resumed", now)
    return until(table)


def hold(house: House, table: Table, by: By, now: int) -> str:
    """HOLD: the next close waits, after its deadline, for APPROVE."""
    turn = open_turn(table)
    if table.game.status == "held" or table.game.hold:
        raise NotNow(f"the result of {turn.label} waits for you already")
    table.game.hold = True
    table.game.save()
    log(table, by, "hold", now)
    text = f"The deadline of {turn.label} stays as it is; its result will wait until the moderator has looked at it."
    mails.notice(house, table, "announced", now, text=text)
    return f"When {turn.label} has reached its deadline, it waits for your (APPROVE)."


def approve(house: House, table: Table, by: By, now: int) -> str:
    """APPROVE: the phase that waits closes, with the orders of its deadline. Before the deadline it takes HOLD back."""
    turn = open_turn(table)
    if table.game.status != "held":
        if not table.game.hold:
            raise NotNow(f"nothing of {table.id} waits for you: {turn.label} is open")
        table.game.hold = False
        table.game.save()
        log(table, by, "approve", now)
        return f"{turn.label} will close by itself."
    log(table, by, "approve", now)
    timer.approve_close(house, table, now)
    if table.game.status == "over":
        return f"{turn.label} has closed, and the game is over."
    return f"{turn.label} has closed. {until(table)}"


def announce(house: House, table: Table, text: str, by: By, now: int) -> str:
    """ANNOUNCE: to the list and to every player."""
    if table.turn is None:
        raise NotNow(f"{table.id} hasn't started")
    if not text.strip():
        raise NotNow("there is no text to announce")
    log(table, by, "announce", now, text=text)
    mails.notice(house, table, "announced", now, text=text.strip())
    return "Your announcement goes to the list and to every player."


def can_end(table: Table) -> None:
    """Raises NotNow for a game that is over."""
    if table.game.status == "over":
        raise NotNow(f"{table.id} is over")


def end(house: House, table: Table, by: By, now: int) -> str:
    """END: the game is over, and nobody has won."""
    can_end(table)
    log(table, by, "end", now)
    if table.turn is None:
        table.game.status, table.game.ended, table.game.winners = "over", now, []
        table.game.save()
        mails.called_off(house, table, now)
    else:
        rounds.call_off(house, table, now)
    return f"{table.id} is over; nobody has won."

"""What the clock makes happen: reminders, early closes, deadlines, questions that lapse. The timer only
wakes; the phase's row decides.

The fence (DESIGN.md): a phase closes only after a mailbox check that began after the deadline has finished, so that a
mail which reached the mailbox in time always counts, however late it is read.
"""

from dataclasses import dataclass

from pbm.service import lapses, mails, rounds
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.db import transaction
from pbm.store.models import Mail, Turn
from pbm.store.statements import Statement

# A mail server stamps a mail when it begins to take it, and shows it when it has it: a moment later.
SETTLING = 1
# A deadline that the fence has held up for this long is told to the moderator: the mailbox is out of reach.
LATE = 300

_NEXT: Statement[Turn] = Statement(
    lambda: Turn.select(Turn.wake).where(Turn.wake.is_null(False)).order_by(Turn.wake).limit(1)
)
_UNREAD: Statement[Mail] = Statement(
    lambda: Mail.select(Mail.id).where((Mail.outcome == "new") & Mail.turn.is_null()).limit(1)
)


@dataclass(frozen=True, slots=True)
class Fence:
    """The last mailbox check that has finished: the second it began at, by our clock; `off`: by how much the mail
    server's may differ, in seconds."""

    began: int | None
    off: int = 0

    def passed(self, instant: int) -> bool:
        """Whether every mail that had reached the mailbox by the instant (a whole second, included) has been read."""
        return self.began is not None and self.began - self.off > instant + SETTLING


def next_wake() -> int | None:
    """When the timer has to look next, over all games; None where nothing is open."""
    found = [int(row[0]) for row in (*_NEXT.tuples(), *lapses.NEXT.tuples())]
    return min(found) if found else None


def due(now: int, limit: int = 200) -> list[int]:
    """The phases that want a look now, the longest waiting first."""
    rows = Turn.select(Turn.id).where(Turn.wake <= now).order_by(Turn.wake, Turn.id).limit(limit)
    return [row.id for row in rows]


def tick(house: House, now: int, fence: Fence) -> list[str]:
    """Visit every phase that is due, each in its own transaction; gives what was done, in words for the log.

    A game whose visit fails doesn't hold up the others: it is reported, and tried again at the next tick.
    """
    done: list[str] = []
    for turn in due(now):
        try:
            with transaction():
                word = visit(house, turn, now, fence)
        except Exception as fault:
            house.report("visit_failed", turn=turn, fault=f"{type(fault).__name__}: {fault}", exc_info=True)
            continue
        if word:
            done.append(word)
    lapses.tick(house, now)
    return done


def visit(house: House, turn_id: int, now: int, fence: Fence) -> str | None:
    """Do what one phase's row says is due. Runs in the caller's transaction."""
    turn = Turn.get_by_id(turn_id)
    table = Table.of(turn.game_id)
    if turn.status != "open" or table.turn is None or table.turn.id != turn.id:
        Turn.update(wake=None).where(Turn.id == turn_id).execute()
        return None
    if table.turn.held is not None:
        return _approve_by_itself(house, table, now)
    if table.game.status != "open":
        rounds.rearm(table)
        return None
    if now > table.closes() or table.turn.early is not None:
        return _close(house, table, now, fence)
    _remind(house, table, now)
    ready = rounds.ready_at(table)
    in_time = now <= table.turn.deadline  # in grace a phase no longer closes early
    if ready is not None and ready <= now and in_time and fence.began is not None and not unread():
        # Decided now; the ordinary fence runs behind it.
        table.turn.early = max(ready, now)
    rounds.rearm(table)
    return None


def unread() -> bool:
    """Whether mail has been fetched and not been read yet. What waits for its phase to close has been read."""
    return bool(_UNREAD.tuples())


def _remind(house: House, table: Table, now: int) -> None:
    turn = table.turn
    assert turn is not None
    past = [instant for instant in turn.reminders if instant <= now]
    if not past:
        return
    turn.reminders = [instant for instant in turn.reminders if instant > now]
    turn.save()
    mails.reminded(house, table, now, last=not turn.reminders)


def _close(house: House, table: Table, now: int, fence: Fence) -> str | None:
    turn = table.turn
    assert turn is not None
    if turn.early is not None:
        if not fence.passed(turn.early) or unread():
            return None
        ready = rounds.ready_at(table)
        if ready is None or ready > turn.early:
            turn.early = None
            rounds.rearm(table)
            return None
        turn.deadline = turn.early
    elif not fence.passed(table.closes()) or unread():
        looked = fence.began is not None and now <= fence.began + LATE
        if now > table.closes() + LATE and not looked and not turn.told_late:
            turn.told_late = True
            turn.save()
            mails.unreachable(house, table, now)
        return None
    approve = table.settings["approve"]
    if (table.game.hold or approve) and not turn.approved:
        turn.held = now
        table.game.status = "held"
        table.game.save()
        rounds.rearm(table)
        mails.held(house, table, now)
        return f"{table.id}: {turn.label} waits for the moderator"
    label = turn.label
    closed = rounds.close(house, table, now)
    return f"{table.id}: {label} closed" + (", the game is over" if closed.result is not None else "")


def _approve_by_itself(house: House, table: Table, now: int) -> str | None:
    turn = table.turn
    assert turn is not None
    assert turn.held is not None
    approve = table.settings["approve"]
    if not (isinstance(approve, int) and approve > 1 and turn.held + approve <= now) or table.game.hold:
        rounds.rearm(table)
        return None
    return approve_close(house, table, now)


def approve_close(house: House, table: Table, now: int) -> str:
    """APPROVE: the held phase closes with the orders that stood at its deadline. Raises NotNow."""
    turn = table.turn
    if table.game.status != "held" or turn is None or turn.held is None:
        raise rounds.NotNow(f"nothing of {table.id} waits for approval")
    label = turn.label
    turn.held, turn.approved = None, True
    turn.save()
    table.game.status = "open"
    table.game.save()
    rounds.close(house, table, now)
    return f"{table.id}: {label} closed"

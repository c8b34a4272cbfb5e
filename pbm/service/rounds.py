"""A game's course: start, close, remove, the end. Each function runs inside its caller's transaction, moves the game
by its rule set, writes the action down for `game replay`, and queues the mails that tell of it."""

from collections.abc import Sequence
from typing import Literal

from pbm import timing
from pbm.core import play
from pbm.core.draw import Draw
from pbm.core.engine import Event, Json, Order, Phase, Result, Step
from pbm.service import mails, seating
from pbm.service.closed import Closed
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Action, Game, Turn
from pbm.store.statements import Statement

_LAST_TURN: Statement[Turn] = Statement(
    lambda game: Turn.select(Turn.n).where(Turn.game == game).order_by(Turn.n.desc()).limit(1)
)
_ACTS: Statement[Action] = Statement(
    lambda turn: Action.select(Action.id).where((Action.turn == turn) & (Action.kind == "act")).limit(1)
)


class NotNow(ValueError):
    """The game isn't in a state for this; the message says so to whoever asked."""


def start(house: House, game: Game, now: int) -> Table:
    """Deal, open the first phase, and tell everybody. Raises NotNow unless the game is open for sign-up and full."""
    table = Table.of(game)
    can_start(table)
    seed = table.settings.get("seed")
    draw = Draw.from_hex(seed) if seed else Draw(house.entropy())
    if table.settings["anonymous"]:
        seating.draw_names(table, draw)
    step = table.rules.start(table.names, table.options, draw)
    game.key, game.status, game.started = draw.key.hex(), "open", now
    game.version = table.rules.facts.version
    game.save()
    _write(table, "start", None, None, step, now)
    open_turn(table, step.state, now)
    mails.started(house, table, step.events, now)
    return table


def can_start(table: Table) -> None:
    """Raises NotNow unless the game is open for sign-up, with as many players as its rules need."""
    if table.game.status != "signup":
        raise NotNow(f"{table.id} has started already")
    least, most = table.rules.facts.seats
    if len(table.seats) < least or (most is not None and len(table.seats) > most):
        raise NotNow(f"{table.id} has {len(table.seats)} players; {table.rules.facts.title} needs {least} or more")


def open_turn(table: Table, state: Json, now: int) -> Turn:
    """The next phase, with its deadline, its reminders and the orders that the state keeps for it (ruling P3)."""
    phase = table.rules.phase(state)
    assert phase is not None
    own = timing.deadline(now, table.timing(phase.name))
    deadline = timing.deadline(now, table.timing(phase.name), table.absences(phase.must))
    last = _LAST_TURN.first(table.id)
    turn = Turn.create(
        game=table.game.id,
        n=(last.n if last else 0) + 1,
        phase=phase.name,
        round=phase.round,
        label=phase.label,
        status="open",
        opened=now,
        due=own,
        deadline=deadline,
        reminders=timing.reminders(now, deadline, table.settings["reminders"]),
        state=state,
        changed=now,
    )
    table.game.turn = turn.id
    table.game.save()
    table.turn, table._standing = turn, None
    for name in table.names:
        kept = table.rules.standing(state, name)
        if kept:
            row = table.row(name)
            row.orders = [{**order.to_json(), "at": now, "uid": 0} for order in kept]
            row.newest = [now, 0]
            row.save()
    rearm(table)
    return turn


def ready_at(table: Table) -> int | None:
    """When the open phase may close early, or None while somebody who must act is missing or waits."""
    turn = table.turn
    if turn is None or turn.status != "open" or table.game.status != "open":
        return None
    phase, timed = table.open_phase, table.timing(turn.phase)
    if not (phase.at_once or timed.close == "all-in") or _held_up(table, phase):
        return None
    if phase.at_once:
        return int(turn.changed)
    return timing.early_close(turn.opened, turn.changed, timed)


def _held_up(table: Table, phase: Phase) -> bool:
    ignore = table.settings["misses"]["ignore"]
    present = {seat.name for seat in table.seats if seat.misses < ignore}
    waiting = table.waiting()
    if any(name in present for name in waiting):
        return True
    if phase.must and len(waiting) == len(phase.must):
        # Nobody has acted: where all are absent the deadline holds, or phases would race by.
        return True
    return not phase.at_once and any(
        table.rows[name].wait for name in phase.must if name in table.rows and name in present
    )


def rearm(table: Table) -> None:
    """Set when the timer has to look at the open phase next."""
    turn = table.turn
    assert turn is not None
    if turn.status != "open" or table.game.status in ("paused", "over"):
        turn.wake = None
    elif turn.held is not None:
        # By itself it goes on only where a time was named, and never after HOLD.
        approve = table.settings["approve"]
        turn.wake = turn.held + approve if approve > 1 and not table.game.hold else None
    elif turn.early is not None:
        turn.wake = turn.early
    else:
        instants = [table.closes(), *turn.reminders]
        ready = ready_at(table)
        if ready is not None and ready <= turn.deadline:  # in grace nothing closes early
            instants.append(ready)
        turn.wake = min(instants)
    turn.save()


def close(house: House, table: Table, now: int) -> Closed:
    """Close the open phase with the orders that stand; open the next, or end the game; queue all mails."""
    turn = table.turn
    assert turn is not None
    assert turn.status == "open"
    orders = table.standing()
    step = table.rules.close(table.state, orders, table.draw)
    _write(table, "close", None, {name: [o.to_json() for o in row] for name, row in orders.items()}, step, now)
    _count_misses(table, step.events)
    acted = bool(orders) or bool(_ACTS.tuples(turn.id))
    table.game.silent = 0 if acted else table.game.silent + 1
    return _move_on(house, table, step, now)


def _count_misses(table: Table, events: Sequence[Event]) -> None:
    """Misses in a row: what `misses: {ask, ignore}` counts."""
    assert table.turn is not None
    missed = {event.data["player"] for event in events if event.type == "missed"}
    acted = set(table.standing())
    for seat in table.seats:
        misses = seat.misses + 1 if seat.name in missed else 0 if seat.name in acted else seat.misses
        if misses != seat.misses:
            seat.misses = misses
            seat.save()


def _move_on(house: House, table: Table, step: Step, now: int) -> Closed:
    turn = table.turn
    assert turn is not None
    freed = table.concerned(turn.state) if turn.early is not None or now <= turn.deadline else frozenset()
    turn.status, turn.closed, turn.wake = "closed", now, None
    turn.events = [*turn.events, *(event.to_json() for event in step.events)]
    turn.save()
    table.game.hold = False
    closed = Closed(turn, tuple(Event.from_json(e) for e in turn.events), step.result, freed)
    mails.supersede(table, turn)
    if step.result is None:
        if table.game.status == "held":
            # A removal has moved the game on before its APPROVE came: nothing waits for that any more.
            table.game.status = "open"
        opened = open_turn(table, step.state, now)
        if table.game.status == "paused":
            # What was frozen belonged to the phase before.
            table.game.rest = opened.deadline - now
            table.game.save()
    else:
        _end(table, step, now)
    silent = step.result is None and table.game.silent >= table.settings["silence"]
    if silent:
        # Ruling G7: the game stands still until the moderator says how it goes on.
        pause(table, now)
        table.game.silent = 0
        table.game.save()
    mails.turned(house, table, closed, now, silent=silent)
    return closed


def _end(table: Table, step: Step, now: int) -> None:
    assert step.result is not None
    turn = table.turn
    assert turn is not None
    # The last state stays on the last phase, for `game show`.
    turn.state = step.state
    turn.save()
    table.game.status, table.game.ended = "over", now
    table.game.winners, table.game.runners_up = list(step.result.winners), list(step.result.runners_up)
    table.game.save()


def call_off(house: House, table: Table, now: int) -> Closed:
    """END: the game is over as it stands, and nobody has won."""
    assert table.turn is not None
    assert table.turn.status == "open"
    step = Step(table.state, (Event("ended", "public"),), Result(()))
    _write(table, "end", None, None, step, now)
    return _move_on(house, table, step, now)


def act(house: House, table: Table, seat: str, order: Order, now: int) -> tuple[Event, ...]:
    """An order that takes effect at once (a pledge); gives its events. The public mail goes out now."""
    step = table.rules.act(table.state, seat, order, table.draw)
    _write(table, "act", seat, [order.to_json()], step, now)
    _stay(house, table, step, now, seat)
    return step.events


def remove(house: House, table: Table, name: str, now: int) -> tuple[Event, ...]:
    """Ruling G5. Raises NotNow where there is nothing to remove."""
    if table.turn is None or table.turn.status != "open":
        raise NotNow(f"no phase of {table.id} is open")
    seat = table.seat(name).name
    orders = table.standing()
    try:
        step = table.rules.remove(table.state, seat, orders, table.draw)
    except ValueError as fault:
        raise NotNow(str(fault)) from None
    _write(table, "remove", seat, {n: [o.to_json() for o in row] for n, row in orders.items()}, step, now)
    _stay(house, table, step, now, seat)
    return step.events


def _stay(house: House, table: Table, step: Step, now: int, seat: str) -> None:
    """After an act or a removal: the phase stays open, unless the rules have moved on or ended the game."""
    turn = table.turn
    assert turn is not None
    before = table.open_phase
    after = table.rules.phase(step.state) if step.result is None else None
    if after is None or (after.name, after.round, after.label) != (before.name, before.round, before.label):
        _move_on(house, table, step, now)
        return
    turn.state = step.state
    turn.events = [*turn.events, *(event.to_json() for event in step.events)]
    turn.save()
    removed = any(event.type == "removed" for event in step.events)
    kept, dropped = play.recheck(table.rules, step.state, {n: o for n, o in table.standing().items() if n != seat})
    for name in table.rows.keys() & (kept.keys() | ({seat} if removed else set())):
        row = table.rows[name]
        lines = {order.line for order in kept.get(name, ())}
        row.orders = [o for o in row.orders if o["line"] in lines]
        row.save()
    rearm(table)
    mails.acted(house, table, step.events, dropped, now)


def pause(table: Table, now: int) -> None:
    """Freeze the time that is left. Raises NotNow."""
    if table.game.status != "open" or table.turn is None:
        raise NotNow(f"{table.id} isn't running")
    table.game.status, table.game.rest = "paused", max(0, table.turn.deadline - now)
    table.turn.early = None
    table.game.save()
    rearm(table)


def resume(table: Table, now: int, length: int | None = None) -> None:
    """Go on with the frozen rest (or `length`), without `at` and `days`. Raises NotNow."""
    if table.game.status != "paused" or table.turn is None:
        raise NotNow(f"{table.id} isn't paused")
    rest = length if length is not None else table.game.rest or 0
    move_deadline(table, now + rest, own=now + rest)
    table.game.status, table.game.rest = "open", None
    table.game.save()
    rearm(table)


def extend(table: Table, seconds: int) -> None:
    """EXTEND: absolute hours, without `at` and `days`. Raises NotNow."""
    turn = _open(table)
    if table.game.status == "paused":
        table.game.rest = (table.game.rest or 0) + seconds
        table.game.save()
        return
    turn.held = turn.early = None
    if table.game.status == "held":
        table.game.status = "open"
        table.game.save()
    move_deadline(table, turn.deadline + seconds, own=turn.due + seconds)
    rearm(table)


def end_at(table: Table, instant: int) -> None:
    """CLOSE: the deadline is now (the fence still runs), with no grace behind it. Raises NotNow."""
    turn = _open(table)
    if table.game.status == "paused":
        table.game.status, table.game.rest = "open", None
        table.game.save()
    turn.deadline, turn.grace, turn.reminders, turn.early = instant, False, [], None
    turn.moved += 1
    rearm(table)


def move_deadline(table: Table, deadline: int, own: int) -> None:
    turn = table.turn
    assert turn is not None
    timed = table.timing(turn.phase)
    shift = deadline - turn.deadline
    limit = own + timed.max
    moved = timing.push_past_absences(deadline, timed, table.absences(table.open_phase.must), limit)
    turn.due, turn.deadline = own, moved
    turn.reminders = [instant + shift for instant in turn.reminders]
    turn.moved += 1


def _open(table: Table) -> Turn:
    if table.turn is None or table.turn.status != "open" or table.game.status in ("over", "signup"):
        raise NotNow(f"no phase of {table.id} is open")
    return table.turn


def _write(
    table: Table,
    kind: Literal["start", "act", "remove", "close", "end"],
    seat: str | None,
    orders: object,
    step: Step,
    now: int,
) -> None:
    Action.create(
        game=table.game.id,
        turn=table.game.turn,
        at=now,
        kind=kind,
        version=table.rules.facts.version,
        seat=seat,
        orders=orders,
        events=[event.to_json() for event in step.events],
        after=step.state,
    )

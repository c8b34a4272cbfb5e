"""`pbm game replay`: all that moved a game on is played again by its rules, and compared with what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.core.draw import Draw
from pbm.core.engine import Json, Order, Step
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Action, Standing, Turn


@dataclass(frozen=True, slots=True)
class Played:
    """One stored action, played again. `turn`: its number, 0 for the start. `faults`: what is stored otherwise."""

    turn: int
    label: str
    kind: str
    faults: tuple[str, ...]

    def to_json(self) -> Json:
        return {"turn": self.turn, "label": self.label, "kind": self.kind, "differences": list(self.faults)}


def replay(table: Table) -> list[Played]:
    """Every action that no UNDO has withdrawn, in order. Raises NotNow for a game that hasn't started.

    After a difference the next action is played from what is stored, so that each is judged by itself.
    """
    if table.game.key is None:
        raise NotNow(f"{table.id} hasn't started")
    turns = {turn.id: turn for turn in Turn.select().where(Turn.game == table.id)}
    rows = Action.select().where((Action.game == table.id) & (Action.withdrawn == False)).order_by(Action.id)  # noqa: E712
    played: list[Played] = []
    state: Json = {}
    result: Sequence[str] | None = None
    for row in rows:
        faults: list[str] = []
        turn = turns.get(row.turn) if row.turn is not None else None
        if row.version != table.rules.facts.version:
            faults.append(f"it was played by version {row.version} of the rules, not {table.rules.facts.version}")
        if row.kind == "end":
            result = []
        else:
            step = _again(table, row, state)
            faults += _compare(row, step)
            result = list(step.result.winners) if step.result is not None else None
        if row.kind == "close" and turn is not None:
            faults += _orders(row, turn)
            phase = table.rules.phase(state)
            if phase is None or (phase.name, phase.round) != (turn.phase, turn.round):
                faults.append("another phase was open")
        played.append(Played(turn.n if turn else 0, turn.label if turn else "start", row.kind, tuple(faults)))
        state = row.after
    if played and (faults := _end(table, state, result)):
        last = played.pop()
        played.append(Played(last.turn, last.label, last.kind, (*last.faults, *faults)))
    return played


def _again(table: Table, row: Action, state: Json) -> Step:
    rules, draw = table.rules, Draw.from_hex(str(table.game.key))
    if row.kind == "start":
        return rules.start(table.names, table.options, draw)
    seat = str(row.seat)
    if row.kind == "act":
        return rules.act(state, seat, Order.from_json(row.orders[0]), draw)
    standing = {name: tuple(Order.from_json(o) for o in orders) for name, orders in (row.orders or {}).items()}
    if row.kind == "remove":
        return rules.remove(state, seat, standing, draw)
    return rules.close(state, standing, draw)


def _compare(row: Action, step: Step) -> list[str]:
    faults = []
    if step.state != row.after:
        keys = sorted(k for k in step.state.keys() | row.after.keys() if step.state.get(k) != row.after.get(k))
        faults.append(f"the state is stored otherwise: {', '.join(keys)}")
    if [event.to_json() for event in step.events] != row.events:
        faults.append("the events are stored otherwise")
    return faults


def _orders(row: Action, turn: Turn) -> list[str]:
    """Whether the orders that were played are those that stood when the phase closed."""
    stood = {s.seat: [_bare(o) for o in s.orders] for s in Standing.select().where(Standing.turn == turn.id)}
    played = {name: [_bare(o) for o in orders] for name, orders in (row.orders or {}).items()}
    names = sorted(n for n in stood.keys() | played.keys() if stood.get(n, []) != played.get(n, []))
    return [f"other orders stood: {', '.join(names)}"] if names else []


def _bare(order: Json) -> tuple[str, str]:
    return order["verb"], order["line"]


def _end(table: Table, state: Json, result: Sequence[str] | None) -> list[str]:
    faults = []
    over = table.game.status == "over"
    if over != (result is not None):
        faults.append("the game is over" if over else "the game isn't over")
    elif over and list(table.game.winners or ()) != list(result or ()):
        faults.append("other winners are stored")
    if table.turn is not None and table.turn.state != state:
        faults.append("the open phase has another state")
    return faults

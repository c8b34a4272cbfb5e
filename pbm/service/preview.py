"""PREVIEW: what would happen if the open phase closed now. Changes and sends nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbm.core.engine import Event, Json, Result
from pbm.service.desk import open_turn
from pbm.service.table import Table


@dataclass(frozen=True, slots=True)
class Preview:
    """`orders`: those that would count, {seat: lines}; `missing`: who would have missed; `state`: the game's then;
    `coming`: the phase that would open; `views`: each seat's own then, and None the public one."""

    label: str
    orders: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    events: tuple[Event, ...]
    state: Json
    coming: str | None
    result: Result | None
    views: Mapping[str | None, Json]

    def to_json(self) -> Json:
        return {
            "label": self.label,
            "orders": {name: list(lines) for name, lines in self.orders.items()},
            "missing": list(self.missing),
            "events": [event.to_json() for event in self.events],
            "public": self.views[None],
            "next": self.coming,
            "over": self.result is not None,
            "winners": list(self.result.winners) if self.result is not None else [],
        }


def preview(table: Table) -> Preview:
    """Raises NotNow where no phase is open."""
    turn = open_turn(table)
    standing = table.standing()
    step = table.rules.close(table.state, standing, table.draw)
    coming = table.rules.phase(step.state) if step.result is None else None
    earlier = tuple(Event.from_json(event) for event in turn.events)
    return Preview(
        label=turn.label,
        orders={name: tuple(order.line for order in standing.get(name, ())) for name in table.names},
        missing=table.waiting(),
        events=(*earlier, *step.events),
        state=step.state,
        coming=coming.label if coming is not None else None,
        result=step.result,
        views={name: table.rules.view(step.state, name) for name in (None, *table.names)},
    )

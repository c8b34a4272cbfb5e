"""A game and a preview as lines for people."""

import json
from collections.abc import Iterator
from typing import Any

from pbm.service.preview import Preview


def game_lines(found: dict[str, Any]) -> Iterator[str]:
    """`found`: `show.game`."""
    yield f"{found['title']} ({found['id']}, {found['game']}): {found['status']}"
    if found["label"]:
        deadline = f", open until {found['deadline']}" if found["deadline"] else ""
        yield f"{found['label']}, opened {found['opened']}{deadline}"
    if found["waiting_for"] is not None:
        yield f"Waiting for: {', '.join(found['waiting_for']) or 'nobody'}"
    if found["status"] == "over":
        yield f"Won by: {', '.join(found['winners']) or 'nobody'}"
    yield ""
    for player in found["players"]:
        more = [f"{key}: {value}" for key, value in player.items() if key not in ("name", "status") and value]
        yield f"  {player['name']}: {player['status']}" + (f" ({'; '.join(more)})" if more else "")
    shown = {key: value for key, value in found["public"].items() if key != "players"}
    if shown:
        yield ""
        yield from (f"  {key}: {_short(value)}" for key, value in shown.items())


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def preview_lines(found: Preview) -> Iterator[str]:
    yield f"If {found.label} closed now:"
    for name, lines in found.orders.items():
        yield f"  {name}: {'; '.join(lines) or ('nothing (missing)' if name in found.missing else 'nothing')}"
    for event in found.events:
        told = ", ".join(f"{key} {_short(value)}" for key, value in event.data.items())
        to = "" if event.to == "public" else f" [to {', '.join(event.to) if isinstance(event.to, tuple) else event.to}]"
        yield f"  {event.type}: {told}{to}"
    if found.result is not None:
        yield f"The game would be over, won by {', '.join(found.result.winners) or 'nobody'}."
    else:
        yield f"{found.coming} would open."

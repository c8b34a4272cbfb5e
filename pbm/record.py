"""The record of finished games as the forums keep it (ruling G8): one line a game, public values only.

No address stands in it: a moderator is named by what stands before the @.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbm.store.models import Game, Seat

DAY = 86_400
HEAD = (
    *("Game", "Rule set", "Moderators", "Players", "Anonymous"),
    *("From", "To", "Days", "Winners", "Runners-up"),
)
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Record:
    """A finished game. `players`: in seat order, in an anonymous game with who was behind the seat. `began`, `ended`:
    days in UTC, `2026-12-04`. `days`: the days of the calendar (UTC) that it ran on, the first and the
    last included, as the forums count them (Oct 27 to Nov 12 is 17)."""

    id: str
    title: str
    rules: str
    moderators: tuple[str, ...]
    players: tuple[str, ...]
    anonymous: bool
    began: str
    ended: str
    days: int
    winners: tuple[str, ...]
    runners_up: tuple[str, ...]

    def cells(self) -> tuple[str, ...]:
        """The values for people, in the order of HEAD."""
        return (
            f"{self.title} ({self.id})",
            self.rules,
            ", ".join(self.moderators),
            ", ".join(self.players),
            "yes" if self.anonymous else "no",
            self.began,
            self.ended,
            str(self.days),
            ", ".join(self.winners) or NOBODY,
            ", ".join(self.runners_up) or NOBODY,
        )

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.id,
            "title": self.title,
            "game": self.rules,
            "moderators": list(self.moderators),
            "players": list(self.players),
            "anonymous": self.anonymous,
            "started": self.began,
            "ended": self.ended,
            "days": self.days,
            "winners": list(self.winners),
            "runners_up": list(self.runners_up),
        }


def of_game(game: "Game", seats: Sequence["Seat"]) -> Record:
    """The record of a game that is over. `seats`: its players, in seat order."""
    began, ended = int(game.started or game.created), int(game.ended or game.started or game.created)
    anonymous = bool(game.settings["anonymous"])
    people = {seat.name: f"{seat.person} as {seat.name}" if anonymous else str(seat.name) for seat in seats}
    return Record(
        id=str(game.id),
        title=str(game.title),
        rules=str(game.rules),
        moderators=tuple(address.rpartition("@")[0] for address in game.moderators),
        players=tuple(people.values()),
        anonymous=anonymous,
        began=_day(began),
        ended=_day(ended),
        days=ended // DAY - began // DAY + 1,
        winners=tuple(people.get(name, name) for name in game.winners or ()),
        runners_up=tuple(people.get(name, name) for name in game.runners_up or ()),
    )


def pairs(record: Record) -> tuple[tuple[str, str], ...]:
    """(label, value) for the record in a game's last digest."""
    return tuple(zip(HEAD, record.cells(), strict=True))


def _day(instant: int) -> str:
    return datetime.fromtimestamp(instant, UTC).strftime("%Y-%m-%d")


# -- tables --------------------------------------------------------------------------------------------------------


def text(records: Sequence[Record]) -> str:
    """Columns as wide as they need to be."""
    rows = [HEAD, *(record.cells() for record in records)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown(records: Sequence[Record]) -> str:
    rows = [HEAD, ("---",) * len(HEAD), *([_escaped(cell) for cell in record.cells()] for record in records)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _escaped(cell: str) -> str:
    return "".join(f"\\{c}" if c in "\\|*_`[]<>#" else c for c in cell)


def bbcode(records: Sequence[Record]) -> str:
    """A table for forums. Square brackets in titles become round ones: BBCode has no way to write them."""
    head = "".join(f"[th]{cell}[/th]" for cell in HEAD)
    body = [
        "[tr]" + "".join(f"[td]{cell.replace('[', '(').replace(']', ')')}[/td]" for cell in record.cells()) + "[/tr]"
        for record in records
    ]
    return "\n".join(["[table]", f"[tr]{head}[/tr]", *body, "[/table]"])


def as_json(records: Sequence[Record]) -> str:
    return json.dumps([record.to_json() for record in records], ensure_ascii=False)


FORMATS: Mapping[str, Callable[[Sequence[Record]], str]] = {
    "text": text,
    "markdown": markdown,
    "bbcode": bbcode,
    "json": as_json,
}

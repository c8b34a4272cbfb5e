"""How the reading of one incoming mail ended."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """accepted | refused | dropped | shunted, with the reason. `waits`: the phase that has to close before it is read;
    the mail then stays `new`."""

    outcome: str
    reason: str = ""
    game: str | None = None
    seat: str | None = None
    waits: int | None = None

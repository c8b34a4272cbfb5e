"""The only place that asks what time it is. Everything below the shell gets the time as a parameter."""

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> int:
        """The time in whole seconds, UTC."""
        ...


class SystemClock:
    def now(self) -> int:
        return int(time.time())


class VirtualClock:
    """A clock that only moves when told to: weeks of games in seconds."""

    def __init__(self, start: int) -> None:
        self._now = start

    def now(self) -> int:
        return self._now

    def move_to(self, instant: int) -> None:
        self._now = instant

    def pass_time(self, seconds: int) -> None:
        self._now += seconds

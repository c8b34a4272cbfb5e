"""What was measured, how it is told: rates beside the raw rates of the parts, as ratios."""

import os
import platform
import resource
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Rate:
    """`count` things in `wall` seconds, for `cpu` seconds of this process's time (all its threads)."""

    name: str
    count: int = 0
    wall: float = 0.0
    cpu: float = 0.0

    @property
    def per_second(self) -> float:
        return self.count / self.wall if self.wall else 0.0

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of processor time for each."""
        return self.cpu / self.count * 1000 if self.count else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "count": self.count,
            "seconds": round(self.wall, 4),
            "per_second": round(self.per_second, 1),
            "cpu_ms": round(self.cpu_ms, 3),
        }


@dataclass(slots=True)
class Block:
    """One measurement. `ours` beside `raw`, the parts that it can't do without; `more`: (what, value, unit). `fault`:
    why the figures can't be trusted."""

    key: str
    title: str
    ours: Rate
    raw: list[Rate] = field(default_factory=list)
    more: list[tuple[str, float, str]] = field(default_factory=list)
    fault: str = ""

    def ratio(self, part: Rate) -> float:
        """Our rate as a share of the part's, by processor time: what else the machine does counts in neither."""
        return part.cpu_ms / self.ours.cpu_ms if self.ours.cpu_ms else 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            **self.ours.to_json(),
            "raw": [{**part.to_json(), "ratio": round(self.ratio(part), 3)} for part in self.raw],
            **{what: {"value": round(value, 3), "unit": unit} for what, value, unit in self.more},
            "fault": self.fault or None,
        }


@contextmanager
def measured(rate: Rate, count: int) -> Iterator[None]:
    """Add what runs inside to the rate."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    rate.wall += time.perf_counter() - wall
    rate.cpu += time.process_time() - cpu
    rate.count += count


def peak_mb() -> float:
    """The most memory that this process has held, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def machine() -> dict[str, Any]:
    return {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "cores": os.cpu_count()}


def shown(block: Block) -> str:
    """The block as lines for people."""
    head = f"{block.title:<44} {'a second':>10} {'CPU ms each':>12} {'ours / raw':>11}"
    lines = [head, "-" * len(head), _line(block.ours, "")]
    lines += [_line(part, f"{block.ratio(part):.2f}") for part in block.raw]
    lines += [f"{what:<44} {value:>10,.1f} {unit}" for what, value, unit in block.more]
    return "\n".join(lines)


def _line(rate: Rate, ratio: str) -> str:
    return f"{rate.name:<44} {rate.per_second:>10,.0f} {rate.cpu_ms:>12.2f} {ratio:>11}".rstrip()

"""`pbm bench`: how fast the service is, and how much memory it takes, beside the raw limits of its parts.

Every measurement runs in a process of its own, so that none inherits the memory or the warm caches of another; the mail
server runs in one more, so that its work isn't counted as ours.
"""

import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from pbm.bench import closing, idle, incoming, outgoing, reading
from pbm.bench.figures import Block, machine, shown

__all__ = ["missing", "run"]


def missing() -> list[str]:
    """The packages of the mail server that it measures with which aren't installed."""
    return [name for name in ("aiosmtpd", "pymap") if find_spec(name) is None]


def run(*, games: int = 1000, mails: int = 500, idle_games: int = 10_000, as_json: bool = False) -> int:
    """Measure and print. `games`: how many close together; `mails`: how many come in, and how many go out. Gives the
    exit status: 1 where a measurement didn't do what it should have."""
    here = machine()
    if not as_json:
        print("  ".join(f"{name}: {value}" for name, value in here.items()))
        print("Each part is what the service can't do without, measured alone; ratios are of processor time.")
    blocks: list[Block] = []
    with TemporaryDirectory(prefix="pbm-bench-") as folder:
        for block in _measured(Path(folder), games, mails, idle_games):
            blocks.append(block)
            if not as_json:
                print("\n" + shown(block), flush=True)
    if as_json:
        print(json.dumps({"machine": here, **{block.key: block.to_json() for block in blocks}}))
    faults = [f"{block.title}: {block.fault}" for block in blocks if block.fault]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


def _measured(folder: Path, games: int, mails: int, idle_games: int) -> Iterator[Block]:
    steps: tuple[tuple[str, Callable[[Path, int], Block], int], ...] = (
        ("reading mails", reading.measure, mails),
        ("mails in", incoming.measure, mails),
        ("mails out", outgoing.measure, mails),
        ("games that close", closing.measure, games),
    )
    for name, measure, count in steps:
        with _told(name), _process() as pool:
            yield pool.submit(measure, folder, count).result()
    with _told("idle games"):
        with _process() as pool:
            pool.submit(idle.prepare, folder, idle_games).result()
        with _process() as pool:
            yield pool.submit(idle.measure, folder, idle_games).result()


def _process() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_quiet)


def _quiet() -> None:
    """What the service logs isn't to stand among the figures."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))


@contextmanager
def _told(what: str) -> Iterator[None]:
    """What is under way, for whoever waits at a terminal."""
    shows = sys.stderr.isatty()
    if shows:
        print(f"… {what}", end="\r", file=sys.stderr, flush=True)
    yield
    if shows:
        print(" " * (len(what) + 2), end="\r", file=sys.stderr, flush=True)

"""`pbm demo`: whole games between demo players, over real SMTP and IMAP, in fast time."""

import asyncio
import logging
import secrets
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import structlog

from pbm.core import registry
from pbm.demo import cast, files
from pbm.demo.players import PostFailed
from pbm.demo.show import Show
from pbm.demo.stage import Stage, Stuck
from pbm.faults import ConfigFaults
from pbm.mail.imap import MailboxError

ORDER = ("money_grab", "dont_get_greedy", "point_thief", "buy_the_bullet", "tontine")
DONE, FAILED, WRONG, STOPPED = 0, 1, 2, 130


def run(
    game: str | None = None,
    players: int | None = None,
    keep: Path | None = None,
    watch: bool = False,
    join: str | None = None,
    seed: int | None = None,
) -> int:
    """Play one game of this rule set, or (None) one of each; gives the exit status.

    `players`: how many, where the rule set leaves it open. `keep`: the folder for archive, mailboxes and database; by
    default a new one among the temporary files. `join`: the name of the seat that is left to a person. `seed`: equal
    ones give equal games.
    """
    show = Show(watch=watch)
    if game is None and players is not None:
        show.trouble("--players needs --game: each rule set has its own number of players")
        return WRONG
    keys = ORDER if game is None and join is None else (game or ORDER[0],)
    seed = secrets.randbelow(10**6) if seed is None else seed
    top = keep or Path(tempfile.gettempdir()) / f"pbm-demo-{secrets.token_hex(4)}"
    stages: list[Stage] = []
    for key in keys:
        folder = top if len(keys) == 1 else top / key
        fault = _seats_fault(key, players) or _folder_fault(folder)
        if fault:
            show.trouble(fault)
            return WRONG
        stages.append(
            Stage(key, players or cast.USUAL.get(key, registry.get(key).facts.seats[0]), folder, seed, show, join)
        )
    try:
        stages[0].check()
    except ConfigFaults as found:
        show.trouble(f"--join {join}: {found.faults[0].reason}")
        return WRONG
    with _quiet():
        return _play_all(stages, top, show)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the service's log: what is unusual ends up in the demo's own check, the rest is shown as it happens."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        yield
    finally:
        structlog.configure(**before)


def _play_all(stages: Sequence[Stage], top: Path, show: Show) -> int:
    """The games one after the other; gives the worst exit status."""
    status = DONE
    try:
        for stage in stages:
            status = max(status, _play(stage, show))
    except KeyboardInterrupt:
        show.note("Stopped.")
        status = STOPPED
    begun = [stage.folder for stage in stages if (stage.folder / files.ARCHIVE).exists()]
    show.left(top, [str(folder.relative_to(top)) for folder in begun])
    return status


def _seats_fault(key: str, players: int | None) -> str:
    """Why there can't be so many players; empty where there can."""
    facts = registry.get(key).facts
    least, most = facts.seats
    if players is None or (players >= least and (most is None or players <= most)):
        return ""
    needed = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
    return f"{facts.title} is for {needed} players, not {players}"


def _folder_fault(folder: Path) -> str:
    return f"{folder} holds a game already; name another folder" if (folder / "pbm.db").exists() else ""


def _play(stage: Stage, show: Show) -> int:
    """One game, shown; gives the exit status."""
    began = time.monotonic()
    try:
        ending = asyncio.run(stage.play())
    except (Stuck, PostFailed, MailboxError) as fault:
        show.trouble(f"The demo failed: {fault}")
        return FAILED
    except TimeoutError:
        show.trouble("The demo failed: the game takes too long")
        return FAILED
    seconds = time.monotonic() - began
    days = ending.days
    show.ends(
        ending.winners,
        ending.title,
        ending.checked,
        [
            f"{ending.phases} phases in {days} days of the game's clock, {ending.mails} mails, played in "
            f"{seconds:.1f} seconds (seed {stage.seed})."
        ],
    )
    return FAILED if ending.checked.faults else DONE

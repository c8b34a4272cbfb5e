"""`pbm demo`: whole games between demo players, over real SMTP and IMAP, in fast time."""

import asyncio
import logging
import secrets
import tempfile
import time
from pathlib import Path

import structlog

from pbm.core import registry
from pbm.demo import cast
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
    # What the service would log as unusual ends up in the demo's own check; the rest is shown as it happens.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    keys = [game] if game is not None else list(ORDER)
    if join is not None and game is None:
        keys = keys[:1]
    seed = secrets.randbelow(10**6) if seed is None else seed
    top = keep or Path(tempfile.mkdtemp(prefix="pbm-demo-"))
    folders: list[Path] = []
    status = DONE
    try:
        for key in keys:
            count = _seats(key, players if len(keys) == 1 else None)
            if isinstance(count, str):
                show.trouble(count)
                return WRONG
            folder = top if len(keys) == 1 else top / key
            if (folder / "pbm.db").exists():
                show.trouble(f"{folder} holds a game already; name another folder")
                return WRONG
            folders.append(folder)
            status = max(status, _play(Stage(key, count, folder, seed, show, join), show))
    except KeyboardInterrupt:
        show.note("Stopped.")
        status = STOPPED
    show.left(folders)
    return status


def _seats(key: str, players: int | None) -> int | str:
    """How many play, or why it can't be so many."""
    facts = registry.get(key).facts
    least, most = facts.seats
    count = cast.USUAL.get(key, least) if players is None else players
    if count < least or (most is not None and count > most):
        needed = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        return f"{facts.title} is for {needed} players, not {count}"
    return count


def _play(stage: Stage, show: Show) -> int:
    """One game, shown; gives the exit status."""
    began = time.monotonic()
    try:
        ending = asyncio.run(stage.play())
    except ConfigFaults as fault:
        show.trouble(str(fault))
        return WRONG
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

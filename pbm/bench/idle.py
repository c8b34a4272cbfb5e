"""Many games that wait for orders: how long the service takes to be ready, and what it holds in memory."""

import asyncio
import time
from pathlib import Path

from pbm.app import Service, mailbox_of, opened, transport_of
from pbm.bench import games
from pbm.bench.figures import Block, Rate, measured, peak_mb
from pbm.bench.server import serving
from pbm.clock import SystemClock
from pbm.config import Config
from pbm.store.models import Game


def prepare(folder: Path, count: int) -> None:
    """A database with so many open games of two players, all waiting."""
    config, house = games.opened(folder, "idle")
    game = games.started(house, config, "grab-1", now=SystemClock().now())
    games.copied(Game.get_by_id(game.id), count - 1)


def measure(folder: Path, count: int) -> Block:
    """A service starts over that database: until its first look at an empty mailbox is done."""
    block = Block("idle", f"{count:,} idle open games", Rate("service ready: first look done"))
    with serving(games.SERVICE, games.PASSWORD) as server, measured(block.ours, 1):
        asyncio.run(_start(games.settings(folder, "idle", server.imap_port, server.smtp_port)))
    block.more = [
        ("until it is ready", block.ours.wall, "s"),
        ("processor time, interpreter and imports included", time.process_time(), "s"),
        ("memory", peak_mb(), "MB"),
    ]
    return block


async def _start(config: Config) -> None:
    with opened(config) as house:
        service = Service(house, mailbox_of(config), transport_of(config))
        await service.mailbox.connect()
        await service.look()
        await service.close()

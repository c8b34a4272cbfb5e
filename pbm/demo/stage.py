"""One whole game: the real service, a mail server, demo players, and a clock that jumps to whatever comes next.

Nothing waits in real time, unless a person has joined. Whenever all mail that can be read has been read and all that
can be sent has been sent, the clock moves to the next thing that somebody wants to do: a player to write, the service
to remind or to close.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import yaml

from pbm.app import Service, house_of, mailbox_of, transport_of
from pbm.clock import VirtualClock
from pbm.config import Config, load_config
from pbm.core import registry
from pbm.core.words import reserved
from pbm.demo import cast, files
from pbm.demo.mailer import Writer
from pbm.demo.minds import MINDS
from pbm.demo.players import Plan, Player
from pbm.demo.server import EmbeddedServer
from pbm.demo.show import Show
from pbm.gamefile import GameFile, load_game_file
from pbm.mail.imap import ImapSettings, Mailbox
from pbm.mail.smtp import SmtpSettings, Transport
from pbm.service import opening, outbox, rounds, timer
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store import db
from pbm.store.models import Game, Turn

START = 1_796_032_800  # Monday 30 November 2026, 10:00 UTC
# A game that takes longer than this, in real seconds, hangs.
LIMIT = 300.0
# So long the clock waits for a person before it looks again, in real seconds.
GLANCE = 1.0


class Stuck(Exception):
    """Nobody has anything left to do, and the game isn't over: a bug, in the demo or in the service."""


class PostOffice(EmbeddedServer):
    """The mail server, with a window: who gets what is told as it is delivered."""

    def __init__(
        self, users: dict[str, str], clock: Callable[[], int], seen: Callable[[str, str, bytes], None]
    ) -> None:
        super().__init__(cast.HOST, users, clock)
        self._seen = seen
        self.delivered = 0

    async def deliver(self, recipient: str, raw: bytes, sender: str = "", login: str | None = None) -> bool:
        taken = await super().deliver(recipient, raw, sender, login)
        if taken:
            self.delivered += 1
            self._seen(sender.lower(), recipient.lower(), raw)
        return taken


@dataclass(frozen=True, slots=True)
class Ending:
    """`days`: of the game's clock; `mails`: all that were delivered; `phases`: that closed."""

    title: str
    winners: tuple[str, ...]
    days: int
    phases: int
    mails: int
    checked: files.Checked


@dataclass
class Stage:
    """`folder`: where the database and at the end the mailboxes go. `join`: the seat that is left to a person."""

    key: str
    count: int
    folder: Path
    seed: int
    show: Show
    join: str | None = None
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(START))
    players: dict[str, Player] = field(default_factory=dict, init=False)
    reports: list[str] = field(default_factory=list, init=False)
    _plans: list[tuple[int, int, str, Plan]] = field(default_factory=list, init=False)
    _tickets: Any = field(default_factory=itertools.count, init=False)
    _ticked: float = field(default=0.0, init=False)
    _told: bool = field(default=False, init=False)
    """Whether the person knows that the game waits."""

    def __post_init__(self) -> None:
        self.names = cast.names(self.count, self.join)
        self.id = f"{self.key.replace('_', '-')}-demo"
        self.chance = Random(f"{self.seed} {self.key}")  # noqa: S311 - whims of demo players
        accounts = [cast.BASE, cast.ARCHIVE, cast.MODERATOR, *map(cast.address, self.names)]
        self.passwords = {account: f"{self.chance.randrange(10**8):08d}" for account in accounts}
        self.game_seed = self.chance.randbytes(32).hex()
        self.office = PostOffice(self.passwords, self.clock.now, self._seen)
        self._by_address = {cast.address(name): name for name in self.names}

    def check(self) -> None:
        """Raise ConfigFaults where the seats don't make a game."""
        _game_file(yaml.safe_dump(self._game()), None)

    async def play(self) -> Ending:
        """The game, from its start to its winner. Raises Stuck, PostFailed, TimeoutError, MailboxError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        await self.office.start()
        try:
            config = self._config()
            file = _game_file(files.write_game(self.folder, self._game()), config)
            self.show.opens(file.game, self.names, self.office, self._guest())
            self.service = Service(
                replace(_house(config), report=self._reported),
                mailbox_of(config),
                transport_of(config),
                clock=self.clock,
                watch_clock=False,
            )
            async with asyncio.timeout(None if self.join else LIMIT):
                await self._open()
                await self.service.db(_start, self.service.house, file, config, self.clock.now())
                await self._run()
            lost = [f"{p.name}'s receipt says nothing of: {line}" for p in self.players.values() for line in p.lost]
            return await self.service.db(_ending, self.id, self.office, [*self.reports, *lost])
        finally:
            await self._close()
            files.keep(self.folder, self.office, self.names)

    # -- the house -------------------------------------------------------------------------------------------------

    def _config(self) -> Config:
        server = {"host": self.office.host, "tls": "none", "user": cast.BASE, "password": self.passwords[cast.BASE]}
        path = files.write_config(
            self.folder,
            {
                "mail": {
                    "address": cast.BASE,
                    "imap": {**server, "port": self.office.imap_port, "also": []},
                    "smtp": {**server, "port": self.office.smtp_port, "rate": "none"},
                    "reply_pattern": f"pbm+{{token}}@{cast.HOST}",
                    "authserv_id": cast.HOST,
                    "own_hosts": [cast.HOST],
                },
                "archive": cast.ARCHIVE,
                "moderator": cast.MODERATOR,
                "database": "sqlite:///pbm.db",
            },
        )
        return load_config(path, {})

    def _game(self) -> dict[str, Any]:
        """The game file."""
        seats = [
            {"name": name, "address": cast.address(name), "timezone": cast.ZONES[n % len(cast.ZONES)]}
            for n, name in enumerate(self.names)
        ]
        desk = {"moderator": cast.MODERATOR, "archive": cast.ARCHIVE}
        return {"game": self.key, "id": self.id, **desk, "seed": self.game_seed, "players": seats}

    async def _open(self) -> None:
        for n, name in enumerate(self.names):
            if name != self.join:
                self.players[name] = self._player(n, name)
        await self.service.mailbox.connect()
        for player in self.players.values():
            await player.open()

    def _player(self, n: int, name: str) -> Player:
        address = cast.address(name)
        login = {"host": self.office.host, "tls": "none", "user": address, "password": self.passwords[address]}
        chance = Random(self.chance.random())  # noqa: S311
        return Player(
            Writer(name, address, cast.program(n), cast.signature(n, name)),
            MINDS[self.key](name, Random(chance.random())),  # noqa: S311
            cast.habits(n, chance),
            Mailbox(ImapSettings(port=self.office.imap_port, also=(), processed="Read", **login)),  # type: ignore[arg-type]
            Transport(SmtpSettings(port=self.office.smtp_port, connections=1, **login)),  # type: ignore[arg-type]
            chance,
        )

    def _guest(self) -> tuple[str, str] | None:
        """User and password of the person who joins."""
        if self.join is None:
            return None
        return cast.address(self.join), self.passwords[cast.address(self.join)]

    async def _close(self) -> None:
        for player in self.players.values():
            await player.close()
        if hasattr(self, "service"):
            await self.service.close()
        await self.office.stop()

    # -- the clock's loop ------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        self._ticked = asyncio.get_running_loop().time()
        while True:
            await self._settle()
            now = await self.service.db(_now, self.id)
            if now.over:
                return
            await self._advance(now)

    async def _settle(self) -> None:
        """Let all mail that is under way arrive and be read, at this very second."""
        await self.service.look()
        while await self.service.send_due():
            pass
        for name, player in self.players.items():
            if player.fresh:
                for plan in await player.read():
                    entry = (self.clock.now() + plan.after, next(self._tickets), name, plan)
                    heapq.heappush(self._plans, entry)

    async def _advance(self, game: "_Now") -> None:
        """Move the clock to what comes next, and let players write whose time it is."""
        now = self.clock.now()
        first = self._plans[0][0] if self._plans else None
        if self.join is not None and self.join in await self.service.db(_waiting, self.id):
            # Others may write meanwhile, but no reminder and no deadline comes sooner than it would in real time.
            if first is None or (game.wake is not None and first >= game.wake):
                await self._wait_for_the_guest()
                return
            steps = [first]
        else:
            steps = [at for at in (game.wake, game.due, first) if at is not None]
        if not steps:
            raise Stuck(f"{self.id}: nobody has anything left to do")
        # What is due already wants the fence to pass: a look at the mailbox that begins a second later.
        self.clock.move_to(max(now + 1, min(steps)))
        while self._plans and self._plans[0][0] <= self.clock.now():
            _, _, name, plan = heapq.heappop(self._plans)
            player = self.players[name]
            if player.current(plan):
                self.show.writes(name, plan, self.clock.now())
                await player.send(plan, self.clock.now(), cast.BASE)

    async def _wait_for_the_guest(self) -> None:
        """Real time, until there may be mail."""
        assert self.join is not None
        if not self._told:
            self._told = True
            self.show.waits(self.join, self.clock.now())
        loop = asyncio.get_running_loop()
        await self.service.mailbox.wait(GLANCE)
        passed = int(loop.time() - self._ticked)
        self._ticked += passed
        self.clock.pass_time(passed)

    def _reported(self, event: str, **facts: Any) -> None:
        """What the service would log as unusual: in a demo nothing is."""
        words = ", ".join(f"{name} {fact}" for name, fact in facts.items() if name != "exc_info")
        self.reports.append(f"the service reports {event}: {words}")

    def _seen(self, sender: str, recipient: str, raw: bytes) -> None:
        """A mail has been delivered: IDLE would tell its reader now."""
        name = self._by_address.get(recipient)
        if name in self.players:
            self.players[name].fresh = True
        if self.join is not None and self._by_address.get(sender) == self.join:
            self._told = False
            self.show.arrives(self.join, self.clock.now())
        self.show.passes(recipient, name, raw, self.clock.now())


def _game_file(source: Path | str, config: Config | None) -> GameFile:
    return load_game_file(source, reserved=reserved(()), facts=lambda key: registry.get(key).facts, config=config)


def _house(config: Config) -> House:
    """The house over a database that is made on the spot."""
    db.connect(config.database)
    db.init()
    return house_of(config)


def _start(house: House, file: GameFile, config: Config, now: int) -> None:
    with db.transaction():
        row = opening.open_game(file, config, now)
        rounds.start(house, row, now)


@dataclass(frozen=True, slots=True)
class _Now:
    """`over`: the game, and all its mails are out. `wake`, `due`: when the service looks and sends next."""

    over: bool
    wake: int | None
    due: int | None


def _now(game: str) -> _Now:
    due = outbox.next_due()
    return _Now(str(Game.get_by_id(game).status) == "over" and due is None, timer.next_wake(), due)


def _waiting(game: str) -> tuple[str, ...]:
    return Table.of(game).waiting()


def _ending(game: str, office: PostOffice, reports: Sequence[str]) -> Ending:
    row = Game.get_by_id(game)
    assert row.started is not None
    assert row.ended is not None
    phases = Turn.select().where((Turn.game == game) & (Turn.status == "closed")).count()
    days = -(-(row.ended - row.started) // 86_400)
    checked = files.check(game, office.mails(cast.ARCHIVE), reports)
    return Ending(row.title, tuple(row.winners), days, phases, office.delivered, checked)

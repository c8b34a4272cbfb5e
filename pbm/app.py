"""Builds the real parts and runs them: the mailbox poller, the alarm clock, the sender. Nothing else does."""

import asyncio
import secrets
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ParamSpec, TypeVar

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger

from pbm.clock import Clock, SystemClock
from pbm.config import Config
from pbm.core import registry
from pbm.mail.address import Keys
from pbm.mail.imap import Arrival, ImapSettings, Mailbox, MailboxError
from pbm.mail.pages import Pages
from pbm.mail.smtp import Outcome, SmtpSettings, Transport
from pbm.mail.templates import Templates
from pbm.service import inbox, intake, mails, outbox, timer
from pbm.service.house import House
from pbm.service.timer import Fence
from pbm.store import db
from pbm.store.models import database

P = ParamSpec("P")
T = TypeVar("T")

log = structlog.get_logger("pbm")

# How long one wait on the mailbox lasts at most: what other processes (the commands) change is seen by then.
GLANCE = 5.0
BACKOFF = (1, 2, 5, 10, 30, 60)
# A mail server's clock that is more off than this is reported, and the fence waits that much longer (MAIL.md).
CLOCK_OFF = 2
# So long `serve --once` tries to close what is due; what isn't closed by then can't be, or isn't the last.
ONCE = 60
# A step of our clock against the time that has really passed.
JUMP = 60


def house_of(config: Config) -> House:
    """What the services need to know, from the settings. The database is open."""
    mail = config.mail
    return House(
        address=mail.address,
        name=mail.name,
        pattern=mail.reply_pattern,
        keys=Keys(db.service_key()),
        pages=Pages(Templates([config.templates])),
        entropy=lambda: secrets.token_bytes(32),
        moderators=config.moderator,
        archive=config.archive,
        authserv_id=mail.authserv_id,
        own_hosts=mail.own_hosts,
        report=lambda event, **facts: log.warning(event, **facts),
    )


def mailbox_of(config: Config) -> Mailbox:
    imap = config.mail.imap
    return Mailbox(
        ImapSettings(
            host=imap.host,
            port=imap.port,
            tls=imap.tls,
            user=imap.user,
            password=imap.password.get_secret_value(),
            folder=imap.folder,
            also=tuple(imap.also),
            processed=imap.processed,
            poll=float(imap.poll),
            ca=str(imap.ca) if imap.ca else None,
            timeout=float(imap.timeout),
        )
    )


def transport_of(config: Config) -> Transport:
    smtp = config.mail.smtp
    return Transport(
        SmtpSettings(
            host=smtp.host,
            port=smtp.port,
            tls=smtp.tls,
            user=smtp.user,
            password=smtp.password.get_secret_value() if smtp.password else None,
            connections=smtp.connections,
            rate=smtp.rate,
            ca=str(smtp.ca) if smtp.ca else None,
            timeout=float(smtp.timeout),
        )
    )


@contextmanager
def opened(config: Config) -> Iterator[House]:
    """The database open and of this pbm's schema, plug-ins on. Raises db.StoreFault, registry.UnknownGame."""
    db.connect(config.database)
    db.ready()
    registry.switch_on(config.plugins)
    try:
        yield house_of(config)
    finally:
        database.close()


@dataclass
class Service:
    """The running service. `clock` and the mail parts may be others than the real ones (the demo's, a test's);
    `watch_clock`: whether the clock is held against the time that has really passed (no virtual clock would do)."""

    house: House
    mailbox: Mailbox
    transport: Transport
    poll: float = 60.0
    clock: Clock = field(default_factory=SystemClock)
    fence: Fence = field(default_factory=lambda: Fence(None))
    offset: float = 0.0
    watch_clock: bool = True

    def __post_init__(self) -> None:
        # One writer, in a thread of its own: the loop never waits for the disk, and nothing waits for a lock.
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="pbm-db")
        self._stop = asyncio.Event()
        self._post = asyncio.Event()
        self._alarm = asyncio.Event()
        self._looked = 0.0
        self._clock_seen: tuple[int, float] | None = None
        self._clock_asked = 0.0
        self._off_told = 0.0

    async def db(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run database work in the writer's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, lambda: work(*args, **kwargs))

    def stop(self) -> None:
        """Finish the step under way and stop."""
        self._stop.set()
        self._post.set()
        self._alarm.set()

    async def run(self) -> None:
        """Serve until `stop` is called (SIGTERM and SIGINT call it)."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, ValueError, RuntimeError):
                loop.add_signal_handler(number, self.stop)
        scheduler = AsyncIOScheduler(job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1})
        scheduler.add_job(self._post.set, IntervalTrigger(seconds=2), id="outbox")
        scheduler.start()
        sender = asyncio.create_task(self._sender())
        log.info("serving", mailbox=self.house.address)
        try:
            await self._poller(scheduler)
        finally:
            scheduler.shutdown(wait=False)
            self.stop()
            await sender
            await self.close()
            log.info("stopped")

    async def close(self) -> None:
        await self.mailbox.close()
        await self.transport.close()
        await self.db(database.close)
        self._writer.shutdown()

    # -- in ----------------------------------------------------------------------------------------------------

    async def _poller(self, scheduler: AsyncIOScheduler) -> None:
        failures = 0
        while not self._stop.is_set():
            try:
                await self._connect()
                while not self._stop.is_set():
                    await self.look()
                    failures = 0
                    await self._wait(scheduler)
            except MailboxError as fault:
                delay = BACKOFF[min(failures, len(BACKOFF) - 1)]
                failures += 1
                log.warning("mailbox_unreachable", reason=str(fault), retry_in=delay)
                # Deadlines wait for the mailbox (the fence); reminders and the moderator's news don't.
                await self._tick()
                await self._rest(delay)
            except Exception:
                # Nothing that comes by mail or stands in the database may end the service.
                delay = BACKOFF[min(failures, len(BACKOFF) - 1)]
                failures += 1
                log.exception("look_failed", retry_in=delay)
                await self._rest(delay)

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    async def _connect(self) -> None:
        await self.mailbox.connect()
        self._clock_asked = float("-inf")

    async def look(self) -> None:
        """One check of the mailbox, then all that it and the clock make due."""
        began = self.clock.now()
        self._looked = asyncio.get_running_loop().time()
        async for batch in self.mailbox.fetch_new(inbox.known):
            await self.db(_committed, batch)
            for (folder, validity), uids in _by_folder(batch).items():
                await self.mailbox.settle(folder, validity, uids)
        if self.watch_clock:
            await self._check_clock(began)
        self.fence = Fence(began, int(abs(self.offset)) if abs(self.offset) > CLOCK_OFF else 0)
        await self._read()
        await self._tick()

    async def _check_clock(self, now: int) -> None:
        """A clock that has jumped closes nothing by itself: the mail server's is asked again, and the fence waits for
        as long as the two differ. Asked anew every hour, too."""
        elapsed = asyncio.get_running_loop().time()
        jump = (now - self._clock_seen[0]) - (elapsed - self._clock_seen[1]) if self._clock_seen else 0.0
        asked = self._clock_asked
        if abs(jump) > JUMP or elapsed - asked > 3600:
            self._clock_asked = elapsed
            self.offset = await self.mailbox.clock_offset()
            off = self.offset if abs(self.offset) > CLOCK_OFF else 0.0
            jumped = jump if abs(jump) > JUMP else 0.0
            # One that stays off as it is has been told.
            if jumped or (off and abs(off - self._off_told) > CLOCK_OFF):
                log.warning("clock_off", jumped=round(jumped), mailbox_differs=self.offset)
                await self.db(_tell_clock, self.house, round(jumped), round(off), now)
                self._off_told = off
            self._off_told = self._off_told if off else 0.0
        self._clock_seen = (now, elapsed)

    async def _read(self) -> None:
        while await self.db(intake.read_all, self.house, self.clock.now(), limit=50):
            self._post.set()

    async def _tick(self) -> None:
        for word in await self.db(timer.tick, self.house, self.clock.now(), self.fence):
            log.info("closed", what=word)
        # A phase that has closed may let mails in that waited for it, and may itself be complete already.
        await self._read()
        self._post.set()

    async def _wait(self, scheduler: AsyncIOScheduler) -> None:
        """Until there may be mail, or something is due, or the poll interval is over."""
        loop = asyncio.get_running_loop()
        while not self._stop.is_set():
            wake = await self.db(timer.next_wake)
            now = self.clock.now()
            if wake is not None and wake > now:
                self._set_alarm(scheduler, wake - now)
            left = self._looked + self.poll - loop.time()
            if wake is not None and wake <= now:
                left = min(left, 1.0)
            if left <= 0 or self._alarm.is_set():
                self._alarm.clear()
                return
            started = loop.time()
            await self.mailbox.wait(min(left, GLANCE, max(0.5, wake - now) if wake is not None else GLANCE))
            ended_early = loop.time() - started < min(left, GLANCE) - 0.2
            if ended_early or (wake is not None and wake <= self.clock.now()):
                return

    def _set_alarm(self, scheduler: AsyncIOScheduler, seconds: int) -> None:
        """APScheduler only wakes: the phase's row says what is to be done."""
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        scheduler.add_job(self._alarm.set, DateTrigger(when), id="alarm", replace_existing=True)

    # -- out ---------------------------------------------------------------------------------------------------

    async def _sender(self) -> None:
        while not self._stop.is_set():
            await self._post.wait()
            self._post.clear()
            try:
                while await self.send_due():
                    if self._stop.is_set():
                        return
            except Exception:
                log.exception("sender_failed")
                await asyncio.sleep(1)

    async def send_due(self) -> int:
        """Send one batch of what is due; gives how many mails were tried."""
        letters = await self.db(outbox.due, self.clock.now())
        if not letters:
            return 0
        # One reader's mails of one game one after the other, as they were queued: a thread begins with its root.
        threads: dict[tuple[str | None, str], list[outbox.Letter]] = {}
        for letter in letters:
            threads.setdefault((letter.game, letter.recipient), []).append(letter)
        sent = await asyncio.gather(*(self._send(thread) for thread in threads.values()))
        await self.db(_settled, self.house, [result for results in sent for result in results], self.clock.now())
        return len(letters)

    async def _send(self, thread: Sequence[outbox.Letter]) -> list[tuple[int, Outcome]]:
        return [
            (letter.id, await self.transport.send(self.house.address, letter.recipient, letter.raw))
            for letter in thread
        ]

    async def once(self, patience: Callable[[float], Awaitable[Any]] = asyncio.sleep) -> None:
        """`serve --once`: read, close what is due (which takes a second look behind each deadline), send, end."""
        began = self.clock.now()
        try:
            await self._connect()
            while True:
                await self.look()
                wake, now = await self.db(timer.next_wake), self.clock.now()
                if wake is None or wake > now:
                    break
                if now > began + ONCE + 2 * abs(self.offset):
                    log.warning("left_for_next_time", due=wake)
                    break
                await patience(1.0)
            while await self.send_due():
                pass
        finally:
            await self.close()


def _committed(batch: list[Arrival]) -> None:
    with db.transaction():
        inbox.store(batch)


def _tell_clock(house: House, jump: int, offset: int, now: int) -> None:
    with db.transaction():
        mails.clock(house, jump, offset, now)


def _settled(house: House, results: list[tuple[int, Outcome]], now: int) -> None:
    with db.transaction():
        outbox.settle(house, results, now)


def _by_folder(batch: list[Arrival]) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = {}
    for arrival in batch:
        found.setdefault((arrival.folder, arrival.uidvalidity), []).append(arrival.uid)
    return found

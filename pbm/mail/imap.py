"""The mailbox as the service sees it: new mails in sets, settled in batches, a hint when there may be more.

IDLE is the hint and polling the rule. Neither flags nor message numbers are relied on: a mail is (folder,
UIDVALIDITY, UID), the database says which ones it holds, and a mail that is settled leaves the folder. Of the answers
only UID, size, INTERNALDATE and the body as a literal are read (STACK.md section 5).
"""

import asyncio
import contextlib
import math
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import aioimaplib

from pbm.clock import SystemClock
from pbm.mail import imap_text as wire
from pbm.mail.imap_session import ImapSettings, MailboxError, Session

__all__ = ["Arrival", "ImapSettings", "Mailbox", "MailboxError"]

FETCH_SET = 50
FETCH_HEAD = 1_048_576
"""Bytes read of one mail (DESIGN.md: of 10 MB in all the first 1 MB is fetched and read)."""
_FETCH_BYTES = 4 * FETCH_HEAD
_SETTLE_SET = 200
_RENEW = 300.0
"""Seconds of one IDLE: well before the 29 minutes of RFC 2177, and before most routers forget the connection."""
_SLOWEST = 65_536
"""Bytes a second that a line must carry before a time limit counts as a hang."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A mail in a folder. `internaldate`: whole seconds UTC by the server's clock, the arrival that counts;
    `size`: its true size in bytes; `raw`: its bytes, of a larger mail the first FETCH_HEAD."""

    folder: str
    uidvalidity: int
    uid: int
    internaldate: int
    size: int
    raw: bytes


Known = Callable[[str, int, Sequence[int]], Sequence[int]]
"""(folder, uidvalidity, uids) → those of the uids whose mails the database already holds."""


class Mailbox:
    """One connection to the one mailbox. One task at a time; after a MailboxError call `connect` again.

    `clock` is our clock in seconds UTC (this machine's by default), used by `clock_offset` alone.
    Errors: MailboxError from every method but `close`.
    """

    def __init__(self, settings: ImapSettings, clock: Callable[[], float] | None = None) -> None:
        self._settings = settings
        self._clock = clock or SystemClock().now
        self._session = Session(settings)
        self._selected: tuple[str, int] | None = None
        self._idle_works = True

    async def connect(self) -> None:
        """Connect, log in, and make the processed folder where it is missing."""
        await self.close()
        self._session = Session(self._settings)
        self._idle_works = True
        await self._session.open()
        processed = self._settings.processed
        if not await self._exists(processed):
            name = wire.folder_name(processed)
            await self._session.command(self._session.client.create(name), f"making the folder {processed}")
            await self._session.run(self._session.client.subscribe(name), f"subscribing to {processed}")

    async def close(self) -> None:
        self._selected = None
        await self._session.close()

    async def ping(self) -> None:
        """NOOP."""
        await self._session.command(self._session.client.noop(), "NOOP")

    async def fetch_new(self, known: Known) -> AsyncIterator[list[Arrival]]:
        """Every mail of the folders that the database doesn't hold yet, in sets of at most 50, oldest UID first.

        What it does hold was left behind by a crash between commit and move: that is settled on the way. A folder
        of `also` that doesn't exist is passed over; one that exists and can't be opened is an error, for else a mail
        that came in time would be missed.
        """
        folders = [name for name in dict.fromkeys(self._settings.also) if name != self._settings.folder]
        for folder in (*folders, self._settings.folder):
            validity = await self._select(folder, fresh=True)
            if validity is None:
                if folder == self._settings.folder or await self._exists(folder):
                    raise MailboxError(f"the folder {folder} can't be opened")
                continue
            uids = await self._search("ALL")
            held = set(known(folder, validity, uids)) if uids else set()
            await self.settle(folder, validity, [uid for uid in uids if uid in held])
            for chunk in _chunks([uid for uid in uids if uid not in held], FETCH_SET):
                for part, heads in await self._measure(folder, chunk):
                    if arrivals := await self._fetch(folder, validity, part, heads):
                        yield arrivals

    async def settle(self, folder: str, uidvalidity: int, uids: Sequence[int]) -> None:
        """Flag \\Seen and move to the processed folder, in one batch; only after the rows are committed.

        Does nothing for a UIDVALIDITY that is gone: these UIDs name other mails now, if any.
        """
        if not uids or await self._select(folder) != uidvalidity:
            return
        client = self._session.client
        target = wire.folder_name(self._settings.processed)
        for chunk in _chunks(sorted(uids), _SETTLE_SET):
            numbers = wire.uid_set(chunk)
            await self._session.command(
                client.uid("store", numbers, "+FLAGS.SILENT", r"(\Seen)"), "flagging mails as seen"
            )
            if self._session.can("MOVE"):
                await self._session.command(client.uid("move", numbers, target), "moving mails")
            else:
                await self._session.command(client.uid("copy", numbers, target), "copying mails")
                await self._delete(chunk)

    async def wait(self, seconds: float) -> None:
        """Until something may have arrived, at most `seconds`. A hint: look with `fetch_new` whatever ended it."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        if await self._select(self._settings.folder) is None:
            raise MailboxError(f"the folder {self._settings.folder} can't be opened")
        while (left := end - loop.time()) > 0:
            if self._idle_works and self._session.can("IDLE"):
                if await self._idle(min(left, _RENEW)):
                    return
            else:
                await self._session.run(asyncio.sleep(left), "waiting", left + self._settings.timeout)

    async def clock_offset(self) -> float:
        """The server's clock minus ours, in whole seconds: the INTERNALDATE that a probe gets without a date."""
        processed = self._settings.processed
        mark = f"<{secrets.token_hex(12)}@clock.pbm.invalid>"
        probe = f"Message-ID: {mark}\r\nSubject: clock probe of pbm\r\n\r\n".encode("ascii")
        before = self._clock()
        response = await self._session.command(
            self._session.client.append(probe, wire.folder_name(processed)), "leaving a clock probe"
        )
        after = self._clock()
        if await self._select(processed, fresh=True) is None:
            raise MailboxError(f"the folder {processed} can't be opened")
        uid = wire.read_appenduid(response.lines)
        uids = [uid] if uid is not None else await self._search("HEADER", "Message-ID", wire.quote(mark))
        stamps = await self._fetch_items(uids, "(UID INTERNALDATE)", 0) if uids else []
        dates = [_internaldate(found) for found in stamps if found.uid in uids]
        if not dates:
            raise MailboxError("the clock probe is not to be found in its folder")
        await self._delete(uids)
        # The stamp is cut to its second: half a second stands for what was cut, and a tie goes to the lower one,
        # which is right where our clock counts whole seconds too.
        return float(math.ceil(dates[0] - (before + after) / 2))

    async def _exists(self, folder: str) -> bool:
        response = await self._session.command(
            self._session.client.list('""', wire.folder_name(folder)), f"looking for the folder {folder}"
        )
        return any(
            b"\\noselect" not in line.lower() and b"\\nonexistent" not in line.lower() for line in response.lines[:-1]
        )

    async def _select(self, folder: str, *, fresh: bool = False) -> int | None:
        """The UIDVALIDITY of the folder, now the selected one; None where the server refuses to open it."""
        client = self._session.client
        if self._selected is not None and self._selected[0] == folder and not fresh:
            return self._selected[1]
        self._selected = None
        response = await self._session.run(client.select(wire.folder_name(folder)), f"opening {folder}")
        if response.result != "OK":
            return None
        validity = wire.read_uidvalidity(response.lines)
        if validity is None:
            raise MailboxError(f"the server tells no UIDVALIDITY of the folder {folder}")
        self._selected = (folder, validity)
        return validity

    async def _search(self, *criteria: str) -> list[int]:
        # No CHARSET: the library's default is refused by servers that know none.
        response = await self._session.command(
            self._session.client.uid_search(*criteria, charset=None), "searching the folder"
        )
        return wire.read_uids(response.lines)

    async def _fetch_items(self, uids: Sequence[int], items: str, size: int) -> list[wire.Fetched]:
        response = await self._session.command(
            self._session.client.uid("fetch", wire.uid_set(uids), items),
            "fetching mails",
            self._settings.timeout + size / _SLOWEST,
        )
        return list(wire.read_fetch(response.lines))

    async def _measure(self, folder: str, uids: Sequence[int]) -> list[tuple[list[int], dict[int, tuple[int, int]]]]:
        """Parts of `uids` that are small enough to fetch at once, with (size, internaldate) of each."""
        found: dict[int, tuple[int, int]] = {}
        for item in await self._fetch_items(uids, "(UID RFC822.SIZE INTERNALDATE)", 0):
            if item.uid in uids and item.uid is not None and "RFC822.SIZE" in item.items:
                found[item.uid] = (int(item.items["RFC822.SIZE"]), _internaldate(item))
        parts: list[list[int]] = []
        room = 0
        for uid in sorted(found):
            cost = min(found[uid][0], FETCH_HEAD)
            if cost > room or not parts:
                parts.append([])
                room = _FETCH_BYTES
            parts[-1].append(uid)
            room -= cost
        return [(part, {uid: found[uid] for uid in part}) for part in parts]

    async def _fetch(
        self, folder: str, validity: int, uids: Sequence[int], heads: dict[int, tuple[int, int]]
    ) -> list[Arrival]:
        """The mails of one part; one that was removed meanwhile is missing."""
        if await self._select(folder) != validity:
            raise MailboxError(f"the UIDVALIDITY of {folder} changed while it was read")
        size = sum(min(head[0], FETCH_HEAD) for head in heads.values())
        bodies = {
            item.uid: item.body
            for item in await self._fetch_items(uids, f"(UID BODY.PEEK[]<0.{FETCH_HEAD}>)", size)
            if item.uid is not None and item.body is not None
        }
        return [
            Arrival(folder, validity, uid, heads[uid][1], heads[uid][0], body)
            for uid in uids
            if (body := bodies.get(uid)) is not None
        ]

    async def _delete(self, uids: Sequence[int]) -> None:
        """Remove these mails of the selected folder, and no other."""
        client = self._session.client
        numbers = wire.uid_set(uids)
        await self._session.command(
            client.uid("store", numbers, "+FLAGS.SILENT", r"(\Deleted)"), "flagging mails as deleted"
        )
        if self._session.can("UIDPLUS"):
            await self._session.command(client.uid("expunge", numbers), "removing mails")
            return
        # EXPUNGE takes everything that is flagged: what others have flagged is spared meanwhile.
        others = [uid for uid in await self._search("DELETED") if uid not in set(uids)]
        for chunk in _chunks(others, _SETTLE_SET):
            await self._session.command(
                client.uid("store", wire.uid_set(chunk), "-FLAGS.SILENT", r"(\Deleted)"), "sparing mails"
            )
        await self._session.command(client.expunge(), "removing mails")
        for chunk in _chunks(others, _SETTLE_SET):
            await self._session.command(
                client.uid("store", wire.uid_set(chunk), "+FLAGS.SILENT", r"(\Deleted)"), "flagging mails"
            )

    async def _idle(self, seconds: float) -> bool:
        """One IDLE; True where something may have arrived."""
        client = self._session.client
        loop = asyncio.get_running_loop()
        # Some servers push only what comes after IDLE's start: NOOP asks for what came since the last look.
        since = await self._session.command(client.noop(), "NOOP")
        if _tells_of_mail(since.lines[:-1]):
            return True
        started = await self._session.run(_start_idle(client, seconds + 3600.0), "starting IDLE")
        if started is None:
            self._idle_works = False
            return False
        end = loop.time() + seconds
        arrived = False
        while not arrived and (left := end - loop.time()) > 0:
            lines = await self._session.run(_push(client, left), "waiting for mail", left + self._settings.timeout)
            arrived = _tells_of_mail(lines)
        command = client.protocol.pending_sync_command
        client.idle_done()
        await self._session.run(_finished(started), "ending IDLE")
        # What was pushed at the last moment: in the queue, or still in the library's buffer if the end came with it.
        late = [] if command is None else list(command.buffer)
        while not client.protocol.idle_queue.empty():
            late.extend(client.protocol.idle_queue.get_nowait())
        return arrived or _tells_of_mail(late)


async def _start_idle(client: Any, beyond: float) -> asyncio.Future[Any] | None:
    """None where the server offers IDLE and refuses it."""
    try:
        started: asyncio.Future[Any] = await client.idle_start(beyond)
    except aioimaplib.Abort:
        return None
    return started


async def _push(client: Any, seconds: float) -> list[bytes]:
    """Untagged lines of the server, none after `seconds`."""
    with contextlib.suppress(TimeoutError):
        return [bytes(line) for line in await client.wait_server_push(seconds)]
    return []


def _tells_of_mail(lines: Sequence[bytes]) -> bool:
    return any(bytes(line).upper().rstrip().endswith((b" EXISTS", b" RECENT")) for line in lines)


async def _finished(started: asyncio.Future[Any]) -> Any:
    return await started


def _internaldate(found: wire.Fetched) -> int:
    try:
        return wire.read_internaldate(found.items["INTERNALDATE"])
    except (KeyError, ValueError):
        raise MailboxError(f"the server tells no arrival time of mail {found.uid}") from None


def _chunks(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))

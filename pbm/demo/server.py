"""A mail server in this process and event loop: aiosmtpd takes mails in, pymap's dict backend gives them out.

For `pbm demo` and quick tests, on loopback only: nothing is stored on disk, and logins go in clear. Arrival times
come from a clock that is given, so that a game's weeks can pass in seconds.
"""

import asyncio
import itertools
import logging
from argparse import Namespace
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import formatdate
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from proxyprotocol.reader import ProxyProtocolReader
from proxyprotocol.sock import SocketInfo
from proxyprotocol.version import ProxyProtocolVersion
from pymap.backend.dict import Config, Login
from pymap.backend.dict.filter import FilterSet
from pymap.backend.dict.mailbox import MailboxData, MailboxSet, Message
from pymap.concurrent import Subsystem
from pymap.imap import IMAPServer
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials import ObjectId
from pymap.user import UserMetadata
from pysasl.hashing import BuiltinHash

_HOST = "127.0.0.1"
_SIZE_LIMIT = 32 * 1024 * 1024

Clock = Callable[[], int]
"""Whole seconds UTC."""

# aiosmtpd logs mails at DEBUG, each connection at INFO, and warns of its own use of an attribute at each login.
logging.getLogger("mail.log").setLevel(logging.ERROR)


class EmbeddedServer:
    """SMTP and IMAP on free ports of loopback, for these users.

    `users`: address → password; the address in lower case is the login name of both protocols. Mail for
    `name+anything@host` goes to `name@host`; an unknown recipient is refused with 550. Who submits without a login is
    a stranger: the server's Authentication-Results (authserv-id: `domain`) show a pass only where the login is the
    sender. `smtp_port` and `imap_port` are known once it is started.
    """

    def __init__(self, domain: str, users: Mapping[str, str], clock: Clock) -> None:
        self.domain = domain
        self._passwords = {address.lower(): password for address, password in users.items()}
        self._clock = clock
        self._boxes: dict[str, _Folders] = {}
        self._ids = itertools.count(1)
        self._smtp: asyncio.Server | None = None
        self._imap: asyncio.Server | None = None
        self.smtp_port = 0
        self.imap_port = 0
        self._smtp_sessions: list[SMTP] = []
        self._imap_tasks: set[asyncio.Task[None]] = set()

    @property
    def host(self) -> str:
        return _HOST

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        hashing = BuiltinHash(rounds=1)  # the passwords are in memory anyway, and logins must be quick
        args = Namespace(passlib_cfg=None, proxy_protocol=None, inherited_sockets=None)
        config = Config(
            args,
            demo_data=False,
            demo_user="",
            demo_password="",
            host=_HOST,
            port=0,
            tls_enabled=False,
            hash_context=hashing,
            cpu_subsystem=Subsystem.for_asyncio(),
            invalid_user_sleep=0.0,
            reject_dnsbl=False,
        )
        config.apply_context()
        login = Login(config)
        for address, password in self._passwords.items():
            self._boxes[address] = folders = _Folders(self._clock)
            config.set_cache[address] = (folders, FilterSet())
            hashed = hashing.hash(config.password_prep(password))
            login.users_dict[address] = UserMetadata(config, address, password=hashed)
        serve = IMAPServer(login, config)

        async def imap_session(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, info: SocketInfo) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._imap_tasks.add(task)
            task.add_done_callback(self._imap_tasks.discard)
            await serve(reader, writer, info)

        reader = ProxyProtocolReader(ProxyProtocolVersion.get(None))
        self._imap = await asyncio.start_server(reader.get_callback(imap_session), _HOST, 0)
        self._smtp = await loop.create_server(self._smtp_session, _HOST, 0)
        self.imap_port, self.smtp_port = _port(self._imap), _port(self._smtp)

    async def stop(self) -> None:
        """Close both ports and every session; the mailboxes stay readable."""
        for server in (self._smtp, self._imap):
            if server is not None:
                server.close()
        for session in self._smtp_sessions:
            if session.transport is not None:
                session.transport.close()
        for task in list(self._imap_tasks):
            task.cancel()
        await asyncio.gather(*self._imap_tasks, return_exceptions=True)
        self._smtp_sessions.clear()

    def mails(self, address: str) -> list[bytes]:
        """The mails of a user, all folders together, in the order of their arrival."""
        return [raw for _, raw in self._boxes[address.lower()].stored()]

    def mbox(self, address: str) -> bytes:
        """The same as one file in mboxrd format."""
        parts: list[bytes] = []
        for arrived, raw in self._boxes[address.lower()].stored():
            stamp = datetime.fromtimestamp(arrived, UTC).strftime("%a %b %d %H:%M:%S %Y")
            lines = raw.replace(b"\r\n", b"\n").split(b"\n")
            quoted = [b">" + line if line.lstrip(b">").startswith(b"From ") else line for line in lines]
            parts.append(f"From MAILER-DAEMON {stamp}\n".encode("ascii") + b"\n".join(quoted).rstrip(b"\n"))
        return b"".join(part + b"\n\n" for part in parts)

    async def deliver(self, recipient: str, raw: bytes, sender: str = "", login: str | None = None) -> bool:
        """Put a mail (CRLF line ends) into the recipient's INBOX, as the SMTP side does; False if there is none."""
        box = self._boxes.get(_mailbox(recipient))
        if box is None:
            return False
        passed = login is not None and login == sender.lower()
        trace = (
            f"Return-Path: <{sender}>\r\n"
            f"Delivered-To: {recipient}\r\n"
            f"Received: from {'submission' if login else 'mx'} by {self.domain} with ESMTP{'A' if login else ''}\r\n"
            f"\tid {next(self._ids):08d}; {formatdate(self._clock())}\r\n"
            f"Authentication-Results: {self.domain};\r\n"
            f"\tspf={'pass' if passed else 'none'} smtp.mailfrom={sender or 'none'}\r\n"
        )
        await box.inbox.append(AppendMessage(trace.encode() + raw), recent=True)
        return True

    def _smtp_session(self) -> SMTP:
        session = SMTP(
            _Handler(self),
            data_size_limit=_SIZE_LIMIT,
            enable_SMTPUTF8=True,
            hostname=self.domain,
            ident="pbm",
            authenticator=self._authenticate,
            auth_require_tls=False,
            loop=asyncio.get_running_loop(),
        )
        self._smtp_sessions = [known for known in self._smtp_sessions if known.transport is not None]
        self._smtp_sessions.append(session)
        return session

    def _authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        if not isinstance(data, LoginPassword):
            return AuthResult(success=False, handled=False)
        login = data.login.decode("utf-8", "replace").lower()
        known = self._passwords.get(login)
        right = known is not None and known == data.password.decode("utf-8", "replace")
        return AuthResult(success=right, handled=False, auth_data=login)

    def knows(self, recipient: str) -> bool:
        return _mailbox(recipient) in self._boxes


class _Handler:
    """aiosmtpd's hooks for one session."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server

    async def handle_RCPT(  # noqa: N802  # aiosmtpd's name
        self, server: Any, session: Any, envelope: Any, address: str, rcpt_options: list[str]
    ) -> str:
        if not self._server.knows(address):
            return f"550 5.1.1 <{address}>: no such mailbox here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 Ok"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  # aiosmtpd's name
        login = session.auth_data if session.authenticated else None
        for recipient in envelope.rcpt_tos:
            await self._server.deliver(recipient, envelope.content, envelope.mail_from or "", login)
        return "250 2.0.0 Ok: delivered"


class _Folder(MailboxData):
    """A folder whose mails are stamped by the given clock, unless APPEND names a date."""

    def __init__(self, owner: "_Folders") -> None:
        super().__init__(owner._content_cache, owner._thread_cache)
        self._clock = owner.clock

    async def append(self, append_msg: AppendMessage, *, recent: bool = False) -> Message:
        when = append_msg.when or datetime.fromtimestamp(self._clock(), UTC)
        stamped = AppendMessage(append_msg.literal, when, append_msg.flag_set, append_msg.options)
        return await super().append(stamped, recent=recent)

    def stored(self) -> list[tuple[int, bytes]]:
        return [
            (int(message.internal_date.timestamp()), bytes(message._content))
            for message in self._messages.values()
            if message._content is not None
        ]


class _Folders(MailboxSet):
    """A user's folders."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.inbox = _Folder(self)
        self._inbox = self.inbox

    async def add_mailbox(self, name: str) -> ObjectId:
        async with self._set_lock.write_lock():
            if name in self._set:
                raise ValueError(name)
            folder = self._set[name] = _Folder(self)
        return folder.mailbox_id

    def stored(self) -> list[tuple[int, bytes]]:
        """(arrival, bytes) of every mail."""
        folders = [*self._set.values(), self.inbox]
        mails = [mail for folder in folders if isinstance(folder, _Folder) for mail in folder.stored()]
        return sorted(mails, key=lambda mail: mail[0])


def _mailbox(recipient: str) -> str:
    local, _, domain = recipient.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _port(server: asyncio.Server) -> int:
    return int(server.sockets[0].getsockname()[1])

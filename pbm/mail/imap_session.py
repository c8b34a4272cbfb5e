"""One IMAP connection over aioimaplib, logged in, with a limit on every call; dropped rather than trusted in doubt.

aioimaplib 2.0.3 leaves three things to be done here. A lost connection wakes nobody who waits, so each call is
raced against the loss. A call that was cut off leaves its command pending for ever, so the connection goes with it.
Its exceptions hold the command with LOGIN's password in it, so no text of theirs is passed on.
"""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

import aioimaplib

from pbm.mail import imap_text as wire
from pbm.mail.net import client_context, fault, printable

# At DEBUG and INFO the library logs whole mails, and with them tokens; its scrubbing misses escaped passwords.
logging.getLogger("aioimaplib").setLevel(logging.WARNING)


class MailboxError(Exception):
    """Why the mailbox couldn't be read, in words of an operator; holds no password. The connection may be gone."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ImapSettings:
    """`mail.imap` of the configuration (INTERFACE.md). `poll` and `timeout` in seconds; `ca`: a file, or the
    system's authorities; `tls` none is in clear, so for loopback only."""

    host: str
    port: int
    tls: Literal["implicit", "none"]
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"
    also: tuple[str, ...] = ("Junk",)
    processed: str = "Processed"
    poll: float = 60.0
    ca: str | None = None
    timeout: float = 30.0


class _Lost(Exception):
    """The connection ended while an answer was awaited."""


class _Protocol(aioimaplib.IMAP4ClientProtocol):  # type: ignore[misc]  # the library has no types
    """Ends the connection on an answer that the library can't read; by itself it would log it, and wait on."""

    trouble: str = ""

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except Exception as error:
            self._give_up(f"answer not understood ({type(error).__name__})")

    async def welcome(self, line: bytes) -> None:
        try:
            await super().welcome(line)
        except Exception:
            self._give_up(f"unfit greeting: {printable(line.decode('utf-8', 'replace'))}")

    def _untagged_response(self, line: bytes) -> Any:
        pending = self.pending_sync_command
        if line[:5].upper() == b"* BYE" and (pending is None or pending.name != "LOGOUT"):
            # The library takes BYE for data, and a server may say it and leave the line open.
            words = printable(line[5:].decode("utf-8", "replace"))
            self._give_up(f"the server ended the connection: {words}")
        return super()._untagged_response(line)

    def _give_up(self, trouble: str) -> None:
        self.trouble = self.trouble or trouble
        self.transport.abort()


class _Client(aioimaplib.IMAP4):  # type: ignore[misc]  # the library has no types
    def create_client(
        self,
        host: str,
        port: int,
        loop: asyncio.AbstractEventLoop | None,
        conn_lost_cb: Callable[[Exception | None], None] | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        running = loop or asyncio.get_running_loop()
        protocol = _Protocol(running, conn_lost_cb)
        self.protocol = protocol
        self._client_task = running.create_task(
            running.create_connection(lambda: protocol, host, port, ssl=ssl_context)
        )

    def drop(self) -> None:
        """End the connection at once, and everything that waits for it."""
        self._client_task.cancel()
        if self._idle_waiter is not None:
            self._idle_waiter.cancel()
        if self.protocol.transport is not None:
            if self.has_pending_idle():
                with contextlib.suppress(Exception):
                    self.idle_done()
            self.protocol.transport.abort()
        for task in (*self.tasks, *self.protocol.tasks):
            task.cancel()


class Session:
    """A logged-in connection. `run` is the only way to talk on it; one caller at a time.

    Errors: every method raises MailboxError.
    """

    def __init__(self, settings: ImapSettings) -> None:
        self._settings = settings
        self._client: _Client | None = None
        self._lost: asyncio.Future[None] | None = None

    @property
    def client(self) -> Any:
        """aioimaplib's client, for calls that are handed to `run`."""
        if self._client is None:
            raise MailboxError("not connected to the mailbox")
        return self._client

    def can(self, capability: str) -> bool:
        return bool(self.client.has_capability(capability))

    async def open(self) -> None:
        """Connect, verify TLS, log in, and ask what the server can (after the login: it may be more then)."""
        settings = self._settings
        context = None
        if settings.tls == "implicit":
            try:
                context = client_context(settings.ca)
            except OSError as error:
                raise MailboxError(f"can't read the CA file {settings.ca}: {error.strerror}") from None
        lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def on_loss(_: Exception | None) -> None:
            if not lost.done():
                lost.set_result(None)

        self._lost = lost
        # The library's own limits are set far out: those of `run` rule.
        self._client = _Client(settings.host, settings.port, None, settings.timeout * 20, on_loss, ssl_context=context)
        await self.run(self._client.wait_hello_from_server(), f"connecting to {settings.host}:{settings.port}")
        if self.client.get_state() != aioimaplib.AUTH:
            await self._log_in()
        await self.run(self.client.protocol.capability(), "asking for capabilities")

    async def _log_in(self) -> None:
        settings = self._settings
        if self.can("LOGINDISABLED"):
            self.drop()
            raise MailboxError("the server takes no login on this connection: set tls: implicit")
        response = await self.run(self.client.login(wire.quote(settings.user), settings.password), "login")
        if response.result != "OK":
            self.drop()
            reason = server_text(response)
            if settings.password:
                reason = reason.replace(settings.password, "…")
            raise MailboxError(f"login of {settings.user} refused: {reason}")

    async def run(self, call: Coroutine[Any, Any, Any], what: str, seconds: float | None = None) -> Any:
        """The result of `call`, one of the client's coroutines; MailboxError with `what` where there is none.

        `seconds` is the limit, else the settings' timeout. After any failure the connection is dropped.
        """
        limit = self._settings.timeout if seconds is None else seconds
        try:
            return await asyncio.wait_for(self._until_lost(call), limit)
        except asyncio.CancelledError:
            self.drop()
            raise
        except _Lost:
            reason = "the server closed the connection"
        except (TimeoutError, aioimaplib.CommandTimeout):
            reason = f"no answer within {limit:g} s"
        except OSError as error:
            reason = fault(error)
        except (aioimaplib.AioImapException, ValueError) as error:
            reason = f"failed ({type(error).__name__})"
        # Raised outside of the handlers, so that no exception of the library hangs on as context.
        trouble = self._client.protocol.trouble if self._client is not None else ""
        self.drop()
        raise MailboxError(f"{what}: {trouble or reason}")

    async def _until_lost(self, call: Awaitable[Any]) -> Any:
        task = asyncio.ensure_future(call)
        try:
            if self._lost is None:
                raise _Lost
            await asyncio.wait({task, self._lost}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise _Lost
            return task.result()
        finally:
            task.cancel()

    async def command(self, call: Coroutine[Any, Any, Any], what: str, seconds: float | None = None) -> Any:
        """As `run`, for a command that must be answered with OK. A NO leaves the connection as it is."""
        response = await self.run(call, what, seconds)
        if response.result != "OK":
            raise MailboxError(f"{what}: refused by the server: {server_text(response)}")
        return response

    def drop(self) -> None:
        client, self._client = self._client, None
        lost, self._lost = self._lost, None
        if client is not None:
            client.drop()
        if lost is not None and not lost.done():
            lost.set_result(None)

    async def close(self) -> None:
        """Log out politely, but briefly; never fails."""
        if self._client is not None:
            with contextlib.suppress(MailboxError):
                await self.run(self._client.logout(), "logout", min(5.0, self._settings.timeout))
        self.drop()


def server_text(response: Any) -> str:
    """The tagged line's text of an answer, fit for a log."""
    last = bytes(response.lines[-1]) if response.lines else b""
    return printable(last.decode("utf-8", "replace")) or str(response.result)

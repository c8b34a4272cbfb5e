"""The way out: mails handed to the SMTP server over a few reused connections, one recipient each.

`Transport.send` never raises: it says what became of the mail. The steps of RFC 5321 are taken one by one, so that it
is known whether a lost connection can have left the mail at the server. Before the end of DATA it can't, after it the
outcome is unknown, and the same bytes with the same Message-ID are sent again later.
"""

import asyncio
import contextlib
import ssl
from dataclasses import dataclass, field
from typing import Literal

import aiosmtplib

from pbm.addresses import address_fault
from pbm.mail.net import client_context, fault, printable

_IDLE_LIMIT = 60.0
"""Seconds after which an unused connection isn't tried again: servers and routers forget it silently."""
_CLOSING = 421
_LOGIN = (530, 534, 535, 538)
"""Answers about login and TLS (RFC 4954, RFC 3207): at whatever step, they speak of our configuration."""


@dataclass(frozen=True, slots=True)
class SmtpSettings:
    """`mail.smtp` of the configuration (INTERFACE.md). `rate`: mails a second in all, None without limit;
    `timeout` in seconds; `ca`: a file, or the system's authorities; user None: no login; `helo`: our name in EHLO,
    None for that of this machine."""

    host: str
    port: int
    tls: Literal["implicit", "starttls", "none"]
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    connections: int = 4
    rate: float | None = None
    ca: str | None = None
    timeout: float = 30.0
    helo: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The server has taken the mail over."""

    text: str


@dataclass(frozen=True, slots=True)
class Later:
    """Try again: a 4xx, or (code None) no answer, a lost connection, a login that failed. After some of these the
    mail may have arrived nevertheless."""

    code: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Refused:
    """This mail will not be taken: a 5xx about it, or (code None) our own reason not to hand it over."""

    code: int | None
    text: str


Outcome = Sent | Later | Refused


class TransportError(Exception):
    """Why the SMTP server can't be used, in words of an operator; holds no password."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


@dataclass(slots=True)
class _Connection:
    client: aiosmtplib.SMTP
    used: float
    """Loop time of the last answer."""
    reused: bool = False


class Transport:
    """At most `connections` at once; safe for many tasks."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._idle: list[_Connection] = []
        self._slots = asyncio.Semaphore(settings.connections)
        self._next_turn = 0.0
        self._closed = False

    async def send(self, sender: str, recipient: str, raw: bytes) -> Outcome:
        """Hand over one mail for one recipient. `raw`: its bytes with CRLF line ends; they are sent as they are.

        The addresses are checked first: the library cuts a malformed one short, and would send elsewhere.
        """
        for name, address in (("sender", sender), ("recipient", recipient)):
            if reason := address_fault(address):
                return Refused(None, f"{name} address not usable: {reason}")
        async with self._slots:
            await self._take_turn()
            reused = self._reuse()
            if reused is not None:
                outcome = await self._deliver(reused, sender, recipient, raw)
                if outcome is not None:
                    return outcome
            # The reused connection was dead before it had the mail: once more over a fresh one.
            try:
                fresh = await self._connect()
            except TransportError as error:
                return Later(error.code, error.reason)
            outcome = await self._deliver(fresh, sender, recipient, raw)
            return outcome or Later(None, "the server closed the connection")

    async def check(self) -> None:
        """Connect, log in and say NOOP. Errors: TransportError."""
        connection = await self._connect()
        try:
            answer = await connection.client.noop()
        except (aiosmtplib.SMTPException, OSError) as error:
            raise _transport_error("NOOP", error) from None
        finally:
            await _quit(connection.client)
        if answer.code >= 400:
            raise TransportError(f"NOOP: {answer.code} {printable(answer.message)}", answer.code)

    async def close(self) -> None:
        """Say QUIT on the idle connections; those in use close when their mail is through."""
        self._closed = True
        idle, self._idle = self._idle, []
        await asyncio.gather(*(_quit(connection.client) for connection in idle))

    async def _take_turn(self) -> None:
        """Wait for this mail's turn under the rate: turns are evenly spaced, an idle time saves up none."""
        if self._settings.rate is None:
            return
        now = asyncio.get_running_loop().time()
        turn = max(now, self._next_turn)
        self._next_turn = turn + 1 / self._settings.rate
        await asyncio.sleep(turn - now)

    def _reuse(self) -> _Connection | None:
        now = asyncio.get_running_loop().time()
        while self._idle:
            connection = self._idle.pop()
            if connection.client.is_connected and now - connection.used < _IDLE_LIMIT:
                return connection
            connection.client.close()
        return None

    def _give_back(self, connection: _Connection) -> None:
        if self._closed or not connection.client.is_connected:
            connection.client.close()
            return
        connection.reused = True
        connection.used = asyncio.get_running_loop().time()
        self._idle.append(connection)

    async def _connect(self) -> _Connection:
        settings = self._settings
        context: ssl.SSLContext | None = None
        if settings.tls != "none":
            try:
                context = client_context(settings.ca)
            except OSError as error:
                raise TransportError(f"can't read the CA file {settings.ca}: {error.strerror}") from None
        # start_tls is explicit: left to itself the library upgrades where it can, and else sends in clear.
        client = aiosmtplib.SMTP(
            hostname=settings.host,
            port=settings.port,
            use_tls=settings.tls == "implicit",
            start_tls=settings.tls == "starttls",
            tls_context=context,
            timeout=settings.timeout,
            local_hostname=settings.helo,
        )
        step = f"connecting to {settings.host}:{settings.port}"
        try:
            # The library's limit is one answer's; a server that dribbles must not hold a slot for ever.
            async with asyncio.timeout(4 * settings.timeout):
                await client.connect()
                if settings.user is not None:
                    step = f"login of {settings.user}"
                    await _log_in(client, settings.user.encode(), (settings.password or "").encode())
        except (aiosmtplib.SMTPException, OSError) as error:
            client.close()
            raise _transport_error(step, error, settings.password) from None
        except BaseException:
            client.close()
            raise
        return _Connection(client, asyncio.get_running_loop().time())

    async def _deliver(self, connection: _Connection, sender: str, recipient: str, raw: bytes) -> Outcome | None:
        """One mail over this connection; None where a reused one turned out to be dead before the mail was begun."""
        client = connection.client
        begun = False
        try:
            options = await _options(client, raw)
            if options is None:
                self._give_back(connection)
                return Refused(None, "the mail has 8-bit text, and the server takes only 7-bit mails")
            await client.mail(sender, options=options)
            begun = True
            await client.rcpt(recipient)
            async with asyncio.timeout(10 * self._settings.timeout):
                answer = await client.data(raw)
        except aiosmtplib.SMTPResponseException as error:
            if error.code == _CLOSING and connection.reused and not begun:
                client.close()
                return None
            return await self._answered(connection, error)
        except (aiosmtplib.SMTPException, OSError) as error:
            client.close()
            return None if connection.reused and not begun else Later(None, f"sending: {_words(error)}")
        except BaseException:
            client.close()
            raise
        self._give_back(connection)
        return Sent(printable(answer.message))

    async def _answered(self, connection: _Connection, error: aiosmtplib.SMTPResponseException) -> Outcome:
        """The outcome of an answer that isn't a yes. 421 speaks of the connection, whatever step it answers."""
        text = printable(error.message)
        if error.code == _CLOSING or not 400 <= error.code < 600:
            connection.client.close()
            return Later(error.code if error.code == _CLOSING else None, text)
        try:
            await connection.client.rset()
        except BaseException as trouble:
            connection.client.close()
            if not isinstance(trouble, aiosmtplib.SMTPException | OSError):
                raise
        self._give_back(connection)
        return Refused(error.code, text) if error.code >= 500 and error.code not in _LOGIN else Later(error.code, text)


async def _options(client: aiosmtplib.SMTP, raw: bytes) -> list[str] | None:
    """The options of MAIL; None for a mail with 8-bit text where the server takes only 7-bit ones."""
    if client.is_ehlo_or_helo_needed:
        await client.ehlo()
    options: list[str] = []
    if client.supports_extension("size"):
        options.append(f"size={len(raw)}")
    if not raw.isascii():
        if not client.supports_extension("8bitmime"):
            return None
        options.append("body=8bitmime")
    return options


async def _log_in(client: aiosmtplib.SMTP, user: bytes, password: bytes) -> None:
    if client.is_ehlo_or_helo_needed:
        await client.ehlo()
    # The library's `login` tries every mechanism in turn: a wrong password would count twice at the server.
    if client.supports_extension("auth") and "plain" in client.supported_auth_methods:
        await client.auth_plain(user, password)
    else:
        await client.login(user, password)


def _transport_error(step: str, error: Exception, password: str | None = None) -> TransportError:
    reason = _words(error)
    if password:
        reason = reason.replace(password, "…")
    code = getattr(error, "code", None)
    if code not in range(400, 600):  # the library's -1 stands for an answer that isn't SMTP
        code = None
    return TransportError(f"{step}: {reason}", code)


def _words(error: Exception) -> str:
    cause = error.__cause__
    if (
        isinstance(error, aiosmtplib.SMTPConnectError)
        and isinstance(cause, OSError)
        and not isinstance(cause, aiosmtplib.SMTPException)
    ):
        return fault(cause)
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return printable(error.message) if error.code < 0 else f"{error.code} {printable(error.message)}"
    if isinstance(error, aiosmtplib.SMTPServerDisconnected):
        return "the server closed the connection"
    if isinstance(error, aiosmtplib.SMTPTimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and not isinstance(error, aiosmtplib.SMTPException):
        return fault(error)
    return printable(str(error))


async def _quit(client: aiosmtplib.SMTP) -> None:
    with contextlib.suppress(aiosmtplib.SMTPException, OSError):
        await client.quit(timeout=2.0)
    client.close()

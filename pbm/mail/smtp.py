"""The way out: mails handed to the SMTP server over a few reused connections, one recipient each.

`Transport.send` never raises: it says what became of the mail. The steps of RFC 5321 are taken one by one, so that it
is known whether a lost connection can have left the mail at the server. Before the end of DATA it can't, after it the
outcome is unknown, and the same bytes with the same Message-ID are sent again later.
"""

import asyncio
import contextlib
import re
import ssl
from dataclasses import dataclass, field
from typing import Literal

import aiosmtplib

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
        """Hand over one mail for one recipient. `raw`: its bytes with CRLF line ends; they are sent as they are."""
        for name, address in (("sender", sender), ("recipient", recipient)):
            if reason := address_fault(address):
                return Refused(None, f"{name} address not usable: {reason}")
        sender, recipient = _ascii_domain(sender), _ascii_domain(recipient)
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
                    await client.login(settings.user.encode(), (settings.password or "").encode())
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
            options, encoding, lacking = await _envelope(client, sender, recipient, raw)
            if lacking:
                self._give_back(connection)
                return Refused(None, lacking)
            await client.mail(sender, options=options, encoding=encoding)
            begun = True
            await client.rcpt(recipient, encoding=encoding)
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


_ATOM = r"[^\s\x00-\x20\x7f-\x9f()<>\[\]:;@\\,.\"]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LABEL = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")


def address_fault(address: str) -> str | None:
    """Why this bare address isn't put on the wire, or None: a dot-atom, @ and a domain name (RFC 5321, RFC 6531).

    Quoted local parts and address literals are refused: no player needs one, and libraries disagree about them.
    """
    local, at, domain = address.rpartition("@")
    if not at or not _LOCAL.fullmatch(local):
        return "it isn't of the form name@domain"
    try:
        ascii_domain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        return "its domain isn't a domain name"
    if not all(_LABEL.fullmatch(label) for label in ascii_domain.split(".")):
        return "its domain isn't a domain name"
    if len(local.encode("utf-8", "surrogatepass")) > 64 or len(address.encode("utf-8", "surrogatepass")) > 254:
        return "it is too long"
    if not address.isprintable():
        return "it holds characters that can't be printed"
    return None


def _ascii_domain(address: str) -> str:
    """The domain as DNS knows it (IDNA), so that only a local part beyond ASCII needs SMTPUTF8."""
    local, _, domain = address.rpartition("@")
    return f"{local}@{domain.encode('idna').decode('ascii')}"


async def _envelope(
    client: aiosmtplib.SMTP, sender: str, recipient: str, raw: bytes
) -> tuple[list[str], Literal["ascii", "utf-8"], str | None]:
    """Options of MAIL, the charset of the addresses, and what the server lacks for this mail, if anything."""
    if client.is_ehlo_or_helo_needed:
        await client.ehlo()
    options: list[str] = []
    if client.supports_extension("size"):
        options.append(f"size={len(raw)}")
    if not raw.isascii():
        if not client.supports_extension("8bitmime"):
            return [], "ascii", "the mail has 8-bit text, and the server takes only 7-bit mails"
        options.append("body=8bitmime")
    if sender.isascii() and recipient.isascii():
        return options, "ascii", None
    if not client.supports_extension("smtputf8"):
        return [], "ascii", "the address has letters beyond ASCII, and the server takes none (SMTPUTF8)"
    return [*options, "smtputf8"], "utf-8", None


def _transport_error(step: str, error: Exception, password: str | None = None) -> TransportError:
    reason = _words(error)
    if password:
        reason = reason.replace(password, "…")
    code = error.code if isinstance(error, aiosmtplib.SMTPResponseException) else None
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
        return f"{error.code} {printable(error.message)}"
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

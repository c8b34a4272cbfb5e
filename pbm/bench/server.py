"""A mail server in a process of its own: an IMAP mailbox with mails in it, and an SMTP server that only counts."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection

from pbm.clock import SystemClock


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, on loopback."""

    imap_port: int
    smtp_port: int
    talk: Connection

    def taken(self) -> int:
        """How many mails the SMTP side has taken over so far."""
        self.talk.send("taken")
        return int(self.talk.recv())


@contextmanager
def serving(user: str, password: str, mails: Sequence[tuple[str, bytes]] = ()) -> Iterator[Server]:
    """`mails`: what lies in the mailbox, (recipient, mail), all of it arrived just now."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, user, password, list(mails)), daemon=True)
    process.start()
    theirs.close()
    try:
        imap_port, smtp_port = ours.recv()
        yield Server(imap_port, smtp_port, ours)
    finally:
        ours.send("stop")
        process.join()


def _serve(talk: Connection, user: str, password: str, mails: list[tuple[str, bytes]]) -> None:
    asyncio.run(_run(talk, user, password, mails))


async def _run(talk: Connection, user: str, password: str, mails: list[tuple[str, bytes]]) -> None:
    from pbm.demo.server import EmbeddedServer  # its memory is not to be ours

    loop = asyncio.get_running_loop()
    mailbox = EmbeddedServer(user.partition("@")[2], {user: password}, SystemClock().now)
    await mailbox.start()
    for recipient, mail in mails:
        await mailbox.deliver(recipient, mail, sender=f"player@{mailbox.domain}")
    sink = Sink()
    listening = await loop.create_server(lambda: SinkSession(sink), mailbox.host, 0)
    talk.send((mailbox.imap_port, listening.sockets[0].getsockname()[1]))
    while await loop.run_in_executor(None, talk.recv) != "stop":
        talk.send(sink.taken)
    listening.close()
    await mailbox.stop()


@dataclass(slots=True)
class Sink:
    taken: int = 0


class SinkSession(asyncio.Protocol):
    """SMTP as far as a client needs it (RFC 5321): every mail is taken and thrown away, faster than one can be sent."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._rest = b""
        self._in_mail = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._say(b"220 sink")

    def data_received(self, data: bytes) -> None:
        self._rest += data
        while True:
            end = b"\r\n.\r\n" if self._in_mail else b"\r\n"
            line, found, rest = self._rest.partition(end)
            if not found:
                return
            self._rest = rest
            if self._in_mail:
                self._in_mail = False
                self._sink.taken += 1
                self._say(b"250 taken")
            else:
                self._command(line.upper())

    def _command(self, line: bytes) -> None:
        if line.startswith(b"EHLO"):
            self._say(b"250-sink\r\n250-SIZE 10000000\r\n250 8BITMIME")
        elif line == b"DATA":
            self._in_mail = True
            self._say(b"354 go on")
        elif line == b"QUIT":
            self._say(b"221 bye")
            self._transport.close()
        else:
            self._say(b"250 ok")

    def _say(self, line: bytes) -> None:
        self._transport.write(line + b"\r\n")

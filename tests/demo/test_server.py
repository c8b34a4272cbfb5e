"""The embedded mail server: who gets what, when it arrived, and who may log in."""

import asyncio
import imaplib
import mailbox
import smtplib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from pbm.demo.server import EmbeddedServer

T = TypeVar("T")
PBM, ALICE, BOB = "pbm@play.test", "alice@home.test", "Bob@home.test"
RAW = (
    b"From: Alice <alice@home.test>\r\nTo: pbm@play.test\r\nSubject: hi\r\n\r\nFrom here\r\n>From there\r\n.\r\nend\r\n"
)


class Clock:
    now = 1_900_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
async def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[EmbeddedServer]:
    running = EmbeddedServer("play.test", {PBM: "pw pbm", ALICE: "pw alice", BOB: "pw bob"}, clock)
    await running.start()
    yield running
    await running.stop()


async def _smtp(server: EmbeddedServer, call: Callable[[smtplib.SMTP], T]) -> T:
    def run() -> T:
        with smtplib.SMTP(server.host, server.smtp_port, timeout=10) as client:
            return call(client)

    return await asyncio.to_thread(run)


async def _imap(server: EmbeddedServer, address: str, password: str, call: Callable[[imaplib.IMAP4], T]) -> T:
    def run() -> T:
        with imaplib.IMAP4(server.host, server.imap_port, timeout=10) as client:
            client.login(address, password)
            return call(client)

    return await asyncio.to_thread(run)


def _subjects(client: imaplib.IMAP4) -> int:
    return int((client.select("INBOX")[1][0] or b"").decode())


async def test_mail_goes_to_the_mailbox_of_its_address_only(server: EmbeddedServer) -> None:
    await _smtp(server, lambda c: c.sendmail(ALICE, ["PBM+token@Play.Test", "bob@home.test"], RAW))
    assert await _imap(server, PBM, "pw pbm", _subjects) == 1
    assert await _imap(server, "bob@home.test", "pw bob", _subjects) == 1
    assert await _imap(server, ALICE, "pw alice", _subjects) == 0
    [mail] = server.mails(PBM)
    assert mail.endswith(RAW)
    assert b"\r\nDelivered-To: PBM+token@Play.Test\r\n" in mail


async def test_an_unknown_recipient_is_refused(server: EmbeddedServer) -> None:
    assert await _smtp(server, lambda c: (c.ehlo(), c.mail(ALICE), c.rcpt("eve@home.test"))[2][0]) == 550
    assert await server.deliver("eve@home.test", RAW) is False


async def test_arrivals_are_stamped_by_the_given_clock(server: EmbeddedServer, clock: Clock) -> None:
    await server.deliver(PBM, RAW)
    clock.now += 86_400
    await _imap(server, PBM, "pw pbm", lambda c: c.append("INBOX", "", "", RAW))

    def dates(client: imaplib.IMAP4) -> list[bytes]:
        client.select("INBOX")
        return [line for line in client.fetch("1:*", "(INTERNALDATE)")[1] if isinstance(line, bytes)]

    first, second = await _imap(server, PBM, "pw pbm", dates)
    assert b'"17-Mar-2030 17:46:40 +0000"' in first
    assert b'"18-Mar-2030 17:46:40 +0000"' in second


@pytest.mark.parametrize(
    ("login", "sender", "result"),
    [(ALICE, ALICE, "spf=pass"), (ALICE, "bob@home.test", "spf=none"), (None, ALICE, "spf=none")],
)
async def test_only_who_logged_in_as_the_sender_passes(
    server: EmbeddedServer, login: str | None, sender: str, result: str
) -> None:
    def submit(client: smtplib.SMTP) -> None:
        if login:
            client.login(login, "pw alice")
        client.sendmail(sender, [PBM], b"Authentication-Results: play.test; spf=pass smtp.mailfrom=a@b\r\n" + RAW)

    await _smtp(server, submit)
    [mail] = server.mails(PBM)
    topmost = mail.decode().partition("Authentication-Results: ")[2]
    assert topmost.startswith(f"play.test;\r\n\t{result} smtp.mailfrom={sender}\r\n")


async def test_wrong_passwords_are_refused(server: EmbeddedServer) -> None:
    with pytest.raises(smtplib.SMTPAuthenticationError):
        await _smtp(server, lambda c: c.login(ALICE, "pw pbm"))
    for address, password in ((ALICE, "pw pbm"), ("eve@home.test", "")):
        with pytest.raises(imaplib.IMAP4.error, match="AUTHENTICATIONFAILED"):
            await _imap(server, address, password, _subjects)


async def test_all_folders_are_kept_as_an_mbox_that_others_can_read(
    server: EmbeddedServer, clock: Clock, tmp_path: Path
) -> None:
    await server.deliver(PBM, RAW)

    def move(client: imaplib.IMAP4) -> None:
        client.create("Processed")
        client.select("INBOX")
        client.uid("MOVE", "1:*", "Processed")

    await _imap(server, PBM, "pw pbm", move)
    clock.now += 1
    await server.deliver(PBM, RAW.replace(b"hi", b"ho"))
    path = tmp_path / "pbm.mbox"
    path.write_bytes(server.mbox(PBM))
    box = mailbox.mbox(path)
    assert [message["Subject"] for message in box] == ["hi", "ho"]
    assert [message.get_from() for message in box] == [
        "MAILER-DAEMON Sun Mar 17 17:46:40 2030",
        "MAILER-DAEMON Sun Mar 17 17:46:41 2030",
    ]
    assert ">From here\n>>From there\n.\nend\n" in path.read_text()
    assert server.mails(PBM)[0].endswith(RAW)


async def test_stopping_ends_sessions_that_are_open(server: EmbeddedServer) -> None:
    opened = [await asyncio.open_connection(server.host, port) for port in (server.smtp_port, server.imap_port)]
    for reader, _ in opened:
        await reader.readline()
    await asyncio.wait_for(server.stop(), 5)
    for reader, writer in opened:
        assert await asyncio.wait_for(reader.read(), 5) is not None
        writer.close()
    with pytest.raises(ConnectionError):
        await asyncio.open_connection(server.host, server.smtp_port)

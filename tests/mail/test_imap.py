"""The mailbox over IMAP: the same promises on the embedded server, on real Dovecot, and against a server's malice."""

import asyncio
import imaplib
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from pbm.demo.server import EmbeddedServer
from pbm.mail.imap import FETCH_HEAD, FETCH_SET, Arrival, ImapSettings, Mailbox, MailboxError
from tests.servers.mailhost import MailHost

ADDRESS = "pbm@play.test"
PASSWORD = "secret"
VIRTUAL = 1_900_000_000


@dataclass
class Place:
    """A mailbox on some server, and our side's settings for it."""

    settings: ImapSettings
    clock: Callable[[], int]

    async def append(self, raw: bytes, folder: str = "INBOX", flags: str = "") -> None:
        await asyncio.to_thread(self._with_client, lambda c: _sure(c.append(folder, flags, None, raw)))

    async def do(self, *commands: Callable[[imaplib.IMAP4], object]) -> None:
        for command in commands:
            await asyncio.to_thread(self._with_client, command)

    async def subjects(self, folder: str) -> list[str]:
        found: list[str] = []

        def read(client: imaplib.IMAP4) -> None:
            if client.select(folder) in (("NO", None), ("OK", [b"0"])):
                return
            for part in client.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")[1]:
                if isinstance(part, tuple):
                    found.append(part[1].decode().partition(":")[2].strip())

        await asyncio.to_thread(self._with_client, read)
        return found

    def _with_client(self, command: Callable[[imaplib.IMAP4], object]) -> None:
        with imaplib.IMAP4("127.0.0.1", self.settings.port, timeout=10) as client:
            client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # literals go in two pieces
            client.login(self.settings.user, self.settings.password)
            command(client)


def _sure(answer: tuple[str, object]) -> None:
    assert answer[0] == "OK", answer


def _wipe(client: imaplib.IMAP4) -> None:
    _, folders = client.list()
    for line in folders:
        assert isinstance(line, bytes)
        name = line.decode().split(' "/" ')[1]
        if name in ("INBOX", "Junk"):
            _, count = client.select(name)
            if count != [b"0"]:
                client.store("1:*", "+FLAGS.SILENT", r"(\Deleted)")
            client.expunge()
        else:
            client.select("INBOX")
            _sure(client.delete(name))


@pytest.fixture(params=["embedded", pytest.param("dovecot", marks=pytest.mark.servers)])
async def place(request: pytest.FixtureRequest) -> AsyncIterator[Place]:
    if request.param == "embedded":
        server = EmbeddedServer("play.test", {ADDRESS: PASSWORD}, lambda: VIRTUAL)
        await server.start()
        yield Place(_settings(server.imap_port), lambda: VIRTUAL)
        await server.stop()
        return
    host = request.getfixturevalue("mail_servers")
    real = Place(_settings(host.imap_port), lambda: int(time.time()))
    await real.do(_wipe)
    yield real


@pytest.fixture
async def mailbox(place: Place) -> AsyncIterator[Mailbox]:
    box = Mailbox(place.settings, place.clock)
    await box.connect()
    yield box
    await box.close()


def _settings(port: int) -> ImapSettings:
    return ImapSettings("127.0.0.1", port, "none", ADDRESS, PASSWORD, timeout=10)


def _mail(subject: str, body: str = "PASS\r\n") -> bytes:
    return f"From: a@b.example\r\nSubject: {subject}\r\n\r\n{body}".encode()


def _none_known(folder: str, uidvalidity: int, uids: Sequence[int]) -> Sequence[int]:
    return ()


async def _all(box: Mailbox, known: Callable[[str, int, Sequence[int]], Sequence[int]] = _none_known) -> list[Arrival]:
    return [arrival async for arrivals in box.fetch_new(known) for arrival in arrivals]


async def test_new_mails_come_whole_in_sets_and_leave_when_settled(place: Place, mailbox: Mailbox) -> None:
    mails = [_mail(f"mail {n}") for n in range(FETCH_SET + 7)]

    def fill(client: imaplib.IMAP4) -> None:
        for raw in mails:
            _sure(client.append("INBOX", "", None, raw))

    await place.do(fill)
    sets = []
    async for arrivals in mailbox.fetch_new(_none_known):
        sets.append(arrivals)
        await mailbox.settle(arrivals[0].folder, arrivals[0].uidvalidity, [one.uid for one in arrivals])
    assert [len(arrivals) for arrivals in sets] == [FETCH_SET, 7]
    found = [one for arrivals in sets for one in arrivals]
    assert [one.raw for one in found] == mails
    assert [one.uid for one in found] == sorted({one.uid for one in found})
    assert all(one.size == len(one.raw) and one.folder == "INBOX" for one in found)
    assert all(abs(one.internaldate - place.clock()) < 60 for one in found)
    assert await _all(mailbox) == []
    assert await place.subjects("INBOX") == []
    assert sorted(await place.subjects("Processed")) == sorted(f"mail {n}" for n in range(FETCH_SET + 7))


async def test_settled_mails_are_flagged_as_seen(place: Place, mailbox: Mailbox) -> None:
    await place.append(_mail("one"))
    [one] = await _all(mailbox)
    await mailbox.settle(one.folder, one.uidvalidity, [one.uid])
    unseen: list[bytes] = []

    def look(client: imaplib.IMAP4) -> None:
        client.select("Processed")
        unseen.extend(client.search(None, "UNSEEN")[1][0].split())

    await place.do(look)
    assert unseen == []


async def test_of_a_huge_mail_the_head_is_read_and_the_true_size_told(place: Place, mailbox: Mailbox) -> None:
    huge = _mail("huge", ("x" * 70 + "\r\n") * (2 * FETCH_HEAD // 72))
    await place.append(huge)
    await place.append(_mail("small"))
    first, second = await _all(mailbox)
    assert (first.size, first.raw) == (len(huge), huge[:FETCH_HEAD])
    assert second.raw == _mail("small")


async def test_mails_with_large_bodies_come_in_parts_that_fit_into_memory(place: Place, mailbox: Mailbox) -> None:
    large = _mail("large", ("x" * 70 + "\r\n") * (FETCH_HEAD // 72 - 9))
    for _ in range(6):
        await place.append(large)
    sets = [len(arrivals) async for arrivals in mailbox.fetch_new(_none_known)]
    assert sets == [4, 2]


async def test_bytes_that_look_like_the_protocol_stay_as_they_are(place: Place, mailbox: Mailbox) -> None:
    hostile = (
        b'Subject: x {5}\r\n\r\n* 1 FETCH (UID 99 BODY[] {3}\r\n)\r\n* BYE\r\nA1 OK done\r\n((( " \\ \r\n'
        b"* star and * star\r\n"
        b"\xff\xfe\x80 bytes\r\n+ idling\r\nlast line {7}"
    )
    await place.append(hostile)
    await place.append(_mail("after"))
    assert [one.raw for one in await _all(mailbox)] == [hostile, _mail("after")]


async def test_a_mail_that_somebody_has_read_still_counts(place: Place, mailbox: Mailbox) -> None:
    await place.append(_mail("read"), flags=r"\Seen")
    assert [one.raw for one in await _all(mailbox)] == [_mail("read")]


async def test_known_mails_are_not_fetched_but_settled(place: Place, mailbox: Mailbox) -> None:
    """A crash between the commit and the move leaves them behind."""
    await place.append(_mail("held"))
    await place.append(_mail("new"))
    held, _ = await _all(mailbox)
    asked: list[tuple[str, int]] = []

    def known(folder: str, uidvalidity: int, uids: Sequence[int]) -> Sequence[int]:
        asked.append((folder, uidvalidity))
        return [held.uid] if (folder, uidvalidity) == (held.folder, held.uidvalidity) else []

    assert [one.raw for one in await _all(mailbox, known)] == [_mail("new")]
    assert ("INBOX", held.uidvalidity) in asked
    assert await place.subjects("Processed") == ["held"]
    assert await place.subjects("INBOX") == ["new"]


async def test_further_folders_are_read_and_missing_ones_passed_over(place: Place) -> None:
    box = Mailbox(replace(place.settings, also=("Nowhere", "Zweifel", "INBOX")))
    await place.do(lambda client: client.create("Zweifel"))
    await place.append(_mail("in doubt"), "Zweifel")
    await place.append(_mail("plain"))
    await box.connect()
    found = await _all(box)
    assert {(one.folder, one.raw) for one in found} == {("Zweifel", _mail("in doubt")), ("INBOX", _mail("plain"))}
    for one in found:
        await box.settle(one.folder, one.uidvalidity, [one.uid])
    assert await _all(box) == []
    await box.close()


@pytest.mark.parametrize("name", ["Erledigt & geprüft", "Archiv 2026", 'say "ja"', "完了"])
async def test_the_processed_folder_is_made_whatever_its_name(place: Place, name: str) -> None:
    box = Mailbox(replace(place.settings, processed=name))
    await box.connect()
    await place.append(_mail("one"))
    [one] = await _all(box)
    await box.settle(one.folder, one.uidvalidity, [one.uid])
    assert await place.subjects("INBOX") == []
    await box.connect()  # now it is there
    assert await box.clock_offset() == pytest.approx(place.clock() - time.time(), abs=2)
    await box.close()


@pytest.mark.parametrize("lacking", [{"MOVE"}, {"MOVE", "UIDPLUS"}])
async def test_without_extensions_mails_are_copied_and_no_other_is_removed(
    place: Place, mailbox: Mailbox, lacking: set[str]
) -> None:
    mailbox._session.client.protocol.capabilities -= lacking
    await place.append(_mail("ours"))
    await place.append(_mail("deleted by a person"), flags=r"\Deleted")
    ours = next(one for one in await _all(mailbox) if one.raw == _mail("ours"))
    await mailbox.settle(ours.folder, ours.uidvalidity, [ours.uid])
    assert await place.subjects("Processed") == ["ours"]
    assert await place.subjects("INBOX") == ["deleted by a person"]
    assert len(await _all(mailbox)) == 1


async def test_another_uidvalidity_means_a_rescan_and_old_uids_touch_nothing(place: Place) -> None:
    box = Mailbox(replace(place.settings, folder="Games"))
    await place.do(lambda client: client.create("Games"))
    await place.append(_mail("one"), "Games")
    await box.connect()
    [old] = await _all(box)
    await box.close()
    await asyncio.sleep(1.1)  # a UIDVALIDITY is often the second of the folder's making
    await place.do(lambda client: client.delete("Games"), lambda client: client.create("Games"))
    await place.append(_mail("two"), "Games")
    await box.connect()

    def known(folder: str, uidvalidity: int, uids: Sequence[int]) -> Sequence[int]:
        return [old.uid] if uidvalidity == old.uidvalidity else []

    await box.settle("Games", old.uidvalidity, [old.uid])
    [new] = await _all(box, known)
    assert new.uidvalidity != old.uidvalidity
    assert new.raw == _mail("two")
    await box.close()


async def test_waiting_ends_early_when_a_mail_arrives(place: Place, mailbox: Mailbox) -> None:
    loop = asyncio.get_running_loop()
    start = loop.time()
    waiting = asyncio.create_task(mailbox.wait(20))
    await asyncio.sleep(0.2)
    await place.append(_mail("news"))
    await waiting
    assert loop.time() - start < 10
    assert [one.raw for one in await _all(mailbox)] == [_mail("news")]


async def test_a_mail_between_the_look_and_the_wait_is_not_slept_through(place: Place, mailbox: Mailbox) -> None:
    assert await _all(mailbox) == []
    await place.append(_mail("between"))
    loop = asyncio.get_running_loop()
    start = loop.time()
    await mailbox.wait(20)
    assert loop.time() - start < 10


async def test_waiting_ends_at_its_time(mailbox: Mailbox) -> None:
    loop = asyncio.get_running_loop()
    start = loop.time()
    await mailbox.wait(0.3)
    assert 0.25 < loop.time() - start < 3
    await mailbox.ping()


async def test_idle_is_renewed(place: Place, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbm.mail.imap._RENEW", 0.2)
    waiting = asyncio.create_task(mailbox.wait(20))
    await asyncio.sleep(0.7)
    assert not waiting.done()
    await place.append(_mail("news"))
    await asyncio.wait_for(waiting, 10)


async def test_without_idle_waiting_is_sleeping(mailbox: Mailbox) -> None:
    mailbox._session.client.protocol.capabilities.discard("IDLE")
    loop = asyncio.get_running_loop()
    start = loop.time()
    await mailbox.wait(0.3)
    assert 0.25 < loop.time() - start < 3
    await mailbox.ping()


@pytest.mark.parametrize("ahead", [0, 7, -3600])
@pytest.mark.parametrize("lacking", [set(), {"UIDPLUS"}])
async def test_the_servers_clock_is_compared_with_ours(place: Place, ahead: int, lacking: set[str]) -> None:
    def ours() -> float:
        return (time.time() if place.clock() != VIRTUAL else VIRTUAL) - ahead

    box = Mailbox(place.settings, ours)
    await box.connect()
    box._session.client.protocol.capabilities -= lacking
    assert await box.clock_offset() == pytest.approx(ahead, abs=0 if place.clock() == VIRTUAL else 1)
    assert await place.subjects("Processed") == []
    await box.close()


async def test_after_closing_every_call_says_so(mailbox: Mailbox) -> None:
    await mailbox.close()
    for call in (mailbox.ping(), mailbox.wait(1), mailbox.clock_offset(), _all(mailbox)):
        with pytest.raises(MailboxError, match="not connected"):
            await call
    await mailbox.close()


@pytest.mark.servers
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
async def test_over_tls_with_a_private_authority(mail_servers: MailHost, name: str) -> None:
    address = "p12@play.test"
    secure = ImapSettings(name, mail_servers.imaps_port, "implicit", address, PASSWORD, ca=mail_servers.ca, timeout=10)
    box = Mailbox(secure)
    await box.connect()
    waiting = asyncio.create_task(box.wait(20))
    plain = Place(replace(_settings(mail_servers.imap_port), user=address), lambda: 0)
    await asyncio.sleep(0.2)
    await plain.append(_mail("news"))
    await asyncio.wait_for(waiting, 10)
    [one] = await _all(box)
    await box.settle(one.folder, one.uidvalidity, [one.uid])
    await box.close()


@pytest.mark.servers
async def test_a_certificate_of_an_unknown_authority_is_refused(mail_servers: MailHost) -> None:
    box = Mailbox(ImapSettings("localhost", mail_servers.imaps_port, "implicit", ADDRESS, PASSWORD, timeout=10))
    with pytest.raises(MailboxError, match="TLS failure: the server's certificate isn't accepted"):
        await box.connect()


async def test_a_refused_login_says_so_without_the_password(place: Place) -> None:
    """The last one: Dovecot makes this address wait for its next login."""
    box = Mailbox(replace(place.settings, password='n0t "it\\'))
    with pytest.raises(MailboxError, match=r"login of pbm@play\.test refused") as caught:
        await box.connect()
    assert "n0t" not in caught.value.reason
    assert "n0t" not in repr(box._settings)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None

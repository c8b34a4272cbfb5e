"""The mailbox against servers that fail, hang and lie: every call ends in time, with a reason and without secrets."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbm.mail.imap import ImapSettings, Mailbox, MailboxError
from tests.servers.scripted import DROP, HANG, Answer, Line, ScriptedImap

PASSWORD = 'hunter"2\\x'


def _settings(port: int, timeout: float = 0.5) -> ImapSettings:
    return ImapSettings("127.0.0.1", port, "none", "pbm@play.test", PASSWORD, also=(), timeout=timeout)


def _nothing_known(folder: str, uidvalidity: int, uids: Sequence[int]) -> Sequence[int]:
    return ()


async def _fetch(box: Mailbox) -> list[Any]:
    return [one async for arrivals in box.fetch_new(_nothing_known) for one in arrivals]


@asynccontextmanager
async def _connected(answers: dict[str, Any]) -> AsyncIterator[tuple[Mailbox, ScriptedImap]]:
    async with ScriptedImap(answers) as server:
        box = Mailbox(_settings(server.port))
        await box.connect()
        try:
            yield box, server
        finally:
            await box.close()


def _says(*parts: str) -> Answer:
    """Says the parts with a breath between them, so that they arrive one by one; DROP ends the connection."""

    async def answer(line: Line, command: str) -> None:
        for part in parts:
            if part in (DROP, HANG):
                await line.do(part, command)
            await line.say(part)
            await asyncio.sleep(0.02)

    return answer


@pytest.mark.parametrize(
    ("greeting", "reason"),
    [
        (HANG, "no answer within 0.5 s"),
        (DROP, "the server closed the connection"),
        ("* BYE too many connections", "too many connections"),
        ("220 smtp.example.org ESMTP", "unfit greeting"),
    ],
)
async def test_an_unfit_greeting(greeting: str, reason: str) -> None:
    async with ScriptedImap({}, greeting) as server:
        box = Mailbox(_settings(server.port))
        with pytest.raises(MailboxError, match=reason):
            await box.connect()


async def test_nobody_listens() -> None:
    async with ScriptedImap({}) as server:
        port = server.port
    with pytest.raises(MailboxError, match=f"connecting to 127.0.0.1:{port}: connection refused"):
        await Mailbox(_settings(port)).connect()


@pytest.mark.parametrize(
    ("greeting", "reason"), [("* OK ready", "TLS failure"), (HANG, "no answer"), (DROP, "lost|closed")]
)
async def test_a_port_without_tls(greeting: str, reason: str) -> None:
    async with ScriptedImap({}, greeting) as server:
        box = Mailbox(replace(_settings(server.port), tls="implicit"))
        with pytest.raises(MailboxError, match=reason):
            await asyncio.wait_for(box.connect(), 5)
        assert not any("LOGIN" in heard for heard in server.heard)


async def test_a_ca_file_that_is_missing(tmp_path: Path) -> None:
    box = Mailbox(replace(_settings(1), tls="implicit", ca=str(tmp_path / "ca.pem")))
    with pytest.raises(MailboxError, match=r"can't read the CA file .*ca\.pem: No such file"):
        await box.connect()


async def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(MailboxError, match=r"nowhere\.invalid:143: the host name can't be resolved"):
        await Mailbox(replace(_settings(143, timeout=10), host="nowhere.invalid")).connect()


@pytest.mark.parametrize(
    "answer",
    [
        f"{{tag}} NO [AUTHENTICATIONFAILED] wrong password {PASSWORD}",
        f"zz9 OK another tag than {PASSWORD}",
        "{tag} BAD syntax",
        HANG,
        DROP,
    ],
)
async def test_no_failed_login_tells_the_password(answer: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with ScriptedImap({"LOGIN": answer}) as server:
        box = Mailbox(_settings(server.port))
        with pytest.raises(MailboxError) as caught:
            await box.connect()
    assert "hunter" not in caught.value.reason
    assert caught.value.__context__ is None
    assert "hunter" not in caplog.text.replace("\\", "")


async def test_a_server_that_wants_tls_for_the_login_is_not_told_the_password() -> None:
    async with ScriptedImap({"CAPABILITY": "* CAPABILITY IMAP4rev1 LOGINDISABLED\n{tag} OK"}) as server:
        with pytest.raises(MailboxError, match="tls: implicit"):
            await Mailbox(_settings(server.port)).connect()
        assert not any("LOGIN" in heard for heard in server.heard)


@pytest.mark.parametrize("push", [("* BYE shutting down", DROP), ("* BYE shutting down", HANG), (DROP,)])
async def test_bye_during_idle_ends_the_wait(push: tuple[str, ...]) -> None:
    async with _connected({"IDLE": _says("+ idling", *push)}) as (box, _):
        with pytest.raises(MailboxError, match=r"closed the connection|shutting down"):
            await asyncio.wait_for(box.wait(20), 5)
        with pytest.raises(MailboxError, match="not connected"):
            await box.ping()


@pytest.mark.parametrize("answer", [HANG, DROP, "* BYE going down"])
async def test_idle_that_never_starts(answer: str) -> None:
    async with _connected({"IDLE": answer}) as (box, _):
        with pytest.raises(MailboxError):
            await asyncio.wait_for(box.wait(20), 5)


async def test_idle_that_never_ends() -> None:
    async with _connected({"IDLE": _says("+ idling", "* 1 EXISTS"), "DONE": HANG}) as (box, _):
        with pytest.raises(MailboxError, match="ending IDLE: no answer"):
            await asyncio.wait_for(box.wait(20), 5)


async def test_an_offered_idle_that_is_refused_becomes_sleep() -> None:
    async with _connected({"IDLE": "{tag} NO not today"}) as (box, server):
        await asyncio.wait_for(box.wait(0.2), 5)
        await asyncio.wait_for(box.wait(0.2), 5)
        await box.ping()
        assert len([heard for heard in server.heard if heard.endswith("IDLE")]) == 1


async def test_idle_noise_is_no_arrival() -> None:
    async def idle(line: Line, command: str) -> None:
        await line.say("+ idling\n* OK still here\n* 1 FETCH (FLAGS (\\Seen))")
        assert await line.hear() == "DONE"
        await line.say("{tag} OK done")

    async with _connected({"IDLE": idle}) as (box, _):
        loop = asyncio.get_running_loop()
        start = loop.time()
        await box.wait(0.3)
        assert loop.time() - start > 0.25


@pytest.mark.parametrize("last_words", ["* 1 EXISTS\n{tag} OK done", "* 1 EXISTS"])
async def test_an_arrival_in_the_last_moment_of_idle_is_noticed(
    last_words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.mail.imap._RENEW", 0.1)

    async def idle(line: Line, command: str) -> None:
        await line.say("+ idling")
        assert await line.hear() == "DONE"
        await line.say(last_words)
        if "OK" not in last_words:
            await asyncio.sleep(0.05)
            await line.say("{tag} OK done")

    async with _connected({"IDLE": idle}) as (box, _):
        await asyncio.wait_for(box.wait(20), 2)


HEAD = '* 1 FETCH (UID 5 RFC822.SIZE 9 INTERNALDATE "29-Nov-2026 10:00:00 +0100")\n{tag} OK'


@pytest.mark.parametrize(
    "body",
    [
        _says("* 1 FETCH (UID 5 BODY[]<0> {900}\nSubject: x", DROP),
        _says("* 1 FETCH (UID 5 BODY[]<0> {900}\nSubject: x", HANG),
        _says("* 1 FETCH (UID 5 BODY[]<0> {9}\n123456789)", DROP),
    ],
)
async def test_a_connection_lost_amid_a_mail_gives_no_mail(body: Answer) -> None:
    async with _connected({"UID SEARCH": "* SEARCH 5\n{tag} OK", "UID FETCH": [HEAD, body]}) as (box, _):
        with pytest.raises(MailboxError, match="fetching mails"):
            await asyncio.wait_for(_fetch(box), 5)


@pytest.mark.parametrize(
    "answer",
    [
        "* 1 FETCH (UID 5 BODY[]<0> {9}\n12345\n78)\n{tag} OK",
        "* 1 FETCH (BODY[]<0> {9}\n12345\n78 UID 5)\n{tag} OK",
        '* 1 FETCH (UID 5 BODY[]<0> "12345\\\\\\"78")\n{tag} OK',
        "* 3 EXISTS\n* 2 FETCH (FLAGS (\\Seen))\n* 1 FETCH (FLAGS (\\Seen) UID 5 BODY[]<0> {9}\n12345\n78)\n{tag} OK",
        "* 1 FETCH (UID 5 BODY[]<0> {9}\n12345\n78)\n* 2 FETCH (UID 6 FLAGS ())\n* 4 EXPUNGE\n{tag} OK",
    ],
)
async def test_the_same_mail_in_any_order_of_the_answer(answer: str) -> None:
    async with _connected({"UID SEARCH": "* SEARCH 5\n{tag} OK", "UID FETCH": [HEAD, answer]}) as (box, _):
        [one] = await _fetch(box)
    assert (one.uid, one.size, one.internaldate) == (5, 9, 1_795_942_800)
    assert one.raw in (b"12345\r\n78", b'12345\\"78')


async def test_an_empty_body_and_one_that_was_removed_meanwhile() -> None:
    heads = HEAD.replace("{tag}", '* 2 FETCH (UID 6 RFC822.SIZE 0 INTERNALDATE "29-Nov-2026 10:00:00 +0000")\n{tag}')
    answers = {
        "UID SEARCH": "* SEARCH 5 6 8\n{tag} OK",
        "UID FETCH": [heads, '* 2 FETCH (UID 6 BODY[]<0> "")\n{tag} OK'],
    }
    async with _connected(answers) as (box, _):
        assert [(one.uid, one.raw) for one in await _fetch(box)] == [(6, b"")]


async def test_a_flood_of_lines_that_the_library_cant_read_ends_the_connection() -> None:
    """aioimaplib recurses once a line: 1,500 of them in one piece raise RecursionError inside it."""
    flood = "\n".join(f"* {n} FETCH (FLAGS ())" for n in range(1, 3000)) + "\n{tag} OK"
    async with _connected({"UID SEARCH": "* SEARCH 5\n{tag} OK", "UID FETCH": flood}) as (box, _):
        with pytest.raises(MailboxError, match="answer not understood"):
            await asyncio.wait_for(_fetch(box), 5)


@pytest.mark.parametrize("command", ["SELECT", "UID SEARCH", "UID FETCH", "LIST", "CAPABILITY"])
@pytest.mark.parametrize("answer", [HANG, DROP, "{tag} NO [UNAVAILABLE] broken", "{tag} BAD what"])
async def test_every_command_may_fail(command: str, answer: str) -> None:
    answers: dict[str, Answer] = {"UID SEARCH": "* SEARCH 5\n{tag} OK", "UID FETCH": HEAD, command: answer}
    async with ScriptedImap(answers) as server:
        box = Mailbox(_settings(server.port))

        async def session() -> None:
            await box.connect()
            await _fetch(box)

        with pytest.raises(MailboxError):
            await asyncio.wait_for(session(), 5)
        await box.close()


async def test_a_folder_that_exists_but_cant_be_opened_is_an_error() -> None:
    """Else the fence would believe that all mail had been read."""
    answers = {"SELECT": "{tag} NO [INUSE] locked", "LIST": '* LIST () "/" Junk\n{tag} OK'}
    async with ScriptedImap(answers) as server:
        box = Mailbox(replace(_settings(server.port), also=("Junk",)))
        await box.connect()
        with pytest.raises(MailboxError, match="Junk can't be opened"):
            await _fetch(box)
        await box.close()


async def test_uids_named_in_the_tagged_line_are_no_mails() -> None:
    async with _connected({}) as (box, server):
        assert await _fetch(box) == []
    assert not any("FETCH" in heard for heard in server.heard)


async def test_a_settling_that_is_refused_is_told_and_the_connection_stays() -> None:
    answers = {"UID STORE": "{tag} OK", "UID MOVE": "{tag} NO [OVERQUOTA] full"}
    async with _connected(answers) as (box, _):
        with pytest.raises(MailboxError, match=r"moving mails: refused by the server: .OVERQUOTA. full"):
            await box.settle("INBOX", 7, [5, 6, 7, 9])
        await box.ping()


async def test_mails_are_moved_in_one_command() -> None:
    async with _connected({"UID STORE": "{tag} OK", "UID MOVE": "{tag} OK"}) as (box, server):
        await box.settle("INBOX", 7, [9, 5, 6, 7])
    assert [heard.partition(" ")[2] for heard in server.heard if " UID " in heard] == [
        r"UID STORE 5:7,9 +FLAGS.SILENT (\Seen)",
        'UID MOVE 5:7,9 "Processed"',
    ]


async def test_a_cancelled_call_takes_its_connection_along() -> None:
    async with _connected({"NOOP": HANG}) as (box, _):
        task = asyncio.create_task(box.ping())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(MailboxError, match="not connected"):
            await box.ping()


async def test_a_new_connection_after_a_loss_works() -> None:
    async with _connected({"NOOP": [DROP, "{tag} OK"]}) as (box, server):
        with pytest.raises(MailboxError):
            await box.ping()
        await box.connect()
        await box.ping()
        assert server.connections == 2

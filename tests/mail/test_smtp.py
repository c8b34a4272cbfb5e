"""The way out: outcomes on the embedded server and real Postfix, and against servers that refuse, hang and lie."""

import asyncio
import imaplib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from pbm.demo.server import EmbeddedServer
from pbm.mail.smtp import Later, Outcome, Refused, Sent, SmtpSettings, Transport, TransportError
from tests.servers.mailhost import MailHost
from tests.servers.scripted import DROP, HANG, Answer, Line, ScriptedSmtp, take_data

PBM = "pbm@play.test"
BOB = "p1@play.test"
PASSWORD = "hunter2"
RAW = (
    b"""From: pbm@play.test
To: p1@play.test
Subject: hello
Date: Sun, 29 Nov 2026 12:00:00 +0000
Message-ID: <one@play.test>

""".replace(b"\n", b"\r\n")
    + (b".dot\r\n..dots\r\n.\r\nlast line\r\n")
)


def _settings(port: int, **changes: Any) -> SmtpSettings:
    plain = SmtpSettings("127.0.0.1", port, "none", None, None, timeout=0.5, helo="client.play.test")
    return replace(plain, **changes)


@dataclass
class Way:
    """A way to a server that takes mails, and a look into the mailboxes behind it."""

    settings: SmtpSettings
    mails: Callable[[str], Awaitable[list[bytes]]]


@pytest.fixture(params=["embedded", *(pytest.param(t, marks=pytest.mark.servers) for t in ("starttls", "implicit"))])
async def way(request: pytest.FixtureRequest) -> AsyncIterator[Way]:
    if request.param == "embedded":
        server = EmbeddedServer("play.test", {PBM: "secret", BOB: "secret"}, lambda: 1_900_000_000)
        await server.start()

        async def stored(address: str) -> list[bytes]:
            return server.mails(address)

        yield Way(_settings(server.smtp_port, user=PBM, password="secret", timeout=10), stored)
        await server.stop()
        return
    host = request.getfixturevalue("mail_servers")
    settings = _real(host, request.param)

    def read(address: str) -> list[bytes]:
        with imaplib.IMAP4(host.host, host.imap_port, timeout=10) as client:
            client.login(address, host.password)
            client.select("INBOX")
            _, numbers = client.search(None, "ALL")
            parts = [client.fetch(number.decode(), "(BODY[])")[1][0] for number in numbers[0].split()]
            return [part[1] for part in parts if isinstance(part, tuple)]

    async def delivered(address: str) -> list[bytes]:
        return await asyncio.to_thread(read, address)

    yield Way(settings, delivered)


async def _until_delivered(way: Way, address: str, text: bytes) -> bytes:
    for _ in range(100):
        for raw in await way.mails(address):
            if text in raw:
                return raw
        await asyncio.sleep(0.1)
    raise AssertionError(f"not delivered to {address}: {text!r}")


async def test_a_mail_arrives_byte_by_byte(way: Way) -> None:
    transport = Transport(way.settings)
    mark = f"Subject: bytes {time.time_ns()}".encode()
    raw = RAW.replace(b"Subject: hello", mark)
    assert isinstance(await transport.send(PBM, BOB, raw), Sent)
    arrived = await _until_delivered(way, BOB, mark)
    assert arrived.endswith(raw)
    await transport.close()


async def test_eight_bit_text_and_letters_beyond_ascii_arrive(way: Way) -> None:
    transport = Transport(way.settings)
    mark = f"Subject: Grüße 完 {time.time_ns()}".encode()
    raw = RAW.replace(b"Subject: hello", mark) + "Grüße\r\n".encode()
    assert isinstance(await transport.send(PBM, BOB, raw), Sent)
    assert (await _until_delivered(way, BOB, mark)).endswith(raw)
    await transport.close()


async def test_plus_addresses_arrive_with_their_token(way: Way) -> None:
    transport = Transport(way.settings)
    token = f"t{time.time_ns()}"
    assert isinstance(await transport.send(PBM, f"pbm+{token}@play.test", RAW), Sent)
    raw = await _until_delivered(way, PBM, token.encode())
    assert f"Delivered-To: pbm+{token}@play.test".encode() in raw
    await transport.close()


async def test_an_unknown_recipient_is_refused_and_the_connection_goes_on(way: Way) -> None:
    transport = Transport(replace(way.settings, connections=1))
    outcome = await transport.send(PBM, "nobody@play.test", RAW)
    assert isinstance(outcome, Refused)
    assert outcome.code == 550
    assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
    await transport.close()


async def test_many_at_once(way: Way) -> None:
    transport = Transport(way.settings)
    outcomes = await asyncio.gather(*(transport.send(PBM, BOB, RAW) for _ in range(30)))
    assert {type(outcome) for outcome in outcomes} == {Sent}
    await transport.close()


async def test_check_is_silent_where_all_is_well(way: Way) -> None:
    await Transport(way.settings).check()


def _real(host: MailHost, tls: Literal["implicit", "starttls"]) -> SmtpSettings:
    port = host.submission_port if tls == "starttls" else host.submissions_port
    return _settings(port, host="localhost", tls=tls, user=PBM, password=host.password, ca=host.ca, timeout=10)


@pytest.mark.servers
@pytest.mark.parametrize("tls", ["implicit", "starttls"])
async def test_a_certificate_of_an_unknown_authority_is_a_matter_of_configuration(
    mail_servers: MailHost, tls: Literal["implicit", "starttls"]
) -> None:
    transport = Transport(replace(_real(mail_servers, tls), ca=None))
    with pytest.raises(TransportError, match="the server's certificate isn't accepted"):
        await transport.check()
    assert isinstance(await transport.send(PBM, BOB, RAW), Later)


@pytest.mark.servers
async def test_a_wrong_password_is_told_at_the_check(mail_servers: MailHost) -> None:
    transport = Transport(replace(_real(mail_servers, "starttls"), password=PASSWORD))
    with pytest.raises(TransportError, match=r"login of pbm@play\.test: 535") as caught:
        await transport.check()
    assert PASSWORD not in caught.value.reason
    assert caught.value.code == 535


@asynccontextmanager
async def _scripted(answers: dict[str, Any], **changes: Any) -> AsyncIterator[tuple[Transport, ScriptedSmtp]]:
    greeting = changes.pop("greeting", None)
    async with ScriptedSmtp(answers, greeting) as server:
        transport = Transport(_settings(server.port, **changes))
        try:
            yield transport, server
        finally:
            await transport.close()


async def _outcome(answers: dict[str, Any], **changes: Any) -> Outcome:
    async with _scripted(answers, **changes) as (transport, _):
        return await asyncio.wait_for(transport.send(PBM, BOB, RAW), 10)


async def _late(answer: str, line: Line) -> None:
    await line.say("354 go on")
    while await line.hear() != ".":
        pass
    await line.do(answer, "")


def _after_data(answer: str) -> Answer:
    async def data(line: Line, command: str) -> None:
        await _late(answer, line)

    return data


@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("421 4.3.2 shutting down", Later(421, "4.3.2 shutting down")),
        ("450 4.2.0 greylisted", Later(450, "4.2.0 greylisted")),
        ("451-4.3.0 two\n451 4.3.0 lines", Later(451, "4.3.0 two 4.3.0 lines")),
        ("550 5.1.1 unknown", Refused(550, "5.1.1 unknown")),
        ("554 5.7.1 spam\x07", Refused(554, "5.7.1 spam")),
        ("530 5.7.0 authentication required", Later(530, "5.7.0 authentication required")),
    ],
)
async def test_an_answer_decides_whatever_step_it_answers(verb: str, answer: str, outcome: Outcome) -> None:
    assert await _outcome({verb: answer}) == outcome


@pytest.mark.parametrize(
    ("answer", "kind"), [("451 4.3.0 no", Later), ("552 5.3.4 too big", Refused), ("250 ok", Sent)]
)
async def test_the_answer_to_the_mail_itself(answer: str, kind: type[Outcome]) -> None:
    outcome = await _outcome({"DATA": _after_data(answer)})
    assert isinstance(outcome, kind)


@pytest.mark.parametrize("place", ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "end of DATA"])
@pytest.mark.parametrize("fault", [HANG, DROP, "no SMTP at all"])
async def test_no_answer_means_later(place: str, fault: str) -> None:
    if place == "greeting":
        outcome = await _outcome({}, greeting=fault)
    elif place == "end of DATA":
        outcome = await _outcome({"DATA": _after_data(fault)})
    else:
        outcome = await _outcome({place: fault})
    assert isinstance(outcome, Later)
    assert outcome.code is None


async def test_nobody_listens() -> None:
    async with ScriptedSmtp({}) as server:
        port = server.port
    transport = Transport(_settings(port))
    assert await transport.send(PBM, BOB, RAW) == Later(None, f"connecting to 127.0.0.1:{port}: connection refused")
    with pytest.raises(TransportError, match="connection refused"):
        await transport.check()


@pytest.mark.parametrize("greeting", ["220 ready", HANG, DROP])
async def test_a_port_without_tls_is_later(greeting: str) -> None:
    async with _scripted({}, tls="implicit", user=PBM, password=PASSWORD, greeting=greeting) as (transport, server):
        outcome = await asyncio.wait_for(transport.send(PBM, BOB, RAW), 10)
        assert isinstance(outcome, Later)
        assert outcome.text.startswith("connecting to")
        assert not any(heard.startswith(("AUTH", "MAIL")) for heard in server.heard)


@pytest.mark.parametrize("greeting", ["554 5.7.1 go away", "421 4.3.2 busy"])
async def test_a_greeting_that_refuses_is_no_refusal_of_the_mail(greeting: str) -> None:
    outcome = await _outcome({}, greeting=greeting)
    assert isinstance(outcome, Later)
    assert outcome.code == int(greeting[:3])


async def test_where_starttls_is_stripped_nothing_is_sent_in_clear() -> None:
    async with _scripted({}, tls="starttls", user=PBM, password=PASSWORD) as (transport, server):
        outcome = await transport.send(PBM, BOB, RAW)
        assert isinstance(outcome, Later)
        assert "STARTTLS" in outcome.text
        with pytest.raises(TransportError, match="STARTTLS"):
            await transport.check()
        assert {heard.split()[0] for heard in server.heard} <= {"EHLO", "QUIT"}


@pytest.mark.parametrize("answer", ["454 4.7.0 not now", "501 5.5.2 no", DROP, HANG, "220 go on"])
async def test_a_starttls_that_fails_sends_nothing_in_clear(answer: str) -> None:
    answers = {"EHLO": "250-scripted\n250-AUTH PLAIN\n250 STARTTLS", "STARTTLS": answer}
    async with _scripted(answers, tls="starttls", user=PBM, password=PASSWORD) as (transport, server):
        assert isinstance(await asyncio.wait_for(transport.send(PBM, BOB, RAW), 10), Later)
        assert not any(heard.startswith(("AUTH", "MAIL")) for heard in server.heard)


@pytest.mark.parametrize(
    "answer", [f"535 5.7.8 not {PASSWORD}", "454 4.7.0 later", "534 5.7.9 other mechanism", HANG, DROP]
)
async def test_a_login_that_fails_is_later_and_tells_no_password(answer: str) -> None:
    async with _scripted({"AUTH": answer}, user=PBM, password=PASSWORD) as (transport, _):
        outcome = await asyncio.wait_for(transport.send(PBM, BOB, RAW), 10)
        assert isinstance(outcome, Later)
        assert PASSWORD not in outcome.text
        with pytest.raises(TransportError) as caught:
            await transport.check()
        assert PASSWORD not in str(caught.value)
        assert PASSWORD not in repr(transport._settings)


async def test_a_server_without_login_is_a_matter_of_configuration() -> None:
    outcome = await _outcome({"EHLO": "250 scripted"}, user=PBM, password=PASSWORD)
    assert isinstance(outcome, Later)
    assert "AUTH" in outcome.text


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bob",
        "@play.test",
        "bob@",
        "bob@play.test\r\nRCPT TO:<eve@evil.test>",
        "bob@play.test\n",
        "bob@play.test> SIZE=1",
        "bob smith@play.test",
        "Bob <bob@play.test>",
        "bob,carol@play.test",
        "bob@play.test,carol@play.test",
        "bob@play.test carol@play.test",
        '"bob"@play.test',
        "bob@[127.0.0.1]",
        "bob..smith@play.test",
        ".bob@play.test",
        "bob@play..test",
        "bob@-play.test",
        "bob\x00@play.test",
        "bob\x7f@play.test",
        "bob\x85@play.test",
        "bob\u202e@play.test",
        "bo\u2028b@play.test",
        "bob\ud800@play.test",
        "bob@play.test\x00",
        f"{'b' * 65}@play.test",
        f"bob@{'p' * 64}.test",
        f"bob@{'play.' * 60}test",
        "jürgen@play.test",
        "bob@müller.test",
    ],
)
async def test_a_malformed_address_never_reaches_the_wire(address: str) -> None:
    async with _scripted({}) as (transport, server):
        for outcome in (await transport.send(PBM, address, RAW), await transport.send(address, BOB, RAW)):
            assert isinstance(outcome, Refused)
            assert outcome.code is None
            assert "address not usable" in outcome.text
        assert server.heard == []


async def test_what_the_server_cant_carry_is_refused_with_the_reason() -> None:
    async with _scripted({"EHLO": "250 scripted"}) as (transport, server):
        outcome = await transport.send(PBM, BOB, RAW + "Grüße\r\n".encode())
        assert isinstance(outcome, Refused)
        assert "8-bit" in outcome.text
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
        assert server.connections == 1


async def test_extensions_are_used_where_they_are_offered() -> None:
    async with _scripted({"EHLO": "250-scripted\n250-SIZE 20000000\n250 8BITMIME"}) as (transport, server):
        assert isinstance(await transport.send(PBM, BOB, RAW + "Grüße\r\n".encode()), Sent)
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
    assert [heard for heard in server.heard if heard.startswith("MAIL")] == [
        f"MAIL FROM:<pbm@play.test> size={len(RAW) + 9} body=8bitmime",
        f"MAIL FROM:<pbm@play.test> size={len(RAW)}",
    ]


async def test_connections_are_reused_up_to_their_number() -> None:
    async with _scripted({}, connections=2) as (transport, server):
        outcomes = await asyncio.gather(*(transport.send(PBM, BOB, RAW) for _ in range(20)))
        assert {type(outcome) for outcome in outcomes} == {Sent}
        assert server.connections == 2


@pytest.mark.parametrize("second", [DROP, "421 4.4.2 idle for too long", HANG])
async def test_a_reused_connection_that_is_dead_costs_no_mail(second: str) -> None:
    answers = {"MAIL": ["250 ok", second, "250 ok"]}
    async with _scripted(answers, connections=1) as (transport, server):
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
        assert isinstance(await asyncio.wait_for(transport.send(PBM, BOB, RAW), 10), Sent)
        assert server.connections == 2


async def test_a_mail_that_may_have_been_taken_is_not_sent_twice_by_itself() -> None:
    answers = {"DATA": [take_data, _after_data(DROP), take_data]}
    async with _scripted(answers, connections=1) as (transport, server):
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
        assert isinstance(await transport.send(PBM, BOB, RAW), Later)
        assert len([heard for heard in server.heard if heard == "DATA"]) == 2
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)


async def test_after_a_refusal_the_envelope_is_reset() -> None:
    answers = {"RCPT": ["550 5.1.1 unknown", "250 ok"]}
    async with _scripted(answers, connections=1) as (transport, server):
        assert isinstance(await transport.send(PBM, BOB, RAW), Refused)
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
        assert server.connections == 1
        assert "RSET" in server.heard


async def test_the_rate_spaces_the_mails() -> None:
    async with _scripted({}, rate=20.0) as (transport, _):
        loop = asyncio.get_running_loop()
        start = loop.time()
        await asyncio.gather(*(transport.send(PBM, BOB, RAW) for _ in range(5)))
        assert 0.19 < loop.time() - start < 2


async def test_a_cancelled_mail_leaves_no_connection_behind() -> None:
    async with _scripted({"DATA": [HANG, take_data]}, connections=1, timeout=20) as (transport, server):
        task = asyncio.create_task(transport.send(PBM, BOB, RAW))
        await asyncio.sleep(0.1)
        assert "DATA" in server.heard
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert isinstance(await transport.send(PBM, BOB, RAW), Sent)
        assert server.connections == 2

"""What sort of mail it is: automatic, bounce, list, a person's (RFC 3834, RFC 3464, RFC 8098)."""

from __future__ import annotations

import pytest

from pbm.mail.letter import Kind, read_letter


def kind(headers: str, body: str = "HIT alice") -> Kind:
    return read_letter(f"{headers}To: pbm@example.org\nMessage-ID: <a@b>\nDate: x\n\n{body}\n".encode()).kind


BOB = "From: Bob <bob@example.net>\n"


@pytest.mark.parametrize(
    "headers",
    [
        "Auto-Submitted: auto-replied; owner-email=\"bob@example.net\"\n",
        "Auto-Submitted: auto-notified\n",
        "Auto-Submitted: Auto-Generated (rejected)\n",
        "Precedence: auto_reply\n",
        "Precedence: bulk\n",
        "Precedence: junk\n",
        "X-Autoreply: yes\n",
        "X-Autorespond: x\n",
        "X-Apple-Action: VACATION/Bob\n",
        "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent\n",
        "Return-Path: <>\n",
        "Subject: Out of Office: Round 3\n",
        "Subject: Bob is out of the office\n",
        "Subject: Auto: I am away\n",
        "Subject: =?utf-8?b?6Ieq5Yqo5Zue5aSNOiBSb3VuZCAz?=\n",
        "Subject: Abwesend: Round 3\n",
        "Subject: Read: Round 3\n",
        "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n",
        "Content-Type: multipart/report; report-type=feedback-report; boundary=b\n",
    ],
)  # fmt: skip
def test_automatic_mail(headers: str) -> None:
    assert kind(BOB + headers) is Kind.AUTO


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "Auto-Submitted: no\n",
        "X-Auto-Response-Suppress: All\n",
        "X-Auto-Response-Suppress: OOF, AutoReply\nX-MS-Exchange-Organization-AuthAs: Internal\n",
        "Subject: Re: Automatic reply: Round 3\n",
        "Subject: AW: Unzustellbar: Round 3\n",
        "Subject: Reading the rules: a question\n",
        "Subject: Lease of the letter\n",
        "Subject: I was away\n",
        "Precedence: normal\n",
        "X-Priority: 1\n",
        "Return-Path: <bob@example.net>\n",
    ],
)
def test_mail_of_a_person(headers: str) -> None:
    assert kind(BOB + headers) is Kind.MAIL


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("From: MAILER-DAEMON (Mail Delivery System)\nSubject: x\n", "x"),
        ("From: <>\nReturn-Path: <>\nSubject: failure notice\n", "x"),
        ("From: postmaster@example.net\nSubject: Undeliverable: Round 3\n", "x"),
        ("From: System Administrator <sa@example.net>\nSubject: Undeliverable: x\n", "x"),
        ("From: Post_Master@example.net\nSubject: Re: Round 3\n", "550 - no such user here"),
        ("From: noreply@example.net\nSubject: Mail could not be delivered\n", "x"),
        ("From: bob@example.net\nX-Failed-Recipients: carol@example.com\n", "x"),
        ("From: bob@example.net\nContent-Type: multipart/report; boundary=b\n", "--b\n\nx\n--b--"),
        ("From: no-reply@sns.example\nX-Amz-Sns-Message-Id: 1\n", '{"notificationType":"Bounce"}'),
        ("From: postmaster@example.jp\nReturn-Path: <>\nSubject: =?utf-8?b?6YWN5L+h44Ko44Op44O8?=\n", "x"),
        ("From: gateway@example.net\nSubject: Returned mail: see transcript for details\n", "x"),
    ],
)  # fmt: skip
def test_bounces(headers: str, body: str) -> None:
    assert kind(headers, body) is Kind.BOUNCE


@pytest.mark.parametrize(
    "headers",
    [
        "List-Id: <games.lists.example>\n",
        "List-Post: <mailto:games@lists.example>\n",
        "Mailing-List: list games@example.com\n",
        "X-BeenThere: games@lists.example\n",
        "Precedence: list\n",
    ],
)
def test_list_mail(headers: str) -> None:
    assert kind(BOB + headers) is Kind.LIST


def test_an_automatic_answer_through_a_list_is_automatic() -> None:
    assert kind(BOB + "List-Id: <x.example>\nAuto-Submitted: auto-replied\n") is Kind.AUTO


@pytest.mark.parametrize("method", ["REPLY", "COUNTER"])
@pytest.mark.parametrize("where", ["parameter", "content"])
def test_calendar_replies(method: str, where: str) -> None:
    parameter = f"; method={method}" if where == "parameter" else ""
    body = f"BEGIN:VCALENDAR\nMETHOD:{method}\nEND:VCALENDAR" if where == "content" else "BEGIN:VCALENDAR"
    assert kind(f"{BOB}Content-Type: text/calendar{parameter}\n", body) is Kind.AUTO


def test_a_forwarded_bounce_is_a_persons_mail() -> None:
    headers = f"{BOB}Subject: Fwd: x\nContent-Type: multipart/mixed; boundary=b\n"
    inner = "From: MAILER-DAEMON\nX-Failed-Recipients: x@y.example\n\nx"
    body = f"--b\n\nWhat is this?\n--b\nContent-Type: message/rfc822\n\n{inner}\n--b--"
    assert kind(headers, body) is Kind.MAIL

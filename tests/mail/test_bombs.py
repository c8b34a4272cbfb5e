"""Crafted mails are read, or refused, within 2 s and 64 MB each (issue 4, "It must show" 5)."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import pytest

from pbm.mail.authres import proven
from pbm.mail.bounce import bounced
from pbm.mail.explain import explain
from pbm.mail.letter import Kind, read_letter

SIZE = 1024 * 1024
HEAD = (
    b"From: Bob <bob@example.org>\r\nTo: pbm@example.org\r\nSubject: Re: x\r\nMessage-ID: <a@b>\r\n"
    b"Date: Mon, 5 Jan 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n"
)
SENT = [b"From: pbm@example.org\nMessage-ID: <x.pbm@example.org>\n\n" + b"a b c d e f a a a a a a a a\n" * 5000]


def body(kind: bytes, unit: bytes) -> bytes:
    return HEAD + b"Content-Type: text/" + kind + b"\r\n\r\n" + unit * (SIZE // len(unit))


def nested(depth: int) -> bytes:
    opened = b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(depth))
    return HEAD + opened + b"Content-Type: text/plain\r\n\r\nHIT bob\r\n"


def daemon(rest: bytes) -> bytes:
    return HEAD.replace(b"bob@example.org", b"mailer-daemon@example.org") + rest


TEXTS = [
    b"\r\n", b">", b">\r\n", b" ", b"\t", b"a", b"a\r\n", b":", b"-", b"----------\r\n", b"____________________\r\n",
    b"On 1.1.2020 10:00 a@b.cc wrote:\r\n", b"From: a@b.c\r\nSent: 1.1.2020\r\n", b"A: b\r\n", b"*", b"On ", b"wrote ",
    b"On 1.1.2020\r\n", b"<", b"a@", b"a.", b"> x\r\ny\r\n", b"-- \r\n", b"Sent from my iPhone\r\n", b"1", b"1.1.2020 ",
    "写道：".encode(), "\u00a0".encode(), b"=?", b" >", b"a \r\n", b"x" * 900 + b"\r\n", b"(", b"\xff", b"a> b\r\n",
    b"confidential intended recipient\r\n", b"begin forwarded message:\r\n", b"a b c d e f a a a a a a a a\r\n",
    b"CAUTION: external e-mail ", b"HIT bob\r\nOn 1.1.2020 at 10:00 bob wrote:\r\n> x\r\n",
]  # fmt: skip
TAGS = [
    b"<", b"<b>", b"<div>", b"<div></div>", b"</b>", b"</div>", b"<blockquote>", b'<a "', b"<a '", b"<a \"'", b"<!--",
    b"<!-- -->", b"&amp;", b"&", b"&#9999999999;", b"<p>", b"<br>", b"<div " + b"a=b " * 900 + b">", b"<style>",
    b"<div " + b"a" * 3900 + b">", b'<div class="' + b"x " * 1900 + b'">', b"<script>a</script>", b"<svg>", b"<td>x",
    b'<div style="' + b"border-left:" * 300 + b'">', b"<pre>\r\n", b'<span style="display:none">', b"<hr>a",
    b"<div><span>", b"<blockquote>a</blockquote>b", b"<li>HIT bob</li>",
    b'<div style="border: ' + b"none " * 800 + b'">',
]  # fmt: skip
BOMBS: dict[str, Callable[[], bytes]] = {
    "nested-1000": lambda: nested(1000),
    "parts": lambda: HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 100_000,
    "mails-in-mails": lambda: HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 5000 + b"x\r\n",
    "fields": lambda: HEAD + b"".join(b"X-A%d: y\r\n" % n for n in range(100_000)) + b"\r\nHIT\r\n",
    "long-field": lambda: HEAD + b"X-A: " + b"y" * 40_000 + b"\r\n\r\nHIT\r\n",
    "folds": lambda: HEAD + b"X-A: " + b"y\r\n " * 300_000 + b"\r\n\r\nHIT\r\n",
    "from-parens": lambda: HEAD.replace(b"From: ", b"From: " + b"(" * 20_000) + b"\r\nx\r\n",
    "from-quotes": lambda: HEAD.replace(b"From: ", b"From: " + b'"\\' * 15_000) + b"\r\nx\r\n",
    "to-many": lambda: HEAD.replace(b"To: ", b"To: " + b"a@b.c," * 5000) + b"\r\nx\r\n",
    "to-groups": lambda: HEAD.replace(b"To: ", b"To: " + b"a:" * 15_000) + b"\r\nx\r\n",
    "parameters": lambda: HEAD + b"Content-Type: text/plain; " + b"a=b;" * 8000 + b"\r\n\r\nHIT\r\n",
    "continued": lambda: (
        HEAD + b"Content-Type: text/plain; " + b"".join(b"a*%d*=%%41;" % n for n in range(2500)) + b"\r\n\r\nHIT\r\n"
    ),
    "encoded-words": lambda: HEAD.replace(b"Subject: ", b"Subject: " + b"=?utf-8?q?=41?= " * 2000) + b"\r\nHIT\r\n",
    "half-words": lambda: HEAD.replace(b"Subject: ", b"Subject: " + b"=?a?q?" * 5000) + b"\r\nHIT\r\n",
    "ten-megabytes": lambda: body(b"plain", b"y" * 70 + b"\r\n") * 9,
    "base64": lambda: HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"SElUIGJvYgo=\r\n" * 70_000,
    "padding": lambda: HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n" + b"=" * SIZE,
    "quoted-printable": lambda: HEAD + b"Content-Transfer-Encoding: quoted-printable\r\n\r\n" + b"=\r\n" * 300_000,
    "escapes": lambda: HEAD + b"Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n" + b"\x1b$B" * 300_000,
    "tildes": lambda: HEAD + b"Content-Type: text/plain; charset=hz-gb-2312\r\n\r\n" + b"~{" * 500_000,
    "boundary": lambda: HEAD + b'Content-Type: multipart/mixed; boundary="' + b"-" * 60 + b'"\r\n\r\n' + b"-" * SIZE,
    "near-boundaries": lambda: HEAD + b'Content-Type: multipart/mixed; boundary="-"\r\n\r\n' + b"---x\r\n" * 150_000,
    "results": lambda: HEAD + b"Authentication-Results: mx; " + b"dkim=pass header.d=a.b; " * 1200 + b"\r\n\r\nx\r\n",
    "result-comments": lambda: HEAD + b"Authentication-Results: mx; " + b"(" * 30_000 + b"\r\n\r\nx\r\n",
    "bounce-text": lambda: daemon(b"\r\n" + b"<a@b.c>: 550 5.1.1 " * 50_000),
    "bounce-blanks": lambda: daemon(b"\r\n" + b"  \r\n" * 250_000),
    "bounce-status": lambda: daemon(
        b"Content-Type: multipart/report; boundary=b; report-type=delivery-status\r\n\r\n--b\r\n"
        b"Content-Type: message/delivery-status\r\n\r\n"
        + b"Final-Recipient: rfc822; a@b.cc\r\nAction: failed\r\n\r\n" * 15_000
    ),
    "flowed": lambda: body(b"plain; format=flowed; delsp=yes", b"a \r\n"),
    "flowed-marks": lambda: body(b"plain; format=flowed", b">"),
    "closing-tags": lambda: body(b"html", b"<div>" * 60_000 + b"</span>" * 100_000),
}  # fmt: skip
for _number, _unit in enumerate(TEXTS):
    BOMBS[f"text-{_number}"] = lambda unit=_unit: body(b"plain; charset=utf-8", unit)  # type: ignore[misc]
for _number, _unit in enumerate(TAGS):
    BOMBS[f"html-{_number}"] = lambda unit=_unit: body(b"html; charset=utf-8", unit)  # type: ignore[misc]


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_read_in_time_and_memory(name: str) -> None:
    raw = BOMBS[name]()
    explain(HEAD + b"\r\nHIT bob\r\n", "plain", SENT)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    read = explain(raw, name, SENT)
    letter = read_letter(raw)
    proven(letter, "mx", ["mx"])
    bounced(raw, letter)
    assert time.process_time() - begin < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 64 * 1024
    assert read["kind"] in ("mail", "bounce", "refused")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nested-1000", "deeper than 10"),
        ("parts", "200 parts"),
        ("fields", "128 KB"),
        ("long-field", "32 KB"),
        ("to-many", "50 addresses"),
    ],
)
def test_limits_are_named(name: str, reason: str) -> None:
    letter = read_letter(BOMBS[name]())
    assert letter.kind is Kind.REFUSED
    assert letter.refused is not None
    assert reason in letter.refused


def test_ten_levels_are_read_and_eleven_are_not() -> None:
    assert explain(nested(10), "x")["lines"] == ["HIT bob"]
    assert read_letter(nested(11)).kind is Kind.REFUSED


def test_a_mail_over_ten_megabytes_is_refused() -> None:
    assert read_letter(HEAD + b"\r\n" + b"a" * (10 * SIZE)).refused == "the mail is larger than 10 MB"
    assert explain(HEAD + b"\r\nHIT bob\r\n" + b"x" * (9 * SIZE), "x")["kind"] == "mail"


def test_a_mail_with_too_many_parts_can_still_be_answered() -> None:
    letter = read_letter(BOMBS["parts"]())
    assert letter.sender == "bob@example.org"
    assert letter.recipients == ("pbm@example.org",)
    assert (letter.text, letter.html) == (None, None)


def test_an_automatic_mail_with_too_many_parts_stays_automatic() -> None:
    raw = BOMBS["parts"]().replace(b"MIME-Version", b"Auto-Submitted: auto-replied\r\nMIME-Version", 1)
    assert read_letter(raw).kind is Kind.AUTO

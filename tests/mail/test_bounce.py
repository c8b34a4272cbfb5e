"""Bounces: header rules decide, flufl.bounce names the address, delayed is not failed (issue 4)."""

from __future__ import annotations

from pbm.mail.bounce import Bounce, bounced
from pbm.mail.letter import Own, read_letter

TOKEN = "k7mq2v5xa3hd6ynrt4wbz2cfuj"
OWN = Own("pbm@games.example", "pbm+{token}@games.example")


def report(status: str, inner: str = "", to: str = "pbm@games.example", text: str = "It failed.") -> Bounce | None:
    raw = (
        f"From: MAILER-DAEMON@mx.example\nReturn-Path: <>\nTo: {to}\nSubject: Undelivered\nMessage-ID: <a@b>\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\n{text}\n--b\nContent-Type: message/delivery-status\n\n{status}\n"
        f"--b\nContent-Type: message/rfc822\n\n{inner}\n--b--\n"
    ).encode()
    return bounced(raw, read_letter(raw, own=OWN), OWN)


FAILED = "Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; Carol@Example.com\nAction: failed\nStatus: 5.1.1\n"
ORIGINAL = (
    f"Return-Path: <pbm+{TOKEN}@games.example>\nMessage-ID: <x.pbm@games.example>\nTo: carol@example.com\n\nRound 3\n"
)


def test_a_failure_names_address_mail_and_token() -> None:
    assert report(FAILED, ORIGINAL) == Bounce(("Carol@example.com",), True, "<x.pbm@games.example>", TOKEN)


def test_a_delay_is_no_failure() -> None:
    found = report(FAILED.replace("failed", "delayed").replace("5.1.1", "4.4.1"), ORIGINAL)
    assert found is not None
    assert not found.permanent
    assert found.addresses == ("Carol@example.com",)


def test_one_failed_of_two_is_the_one_named() -> None:
    delayed = "Final-Recipient: rfc822; dave@example.com\nAction: delayed\nStatus: 4.4.1\n"
    found = report(f"{FAILED}\n{delayed}")
    assert found is not None
    assert (found.permanent, found.addresses) == (True, ("Carol@example.com",))


def test_success_and_relay_reports_fail_nobody() -> None:
    found = report(FAILED.replace("failed", "relayed").replace("5.1.1", "2.0.0"))
    assert found is not None
    assert (found.permanent, found.addresses) == (False, ())


def test_the_token_may_be_in_reply_to_or_in_the_address_it_came_to() -> None:
    assert report(FAILED, ORIGINAL.replace("Return-Path: <", "Reply-To: Play <")).token == TOKEN  # type: ignore[union-attr]
    assert report(FAILED, to=f"pbm+{TOKEN}@games.example").token == TOKEN  # type: ignore[union-attr]


def test_a_forged_report_has_no_token() -> None:
    """Without the token of our envelope it has no effect; another service's token is none."""
    other = ORIGINAL.replace("games.example", "evil.example")
    found = report(FAILED, other)
    assert found is not None
    assert found.token is None


def test_text_only_reports_are_read_by_their_words() -> None:
    text = (
        "Hi. This is the qmail-send program at mx.example.\nI'm afraid I wasn't able to deliver your message to the "
        "following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n"
        "<carol@example.com>:\nno mailbox here\n"
    )
    raw = f"From: MAILER-DAEMON@mx.example\nTo: pbm+{TOKEN}@games.example\nSubject: failure notice\n\n{text}".encode()
    assert bounced(raw, read_letter(raw), OWN) == Bounce(("carol@example.com",), True, None, TOKEN)
    late = raw.replace(b"failure notice", b"Warning: message delayed 24 hours")
    assert bounced(late, read_letter(late), OWN).permanent is False  # type: ignore[union-attr]


def test_other_mail_is_no_bounce() -> None:
    raw = b"From: bob@example.net\n\nHIT alice\n"
    assert bounced(raw, read_letter(raw)) is None

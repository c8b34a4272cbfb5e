"""Authentication-Results are believed only as MAIL.md says, "Addresses and identity" (RFC 8601)."""

from __future__ import annotations

import pytest

from pbm.mail.authres import organisation, parse, proven, received_by
from pbm.mail.letter import read_letter

MX = "mx.example.org"
TOP = (
    "Received: from out.example.net (out.example.net [192.0.2.1]) by mx.example.org (Postfix) with ESMTPS id 1;\n"
    " Wed, 25 Nov 2026 10:15:00 +0100\n"
)
LMTP = "Received: from mx.example.org by imap.example.org with LMTP id abc; Wed, 25 Nov 2026 10:15:00 +0100\n"
FOREIGN = "Received: from pc by out.example.net with ESMTP; Wed, 25 Nov 2026 10:14:00 +0100\n"


def shown(headers: str, frm: str = "Bob <bob@example.net>") -> bool:
    raw = f"{headers}From: {frm}\nTo: pbm@example.org\nMessage-ID: <a@b>\nDate: x\n\nHIT alice\n".encode()
    return proven(read_letter(raw), MX, [MX, "imap.example.org"])


def results(text: str, server: str = MX) -> str:
    return f"Authentication-Results: {server}; {text}\n"


@pytest.mark.parametrize(
    "headers",
    [
        results("dmarc=pass header.from=example.net") + TOP,
        LMTP + results("dmarc=pass (p=NONE dis=NONE) header.from=example.net") + TOP,
        results("spf=pass smtp.mailfrom=bob@example.net; dkim=none") + TOP,
        results("spf=pass smtp.mailfrom=bounces.example.net") + TOP,
        results("dkim=pass (2048-bit key; unprotected) header.d=example.net header.b=abc/d=") + TOP,
        results("dkim=pass reason=\"good; signature\" header.d=mail.example.net") + TOP,
        results("dkim=fail header.d=example.net; dkim=pass header.d=example.net") + TOP,
        results("dmarc=pass", server="mx.example.org 1") + TOP,
        results("dmarc=pass", server="(c) mx.example.org") + TOP,
        results("dmarc=pass", server="other.example.com") .replace("pass", "fail") + results("dmarc=pass") + TOP,
        "Authentication-Results: mx.example.org;\n\tdkim=pass (1024-bit)\n\theader.d=example.net;\n\tspf=none\n" + TOP,
        results("dmarc=pass") + TOP + FOREIGN + results("dmarc=fail"),
    ],
)  # fmt: skip
def test_honest_results_prove_the_sender(headers: str) -> None:
    assert shown(headers)


@pytest.mark.parametrize(
    "headers",
    [
        "",
        TOP,
        results("none") + TOP,
        # another server, or one whose name only looks like ours
        results("dmarc=pass", server="mx.example.com") + TOP,
        results("dmarc=pass", server="mx.example.org.evil.example") + TOP,
        results("dmarc=pass", server="MX.example.org") + TOP,
        results("dmarc=pass", server="mx.example.org 2") + TOP,
        results("dmarc=pass", server="mx.example.org evil") + TOP,
        # below a foreign hop, below an older verdict of ours
        TOP + FOREIGN + results("dmarc=pass"),
        "Received: (qmail 1 invoked by uid 0); 25 Nov 2026\n" + results("dmarc=pass") + TOP,
        results("dmarc=fail") + results("dmarc=pass") + TOP,
        results("spf=softfail smtp.mailfrom=bob@example.net") + results("dmarc=pass") + TOP,
        # no result at all: comments, quotes, other properties
        results("dkim=none (dmarc=pass header.d=example.net)") + TOP,
        results('dkim=none reason="x; dmarc=pass"') + TOP,
        results('"dmarc=pass"') + TOP,
        results("dkim=pass header.i=@example.net") + TOP,
        results("dkim=pass header.x=example.net") + TOP,
        results("spf=pass smtp.helo=example.net") + TOP,
        results("dkim=pass") + TOP,
        results("dkim = neutral header.d=example.net") + TOP,
        results("xdmarc=pass") + TOP,
        # not aligned
        results("dkim=pass header.d=evil.example") + TOP,
        results("dkim=pass header.d=notexample.net") + TOP,
        results("dkim=pass header.d=net") + TOP,
        results("dkim=pass header.d=example.net.evil.example") + TOP,
        results("dkim=pass header.d=example.net header.d=evil.example") + TOP,
        results("spf=pass smtp.mailfrom=example.net@evil.example") + TOP,
        results("dmarc=pass header.from=evil.example") + TOP,
        results("dmarc=pass; dmarc=fail") + TOP,
        results("dmarc=fail header.from=example.net; spf=pass smtp.mailfrom=example.net") + TOP,
        # grammar broken
        results("dmarc=pass (open comment") + TOP,
        results('dmarc=pass reason="open') + TOP,
        "Authentication-Results: =?utf-8?q?mx=2Eexample=2Eorg=3B_dmarc=3Dpass?=\n" + TOP,
        "X-Authentication-Results: mx.example.org; dmarc=pass\n" + TOP,
        "ARC-Authentication-Results: i=1; mx.example.org; dmarc=pass\n" + TOP,
    ],
)  # fmt: skip
def test_forged_results_prove_nothing(headers: str) -> None:
    assert not shown(headers)


@pytest.mark.parametrize(
    "frm",
    [
        "bob@example.net, mallory@evil.example",
        '"bob@example.net" <mallory@evil.example>',
        "<bob@example.net> <mallory@evil.example>",
        "bob@example.net@evil.example",
        "bob",
        "bob@ехample.net",
    ],
)
def test_a_from_that_is_not_one_sound_address_is_not_proven(frm: str) -> None:
    assert not shown(results("spf=pass smtp.mailfrom=bob@example.net; dkim=pass header.d=example.net") + TOP, frm)


def test_two_from_fields_are_not_proven() -> None:
    assert not shown(results("dmarc=pass") + TOP + "From: mallory@evil.example\n")


def test_without_a_configured_server_nothing_is_proven() -> None:
    letter = read_letter(b"Authentication-Results: x; dmarc=pass\nFrom: a@b.example\n\nx\n")
    assert not proven(letter, None, ["x"])
    assert not proven(letter, "", [])


def test_organisation_knows_public_suffixes() -> None:
    """Two customers of one suffix are strangers."""
    assert organisation("mail.bob.co.uk") == "bob.co.uk"
    assert organisation("co.uk") is None
    assert organisation("alice.github.io") != organisation("mallory.github.io")
    assert organisation("BÜCHER.example") == "xn--bcher-kva.example"
    assert organisation("a..b") is None


def test_received_by_takes_the_clause_and_no_comment() -> None:
    assert received_by("from by (by evil.example) by mx.example.org (x) with SMTP; date") == "mx.example.org"
    assert received_by("by MX.Example.org. with LMTP") == "mx.example.org"
    assert received_by("(by mx.example.org)") is None
    assert received_by("from x; by mx.example.org") is None


def test_parse_keeps_both_values_of_a_property() -> None:
    read = parse("mx 1; dkim/1=pass header.d=a.example header.d=b.example; none")
    assert read is not None
    assert read.results[0].method == "dkim"
    assert read.results[0].properties["header.d"] == ("a.example", "b.example")

"""Bytes → Letter: limits, identity of a mail, fields, bodies (DESIGN.md "Facts", MAIL.md "Addresses and identity")."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.mail.letter import Kind, Own, find_token, read_letter

TOKEN = "k7mq2v5xa3hd6ynrt4wbz2cfuj"
OWN = Own("pbm@games.example", "pbm+{token}@games.example")
HEAD = b"From: Bob <bob@Example.NET>\r\nTo: pbm+" + TOKEN.encode() + b"@games.example\r\nSubject: Hi\r\n"
IDS = b"Message-ID: <m1@example.net>\r\nDate: Wed, 25 Nov 2026 10:15:00 +0100\r\n"
BODY = b"\r\nHIT alice\r\n"


@given(st.binary(max_size=2000))
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise(raw: bytes) -> None:
    assert read_letter(raw).size == len(raw)


@given(
    st.lists(
        st.sampled_from(
            [HEAD, IDS, BODY, b"=?", b"\r\n", b"--b", b"Content-Type: multipart/mixed; boundary=b\r\n", b"\r"]
        )
    )
)
@settings(max_examples=200, deadline=None)
def test_no_mixture_of_mail_raises(parts: list[bytes]) -> None:
    read_letter(b"".join(parts), own=OWN)


def test_fields_of_a_plain_mail() -> None:
    letter = read_letter(HEAD + IDS + b"References: <r1@x> <r2@x>\r\nIn-Reply-To: <r2@x>\r\n" + BODY)
    assert letter.sender == "bob@example.net"
    assert letter.from_name == "Bob"
    assert letter.recipients == (f"pbm+{TOKEN}@games.example",)
    assert (letter.message_id, letter.in_reply_to, letter.references) == (
        "<m1@example.net>",
        ("<r2@x>",),
        ("<r1@x>", "<r2@x>"),
    )
    assert letter.date == "Wed, 25 Nov 2026 10:15:00 +0100"
    assert letter.text == "HIT alice\n"
    assert (letter.kind, letter.refused, letter.html) == (Kind.MAIL, None, None)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (HEAD + b"X: a\rb: c\r\n" + BODY, "lone carriage return"),
        (HEAD + BODY + b"x\nGRAB 2\r\n", "mixes line ends"),
        (HEAD + BODY + b"\0", "NUL"),
        (HEAD.replace(b"\r\n", b"\n") + b"X: a\rb: c\n\nx\n", "lone carriage return"),
    ],
)
def test_bytes_that_readers_disagree_about_are_refused(raw: bytes, reason: str) -> None:
    letter = read_letter(raw)
    assert letter.kind is Kind.REFUSED
    assert letter.refused is not None
    assert reason in letter.refused
    assert letter.sender is None
    assert len(letter.content_hash) == 64


def test_a_file_with_lf_is_the_same_mail_as_with_crlf() -> None:
    raw = HEAD + IDS + BODY
    assert replace(read_letter(raw.replace(b"\r\n", b"\n")), size=len(raw)) == read_letter(raw)


def test_same_mail_twice_has_one_hash() -> None:
    """Trace headers are left out, and so is how a field is folded."""
    first = read_letter(b"Received: by a\r\n" + HEAD + IDS + BODY)
    second = read_letter(
        b"Delivered-To: x@y.example\r\nReceived: by b\r\n" + HEAD.replace(b"Bob <", b"Bob\r\n <") + IDS + BODY
    )
    assert first.content_hash == second.content_hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"HIT alice", b"HIT carol"),
        (b"m1@", b"m2@"),
        (b"10:15:00", b"10:15:01"),
        (b"Subject: Hi", b"Subject: Ho"),
        (b"bob@", b"rob@"),
        (b"Subject: Hi", b"Subject: Hi\r\nContent-Type: text/html"),
        (b"Bob <bob@Example.NET>", b"Bob <bob@Example.NET>\r\nFrom: x"),
    ],
)
def test_another_mail_has_another_hash(old: bytes, new: bytes) -> None:
    """Two mails that share a Message-ID are two mails."""
    raw = HEAD + IDS + BODY
    assert read_letter(raw).content_hash != read_letter(raw.replace(old, new)).content_hash


def test_without_message_id_and_date_the_raw_bytes_count() -> None:
    assert read_letter(HEAD + BODY).content_hash != read_letter(b"Received: by b\r\n" + HEAD + BODY).content_hash


@pytest.mark.parametrize(
    ("to", "token"),
    [
        (f"pbm+{TOKEN}@games.example", TOKEN),
        (f"PBM+{TOKEN.upper()}@GAMES.example", TOKEN),
        (f"pbm+{TOKEN}@other.example", None),
        (f"x.pbm+{TOKEN}@games.example", None),
        (f"pbm+{TOKEN[:-1]}@games.example", None),
        (f"pbm+{TOKEN[:-1]}1@games.example", None),
        (f'"pbm+{TOKEN}@games.example" <pbm@games.example>', None),
    ],
)
def test_tokens_are_found_in_our_addresses_only(to: str, token: str | None) -> None:
    letter = read_letter(f"From: bob@example.net\nTo: {to}\n\nx\n".encode())
    assert find_token(letter, OWN) == token


def test_a_token_may_be_the_whole_local_part() -> None:
    letter = read_letter(f"From: bob@example.net\nTo: Play <{TOKEN}@games.host>\n\nx\n".encode())
    assert find_token(letter, Own("pbm@games.host", "{token}@games.host")) == TOKEN
    assert find_token(letter, None) is None


def test_the_envelope_comes_before_to() -> None:
    other = TOKEN[::-1]
    raw = f"X-Original-To: pbm+{other}@games.example\nFrom: a@b.example\nTo: pbm+{TOKEN}@games.example\n\nx\n".encode()
    assert find_token(read_letter(raw), OWN) == other


def test_encoded_words_never_become_grammar() -> None:
    name = b"=?utf-8?q?=3Cbob=40example=2Enet=3E=2C?="
    raw = b"From: " + name + b" <mallory@evil.example>\nSubject: =?utf-8?q?a=0D=0AX=3A_b?=\n\nx\n"
    letter = read_letter(raw)
    assert letter.sender == "mallory@evil.example"
    assert "\n" not in letter.subject
    assert "\r" not in letter.subject


def test_own_mail_is_known_by_message_id_or_by_header_and_from() -> None:
    ours = b"From: Play <pbm@games.example>\nMessage-ID: <abc.pbm@games.example>\n\n(HIT bob)\n"
    assert read_letter(ours, own=OWN).kind is Kind.OWN
    assert (
        read_letter(ours.replace(b"abc.pbm@", b"other@").replace(b"\n\n", b"\nX-PBM: round\n\n"), own=OWN).kind
        is Kind.OWN
    )
    copied = b"From: bob@example.net\nMessage-ID: <x@example.net>\nX-PBM: round\n\nHIT bob\n"
    assert read_letter(copied, own=OWN).kind is Kind.MAIL
    assert read_letter(ours.replace(b"games.example>\n\n", b"evil.example>\n\n"), own=OWN).kind is Kind.MAIL


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("multipart/encrypted; boundary=b", "it is encrypted"),
        ("application/pkcs7-mime", "it is encrypted"),
        ("application/ms-tnef", "its text is inside a winmail.dat file"),
        ("message/rfc822", "it holds nothing but another mail"),
        ("image/png", "it has no text"),
    ],
)
def test_a_mail_without_words_says_why(kind: str, why: str) -> None:
    part = "--b\nContent-Type: application/octet-stream\n\nx\n--b--\n" if "boundary" in kind else "x\n"
    letter = read_letter(f"From: bob@example.net\nContent-Type: {kind}\n\n{part}".encode())
    assert (letter.text, letter.html, letter.unread) == (None, None, why)


def test_a_lone_text_file_is_read() -> None:
    raw = b"From: a@b.example\nContent-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nHIT alice\n"
    assert read_letter(raw).text == "HIT alice\n"


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("utf-8", "Zoë".encode(), "Zoë"),
        ("iso-8859-1", "Zoë".encode("latin-1"), "Zoë"),
        ("iso-8859-1", "Zoë".encode(), "Zoë"),
        ("us-ascii", "“Zoë”".encode("cp1252"), "“Zoë”"),
        ("iso-8859-15", "5 €".encode("iso-8859-15"), "5 €"),
        ("ISO_8859-2", "łódź".encode("iso-8859-2"), "łódź"),
        ("ks_c_5601-1987", "감사".encode("cp949"), "감사"),
        ("gb2312", "谢谢".encode("gb18030"), "谢谢"),
        ("windows-1251", "Привет".encode("cp1251"), "Привет"),
        ("windows-1251", "Привет, мир".encode(), None),
        ("iso-2022-jp", "よろしく".encode("iso-2022-jp"), "よろしく"),
        ("utf-7", b"+AGE-", "+AGE-"),
        ("unicode_escape", b"\\x41", "\\x41"),
        ("idna", b"xn--a", "xn--a"),
        ("nonsense", "Zoë".encode(), "Zoë"),
        ("utf-8", b"caf\xe9", "café"),
    ],
)
def test_charsets(label: str, data: bytes, text: str | None) -> None:
    coded = base64.encodebytes(data)
    raw = b"From: a@b.example\nContent-Transfer-Encoding: base64\nContent-Type: text/plain; charset=" + label.encode()
    letter = read_letter(raw + b"\n\n" + coded)
    assert letter.text is not None
    assert text is None or letter.text == text

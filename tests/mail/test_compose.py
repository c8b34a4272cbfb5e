"""Values → bytes: header, parts, encodings; our own bytes say what went in (DESIGN.md)."""

import email
import email.policy
import mailbox
import time
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.calendar import Entry, calendar
from pbm.mail.compose import ComposeError, Head, Mailbox, bodies, build
from pbm.mail.guard import Guard
from pbm.mail.templates import harmless, order, quoted

GUARD = Guard(())
REPLY = f"pbm+{'a' * 26}@example.org"
ENTRY = Entry("t1@example.org", "Round 3", "Answer the email, Zoë.", 1_796_403_600, 1_796_000_000, "pbm@example.org")
HEAD = Head(
    sender=Mailbox("Play by Mail", "pbm@example.org"),
    to=Mailbox("Bob", "bob@example.org"),
    subject="[grab-1] Round 3: send your order by Fri 4 Dec, 18:00",
    message_id="<abc.pbm@example.org>",
    date=1_796_000_000,
    kind="round",
    reply_to=REPLY,
    in_reply_to="<his@mail.example>",
    references=("<root.pbm@example.org>", "<his@mail.example>"),
    auto="auto-replied",
    entries=(ENTRY,),
)
SOURCE = f"# Round 3\n\nSend {order('HIT bob')}.\n\n{quoted('Grüße')}"


def made(head: Head = HEAD, source: str = SOURCE, **more: Any) -> bytes:
    return build(head, source, guard=GUARD, boundary="=_x", **more)


def read(raw: bytes) -> EmailMessage:
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    assert not mail.defects
    return mail


def test_the_header_is_as_mail_md_wants_it() -> None:
    mail = read(made())
    assert {name: str(value) for name, value in mail.items()} == {
        "From": "Play by Mail <pbm@example.org>",
        "To": "Bob <bob@example.org>",
        "Reply-To": REPLY,
        "Subject": HEAD.subject,
        "Date": "Mon, 30 Nov 2026 00:53:20 +0000",
        "Message-ID": HEAD.message_id,
        "In-Reply-To": "<his@mail.example>",
        "References": "<root.pbm@example.org> <his@mail.example>",
        "Auto-Submitted": "auto-replied",
        "X-Auto-Response-Suppress": "All",
        "X-PBM": "round",
        "MIME-Version": "1.0",
        "Content-Type": 'multipart/mixed; boundary="=_xb"',
    }


def test_a_public_mail_is_answered_to_the_base_address_and_has_no_links() -> None:
    head = replace(HEAD, reply_to=None, in_reply_to=None, references=(), entries=(), auto="auto-generated")
    mail = read(made(head))
    assert mail["Reply-To"] is None
    assert mail["References"] is None
    assert mail.get_content_type() == "multipart/alternative"
    page = mail.get_body(("html",))
    assert page is not None
    assert "mailto:" not in page.get_content()
    assert "(HIT bob)" in page.get_content()


def test_text_html_and_calendar_are_whole() -> None:
    mail = read(made())
    text, page = bodies(HEAD, SOURCE, guard=GUARD)
    plain_part, html_part = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain_part is not None
    assert html_part is not None
    assert plain_part.get_content().replace("\r\n", "\n") == text
    assert html_part.get_content().replace("\r\n", "\n") == page
    assert f"mailto:{REPLY}?subject=Re%3A%20%5Bgrab-1%5D" in page
    (file,) = mail.iter_attachments()
    assert file.get_content_type() == "text/calendar"
    assert file["Content-Type"].params["method"] == "PUBLISH"
    assert file.get_filename() == "deadline.ics"
    assert file.get_payload(decode=True) == calendar((ENTRY,))


@pytest.mark.parametrize(
    ("source", "charset", "encoding"), [("Hello", "us-ascii", "7bit"), ("Grüße", "utf-8", "quoted-printable")]
)
def test_text_is_ascii_where_it_can_be(source: str, charset: str, encoding: str) -> None:
    part = read(made(source=source)).get_body(("plain",))
    assert part is not None
    assert part.get_content_charset() == charset
    assert part["Content-Transfer-Encoding"] == encoding


def test_every_line_is_short_seven_bit_and_ends_in_crlf() -> None:
    raw = made(source=str(quoted("x" * 5000 + " Ünïcödé\u2028" + "y " * 900)))
    assert raw.isascii()
    assert raw.count(b"\n") == raw.count(b"\r\n") == raw.count(b"\r")
    assert max(map(len, raw.split(b"\r\n"))) <= 998


def test_a_line_that_begins_with_from_survives_a_mailbox_file(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "box")
    box.add(made(source="From here on it is quiet.\n\nFrom there too."))
    box.flush()
    assert "\n>From" not in (tmp_path / "box").read_text()
    part = read(made(source="From here on.")).get_body(("plain",))
    assert part is not None
    assert part.get_content().startswith("From here on.")


@pytest.mark.parametrize(
    "name",
    [
        "Zoë",
        'a "b" \\ c',
        "Bob, the <b@x.org>",
        "=?utf-8?q?=0AX-Evil:_1?=",
        "李雷" * 6,
        "",
        "a" * 300,
        "x\r\nBcc: y@z.org",
    ],
)
def test_names_stay_names(name: str) -> None:
    mail = read(made(replace(HEAD, to=Mailbox(name, "bob@example.org"))))
    (address,) = mail["To"].addresses
    assert address.addr_spec == "bob@example.org"
    assert address.display_name == " ".join(name.split())
    assert mail["Bcc"] is None


@pytest.mark.parametrize(
    "subject",
    [
        "[grab-1] Zoë ist tot",
        "x" * 1200,
        "a\r\nX-Evil: 1",
        "a\rb\nc\x00\x7f",
        "=?utf-8?b?Cg==?= x",
        "  a   b ",
        "词 " * 200,
        "a" * 90,
    ],
)
def test_subjects_say_what_they_say_on_one_line(subject: str) -> None:
    mail = read(made(replace(HEAD, subject=subject)))
    assert mail["Subject"] == " ".join(
        "".join(c for c in subject.replace("\r", " ").replace("\n", " ") if c.isprintable()).split()
    )
    assert mail["X-Evil"] is None


@given(subject=st.text(max_size=120), name=st.text(max_size=60), body=st.text(min_size=1, max_size=300))
def test_any_text_in_any_place_makes_a_mail_with_the_same_header_fields(subject: str, name: str, body: str) -> None:
    raw = made(replace(HEAD, subject=subject, to=Mailbox(name, "b@x.org")), f"x {harmless(body)}{quoted(body)}")
    assert email.message_from_bytes(raw).keys() == email.message_from_bytes(made()).keys()


@pytest.mark.parametrize("address", ["", "bob", "a@b, c@d", "bob@x.org\r\nBcc: y@z", "Bob <b@x.org>", "böb@x.org"])
def test_an_address_that_is_not_plain_is_refused(address: str) -> None:
    with pytest.raises(ComposeError, match="address"):
        Mailbox("Bob", address)
    with pytest.raises(ComposeError, match="address"):
        made(replace(HEAD, reply_to=address))


@pytest.mark.parametrize(
    "wrong",
    [
        {"message_id": "abc"},
        {"message_id": "<a@b>\r\nX: y"},
        {"in_reply_to": "<a b@c>"},
        {"references": ("<a@b>", "<c@d>", "<e@f>")},
        {"references": ("<a@b> <c@d>",)},
    ],
)
def test_wrong_ids_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ComposeError):
        made(replace(HEAD, **wrong))


def test_a_mail_without_a_word_is_refused() -> None:
    with pytest.raises(ComposeError, match="word"):
        made(source=" \n ")


def test_a_boundary_inside_a_part_is_noticed() -> None:
    with pytest.raises(ComposeError, match=r"parts|boundary"):
        made(replace(HEAD, entries=()), "--=_xa\n\nx")


def test_the_guard_looks_at_both_bodies() -> None:
    text, page = bodies(HEAD, "Please\n\nHELP", guard=GUARD)
    assert "(HELP)" in text
    assert "(HELP)" in page


def test_equal_values_make_equal_bytes_and_quickly() -> None:
    assert made() == made()
    source = SOURCE + "\n\n".join(
        f"Sentence {n} of a mail that goes to many people, on what came to pass." for n in range(40)
    )
    made(source=source)
    began = time.process_time()
    for _ in range(20):
        made(source=source)
    # EmailMessage makes 113 to 370 a second (STACK.md, section 4), this some 500. A loose bound, for slow machines.
    assert (time.process_time() - began) / 20 < 0.02

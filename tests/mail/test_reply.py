"""Newly written lines by evidence (MAIL.md, "What is read from a mail"; issue 4, "It must show" 3)."""

from __future__ import annotations

import html
import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.mail.letter import Letter, read_letter
from pbm.mail.reply import NewText, new_text

OURS = [
    "Round 3 is open until Sunday, 29 November, 20:00 (Berlin), 19:00 UTC.",
    "",
    "You have 7 dollars; Alice has 4 and Carol has 9.",
    "",
    "What you wrote counts:",
    "",
    "(HIT alice)",
    "(GRAB 3)",
    "",
    "Carol says:",
    "I think that we should SHOOT dave tonight. If you agree then VOTE erin as well, because nobody else will",
    "do that for us.",
    "",
    "What you may send now:",
    "",
    "(HIT alice) hits Alice",
    "(SHOOT dave) if you hold the gun",
    "",
    "Nobody else sees this mail. Reply to it with one order a line, and you will get a receipt.",
]
ORDERS = ["HIT alice", "GRAB 3", "PASS", "TELL carol: let us meet at noon", "VOTE frank", "BID 12", "READY"]
INTRODUCTIONS = [
    "On Wed, Nov 25, 2026 at 10:15 AM Play by Mail <pbm@example.org> wrote:",
    "Am 25.11.26 um 10:15 schrieb Play by Mail:",
    "From: Play by Mail <pbm@example.org>\nSent: Wednesday, November 25, 2026 10:15\nTo: Bob\nSubject: Round 3",
    "-----Original Message-----",
    "2026年11月25日(水) 10:15 Play by Mail <pbm@example.org>:",
    "",
]


def letter(text: str, kind: str = "plain", extra: str = "") -> Letter:
    head = (
        f"From: Bob <bob@example.net>\nTo: pbm@example.org\nMessage-ID: <a@b>\nContent-Type: text/{kind}; charset=utf-8"
    )
    return read_letter(f"{head}{extra}\n\n{text}\n".encode())


def lines(read: NewText) -> list[str]:
    return [line.text for line in read.lines]


@st.composite
def quotes(draw: st.DrawFn) -> list[str]:
    """Our mail as some client shows it: marked or not, re-wrapped, its empty lines lost, its charset narrowed."""
    body = list(OURS)
    if width := draw(st.sampled_from([0, 0, 20, 30, 40, 60, 72, 80, 100])):
        body = [piece for line in body for piece in (textwrap.wrap(line, width) or [""])]
    if draw(st.booleans()):
        body = [line for line in body if line]
    mark = draw(st.sampled_from(["> ", "> ", ">", "", "", "  "]))
    return [(mark + line).rstrip() for line in body]


@given(
    quote=quotes(),
    introduction=st.sampled_from(INTRODUCTIONS),
    orders=st.lists(st.sampled_from(ORDERS), min_size=1, max_size=3, unique=True),
    below=st.booleans(),
    as_html=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_replies_to_our_mail_give_exactly_the_new_lines(
    quote: list[str], introduction: str, orders: list[str], below: bool, as_html: bool
) -> None:
    """Whatever the client did to our mail, above and below it the player's lines come out, and no other."""
    head = [*introduction.split("\n"), ""]
    body = [*head, *quote, "", *orders] if below else [*orders, "", *head, *quote]
    if as_html:
        sent = letter("<br>\n".join(html.escape(line) for line in body), "html")
    else:
        sent = letter("\n".join(body))
    read = new_text(sent, ["\n".join(OURS)], names=["Play by Mail"])
    assert lines(read) == orders
    assert not any(line.doubtful for line in read.lines)


@given(
    quote=quotes(),
    introduction=st.sampled_from(INTRODUCTIONS[:3]),
    orders=st.lists(
        st.sampled_from(["PASS", "TELL carol: let us meet at noon", "BID 12", "READY"]), min_size=1, unique=True
    ),
    cut=st.integers(1, 9),
)
@settings(max_examples=100, deadline=None)
def test_inline_answers_live(quote: list[str], introduction: str, orders: list[str], cut: int) -> None:
    body = [*introduction.split("\n"), "", *quote[:cut], "", *orders, "", *quote[cut:]]
    read = new_text(letter("\n".join(body)), ["\n".join(OURS)], names=["Play by Mail"])
    assert [line for line in lines(read) if line in ORDERS] == orders


@given(st.text(max_size=600))
@settings(max_examples=200, deadline=None)
def test_no_text_raises(text: str) -> None:
    read = new_text(letter(text), [text], [text], [text])
    assert all(line.text == line.text.strip() and line.text for line in read.lines)


@given(st.lists(st.sampled_from([*ORDERS, "", "> quoted", "Thanks", "-- ", "Bob wrote:", *INTRODUCTIONS]), max_size=12))
@settings(max_examples=150, deadline=None)
def test_no_marked_line_ever_comes_out(parts: list[str]) -> None:
    assert not any(line.startswith(">") for line in lines(new_text(letter("\n".join(parts)))))


def test_earlier_orders_quoted_without_marks_are_doubtful() -> None:
    """A reply to a receipt that quotes the player's own earlier order is never played twice silently."""
    body = "Thanks!\n\nHIT alice\nGRAB 2\n"
    read = new_text(letter(body), earlier=["hit  alice", "GRAB 2"], answers_receipt=True)
    assert [(line.text, line.doubtful) for line in read.lines] == [
        ("Thanks!", False),
        ("HIT alice", True),
        ("GRAB 2", True),
    ]


def test_the_same_order_as_before_is_new_below_a_marked_quote_or_a_greeting() -> None:
    """A bottom poster who bids the same card again isn't asked every time."""
    body = "> Round 2: your turn\n> What you can send now\n\nHIT alice\n"
    assert [line.doubtful for line in new_text(letter(body), earlier=["HIT alice"], answers_receipt=True).lines] == [
        False
    ]
    for body in ("Hi all,\n\nHIT alice\n", "HIT bob\nHIT alice\n"):
        assert not any(line.doubtful for line in new_text(letter(body), earlier=["HIT alice"]).lines)


def test_an_order_sent_again_on_its_own_is_new() -> None:
    read = new_text(letter("HIT alice\n"), earlier=["HIT alice"])
    assert [(line.text, line.doubtful) for line in read.lines] == [("HIT alice", False)]


def test_earlier_orders_inside_our_quoted_mail_are_subtracted() -> None:
    body = (
        "PASS\n\nOn 25 Nov 2026 at 10:15, Play by Mail <pbm@example.org> wrote:\n\n" + "\n".join(OURS) + "\nHIT alice\n"
    )
    read = new_text(letter(body), ["\n".join(OURS)], ["HIT alice"])
    assert lines(read) == ["PASS"]


def test_a_typed_example_with_its_parentheses_comes_out() -> None:
    """MAIL.md: the receipt tells the player to write it without them, so it must be seen."""
    assert lines(new_text(letter("(HIT alice)\n"), ["\n".join(OURS)])) == ["(HIT alice)"]


def test_below_an_attribution_without_marks_lines_are_doubtful_only_where_nothing_stands_above() -> None:
    attribution = "On 25 Nov 2026 at 10:15, Play by Mail <pbm@example.org> wrote:\n\nHIT alice\n"
    read = new_text(letter(attribution))
    assert [(line.text, line.doubtful) for line in read.lines] == [("HIT alice", True)]
    assert lines(new_text(letter("PASS\n\n" + attribution))) == ["PASS"]


def test_signature_lines_that_parse_are_kept() -> None:
    text = "HIT alice\n-- \nBob\nGRAB 2\nBuilder Ltd\n"
    assert lines(new_text(letter(text))) == ["HIT alice"]
    assert lines(new_text(letter(text), parses=lambda line: line.startswith("GRAB"))) == ["HIT alice", "GRAB 2"]


def test_orders_written_with_dashes_are_no_signature() -> None:
    assert lines(new_text(letter("- HIT alice\n-- GRAB 2\n--HIT carol\n"))) == [
        "- HIT alice",
        "-- GRAB 2",
        "--HIT carol",
    ]


def test_orders_that_parse_are_never_an_attribution_or_a_disclaimer() -> None:
    text = "TELL bob@example.org 25.11.2026 10:15 wrote:\n> x\n"
    assert lines(new_text(letter(text), parses=lambda line: line.startswith("TELL"))) == [text.split("\n")[0]]


def test_names_make_an_attribution_known() -> None:
    text = "PASS\n\nMräuberspiel pisze tak napisał:\n\nHIT alice\n"
    assert lines(new_text(letter(text), names=["Mräuberspiel"])) == ["PASS"]
    assert len(lines(new_text(letter(text)))) == 3


def test_flowed_lines_are_joined_and_short_ones_are_not() -> None:
    flowed = "; format=flowed"
    text = "HIT alice \nGRAB 2 \nTELL carol: some text that goes on for long enough to be broken by a \nprogram\n"
    assert lines(new_text(letter(text, extra=flowed))) == [
        "HIT alice",
        "GRAB 2",
        "TELL carol: some text that goes on for long enough to be broken by a program",
    ]


def test_text_keeps_its_empty_lines_and_drops_the_quote() -> None:
    read = new_text(letter("TELL ALL:\nfirst\n\nsecond\nEND\n\n> quoted\n\nPASS\n"))
    assert read.text == "TELL ALL:\nfirst\n\nsecond\nEND\n\nPASS"


def test_only_html_tells_what_is_quoted() -> None:
    raw = (
        b"From: bob@example.net\nMessage-ID: <a@b>\nContent-Type: multipart/alternative; boundary=b\n\n"
        b"--b\nContent-Type: text/plain\n\nPASS\n\nHIT alice\n--b\nContent-Type: text/html\n\n"
        b"<div>PASS</div><blockquote type=cite><div>HIT alice</div></blockquote>\n--b--\n"
    )
    assert lines(new_text(read_letter(raw))) == ["PASS"]

"""How demo players take in a mail."""

from email.message import EmailMessage
from email.policy import SMTP

from pbm.demo.sheet import Sheet

ROUND = """\
Round 3, bidding of a very long name that
goes on: your turn
=========================================

    Send your order by:
      Thursday 3 December 2026, 12:29:52 (UTC)

== What happened in Round 2 ==

Nobody gets the bullet: no card is without
its equal.

Player  Card
------  -------
Zoë     diamond
Bob     club

* one thing that is
  told in two lines
* another

== What you can send now ==

Bid a card, or none (rule B3):

(BID spade) (BID NONE)

(PASS)

If you would rather think, write (WAIT).

== How things stand ==

Player      Life  Left
----------  ----  ----
Zoë            3
The Second     1  yes

You have 3 life points and 2 tokens.
"""

WIDE = """\
Title
-----

How things stand
----------------

* alice – State: alive; Hand: diamond, heart; Strikes: 0
* bob – State: dead; Hand: diamond, heart, spade, club, club; Strikes:
  2
"""


def mail(text: str, **fields: str) -> bytes:
    made = EmailMessage(policy=SMTP)
    for name, value in {"Subject": "[g-1] Now", "From": "Play by Mail <pbm@play.test>", **fields}.items():
        made[name.replace("_", "-")] = value
    made.set_content(text)
    made.add_alternative(f"<html><body><p>{text}</p></body></html>", subtype="html")
    return made.as_bytes()


def test_headings_paragraphs_tables_and_lists_are_told_apart() -> None:
    sheet = Sheet.read(mail(ROUND))
    assert [section.title for section in sheet.sections] == [
        "Round 3, bidding of a very long name that goes on: your turn",
        "What happened in Round 2",
        "What you can send now",
        "How things stand",
    ]
    happened = sheet.section("What happened in Round 2")
    assert happened is not None
    assert happened.blocks == (
        "Nobody gets the bullet: no card is without its equal.",
        ({"Player": "Zoë", "Card": "diamond"}, {"Player": "Bob", "Card": "club"}),
        "one thing that is told in two lines",
        "another",
    )


def test_the_standing_is_a_row_a_player() -> None:
    assert Sheet.read(mail(ROUND)).standing == (
        {"Player": "Zoë", "Life": "3", "Left": ""},
        {"Player": "The Second", "Life": "1", "Left": "yes"},
    )


def test_a_table_that_was_too_wide_is_read_from_its_records() -> None:
    assert Sheet.read(mail(WIDE)).standing == (
        {"Player": "alice", "State": "alive", "Hand": "diamond, heart", "Strikes": "0"},
        {"Player": "bob", "State": "dead", "Hand": "diamond, heart, spade, club, club", "Strikes": "2"},
    )


def test_offers_are_the_orders_in_parentheses_and_nothing_else() -> None:
    sheet = Sheet.read(mail(ROUND))
    assert sheet.offers == ("BID spade", "BID NONE", "PASS")
    assert sheet.offers_of("BID") == ("BID spade", "BID NONE")
    assert sheet.offers_of("BI") == ()


def test_the_phase_is_the_same_in_a_round_mail_and_its_reminder() -> None:
    sheet = Sheet.read(mail(ROUND))
    reminder = Sheet.read(mail(ROUND.replace(": your turn", ": 3 hours left")))
    assert sheet.must
    assert sheet.phase == reminder.phase == "Round 3, bidding of a very long name that goes on"


def test_what_an_answer_needs_is_read_from_the_header() -> None:
    sheet = Sheet.read(mail(ROUND, Reply_To="pbm+key@play.test", Message_ID="<1@play.test>", X_PBM="round"))
    assert (sheet.kind, sheet.reply_to, sheet.message_id) == ("round", "pbm+key@play.test", "<1@play.test>")
    assert Sheet.read(mail(ROUND)).reply_to == "pbm@play.test"
    assert sheet.number(r"(\d+) tokens") == 2
    assert sheet.number(r"(\d+) coins", 7) == 7
    assert "<html>" in sheet.html

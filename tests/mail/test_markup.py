"""Block markup, printed as text and as HTML."""

import re
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urlsplit

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.markup import BOLD, BOLD_END, KEEP, columns, narrowed, parse, rows, to_text, with_rows
from pbm.mail.markup_html import Links, encoded, to_html
from pbm.mail.templates import order, orders, said, send

LINKS = Links("pbm+token@example.org", "Re: [grab-1] Round 3: say & do")


def text(source: str) -> str:
    return to_text(narrowed(parse(source)))


def page(source: str, links: Links | None = LINKS) -> lxml.html.HtmlElement:
    return lxml.html.document_fromstring(to_html(parse(source), title="t", links=links))


def hrefs(source: str, links: Links | None = LINKS) -> list[str]:
    return [str(a.get("href")) for a in page(source, links).iter("a")]


def test_each_kind_of_block_is_known_by_the_head_of_its_line() -> None:
    source = "# A\n## B\nC\nc\n\nD\n* E\n\n* F\n| G | H |\n| I | J |\n> K\n>\n> L\n! M\nm\n= N | O | P\n~ Q"
    assert [(block.kind, block.rows) for block in parse(source)] == [
        ("heading", (("A",),)),
        ("subheading", (("B",),)),
        ("text", (("C c",),)),
        ("text", (("D",),)),
        ("items", (("E",), ("F",))),
        ("table", (("G", "H"), ("I", "J"))),
        ("user", (("K",), ("",), ("L",))),
        ("warning", (("M",),)),
        ("text", (("m",),)),
        ("facts", (("N", "O", "P"),)),
        ("small", (("Q",),)),
    ]


def test_only_the_first_heading_is_the_mails_own() -> None:
    assert [block.kind for block in parse("# A\n\n# B\n\n## C")] == ["heading", "subheading", "subheading"]


def test_text_is_pleasant_to_read() -> None:
    source = """
# Round 3: your turn

= Send your order by | Friday | 17:00 UTC

A **long** line that has to be wrapped, since it has rather more than seventy-two letters in it.

* an item that is so long that its second line stands below the first one, behind its mark
* short

| Player | Coins | Says |
| Zoë | 5 | x |
| Bob | 12 | |

> Hello
>
> Bye

! Take note.
"""
    assert (
        text(source)
        == """\
Round 3: your turn
==================

    Send your order by:
      Friday
      17:00 UTC

A long line that has to be wrapped, since it has rather more than
seventy-two letters in it.

* an item that is so long that its second line stands below the first
  one, behind its mark
* short

Player  Coins  Says
------  -----  ----
Zoë         5  x
Bob        12

  | Hello
  |
  | Bye

!! Take note.
"""
    )


def test_a_table_too_wide_for_text_becomes_a_list_of_records() -> None:
    wide = f"| Player | {'x' * 40} | {'y' * 40} |\n| bob | 1 | 2 |\n| eve | | 3 |"
    assert text(wide) == (f"* bob – {'x' * 40}: 1;\n  {'y' * 40}: 2\n* eve – {'y' * 40}: 3\n")
    blocks = parse("| a | b |\n| 1 | 2 |")
    assert narrowed(blocks) is blocks


def test_columns_of_numbers_are_flush_right_and_wide_letters_count_twice() -> None:
    assert text("| Name | n |\n| 李雷 | 5 |\n| bob | 10 |") == "Name   n\n----  --\n李雷   5\nbob   10\n"
    assert columns("e\u0301") == 1
    cells = page("| Name | n |\n| bob | -10 |").findall(".//td")
    assert [cell.get("align") for cell in cells if cell.get("class") == "td"] == ["left", "right"]


def test_entities_stand_for_signs_that_would_be_markup() -> None:
    source = "&#42;&#42;x&#42;&#42; &lt;b&gt; &amp;amp; AT&T\n\n| a &#124; b |"
    assert text(source) == "**x** <b> &amp; AT&T\n\na | b\n-----\n"
    assert "<b>" not in to_html(parse(source), title="", links=None)
    assert "&lt;b&gt; &amp;amp; AT&amp;T" in to_html(parse(source), title="", links=None)


def test_bold_is_closed_where_a_template_forgot() -> None:
    assert parse("a **b")[0].rows == ((f"a {BOLD}b{BOLD_END}",),)
    assert len(list(page("**a** b **c").iter("strong"))) == 2


def test_an_order_is_a_link_with_address_subject_and_body() -> None:
    (href,) = hrefs(f"Now {order('BRIBE Xéna HIT Jean-Luc O')}.")
    url = urlsplit(href)
    assert (url.scheme, unquote(url.path)) == ("mailto", "pbm+token@example.org")
    assert parse_qs(url.query) == {
        "subject": ["Re: [grab-1] Round 3: say & do"],
        "body": ["BRIBE Xéna HIT Jean-Luc O"],
    }
    assert "(BRIBE Xéna HIT Jean-Luc O)" in page(f"Now {order('BRIBE Xéna HIT Jean-Luc O')}.").text_content()


def test_no_piece_of_a_link_begins_with_a_verb() -> None:
    assert encoded("HIT bob\nPASS") == "%48IT%20%62ob%0D%0A%50ASS"
    assert unquote(encoded("SECRET BRIBE Ärger HIT o'b")) == "SECRET BRIBE Ärger HIT o'b"


def test_several_lines_go_with_one_tap() -> None:
    source = f"{send('Tap here & go', ['HIT bob', 'PASS'])}, or not."
    (href,) = hrefs(source)
    assert parse_qs(urlsplit(href).query)["body"] == ["HIT bob\r\nPASS"]
    assert text(source) == "Tap here & go, or not.\n"


def test_what_was_sent_is_no_link_and_nothing_is_in_public_mails() -> None:
    assert hrefs(str(said(["HIT bob"]))) == []
    assert text(str(said(["HIT bob", "PASS"]))) == "(HIT bob) (PASS)\n"
    assert hrefs(str(orders(["HIT bob"])), links=None) == []
    assert "(HIT bob)" in page(str(orders(["HIT bob"])), links=None).text_content()


def test_orders_alone_are_buttons_and_in_a_sentence_words() -> None:
    buttons = page(str(orders(["HIT bob", "PASS"])))
    assert [a.get("class") for a in buttons.iter("a")] == ["pill", "pill"]
    assert [a.get("class") for a in page(f"Or {order('PASS')}.").iter("a")] == ["inline"]


def test_an_order_that_the_guard_changed_is_sent_as_it_was() -> None:
    blocks = parse(str(order("BRIBE Xena HIT bob lee")))
    nested = blocks[0].rows[0][0].replace("HIT", "(HIT").replace("lee", "lee)")
    shown = with_rows(blocks, [(nested,)])
    (href,) = [
        str(a.get("href")) for a in lxml.html.document_fromstring(to_html(shown, title="", links=LINKS)).iter("a")
    ]
    assert parse_qs(urlsplit(href).query)["body"] == ["BRIBE Xena HIT bob lee"]


def test_our_wrapping_keeps_what_is_to_be_kept() -> None:
    line = f"{'x' * 66} {order('HIT bob')} y{KEEP}z"
    assert text(line) == f"{'x' * 66}\n(HIT bob) y z\n"


def test_the_page_has_nothing_from_outside_and_no_script() -> None:
    source = to_html(parse("# A\n\n> <script>x</script>\n\n| a |\n| b |"), title="<t>", links=LINKS)
    tree = lxml.html.document_fromstring(source)
    assert not list(tree.iter("script", "img", "link", "iframe", "form", "object"))
    assert not re.search(r"https?:|url\(|@import|text-transform", source)
    assert "&lt;script&gt;x&lt;/script&gt;" in source


@given(st.text(alphabet="ab|*#>!=~& \n\t;0<\u00e9\u2028\ue000\ue003", max_size=120))
def test_every_text_has_a_reading_and_text_and_page_say_the_same(source: str) -> None:
    blocks = parse(source)
    assert with_rows(blocks, rows(blocks)) == blocks
    if not blocks:
        return
    shown = to_text(blocks)
    assert all(line == line.rstrip() for line in shown.splitlines())
    words = "".join("".join(str(t) for t in page(source, None).find("body").itertext()).split())
    letters = [c for c in words if c.isalnum()]
    assert letters == [c for c in "".join(shown.split()) if c.isalnum()]


@pytest.mark.parametrize("width", [20, 72])
@given(words=st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=30))
def test_lines_are_as_long_as_words_allow(words: list[str], width: int) -> None:
    lines = to_text(parse(" ".join(words)), width).splitlines()
    assert " ".join(lines) == " ".join(words)
    assert all(len(line) <= width or " " not in line for line in lines)
    assert all(len(a) + 1 + len(b.split()[0]) > width for a, b in pairwise(lines))

"""Templates: what may be inserted, where they are looked up, and what the mails of each kind say."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, UndefinedError
from jinja2.exceptions import TemplateAssertionError, TemplateNotFound

from pbm.core.engine import Event
from pbm.mail import contexts as c
from pbm.mail.markup import PRIVATE, narrowed, parse, to_text
from pbm.mail.pages import MOST_BUTTONS, Page, moves
from pbm.mail.templates import Templates, harmless, names, one_line, package_templates, quoted
from tests.support import mailpages
from tests.support.randomplay import Play

ABOUT = c.About("grab-1", "money_grab", "Money Grab")
DUE = c.Due(1_796_403_600, "Europe/Berlin")


def render(source: str, **values: object) -> str:
    return str(Templates(loader=DictLoader({"x": source})).render("x", values))


def shown(page: Page) -> str:
    return to_text(narrowed(parse(page.source)))


def told(source: str) -> str:
    """The same in one line, for looking something up."""
    return " ".join(source.split())


def receipt(**values: object) -> str:
    return told(shown(mailpages.PAGES.receipt(c.Receipt(ABOUT, "Zoë", {}, **values))))  # type: ignore[arg-type]


# -- what is inserted ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "a\n\n# b",
        "a\r\n> b",
        "a\u2028| b",
        "**a**",
        "| a | b |",
        "&lt;b&gt; & <i>",
        "! a",
        "~ a",
        "= a",
        "# a",
        "* a",
        "> a",
    ],
)
def test_a_value_says_just_what_it_says(value: str) -> None:
    (block,) = parse(render("{{ value }}", value=value))
    assert block.kind == "text"
    assert block.rows == ((" ".join(value.split()),),)


@given(st.text(max_size=60))
def test_no_value_makes_a_block_or_an_order(value: str) -> None:
    blocks = parse(render("x {{ value }}|{{ [value] | join(', ') }}|{{ value ~ order('a') }}", value=value))
    assert [block.kind for block in blocks] == ["text"]
    text = blocks[0].rows[0][0]
    assert PRIVATE.findall(text) == ["\ue000", "\ue001"]


@pytest.mark.parametrize("sign", ["\ue000", "\ue008", "\U000f0001", "\x00", "\x1b", "\u202e", "\u200b", "\ufeff"])
def test_invisible_and_private_signs_are_left_out(sign: str) -> None:
    assert one_line(f"a{sign}b") == "ab"
    assert str(harmless(f"a{sign}b")) == "ab"


def test_emoji_and_scripts_that_need_joiners_keep_them() -> None:
    assert one_line("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"


def test_macros_blocks_and_joins_keep_their_markup() -> None:
    source = (
        "{% macro who(n) %}**{{ n }}**{% endmacro %}"
        "{% set x %}{{ who('a*b') }} {{ order('HIT bob') }}{% endset %}"
        "{{ x }} {{ [who('c'), 'd**'] | join(' & ') }} {{ who('e') ~ ' <' }}"
    )
    assert to_text(parse(render(source))) == "a*b (HIT bob) c & d** e <\n"


def test_user_text_keeps_its_lines_and_stays_user_text() -> None:
    (block,) = parse(str(quoted("# Hi\n\n> | **x**\r\nbye")))
    assert (block.kind, block.rows) == ("user", (("# Hi",), ("",), ("> | **x**",), ("bye",)))


def test_names_in_words() -> None:
    assert [str(names(list("abc")[:n])) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_what_a_template_forgot_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("{{ nothing }}")
    with pytest.raises(TypeError, match="None"):
        render("{{ value }}", value=None)
    for unsafe in ("safe", "e", "escape"):
        with pytest.raises(TemplateAssertionError):
            render(f"{{{{ value | {unsafe} }}}}", value="x")


def test_the_operators_own_templates_come_first(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "stranger.txt").write_text("Go away.")
    templates = Templates([tmp_path])
    assert str(templates.render("shared/stranger.txt", {})) == "Go away."
    assert templates.exists("shared/round.txt")
    assert not templates.exists("shared/nothing.txt")
    with pytest.raises(TemplateNotFound):
        templates.render("shared/nothing.txt", {})
    assert (package_templates() / "shared" / "round.txt").is_file()


# -- what the mails say ----------------------------------------------------------------------------------------------


def test_a_deadline_is_told_in_the_readers_zone_and_in_utc() -> None:
    assert DUE.short == "Fri 4 Dec, 18:00"
    assert c.Due(DUE.at).short == "Fri 4 Dec, 17:00 UTC"
    play = Play("money_grab", 1, audit=0.0)
    kinds = {s.kind: s.page for s in mailpages.samples(play.table, (), None, play.chance)}
    page = kinds["round"]
    assert page.subject.startswith("[a-1] Bout 1")
    assert page.subject.endswith("send your order by Fri 4 Dec, 18:00")
    text = told(shown(page))
    assert "Friday 4 December 2026, 18:00 (Europe/Berlin) Fri 4 Dec 2026 17:00 UTC" in text
    assert "don't forward" in text
    assert "the game begins" in kinds["digest"].subject.lower()
    assert "Orders never go here" in told(shown(kinds["digest"]))


def test_a_receipt_says_first_what_was_refused() -> None:
    refused = (c.Refused("TAKE 9", "the limit is 3"),)
    page = mailpages.PAGES.receipt(c.Receipt(ABOUT, "Zoë", {}, ("TAKE 1",), refused=refused, label="Round 1", due=DUE))
    assert shown(page).startswith("!! One line of your email was not taken:\n\n* (TAKE 9) – the limit is 3\n")
    assert page.subject == "[grab-1] Round 1: something was not taken"


def test_a_receipt_says_what_stands_and_until_when_it_can_be_changed() -> None:
    text = receipt(
        understood=("TAKE 1",), replaced=("TAKE 2",), stands=("TAKE 1",), label="Round 1", due=DUE, ignored=2
    )
    for words in (
        *("Taken from your email: (TAKE 1).", "That replaces (TAKE 2).", "What counts for Round 1: (TAKE 1)"),
        *("2 lines were read as chat", "You can change this until: Friday 4 December 2026, 18:00"),
    ):
        assert words in text


def test_a_receipt_without_a_good_order_says_what_still_stands() -> None:
    text = receipt(stands=("TAKE 2",), label="Round 1", due=DUE, ignored=1)
    assert text.startswith("Nothing has changed")
    assert "There was no order in your email." in text
    assert "What counts for Round 1: (TAKE 2)" in text
    assert "nothing yet: you still have to send an order" in receipt(label="Round 1", due=DUE, must=True)


def test_a_receipt_shows_press_whole_and_names_a_foreign_address() -> None:
    text = shown(
        mailpages.PAGES.receipt(
            c.Receipt(
                ABOUT,
                "Zoë",
                {},
                sent=(c.Sent(("Bob", "Ann"), "Hi\n\nthere"), c.Sent((), "All!"), c.Sent(None, "Out")),
                other_address="x@example.net",
            )
        )
    )
    assert "Sent to Bob and Ann:\n\n  | Hi\n  |\n  | there" in text
    assert "Sent to everybody:\n\n  | All!" in text
    assert "Posted to the public list, with your name:\n\n  | Out" in text
    assert "x@example.net" in text


def test_what_came_too_late_can_be_sent_again_with_one_tap() -> None:
    text = receipt(too_late="Round 3", again=("TAKE 1",), label="Round 4", due=DUE)
    assert "Too late for Round 3; Round 4 is open until Friday 4 December 2026" in text
    assert "(TAKE 1)" in text
    assert "Tap here" in text
    assert "Tap here" not in receipt(too_late="Round 3", label="Round 4", due=DUE)


def test_every_mail_to_a_seat_but_the_copy_is_a_key_and_says_so() -> None:
    play = Play("dont_get_greedy", 0, audit=0.0)
    samples = [*mailpages.steady(play.table), *mailpages.samples(play.table, (), None, play.chance)]
    keyed = {s.kind for s in samples if "key to your seat" in told(shown(s.page))}
    assert keyed >= {"round", "reminder", "receipt", "press", "help", "welcome", "notice-extended"}
    assert not any("key to your seat" in told(shown(s.page)) for s in samples if s.public or s.kind == "status")
    status = mailpages.PAGES.status(c.Status(ABOUT, None, play.table.view(None) | _empty_grab()))
    assert "may show it around" in told(shown(status))


def _empty_grab() -> dict[str, object]:
    return Play("money_grab", 0, audit=0.0).table.view(None)


def test_an_event_is_told_to_nobody_who_may_not_know_it() -> None:
    table = Play("tontine", 0, audit=0.0).table
    one, two = table.seats[:2]
    about = c.About("t-1", "tontine", "Tontine")
    data = {"assassin": "Xena", "by": one, "target": two}
    secret = (Event("bribe_told", (one,), data),)
    digest = c.Digest(about, table.view(None), "Round 1", "pbm@example.org", secret)
    with pytest.raises(ValueError, match="bribe_told"):
        mailpages.PAGES.digest(digest)
    result = c.Result(about, two, table.view(two), "Round 1", secret)
    with pytest.raises(ValueError, match="bribe_told"):
        mailpages.PAGES.result(result)
    views = {seat: table.view(seat) for seat in table.seats}
    page = mailpages.PAGES.at_close(c.AtClose(about, "Round 1", table.view(None), {}, events=secret, views=views))
    assert f"To {one}:" in told(shown(page))


def test_forms_with_few_choices_get_a_button_each() -> None:
    table = Play("money_grab", 0, audit=0.0).table
    (move,) = moves(table.forms(table.seats[0]))
    assert move.each[0] == "TAKE 0"
    assert len(move.each) <= MOST_BUTTONS
    table = Play("tontine", 0, audit=0.0).table
    by_pattern = {move.pattern: move for move in moves(table.forms(table.seats[0]))}
    assert by_pattern["PASS"].each == ("PASS",)
    assert by_pattern["BRIBE assassin HIT player"].each == ()


@pytest.mark.parametrize("key", ["tontine", "point_thief", "buy_the_bullet", "dont_get_greedy", "money_grab"])
def test_every_kind_of_mail_of_every_game_says_something(key: str) -> None:
    game = Play(key, 3, audit=0.0)
    pages = [*mailpages.steady(game.table), *mailpages.samples(game.table, game.table.told, None, game.chance)]
    for n, events in enumerate(game.moves()):
        if n % 7 == 0 or game.table.result is not None:
            pages += mailpages.samples(game.table, events, "Round 1", game.chance)
    for sample in pages:
        text = shown(sample.page)
        assert len(text) > 60, sample.kind
        assert "None" not in text, sample.kind
        assert max(map(len, text.splitlines())) <= 80, sample.kind
        assert sample.page.subject == one_line(sample.page.subject)
    assert {s.kind for s in pages} >= {"round", "result", "digest", "at_close", "reminder", "receipt", "press", "act"}

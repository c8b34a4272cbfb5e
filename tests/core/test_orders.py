"""Lines of text to orders, by a game's forms (MAIL.md, *What is read from a mail*; SCENARIOS.md)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.core.engine import Choice, Form, Order, Slot
from pbm.core.orders import MAX_LINE, Read, Unread, is_aside, plain, read_line

NAMES = ("alice", "bob", "Carol Ann", "Éva", "x-ray")
PLAYER = Slot("player", "player", tuple(Choice(name, (name,)) for name in NAMES))
ASSASSIN = Slot("assassin", "assassin", (Choice("Xena", ("Xena", "alice")), Choice("Mr Hyde", ("Mr Hyde", "bob"))))
CARD = Slot("card", "suit", (Choice("D", ("diamond", "diamonds", "♦")), Choice("H", ("heart", "h"))))
SIDE = Slot("pick", "character", (Choice("mafia", ("mafia",)), Choice("police", ("police",))))
CLAIM = Slot("claim", "character", SIDE.choices)
FORMS = (
    Form(("HIT", PLAYER), "hit"),
    Form(("BRIBE", ASSASSIN, "HIT", PLAYER), "bribe"),
    Form(("SECRET BRIBE", ASSASSIN, "HIT", PLAYER), "bribe in secret"),
    Form(("PLEDGE", CARD, "TO", PLAYER), "pledge", repeat="first", at_once=True),
    Form(("TAKE", Slot("coins", "number", low=1, high=5)), "take", repeat="last"),
    Form(("PASS",), "nothing"),
    Form(("PICK", SIDE, "CLAIM", CLAIM), "both", split=True),
    Form(("PICK", SIDE), "pick"),
    Form(("CLAIM", CLAIM), "claim"),
)


def orders(line: str, *, near: bool = True) -> list[str] | None:
    read = read_line(line, FORMS, near=near)
    return [order.line for order in read.orders] if isinstance(read, Read) else None


def reason(line: str, *, near: bool = True) -> str:
    read = read_line(line, FORMS, near=near)
    assert isinstance(read, Unread), read
    return read.reason


@pytest.mark.parametrize(
    "line",
    [
        "HIT bob",
        "hit BOB",
        "  HIT   bob  ",
        "- HIT bob",
        "* HIT bob",
        "• hit bob",
        "1. HIT bob",
        "2) HIT bob",
        "– hit bob",
        "**HIT bob**",
        "*HIT* bob",
        "_HIT bob_",
        "`HIT bob`",
        "~~HIT bob~~",
        '"HIT bob"',
        "„HIT bob“",
        "»HIT bob«",
        "HIT “bob”",
        "'HIT bob'",
        "HIT bob.",
        "HIT bob!!",
        "HIT bob;",
        "HIT bob,",
        "HIT bob。",
        "HIT: bob",
        "HIT : bob",
        "ＨＩＴ\u3000ｂｏｂ",
        "HIT\u00a0bob",
        "H\u00adIT b\u200bob",
        "\ufeffHIT bob",
        "HIT\tbob",
        '- "**HIT bob**".',
    ],
)
def test_what_does_not_matter_in_a_line(line: str) -> None:
    assert orders(line) == ["HIT bob"]
    assert orders(line, near=False) == ["HIT bob"]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("hit carol ann", "HIT Carol Ann"),
        ("hit eva", "HIT Éva"),
        ("HIT X-RAY", "HIT x-ray"),
        ("bribe xena hit bob", "BRIBE Xena HIT bob"),
        ("bribe ALICE hit bob", "BRIBE Xena HIT bob"),
        ("bribe mr hyde hit carol ann", "BRIBE Mr Hyde HIT Carol Ann"),
        ("secret bribe bob hit bob", "SECRET BRIBE Mr Hyde HIT bob"),
        ("secret  bribe: bob hit bob", "SECRET BRIBE Mr Hyde HIT bob"),
        ("PLEDGE ♦️ TO bob", "PLEDGE diamond TO bob"),
        ("pledge: diamonds to Carol Ann", "PLEDGE diamond TO Carol Ann"),
        ("pledge H to bob", "PLEDGE heart TO bob"),
        ("take 5", "TAKE 5"),
        ("TAKE 05", "TAKE 5"),
        ("TAKE ５", "TAKE 5"),
        ("TAKE ٣", "TAKE 3"),
        ("TAKE 77", "TAKE 77"),  # whether it is allowed is for the game to say
        ("pass.", "PASS"),
        ("PICK mafia", "PICK mafia"),
        ("claim police", "CLAIM police"),
    ],
)
def test_whole_orders(line: str, read: str) -> None:
    assert orders(line) == [read]
    assert orders(line, near=False) == [read]


def test_P3_pick_and_claim_on_one_line_are_two_orders() -> None:
    assert orders("pick mafia claim police") == ["PICK mafia", "CLAIM police"]
    read = read_line("PICK mafia CLAIM police", FORMS, near=False)
    assert isinstance(read, Read)
    assert [(o.verb, dict(o.args)) for o in read.orders] == [
        ("PICK", {"pick": "mafia"}),
        ("CLAIM", {"claim": "police"}),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "(HIT bob)",
        "- (HIT bob)",
        "(HIT",
        "HIT bob)",
        "> HIT bob",
        "please HIT bob",
        "",
        "   ",
        "...",
        "hello",
        "--",
        "Hits are fun",
    ],
)
def test_lines_that_are_never_orders(line: str) -> None:
    assert read_line(line, FORMS, near=True) is None
    assert read_line(line, FORMS, near=False) is None


@pytest.mark.parametrize(
    "line",
    [
        "Take care,",
        "Hit me up later",
        "Pass the salt",
        "pledge allegiance",
        "Take",
        "claim nothing",
        "HIT",
        "HIT bo now",
    ],
)
def test_chat_that_begins_with_a_verb_stays_chat_in_a_mail(line: str) -> None:
    assert read_line(line, FORMS, near=True) is None
    assert isinstance(read_line(line, FORMS, near=False), Unread)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("HIT bob now", "no player"),
        ("HIT bbo", "no player"),
        ("HIT alice bob", "no player"),
        ("TAKE 3 coins", "3 coins"),
        ("take 2.5", "2.5"),
        ("TAKE 1234567", "1234567"),
        ("PLEDGE diamond bob", "PLEDGE card TO player"),
        ("BRIBE Xena bob", "BRIBE assassin HIT player"),
        ("BRIBE zork HIT bob", None),
        ("SECRET BRIBE anything", "SECRET BRIBE"),
        ("PICK mafia CLAIM zork", "zork"),
    ],
)
def test_lines_that_are_meant_as_orders_are_refused_with_the_reason(line: str, words: str | None) -> None:
    if words is None:
        assert read_line(line, FORMS, near=True) is None  # its second word is nothing of this game: chat
        assert "zork" in reason(line, near=False)
    else:
        assert words in reason(line)
        assert words in reason(line, near=False)


@pytest.mark.parametrize(
    ("line", "read", "note"),
    [
        ("HIT alcie", "HIT alice", "alice"),
        ("hit x-rey", "HIT x-ray", "x-ray"),
        ("HIT carol anne", "HIT Carol Ann", "Carol Ann"),
    ],
)
def test_a_clear_misspelling_is_read_with_a_note_in_mails_only(line: str, read: str, note: str) -> None:
    found = read_line(line, FORMS, near=True)
    assert isinstance(found, Read)
    assert [order.line for order in found.orders] == [read]
    assert len(found.notes) == 1
    assert note in found.notes[0]
    assert isinstance(read_line(line, FORMS, near=False), Unread)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("TKAE 3", "(TAKE 3)"),
        ("Pess", "(PASS)"),
        ("brbie Xena hit bob", "(BRIBE Xena HIT bob)"),
        ("claimm mafia", "(CLAIM mafia)"),
    ],
)
def test_a_verb_one_letter_off_is_asked_back(line: str, meant: str) -> None:
    assert meant in reason(line)
    assert read_line(line, FORMS, near=False) is None


@pytest.mark.parametrize("line", ["HAT bob", "hut bob", "takes a while", "Pessimist", "TKAE it", "Talk 3"])
def test_a_verb_off_without_a_whole_order_behind_it_is_chat(line: str) -> None:
    assert read_line(line, FORMS, near=True) is None


def test_a_very_long_line_is_no_order() -> None:
    assert read_line("HIT " + "bob " * 300, FORMS, near=True) is None
    assert isinstance(read_line("HIT " + "x" * (MAX_LINE - 10), FORMS, near=False), Unread)


def test_a_line_made_to_be_slow_is_read_quickly() -> None:
    line = "BRIBE " + "HIT " * 90 + "bob"
    assert isinstance(read_line(line, FORMS, near=True), Unread | None)


def test_canonical_lines_of_orders_are_read_as_themselves() -> None:
    for form in FORMS:
        read = read_line(form.example(), FORMS, near=False)
        assert isinstance(read, Read)
        assert read.form == form


def test_orders_survive_json() -> None:
    order = Order("TAKE", {"coins": 3}, "TAKE 3")
    assert Order.from_json(order.to_json()) == order
    assert order.number("coins") == 3
    with pytest.raises(TypeError):
        order.text("coins")
    with pytest.raises(TypeError):
        Order("HIT", {"player": "bob"}, "HIT bob").number("player")


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for near in (True, False):
        read = read_line(text, FORMS, near=near)
        assert read is None or isinstance(read, Read | Unread)
    assert plain(plain(text)) == plain(text)


@given(st.sampled_from([form.example() for form in FORMS]), st.text(max_size=30))
def test_a_line_in_parentheses_is_never_an_order(line: str, behind: str) -> None:
    assert read_line(f"({line}) {behind}", FORMS, near=True) is None
    assert read_line(f"({line}", FORMS, near=True) is None
    assert is_aside(f"({line})")

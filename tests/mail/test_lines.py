"""Lines → what they ask for (MAIL.md, *What is read from a mail*)."""

import pytest

from pbm.core.draw import Draw
from pbm.core.engine import Json
from pbm.core.registry import get
from pbm.mail.lines import Grammar, Reading, read_lines

NAMES = ("alice", "bob", "Marie-Louise", "Xavier")


def grammar(key: str = "tontine", *, moderator: bool = False) -> Grammar:
    rules = get(key)
    seats = NAMES if rules.facts.seats[1] != 2 else NAMES[:2]
    view: Json = rules.view(rules.start(seats, rules.facts.options(), Draw(bytes(32))).state, None)
    forms = rules.grammar(view)

    def example(verb: str) -> str | None:
        return next((form.example() for form in forms if not verb or form.verb == verb), None)

    role = "moderator" if moderator else "player"
    return Grammar(forms, seats, role, example, press_to=[n for n in seats if n != "alice"])  # type: ignore[arg-type]


def read(text: str, key: str = "tontine", *, moderator: bool = False) -> Reading:
    return read_lines([(line, False) for line in text.split("\n")], grammar(key, moderator=moderator))


def orders(text: str, key: str = "tontine") -> list[str]:
    return [order.line for line in read(text, key).orders for order in line.orders]


@pytest.mark.parametrize(
    "line",
    [
        "HIT bob",
        "hit BOB",
        "  Hit   bob  ",
        "- HIT bob",
        "* hit bob",
        "• HIT bob",
        "1. HIT bob",
        "2) hit bob",
        "**HIT bob**",
        "_HIT bob_",
        "*HIT* bob",
        "`HIT bob`",
        "“HIT bob”",
        "«HIT bob»",
        "'HIT bob'",
        '"HIT bob".',
        "HIT bob!",
        "HIT bob,",
        "HIT bob…",
        "HIT: bob",
        "ＨＩＴ　ｂｏｂ",
        "HIT\u00a0bob",
        "H\u00adIT bo\u200bb",
        "HIT bób",
        "- **HIT** “bob”.",
    ],
)
def test_what_doesnt_matter_in_a_line(line: str) -> None:
    assert orders(line) == ["HIT bob"]


@pytest.mark.parametrize(
    "line",
    [
        "(HIT bob)",
        "- (HIT bob)",
        "**(HIT bob)**",
        "（HIT bob）",
        "HIT bob)",
        "Xavier HIT bob)",
        "(BRIBE bob HIT",
    ],
)
def test_a_line_in_parentheses_or_a_piece_of_one_is_never_an_order(line: str) -> None:
    assert orders(line) == []


def test_parentheses_newly_written_are_told() -> None:
    found = read("(HIT bob)")
    assert [r.line for r in found.refused] == ["(HIT bob)"]
    assert "without" in found.refused[0].reason


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("HIT marie-louise", "Marie-Louise"),
        ("HIT MARIE-LOUISE", "Marie-Louise"),
        ("HIT Marie-Luise", "Marie-Louise"),
        ("HIT Xavior", "Xavier"),
        ("HIT Xávier", "Xavier"),
        ("HIT Xvaier", "Xavier"),
    ],
)
def test_near_names_are_read_with_a_note(line: str, name: str) -> None:
    found = read(line)
    assert [o.line for r in found.orders for o in r.orders] == [f"HIT {name}"]
    misspelt = name.casefold() not in line.casefold().replace("á", "a")
    assert bool(found.orders[0].notes) == misspelt


def test_a_misspelling_of_a_short_name_is_refused_with_the_near_ones() -> None:
    found = read("HIT bub")
    assert found.orders == []
    assert "bob" in found.refused[0].reason


def test_a_misspelt_name_in_a_shot_is_asked_back() -> None:
    found = read("SHOOT Xavir", "buy_the_bullet")
    assert found.orders[0].asked
    assert not read("SHOOT Xavier", "buy_the_bullet").orders[0].asked


@pytest.mark.parametrize(
    "line", ["Take care,", "hit me up when you can", "protect the weak", "Pass the salt", "wait, what"]
)
def test_chat_that_begins_with_a_verb_is_chat(line: str) -> None:
    found = read(line)
    assert (found.orders, found.commands, found.refused, found.chat) == ([], [], [], 1)


@pytest.mark.parametrize(
    "line", ["HIT bob and carol", "HIT bob twice please", "PROTECT 2", "SECRET BRIBE somebody", "HIT boob x"]
)
def test_an_order_that_isnt_whole_is_refused_with_a_right_one(line: str) -> None:
    found = read(line)
    assert found.orders == []
    assert len(found.refused) == 1
    assert "(" in found.refused[0].reason


@pytest.mark.parametrize("line", ["PROTECTT bob", "PROTCT bob", "BRIB bob HIT alice", "REDY", "STATUSS"])
def test_a_verb_one_letter_off_is_asked(line: str) -> None:
    found = read(line)
    assert found.orders == []
    assert "did you mean" in found.refused[0].reason


@pytest.mark.parametrize("suit", ["heart", "Hearts", "H", "♥", "♥️", "♡", "h"])
def test_suits_however_they_are_written(suit: str) -> None:
    assert orders(f"BID {suit}", "buy_the_bullet") == ["BID heart"]
    assert orders(f"PLEDGE: {suit} TO bob", "buy_the_bullet") == ["PLEDGE heart TO bob"]


def test_pick_and_claim_on_one_line_are_two_orders() -> None:
    assert orders("PICK mafia CLAIM police", "point_thief") == ["PICK mafia", "CLAIM police"]


@pytest.mark.parametrize("line", ["TAKE 3", "take 3.", "TAKE ３", "TAKE ٣"])
def test_numbers(line: str) -> None:
    assert orders(line, "money_grab") == ["TAKE 3"]


@pytest.mark.parametrize("line", ["TAKE three", "TAKE 3 coins", "TAKE -1", "TAKE 1.5", "TAKE 9999999999"])
def test_what_is_no_number_is_no_order(line: str) -> None:
    assert orders(line, "money_grab") == []


def test_a_question_is_no_order() -> None:
    found = read("HIT bob?")
    assert found.orders == []
    assert "question" in found.refused[0].reason


@pytest.mark.parametrize("word", ["HELP", "help.", "Status", "ORDERS", "Clear!", "wait", "READY", "- rules", "RESIGN"])
def test_words_alone_on_their_line(word: str) -> None:
    assert len(read(word).commands) == 1
    assert read(f"{word} is needed").commands == []


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("AWAY 2026-12-20 TO 2026-12-27", "2026-12-20 2026-12-27"),
        ("away none", "NONE"),
        ("TIMEZONE europe/berlin", "Europe/Berlin"),
        ("MAILS needed", "needed"),
        ("ADDRESS new@Example.ORG", "new@example.org"),
    ],
)
def test_words_with_an_argument(line: str, argument: str) -> None:
    assert read(line).commands[0].command.argument == argument


@pytest.mark.parametrize(
    "line", ["AWAY next week", "TIMEZONE Mars/Base", "MAILS never", "ADDRESS nobody", "AWAY 2026-13-01 TO 2026-12-01"]
)
def test_an_unreadable_argument_is_refused_with_an_example(line: str) -> None:
    found = read(line)
    assert found.commands == []
    assert "(" in found.refused[0].reason


def test_press_goes_on_to_end_or_to_an_order_in_capitals() -> None:
    found = read("TELL bob, Xavier:\nlet us hit alice\n\nhit bob, I say\nHIT bob\nSAY: hello\nEND\nthanks")
    assert [(p.word, p.to, p.text) for p in found.press] == [
        ("TELL", ("bob", "Xavier"), "let us hit alice\n\nhit bob, I say"),
        ("SAY", (), "hello"),
    ]
    assert [o.line for line in found.orders for o in line.orders] == ["HIT bob"]
    assert found.chat == 1


def test_press_on_the_same_line_and_to_all() -> None:
    found = read("TELL ALL: good luck\nEND\ntell bob: psst\nEND\nSAY I am innocent")
    assert [(p.word, p.to, p.text) for p in found.press] == [
        ("TELL", (), "good luck"),
        ("TELL", ("bob",), "psst"),
        ("SAY", (), "I am innocent"),
    ]


@pytest.mark.parametrize("line", ["Say hello to bob", "tell bob I am late", "Tell me more", "I say: no"])
def test_say_and_tell_count_only_in_capitals_or_with_a_colon(line: str) -> None:
    assert read(line).press == []


def test_one_bad_addressee_refuses_the_whole_tell() -> None:
    found = read("TELL bob, nobody:\nhello")
    assert found.press == []
    assert "nobody" in found.refused[0].reason


def test_a_line_in_doubt_is_never_played() -> None:
    found = read_lines([("HIT bob", True), ("HIT Xavier", False)], grammar())
    assert [o.line for line in found.orders for o in line.orders] == ["HIT Xavier"]
    assert found.doubtful == ["HIT bob"]


@pytest.mark.parametrize(
    ("line", "word", "name", "argument"),
    [
        ("EXTEND 24h", "EXTEND", "", "86400"),
        ("close", "CLOSE", "", ""),
        ("REMOVE bob", "REMOVE", "bob", ""),
        ("REPLACE bob WITH new@example.org", "REPLACE", "bob", "new@example.org"),
        ("ORDER bob: HIT Xavier", "ORDER", "bob", "HIT Xavier"),
        ("UNDO", "UNDO", "", ""),
        ("END", "END", "", ""),
    ],
)
def test_a_moderators_words(line: str, word: str, name: str, argument: str) -> None:
    command = read(line, moderator=True).commands[0].command
    assert (command.word, command.name, command.argument) == (word, name, argument)


@pytest.mark.parametrize("line", ["EXTEND 24 parsecs", "REMOVE nobody at all", "REPLACE bob WITH nothing", "ORDER bob"])
def test_a_moderators_slips_do_nothing(line: str) -> None:
    assert read(line, moderator=True).commands == []


def test_a_moderators_words_mean_nothing_from_a_player() -> None:
    found = read("CLOSE\nPAUSE\nREMOVE bob\nEXTEND 24h")
    assert found.commands == []
    assert found.orders == []


@pytest.mark.parametrize("key", ["tontine", "point_thief", "buy_the_bullet", "dont_get_greedy", "money_grab"])
def test_no_line_is_too_much(key: str) -> None:
    for line in (
        "HIT " * 4000,
        "(" * 5000,
        "🎲" * 3000,
        "TELL " + "bob, " * 2000 + ": x",
        "TAKE " + "9" * 5000,
        "\ufdfa" * 3000,
    ):
        read(line, key)

"""Names: when two are the same, which are allowed, which one a misspelling means (MAIL.md, ruling G1)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.core import registry
from pbm.core.names import MAX_NAME, Match, fold, match, name_fault, nearest, printed
from pbm.core.words import reserved

PLAYERS = [(name, name) for name in ("alice", "bob", "Caroline", "Maximilian", "Ed", "Björn")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Alice", "aLICE"),
        ("Björn", "bjorn"),
        ("Bjo\u0308rn", "Björn"),
        ("Straße", "STRASSE"),
        ("Łukasz", "lukasz"),
        ("Søren", "soren"),
        ("ｂｏｂ", "bob"),
        ("b\u200bob", "bob"),
        ("Hal\u00a0 9", "hal 9"),
        ("İpek", "ipek"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("Ёлка", "елка"),
        ("♦\ufe0f", "♦"),
    ],
)
def test_names_are_the_same_whatever_case_accents_and_form(one: str, two: str) -> None:
    assert fold(one) == fold(two)


@pytest.mark.parametrize(
    ("one", "two"), [("bob", "rob"), ("hal 9", "hal9"), ("a-b", "a b"), ("李", "王"), ("a_b", "ab")]
)
def test_other_names_stay_apart(one: str, two: str) -> None:
    assert fold(one) != fold(two)


@given(st.text(max_size=60))
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert printed(printed(text)) == printed(text)


@given(st.text(alphabet=st.characters(categories=["Ll", "Lu", "Lo", "Mn", "Nd"]), max_size=30))
def test_every_unicode_form_of_a_name_folds_to_the_same(text: str) -> None:
    assert len({fold(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}) == 1


@pytest.mark.parametrize("name", ["alice", "李小龍", "Björn", "Hal 9", "x-ray", "a_b", "Ω", "नीता", "x" * 24])
def test_names_that_are_allowed(name: str) -> None:
    assert name_fault(name, ()) is None


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("", "letter"),
        ("123", "letter"),
        ("- _", "letter"),
        ("x" * (MAX_NAME + 1), "24"),
        ("a@b", "@"),
        ("bob!", "!"),
        ("(bob)", "("),
        ("bob\n", "invisible"),
        (" bob", "single blanks"),
        ("bob  ross", "single blanks"),
        ("b\u200bob", "invisible"),
        ("ｂｏｂ", "compatibility"),
        ("Mr Hit", "Hit".lower()),
        ("to-bob", "to"),
        ("a_NONE", "none"),
        ("all", "all"),
        ("Wait", "wait"),
    ],
)
def test_names_that_are_refused_with_the_reason(name: str, word: str) -> None:
    fault = name_fault(name, ("HIT", "TO", "NONE", "ALL", "WAIT"))
    assert fault is not None
    assert word in fault


def test_every_word_of_a_grammar_is_reserved() -> None:
    game = registry.get("dont_get_greedy")
    words = reserved(game.grammar({}))
    assert {"take", "help", "all", "none", "end", "to", "with", "as", "remove", "say"} <= words
    assert name_fault("Take That", words) is not None


@pytest.mark.parametrize("text", ["bob", "BOB", "_bob_", "-bob", "bjorn", "BJÖRN", "caroline"])
def test_a_name_spelled_right_is_no_guess(text: str) -> None:
    found = match(text, PLAYERS, near=True)
    assert found.value is not None
    assert fold(found.value) == fold(text.strip("_-"))
    assert not found.near


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("alcie", "alice"),  # two letters swapped are one off
        ("alic", "alice"),
        ("alicee", "alice"),
        ("bjron", "Björn"),
        ("carolyn", "Caroline"),  # two off, which eight letters allow
        ("carolina", "Caroline"),
        ("carolinna", "Caroline"),
        ("maxmillian", "Maximilian"),
        ("bo", None),  # three letters are never guessed
        ("bobb", None),
        ("ed1", None),
        ("alxxe", None),
        ("zed", None),
    ],
)
def test_a_misspelling_is_taken_where_it_is_clear(text: str, value: str | None) -> None:
    found = match(text, PLAYERS, near=True)
    assert (found.value, found.near) == (value, value is not None)
    assert match(text, PLAYERS, near=False) == Match(None)


def test_a_misspelling_between_two_names_is_not_taken() -> None:
    pairs = [(name, name) for name in ("marie", "maria", "dan")]
    found = match("mario", pairs, near=True)
    assert found.value is None
    assert set(found.close) == {"marie", "maria"}
    assert match("marei", pairs, near=True).value is None  # one off marie, and maria within one more


def test_two_spellings_of_one_value_are_no_rivals() -> None:
    pairs = [("Xenophon", "a1"), ("Xenophan", "a1"), ("dan", "a2")]
    assert match("xenophin", pairs, near=True) == Match("a1", near=True, close=("a1",))


def test_a_line_with_other_signs_is_no_misspelling() -> None:
    assert match("alice?x", PLAYERS, near=True) == Match(None)


def test_nearest_word_only_where_there_is_one() -> None:
    assert nearest("tkae", ["TAKE", "VOTE"]) == "TAKE"
    assert nearest("tote", ["TATE", "VOTE"]) is None
    assert nearest("bob", ["TAKE"]) is None

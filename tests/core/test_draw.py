"""Ruling G4: every draw from one key and a label. The vectors were worked out with openssl's HMAC, apart from pbm."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.core.draw import Draw

KEY = bytes(range(32))
DRAW = Draw(KEY)


def u(label: str, counter: int = 0) -> int:
    return int.from_bytes(hmac.digest(KEY, f"{label}#{counter}".encode(), hashlib.sha256)[:8], "big")


@pytest.mark.parametrize(
    ("label", "n", "outcome"),
    [
        ("turn order/4", 5, 0),
        ("round 1: alice target", 7, 2),
        ("jury tie", 2, 1),
        ("round 2: roulette", 3, 0),
    ],
)
def test_G4_vectors_of_draw(label: str, n: int, outcome: int) -> None:
    assert DRAW.draw(label, n) == outcome


@pytest.mark.parametrize(
    ("label", "items", "outcome"),
    [("bout 1 set 1: limits", "1234", "2431"), ("seats", "abcde", "becad"), ("seats", "", ""), ("seats", "a", "a")],
)
def test_G4_vectors_of_shuffle(label: str, items: str, outcome: str) -> None:
    assert "".join(DRAW.shuffle(label, items)) == outcome


def test_G4_choice_is_the_item_of_the_draw() -> None:
    items = ["alice", "bob", "carol", "dan"]
    assert DRAW.choice("round 3: bob target", items) == items[DRAW.draw("round 3: bob target", 4)]


def test_G4_numbers_in_the_last_incomplete_run_are_passed_over() -> None:
    """n just above 2^63: about half of all first numbers are too big, and the counter goes up."""
    n = 2**63 + 1
    limit = 2**64 - 2**64 % n
    passed = 0
    for i in range(40):
        label, counter = f"label {i}", 0
        while u(label, counter) >= limit:
            counter += 1
        passed += counter
        assert DRAW.draw(label, n) == u(label, counter) % n
    assert passed > 10


@given(st.binary(min_size=32, max_size=32), st.text(), st.lists(st.integers(), max_size=30))
def test_G4_a_shuffle_keeps_what_it_is_given_and_can_be_done_again(key: bytes, label: str, items: list[int]) -> None:
    before = list(items)
    shuffled = Draw(key).shuffle(label, items)
    assert items == before
    assert sorted(shuffled) == sorted(items)
    assert shuffled == Draw(key).shuffle(label, items)


@given(st.text(), st.integers(min_value=1, max_value=2**63))
def test_G4_a_draw_is_one_of_its_outcomes(label: str, n: int) -> None:
    assert 0 <= DRAW.draw(label, n) < n


def test_G4_all_outcomes_come_up() -> None:
    assert {DRAW.draw(f"die {i}", 6) for i in range(100)} == set(range(6))


def test_G4_the_commitment_is_the_sha_256_of_the_key() -> None:
    assert DRAW.commitment() == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def test_G4_the_key_is_not_shown_by_repr() -> None:
    assert KEY.hex() not in repr(DRAW)
    assert repr(KEY) not in repr(DRAW)


def test_a_key_is_read_from_hex_in_either_case() -> None:
    assert Draw.from_hex(KEY.hex().upper()) == Draw.from_hex(KEY.hex()) == DRAW


@pytest.mark.parametrize("text", ["", "00" * 31, "00" * 33, "0" * 63, "g" * 64, "00 " * 21 + "0", "0x" + "0" * 62])
def test_a_key_that_is_short_or_no_hex_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="hex digits"):
        Draw.from_hex(text)


def test_a_key_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 16"):
        Draw(bytes(16))


@pytest.mark.parametrize("n", [0, -1])
def test_a_draw_among_nothing_is_a_fault(n: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        DRAW.draw("label", n)

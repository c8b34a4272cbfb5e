"""Tokens, Message-IDs and the addresses that they stand in (MAIL.md, *Addresses and identity*)."""

import re
from itertools import combinations
from typing import Any

import pytest

from pbm.mail.address import Keys, reply_address, token_in, valid_address

KEYS = Keys(b"k" * 32)
TOKEN = "abcdefghijklmnopqrstuvwxyz"[:20] + "234567"
WHAT: dict[str, Any] = {"game": "grab-1", "seat": "bob", "turn": "t1", "purpose": "round", "generation": 0}


def test_a_token_is_26_letters_of_lower_case_base32_and_always_the_same() -> None:
    token = KEYS.token(**WHAT)
    assert re.fullmatch("[a-z2-7]{26}", token)
    assert token == Keys(b"k" * 32).token(**WHAT)


def test_a_token_is_of_one_seat_phase_purpose_and_generation() -> None:
    changed = [
        WHAT,
        *({**WHAT, name: value} for name, value in [("game", "grab-2"), ("seat", "carol"), ("seat", None)]),
        *({**WHAT, name: value} for name, value in [("turn", "t2"), ("purpose", "desk"), ("generation", 1)]),
        # Parts that run together are still different things, and so is a seat called None.
        {**WHAT, "seat": "bobt", "turn": "1"},
        {**WHAT, "seat": "None"},
    ]
    tokens = [KEYS.token(**what) for what in changed]
    assert all(a != b for a, b in combinations(tokens, 2))
    assert Keys(b"j" * 32).token(**WHAT) != tokens[0]


def test_a_message_id_is_ours_by_its_shape_and_says_nothing() -> None:
    what: dict[str, Any] = {"game": "grab-1", "reader": "bob", "turn": "t1", "kind": "round", "host": "example.org"}
    ids = [KEYS.message_id(**what, n=n) for n in range(3)]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"<[a-z2-7]{26}\.pbm@example\.org>", one) for one in ids)
    assert KEYS.boundary(ids[0]) != KEYS.boundary(ids[1])
    assert re.fullmatch(r"=_[a-z2-7]{26}", KEYS.boundary(ids[0]))


def test_the_key_is_long_enough_and_never_shown() -> None:
    with pytest.raises(ValueError, match="32"):
        Keys(b"k" * 31)
    assert "kkk" not in repr(KEYS)


@pytest.mark.parametrize("pattern", ["pbm+{token}@example.org", "{token}@games.host"])
def test_a_token_is_found_again_in_the_address_that_it_makes(pattern: str) -> None:
    address = reply_address(pattern, TOKEN)
    assert address == pattern.replace("{token}", TOKEN)
    assert token_in(address, pattern) == TOKEN
    assert token_in(address.upper(), pattern) == TOKEN
    assert token_in("pbm@example.org", pattern) is None
    assert token_in(f"x{address}", pattern) is None
    assert token_in(address + ".evil.example", pattern) is None


def test_without_a_pattern_any_plus_part_of_26_letters_counts() -> None:
    assert token_in(f"anything+{TOKEN}@x.example") == TOKEN
    assert token_in(f"anything+{TOKEN}2@x.example") is None
    assert token_in(f"anything+{TOKEN[:-1]}1@x.example") is None
    assert token_in(f"{TOKEN}@x.example") is None


@pytest.mark.parametrize("pattern", ["pbm@example.org", "{token}{token}@example.org", "pbm {token}@x", "{token}"])
def test_a_bad_reply_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        reply_address(pattern, TOKEN)


def test_what_is_no_token_makes_no_address() -> None:
    with pytest.raises(ValueError, match="26"):
        reply_address("pbm+{token}@example.org", "short")


@pytest.mark.parametrize(
    ("address", "valid"),
    [
        ("bob@example.org", True),
        ("b.o-b+x_y'z@sub.example.org", True),
        ("bob@localhost", True),
        (f"{'x' * 64}@example.org", True),
        (f"{'x' * 65}@example.org", False),
        (f"bob@{'x' * 64}.org", False),
        (f"bob@{'.'.join(['x' * 60] * 5)}", False),
        *((bad, False) for bad in ("", "bob", "@x", "bob@", "a@b@c", "bob@-x.org", "bob@x..org", ".bob@x.org")),
        *((bad, False) for bad in ("bob@x.org\n", "bob@x.org ", "bob\r\nBcc: x@y.z@x.org", "Bob <bob@x.org>")),
        *(
            (bad, False)
            for bad in ('"bob"@x.org', "böb@x.org", "bob@exämple.org", "a@x.org,b@x.org", "bob@[127.0.0.1]")
        ),
    ],
)
def test_an_address_is_one_plain_ascii_addr_spec(address: str, valid: bool) -> None:
    assert valid_address(address) is valid

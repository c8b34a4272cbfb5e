"""The table of finished games (ruling G8)."""

import json
from dataclasses import replace

import pytest

from pbm.record import FORMATS, HEAD, Record, bbcode, markdown, of_game, pairs
from pbm.store.models import Game, Seat

PLAIN = Record(
    id="grab-1",
    title="Grab on Friday",
    rules="money_grab",
    moderators=("mod",),
    players=("ann", "bob"),
    anonymous=False,
    began="2026-11-30",
    ended="2026-12-04",
    days=5,
    winners=("ann",),
    runners_up=("bob",),
)


def game(**more: object) -> Game:
    values: dict[str, object] = {
        "id": "grab-1",
        "title": "Grab on Friday",
        "rules": "money_grab",
        "moderators": ["mod@example.org"],
        "settings": {"anonymous": False},
        "created": 1_796_000_000,
        "started": 1_796_000_000,
        "ended": 1_796_000_000 + 4 * 86_400,
        "winners": ["ann"],
        "runners_up": ["bob"],
    }
    return Game(**{**values, **more})


SEATS = [Seat(n=0, name="ann", person="ann"), Seat(n=1, name="bob", person="bob")]


def test_g8_record_of_a_game() -> None:
    assert of_game(game(), SEATS) == PLAIN


@pytest.mark.parametrize(("seconds", "days"), [(0, 1), (82_000, 1), (83_900, 2), (86_400, 2), (16 * 86_400, 17)])
def test_g8_days_are_those_of_the_calendar_as_the_forums_count(seconds: int, days: int) -> None:
    assert of_game(game(ended=1_796_000_000 + seconds), SEATS).days == days


def test_g8_an_anonymous_game_tells_who_was_who() -> None:
    seats = [Seat(n=0, name="Heron", person="ann"), Seat(n=1, name="Otter", person="bob")]
    found = of_game(game(settings={"anonymous": True}, winners=["Heron"], runners_up=["Otter"]), seats)
    assert found.players == ("ann as Heron", "bob as Otter")
    assert (found.winners, found.runners_up) == (("ann as Heron",), ("bob as Otter",))


def test_g8_no_address_stands_in_the_record() -> None:
    found = [of_game(game(), SEATS)]
    assert all("@" not in write(found) for write in FORMATS.values())


@pytest.mark.parametrize("shape", list(FORMATS))
def test_every_format_has_every_value(shape: str) -> None:
    text = FORMATS[shape]([PLAIN]).replace("\\", "")
    for value in ("grab-1", "money_grab", "mod", "ann", "bob", "2026-11-30", "2026-12-04"):
        assert value in text


def test_json_has_lists_and_numbers() -> None:
    (found,) = json.loads(FORMATS["json"]([PLAIN]))
    assert found["winners"] == ["ann"]
    assert found["days"] == 5
    assert found["anonymous"] is False


def test_titles_cannot_break_a_table() -> None:
    nasty = replace(PLAIN, title="a|b [url=x]y[/url]")
    assert markdown([nasty]).splitlines()[2].replace("\\|", "").count("|") == len(HEAD) + 1
    assert "[url" not in bbcode([nasty])


def test_g6_nobody_wins() -> None:
    assert dict(pairs(replace(PLAIN, winners=(), runners_up=())))["Winners"] == "nobody"

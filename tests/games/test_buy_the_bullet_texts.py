"""Buy the Bullet’s templates: they render for every reader of every step, say what happened, and read as no order."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm.core.engine import Json
from pbm.games.buy_the_bullet import GAME
from pbm.mail.guard import Guard
from pbm.mail.markup import KEEP, parse, plain
from pbm.mail.templates import Templates
from tests.support.bullet_room import Room

TEMPLATES = Templates()
FOLDER = Path(__file__).parents[2] / "templates" / "buy_the_bullet"
NAMES = ("Ada", "Ben Hur", "Cleo", "Dov-2", "Esra", "Fay")


def leaves(name: str, values: Json) -> list[str]:
    """The pieces of text of a rendered template, as the markup cuts them."""
    blocks = parse(TEMPLATES.render(f"buy_the_bullet/{name}.txt", values))
    return [leaf for block in blocks for row in block.rows for leaf in row]


def said(name: str, **values: Any) -> str:
    """A template as plain text, one block a line."""
    return "\n".join(plain(leaf).replace(KEEP, " ") for leaf in leaves(name, values))


def story(room: Room, reader: str | None) -> str:
    """What the reader is told of the last call."""
    view = GAME.view(room.state, reader)
    return "\n".join(said(e.type, event={"type": e.type, **e.data}, reader=reader, view=view) for e in room.events)


def asked(room: Room, reader: str | None) -> str:
    view = GAME.view(room.state, reader)
    return said("phase", view=view, reader=reader, forms=GAME.forms(view, reader) if reader else ())


def random_line(chance: random.Random, view: Json, seat: str) -> list[str]:
    forms = GAME.forms(view, seat)
    if not forms or chance.random() < 0.1:
        return []
    form = chance.choice([form for form in forms if form.verb != "PASS"] or forms)
    if view["phase"] == "vote" and chance.random() < 0.7:
        form = next(form for form in forms if form.verb == "VOTE")
    return [form.line({slot.name: chance.choice(slot.values()) for slot in form.slots})]


def moments(seats: tuple[str, ...], n: int) -> Iterator[tuple[str, Json]]:
    """Every template of a random game, with what it is rendered from."""
    chance = random.Random(n)
    room = Room(dict.fromkeys(seats, "DHSC"))
    yield "rules", {"view": GAME.view(room.state, None), "options": {}, "reader": None}
    while room.result is None:
        for reader in (None, *seats):
            view = GAME.view(room.state, reader)
            yield "phase", {"view": view, "reader": reader, "forms": GAME.forms(view, reader) if reader else ()}
        here = [seat for seat in seats if room.status(seat) != "removed"]
        if chance.random() < 0.04:
            room.remove(chance.choice(here))
        else:
            room.close(**{seat: random_line(chance, GAME.view(room.state, seat), seat) for seat in here})
        for reader in (None, *seats):
            view = GAME.view(room.state, reader)
            yield "standing", {"view": view, "reader": reader}
            if reader:
                yield "you", {"view": view, "reader": reader}
            for event in room.events:
                yield event.type, {"event": {"type": event.type, **event.data}, "reader": reader, "view": view}


def test_templates_render_and_no_line_reads_as_an_order() -> None:
    seen = set()
    for n in range(12):
        seats = NAMES[: 3 + n % 4]
        guard = Guard(GAME.grammar({"seats": list(seats)}))
        checked: set[str] = set()
        for name, values in moments(seats, n):
            seen.add(name)
            text = said(name, **values)
            for leaf in {*leaves(name, values)} - checked:
                assert guard.doubtful(leaf) == [], (name, leaf)
                assert guard.safe(leaf) == leaf.replace(KEEP, " "), (name, leaf)
                checked.add(leaf)
            assert "  " not in text
            assert " ." not in text
            assert "None" not in text
            if name != "you":
                assert text
    assert seen == {path.stem for path in FOLDER.glob("*.txt")} - {"_words"}


def test_B3_the_bids_tell_who_played_what_and_why_one_won() -> None:
    room = Room({"ann": "DHSC", "bob": "DHSC", "cy": "DHSC"}, strikes={"bob": 1}).close(ann="BID H", cy="BID S")
    told = story(room, "bob")
    assert "bob\nheart, put in for a strike" in told
    assert "The bullet goes to cy: the spade is the highest card that nobody else played (rule B3)." in told
    assert "Your heart was put in for a second strike: it cancels its equals, but it can’t win (rule B4)." in told
    assert "The bullet goes to you: your spade" in story(room, "cy")
    room = Room({"ann": "DHSC", "bob": "DHSC", "cy": "DHSC"}).close(ann="BID H", bob="BID H", cy="PASS")
    assert "Nobody gets the bullet: no card is without its equal (rule B3)." in story(room, None)
    room.close(ann="PASS", bob="PASS", cy="PASS")
    assert story(room, None) == "Nobody played a card, so nobody gets the bullet (rule B3)."


@pytest.mark.parametrize(
    ("strikes", "told"),
    [
        (0, "a first strike: it counts as no card (rule B4)"),
        (1, "your second strike: the highest card of yours that wouldn’t win is put in for you, if there is one"),
        (2, "your third strike: you are out of the game, cards and all (rule B4)"),
    ],
)
def test_B4_a_bidder_is_told_what_a_miss_would_cost(strikes: int, told: str) -> None:
    assert told in asked(Room({"ann": "D", "bob": "D", "cy": "D"}, strikes={"ann": strikes}), "ann")


def test_B5_the_holder_is_told_what_waiting_costs_and_the_next_bid_is_explained() -> None:
    room = Room({"ann": "DC", "bob": "D", "cy": "D"}, phase="shoot", holder="ann")
    assert "a first strike: you get one more delay to fire, but your next bid is no card" in asked(room, "ann")
    room.close()
    assert "Your next bid is decided by this strike, whatever you send: no card (rule B5)." in story(room, "ann")
    assert "ann’s next bid is decided by this strike, whatever is sent: no card (rule B5)." in story(room, "bob")
    room.close(ann="SHOOT cy")
    assert "you have nothing to send (rule B5): you bid no card." in asked(room, "ann")


def test_B6_the_victim_is_told_what_is_left_to_do() -> None:
    room = Room({"ann": "D", "bob": "HC", "cy": "D"}, phase="shoot", holder="ann").close(ann="SHOOT bob")
    assert "you keep your cards (heart, club)" in story(room, "bob")
    assert story(room, "cy") == "ann fired, and bob is dead (rule B6), keeping heart, club."
    assert "You may promise one of your cards in this round (heart, club)" in asked(room, "bob")


def test_B7_the_vote_tells_who_said_what_and_who_pays() -> None:
    hands = {"ann": "DS", "bob": "H", "cy": "H", "u": "", "v": ""}
    room = Room(hands, dead=("u", "v"), phase="vote").close(u="VOTE ann", v="VOTE ann")
    assert "ann’s diamond is gone: the highest card in that hand (rule B7)." in story(room, None)
    assert "Your diamond is gone: the highest card in your hand (rule B7)." in story(room, "ann")
    room = Room(hands, dead=("u", "v"), phase="vote").close(u="VOTE ann", v="VOTE bob")
    assert "struck out: ann, bob. Nobody loses a card (rule B7)." in story(room, None)


def test_B8_a_void_promise_tells_its_giver_when_the_next_can_be_made() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS", "dan": "C"}, dead=("cy",))
    standing = room.send("cy", "PLEDGE H TO bob")
    assert (standing, story(room, "cy")[:42]) == ((), "You have promised a heart to bob. It chang")
    room.remove("bob")
    assert "The card is yours to promise again" in story(room, "cy")
    assert "You have made your promise of this round" in asked(room, "cy")


def test_B9_the_standing_lists_promises_and_the_rules_name_every_ruling() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS"}, dead=("cy",))
    room.send("cy", "PLEDGE H TO bob")
    shown = said("standing", view=GAME.view(room.state, None), reader=None)
    assert "a heart of cy, for bob" in shown
    assert "cy\ndead\nheart, spade\n0" in shown
    rules = said("rules", view={}, options=GAME.facts.options().model_dump())
    assert all(f"(B{n})" in rules for n in range(1, 12))
    assert "(SHOOT bob)" in rules


def test_the_worked_example_of_the_rule_page_comes_out_as_it_says() -> None:
    room = Room(dict.fromkeys(("Ann", "Ben", "Cleo", "Dov", "Eli"), "DHSC"))
    room.close(Ann="BID D", Ben="BID D", Cleo="BID H", Dov="BID C")
    assert room.told("bids")["winner"] == "Cleo"
    room.close(Cleo="SHOOT Dov").close(Ann="BID H", Ben="PASS", Cleo="BID S")
    assert room.bids()["Eli"] == "H"
    assert room.told("bids")["winner"] == "Cleo"

"""Buy the Bullet by its rulings: bids, strikes, shots and the end (B1 to B6, B10, B11); the dead have a file apart."""

import pytest

from pbm.core import play
from pbm.core.engine import Order
from pbm.core.orders import Read, read_line
from pbm.games.buy_the_bullet import GAME
from tests.support.bullet_room import DRAW, Room

FULL = "DHSC"


def four(**more: object) -> Room:
    return Room({"ann": FULL, "bob": FULL, "cy": FULL, "dan": FULL}, **more)  # type: ignore[arg-type]


def test_setup_is_one_card_of_each_suit_and_three_players_or_more() -> None:
    assert GAME.facts.seats == (3, None)
    room = Room({"ann": FULL, "bob": FULL, "cy": FULL})
    assert GAME.start(("ann", "bob", "cy"), GAME.facts.options(), DRAW).state == room.state
    assert room.open() == ("bid", 1, ["ann", "bob", "cy"])


# --- B1


def test_B1_hands_pledges_strikes_and_bids_are_public_and_nothing_is_private() -> None:
    room = four(dead=("dan",)).close(ann="BID D", bob="BID H", cy="BID H", dan="PLEDGE C TO ann")
    public, seen = GAME.view(room.state, None), GAME.view(room.state, "bob")
    assert public["players"]["ann"] == {"hand": ["H", "S", "C"], "status": "alive", "strikes": 0}
    assert public["pledges"] == [{"from": "dan", "card": "C", "to": "ann"}]
    assert public["holder"] == "ann"
    assert seen == public | {"you": "bob", "private": {}, "may_pledge": []}
    assert {event.to for event in room.events} == {"public"}


def test_B1_an_open_bid_changes_nothing_that_anybody_can_see() -> None:
    room = four()
    before = GAME.view(room.state, None)
    assert [order.line for order in room.send("ann", "BID D")] == ["BID diamond"]
    assert GAME.view(room.state, None) == before
    assert not GAME.phase(room.state).open_waiting  # type: ignore[union-attr]


def test_B1_a_hand_may_hold_a_suit_twice_and_bids_one_of_them() -> None:
    room = Room({"ann": "DD", "bob": "HC", "cy": "S"}).close(ann="BID D", bob="BID C", cy="BID NONE")
    assert room.hands() == {"ann": "D", "bob": "H", "cy": "S"}


# --- B2


def test_B2_bids_last_48_hours_and_at_least_12_and_the_other_phases_24() -> None:
    timing = {kind.name: dict(kind.timing) for kind in GAME.facts.phases}
    assert timing.pop("bid") == {"length": "48h", "min": "12h"}
    assert timing == {name: {"length": "24h"} for name in ("shoot", "vote", "pledge")}
    assert not GAME.phase(four().state).at_once  # type: ignore[union-attr]


def test_B2_every_living_player_with_a_card_must_bid_and_one_without_has_nothing_to_send() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "S", "dan": "H"}, dead=("dan",))
    assert room.open() == ("bid", 1, ["ann", "cy"])
    assert GAME.forms(GAME.view(room.state, "bob"), "bob") == ()
    room.close(ann="BID D", bob=["BID NONE", "PASS", "BID D"], cy="PASS")
    assert room.refused == ["bob: BID NONE", "bob: PASS", "bob: BID diamond"]
    assert room.of("missed") == []


def test_B2_bids_name_every_living_player_and_null_is_no_card() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "SC", "dan": "H", "eve": ""}, dead=("dan",), gone=("eve",))
    room.close(ann="PASS", cy="BID c")
    assert room.bids() == {"ann": None, "bob": None, "cy": "C"}


def test_B2_a_card_that_is_not_in_hand_cannot_be_bid() -> None:
    room = Room({"ann": "SC", "bob": FULL, "cy": FULL}).close(ann=["BID S", "BID D"], bob="BID H", cy="BID H")
    assert room.refused == ["ann: BID diamond"]
    assert room.bids()["ann"] == "S"


def test_B2_bids_leave_out_who_is_removed_at_this_close() -> None:
    room = four(strikes={"ann": 2}).close(bob="BID H", cy="BID S", dan="BID S")
    assert list(room.bids()) == ["bob", "cy", "dan"]


@pytest.mark.parametrize(
    ("written", "card"),
    [(text, card) for card, name, symbols in
     (("D", "diamond", "♦♢"), ("H", "heart", "♥♡❤"), ("S", "spade", "♠♤"), ("C", "club", "♣♧"))
     for text in (name, name.upper(), f"{name}s", card, card.lower(), *symbols, *(s + "\ufe0f" for s in symbols),
                  *(s + "\ufe0e" for s in symbols))]
    + [("NONE", "NONE"), ("none", "NONE")],
)  # fmt: skip
def test_B2_suits_are_read_as_names_plurals_initials_and_symbols(written: str, card: str) -> None:
    read = read_line(f"BID {written}", GAME.grammar(GAME.view(four().state, None)), near=False)
    assert isinstance(read, Read)
    assert read.orders[0]["card"] == card


@pytest.mark.parametrize(
    "line", ["PLEDGE ♥ TO bob", "pledge: hearts to BOB", "Pledge : H TO bob", "**Pledge: heart to bob**"]
)
def test_B8_a_pledge_may_have_a_colon(line: str) -> None:
    read = read_line(line, GAME.grammar(GAME.view(four().state, None)), near=False)
    assert isinstance(read, Read)
    assert read.orders[0].line == "PLEDGE heart TO bob"


# --- B3


def test_B3_the_highest_single_card_gets_the_bullet() -> None:
    room = Room(dict.fromkeys(("a", "b", "c", "d", "e"), FULL))
    room.close(a="BID NONE", b="BID D", c="BID D", d="BID H", e="BID C")
    assert room.told("bids")["winner"] == "d"
    assert room.open() == ("shoot", 1, ["d"])
    assert room.state["holder"] == "d"


def test_B3_cards_are_discarded_whether_or_not_somebody_wins() -> None:
    room = Room(dict.fromkeys(("a", "b", "c", "d", "e"), FULL))
    room.close(a="BID NONE", b="BID D", c="BID D", d="BID H", e="BID H")
    assert room.told("bids")["winner"] is None
    assert room.hands() == {"a": FULL, "b": "HSC", "c": "HSC", "d": "DSC", "e": "DSC"}
    assert room.open()[:2] == ("bid", 2)


@pytest.mark.parametrize(
    ("cards", "winner"),
    [("DHSC", "a"), ("HDSC", "b"), ("CCSS", None), ("CSSS", "a"), ("DDDD", None), ("DDHC", "c"), ("HHDC", "c")],
)
def test_B3_rank(cards: str, winner: str | None) -> None:
    room = Room(dict.fromkeys("abcd", FULL))
    room.close(**{name: f"BID {card}" for name, card in zip("abcd", cards, strict=True)})
    assert room.told("bids")["winner"] == winner


# --- B4


def test_B4_first_strike_counts_as_no_card() -> None:
    room = four().close(bob="BID H", cy="BID S", dan="PASS")
    assert room.of("missed") == room.of("strike") == ["ann"]
    assert room.told("strike")["strikes"] == 1
    assert room.bids() == {"ann": None, "bob": "H", "cy": "S", "dan": None}
    assert room.hands()["ann"] == FULL


def test_B4_second_strike_puts_in_the_highest_card_that_would_not_win() -> None:
    room = four(strikes={"ann": 1}).close(bob="BID H", cy="BID S", dan="PASS")
    # A diamond would win; a heart ties with bob's and doesn't.
    assert room.bids() == {"ann": "H", "bob": "H", "cy": "S", "dan": None}
    assert room.told("bids")["winner"] == "cy"
    assert room.hands()["ann"] == "DSC"


def test_B4_a_card_below_a_winning_one_would_not_win() -> None:
    room = four(strikes={"ann": 1}).close(bob="BID D", cy="BID D", dan="BID H")
    assert room.bids()["ann"] == "D"  # a third diamond cancels, too, and the heart still wins
    assert room.told("bids")["winner"] == "dan"
    room = Room({"ann": "HSC", "bob": FULL, "cy": FULL}, strikes={"ann": 1}).close(bob="BID D", cy="PASS")
    assert room.bids()["ann"] == "H"
    assert room.told("bids")["winner"] == "bob"


def test_B4_no_card_is_put_in_where_every_card_would_win() -> None:
    room = Room({"ann": "DH", "bob": FULL, "cy": FULL}, strikes={"ann": 1}).close(bob="BID S", cy="PASS")
    assert room.bids() == {"ann": None, "bob": "S", "cy": None}
    assert room.hands()["ann"] == "DH"


def test_B4_with_nothing_bid_every_card_would_win_and_all_have_bid_none() -> None:
    room = four(strikes={"ann": 1}, dead=("dan",)).close(bob="BID NONE", cy="PASS")
    assert room.bids() == {"ann": None, "bob": None, "cy": None}
    assert room.open() == ("vote", 1, ["dan"])


def test_B4_cards_are_put_in_one_after_the_other_in_seat_order() -> None:
    room = Room({"ann": "DS", "bob": "DS", "cy": "HS"}, strikes={"ann": 1, "bob": 1}).close(cy="BID H")
    # ann: a diamond would win, a spade not; then bob: the same again.
    assert room.bids() == {"ann": "S", "bob": "S", "cy": "H"}
    room = Room({"ann": "HC", "bob": "DH", "cy": "H"}, strikes={"ann": 1, "bob": 1}).close(cy="BID H")
    assert room.bids() == {"ann": "H", "bob": "H", "cy": "H"}


def test_B4_a_put_in_card_counts_for_those_put_in_after_it() -> None:
    room = Room({"ann": "S", "bob": "SC", "cy": "D", "dan": "D"}, strikes={"ann": 1, "bob": 1}).close(
        cy="BID D", dan="BID D"
    )
    # With two diamonds on the table any single card would win: ann's spade, and then bob's spade or club, too.
    assert room.bids() == {"ann": None, "bob": None, "cy": "D", "dan": "D"}
    room = Room({"ann": "HS", "bob": "SC", "cy": "H", "dan": "C"}, strikes={"ann": 1, "bob": 1})
    room.close(cy="BID H", dan="BID C")
    # ann's heart ties with cy's. Then bob's spade would win over the single club; his club cancels it.
    assert room.bids() == {"ann": "H", "bob": "C", "cy": "H", "dan": "C"}
    assert room.told("bids")["winner"] is None


def test_B4_a_put_in_card_that_would_win_after_all_never_wins() -> None:
    # ann's heart doesn't win against cy's diamond; then bob's diamond cancels that, and the heart is alone on top.
    hands = {"ann": "H", "bob": "D", "cy": "D", "dan": "S"}
    room = Room(hands, strikes={"ann": 1, "bob": 1}).close(cy="BID D", dan="BID S")
    assert room.bids() == {"ann": "H", "bob": "D", "cy": "D", "dan": "S"}
    assert room.told("bids")["winner"] == "dan"
    room = Room(hands, strikes={"ann": 1, "bob": 1}).close(cy="BID D", dan="PASS")
    assert room.told("bids")["winner"] is None
    assert room.hands() == {"ann": "", "bob": "", "cy": "", "dan": "S"}


def test_B4_third_strike_removes_cards_and_all() -> None:
    room = four(strikes={"ann": 2}).close(bob="BID H", cy="BID S", dan="PASS")
    assert room.types() == ["missed", "strike", "removed", "bids"]
    assert (room.status("ann"), room.strikes("ann"), room.hands()["ann"]) == ("removed", 3, "")
    assert room.told("bids") == {"bids": {"bob": "H", "cy": "S", "dan": None}, "winner": "bob", "put_in": {}}


def test_B4_third_strike_voids_pledges_to_the_one_removed() -> None:
    room = four(strikes={"ann": 2}, dead=("dan",)).close(bob="BID H", cy="BID S", dan="PLEDGE D TO ann")
    assert room.types() == ["pledge", "missed", "strike", "removed", "pledge_void", "bids"]
    assert room.state["pledges"] == []


def test_B4_B11_third_strikes_together_end_the_game_with_no_bids_resolved() -> None:
    room = Room({"ann": FULL, "bob": FULL, "cy": FULL}, strikes={"ann": 2, "bob": 2}).close(cy="BID D")
    assert room.types() == ["missed", "missed", "strike", "strike", "removed", "removed", "game_over"]
    assert room.told("game_over") == {"winners": ["cy"]}
    assert room.hands() == {"ann": "", "bob": "", "cy": FULL}
    assert room.result is not None
    assert room.result.runners_up == ("ann", "bob")


def test_B4_B11_third_strikes_of_all_at_once_leave_no_winner() -> None:
    room = Room({"ann": FULL, "bob": "S", "cy": "H"}, dead=("cy",), strikes={"ann": 2, "bob": 2}).close()
    assert room.told("game_over") == {"winners": []}
    assert room.result is not None
    assert (room.result.winners, room.result.runners_up) == ((), ("ann", "bob"))
    assert GAME.phase(room.state) is None


# --- B5


def test_B5_the_shot_closes_the_phase_at_once_and_hits_another_living_player() -> None:
    room = four(phase="shoot", holder="ann", gone=("dan",))
    phase = GAME.phase(room.state)
    assert phase is not None
    assert phase.at_once
    assert phase.open_waiting
    (form,) = GAME.forms(GAME.view(room.state, "ann"), "ann")
    assert form.final
    assert not form.public  # it becomes public with the close that it causes
    assert form.slots[0].values() == ("bob", "cy")
    room.close(ann=["SHOOT bob", "SHOOT cy", "SHOOT ann", "SHOOT dan", "PASS"], bob=["SHOOT cy", "PASS"])
    assert room.refused == ["ann: SHOOT ann", "ann: SHOOT dan", "ann: PASS", "bob: SHOOT cy", "bob: PASS"]
    assert room.told("shot") == {"by": "ann", "player": "cy", "hand": list(FULL)}
    assert room.state["holder"] is None


def test_B5_a_missed_shot_is_a_strike_and_a_day_more_in_a_phase_of_its_own() -> None:
    room = four(phase="shoot", holder="ann").close()
    assert room.types() == ["missed", "strike"]
    assert room.open() == ("shoot", 1, ["ann"])
    assert room.state["holder"] == "ann"


def test_B5_first_strike_of_a_shooter_forces_no_card_in_the_next_bids() -> None:
    room = four(phase="shoot", holder="ann").close().close(ann="SHOOT dan")
    assert room.open() == ("bid", 2, ["bob", "cy"])
    room.close(ann=["BID D", "PASS"], bob="BID H", cy="BID S")
    assert room.refused == ["ann: BID diamond", "ann: PASS"]
    assert room.bids() == {"ann": None, "bob": "H", "cy": "S"}
    assert (room.of("missed"), room.strikes("ann")) == ([], 1)
    room.close(bob="SHOOT cy")
    assert room.open() == ("bid", 3, ["ann", "bob"])  # used up


def test_B5_second_strike_of_a_shooter_forces_a_card_by_B4() -> None:
    room = four(phase="shoot", holder="ann", strikes={"ann": 1}).close().close(ann="SHOOT dan")
    room.close(bob="BID H", cy="BID S")
    assert room.bids() == {"ann": "H", "bob": "H", "cy": "S"}
    assert room.told("bids")["winner"] == "cy"


def test_B5_the_last_of_several_strikes_in_one_shoot_phase_holds() -> None:
    room = four(phase="shoot", holder="ann").close().close()
    assert room.strikes("ann") == 2
    room.close(ann="SHOOT dan").close(bob="BID H", cy="BID S")
    assert room.bids()["ann"] == "H"


def test_B5_third_strike_of_a_shooter_loses_the_bullet_and_ends_the_round() -> None:
    room = four(phase="shoot", holder="ann", strikes={"ann": 2}).close()
    assert room.types() == ["missed", "strike", "removed"]
    assert room.told("removed")["bullet_lost"]
    assert (room.status("ann"), room.state["holder"]) == ("removed", None)
    assert room.open() == ("bid", 2, ["bob", "cy", "dan"])
    assert room.state["forced"] == {}


def test_B5_third_strike_of_a_shooter_may_end_the_game() -> None:
    room = Room(
        {"ann": "D", "bob": "H", "cy": ""}, dead=("cy",), phase="shoot", holder="ann", strikes={"ann": 2}
    ).close()
    assert room.types() == ["missed", "strike", "removed", "game_over"]
    assert room.told("game_over") == {"winners": ["bob"]}


def test_B5_a_penalty_waits_through_a_pledge_round() -> None:
    room = Room({"ann": "", "bob": "", "cy": "DH"}, phase="shoot", holder="ann").close().close(ann="SHOOT cy")
    assert room.open() == ("pledge", 2, ["cy"])
    room.close(cy="PLEDGE D TO ann")
    assert room.open() == ("bid", 3, [])  # ann has the only card, and the penalty decides it
    room.close()
    assert room.bids() == {"ann": None, "bob": None}
    assert room.open() == ("vote", 3, ["cy"])


def test_B5_a_penalty_is_used_up_even_by_a_holder_without_cards() -> None:
    room = Room({"ann": "", "bob": "HS", "cy": "H"}, phase="shoot", holder="ann").close().close(ann="SHOOT cy")
    room.close(bob="BID S")
    assert room.bids() == {"ann": None, "bob": "S"}
    assert room.state["forced"] == {}


def test_B5_a_holder_removed_by_the_moderator_loses_the_bullet_and_the_phase_only_waits_to_close() -> None:
    room = four(phase="shoot", holder="ann").remove("ann")
    assert room.types() == ["removed"]
    assert room.open() == ("shoot", 1, [])
    assert room.state["holder"] is None
    assert GAME.phase(room.state).at_once  # type: ignore[union-attr]
    room.close(bob="SHOOT cy")
    assert room.refused == ["bob: SHOOT cy"]
    assert room.types() == []
    assert room.open() == ("bid", 2, ["bob", "cy", "dan"])


# --- B6, B10, B11


def test_B6_the_one_who_is_shot_is_dead_and_keeps_the_cards() -> None:
    room = four(phase="shoot", holder="ann").close(ann="SHOOT bob")
    assert room.status("bob") == "dead"
    assert room.hands()["bob"] == FULL
    assert room.open() == ("bid", 2, ["ann", "cy", "dan"])


def test_B10_a_round_ends_after_shot_no_winner_or_vote() -> None:
    room = four().close(ann="BID D", bob="BID D", cy="PASS", dan="PASS")
    assert room.open()[:2] == ("bid", 2)
    room.close(ann="BID H").close(ann="SHOOT bob")
    assert room.open()[:2] == ("bid", 3)
    room.close(ann="PASS", cy="PASS", dan="PASS")
    assert room.open()[:2] == ("vote", 3)
    room.close(bob="VOTE ann")
    assert room.open()[:2] == ("bid", 4)


def test_B11_the_last_living_player_wins_at_the_shot() -> None:
    room = Room({"ann": "", "bob": "D", "cy": "H"}, dead=("cy",), phase="shoot", holder="ann", pledges=[])
    room.state["pledges"] = [{"from": "cy", "card": "H", "to": "bob"}]
    room.close(ann="SHOOT bob")
    assert room.types() == ["shot", "pledge_void", "game_over"]  # and no hand-over or new deal
    assert room.result is not None
    assert (room.result.winners, room.result.runners_up) == (("ann",), ("bob",))
    assert (room.state["round"], room.state["holder"], GAME.phase(room.state)) == (1, None, None)
    view = GAME.view(room.state, "cy")
    assert GAME.forms(view, "cy") == ()
    assert play.check(GAME, view, "cy", [Order("PASS", {}, "PASS")]).refusals


def test_B11_the_last_living_player_wins_at_a_removal_in_every_phase() -> None:
    for phase, holder in (("bid", None), ("shoot", "ann"), ("shoot", "bob"), ("vote", None), ("pledge", None)):
        hands = {"ann": "", "bob": "", "cy": "H"}
        room = Room(hands, dead=("cy",), phase=phase, holder=holder).remove("bob")
        assert room.types() == ["removed", "game_over"]
        assert room.result is not None
        assert (room.result.winners, room.result.runners_up) == (("ann",), ("bob",))

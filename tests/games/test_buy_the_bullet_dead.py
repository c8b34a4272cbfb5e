"""Buy the Bullet by its rulings: votes, pledges, hand-overs and removals (B7 to B9, G2, G3, G5)."""

import pytest

from pbm.core import play
from pbm.games.buy_the_bullet import GAME
from tests.support.bullet_room import DRAW, Room

FULL = "DHSC"


def vote_room(**more: object) -> Room:
    hands = {"ann": "DS", "bob": "HC", "cy": "", "u": "D", "v": "", "w": "", "x": "C"}
    return Room(hands, dead=("u", "v", "w", "x"), phase="vote", **more)  # type: ignore[arg-type]


# --- B7


def test_B7_all_none_calls_the_dead_to_vote() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "H", "dan": ""}, dead=("dan",)).close(ann="BID NONE", cy="PASS")
    assert room.told("bids")["winner"] is None
    assert room.open() == ("vote", 1, ["dan"])


def test_B7_a_none_by_strike_counts() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "H", "dan": ""}, dead=("dan",)).close(cy="PASS")
    assert room.open() == ("vote", 1, ["dan"])


def test_B7_a_card_bid_or_put_in_means_no_vote() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "H", "dan": ""}, dead=("dan",)).close(
        ann="BID D", bob="BID D", cy="PASS"
    )
    assert room.open() == ("bid", 2, ["cy"])


def test_B7_without_a_card_among_the_living_there_is_no_vote() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "", "dan": "S"}, dead=("dan",)).remove("ann")
    assert room.open() == ("bid", 1, [])
    room.close()
    assert room.types() == ["bids"]
    assert room.open() == ("pledge", 2, ["dan"])


def test_B7_without_a_dead_player_there_is_no_vote() -> None:
    room = Room({"ann": "D", "bob": "S", "cy": "H", "dan": ""}, gone=("dan",)).close(ann="PASS", bob="PASS", cy="PASS")
    assert room.open() == ("bid", 2, ["ann", "bob", "cy"])


def test_B7_the_most_votes_cost_the_highest_card() -> None:
    room = vote_room().close(u="VOTE ann", v="VOTE ann", w="VOTE bob", x="PASS")
    told = room.told("vote")
    assert told["votes"] == {"u": "ann", "v": "ann", "w": "bob"}
    assert (told["player"], told["card"]) == ("ann", "D")
    assert room.hands()["ann"] == "S"
    assert room.of("missed") == []


def test_B7_players_tied_at_the_top_are_struck_out() -> None:
    hands = {"ann": "D", "bob": "H", "cy": "SC", "p": "", "q": "", "r": "", "s": "", "t": ""}
    room = Room(hands, dead=tuple("pqrst"), phase="vote")
    room.close(p="VOTE ann", q="VOTE bob", r="VOTE cy", s="VOTE bob", t="VOTE ann")
    assert (room.told("vote")["player"], room.told("vote")["card"]) == ("cy", "S")
    assert room.hands()["cy"] == "C"


def test_B7_ties_are_struck_out_again_and_again_until_nobody_is_left() -> None:
    hands = dict.fromkeys("abcde", "D") | dict.fromkeys("pqrstuv", "")
    lines = dict(zip("pqrstu", ("a", "a", "b", "b", "c", "d"), strict=True))
    room = Room(hands, dead=tuple("pqrstuv"), phase="vote")
    room.close(**{voter: f"VOTE {name}" for voter, name in lines.items()})
    assert (room.told("vote")["player"], room.told("vote")["card"]) == (None, None)
    assert room.hands()["e"] == "D"  # e has no vote, and is not taken
    assert room.of("missed") == ["v"]
    room = Room(hands, dead=tuple("pqrstuv"), phase="vote")
    room.close(**{voter: f"VOTE {name}" for voter, name in (lines | {"v": "c"}).items()})
    assert room.told("vote")["player"] == "d"  # a, b, c tie at two; then d has one


def test_B7_a_player_without_cards_loses_nothing() -> None:
    room = vote_room().close(u="VOTE cy", v="PASS", w="PASS", x="PASS")
    assert (room.told("vote")["player"], room.told("vote")["card"]) == ("cy", None)


def test_B7_a_dead_player_who_does_not_vote_has_no_strike_but_missed() -> None:
    room = vote_room().close(u="VOTE bob", v="PASS")
    assert room.of("missed") == ["w", "x"]
    assert "strike" not in room.types()
    assert room.strikes("w") == 0


def test_B7_votes_are_public_and_only_for_the_living_by_the_dead() -> None:
    room = vote_room()
    view = GAME.view(room.state, "u")
    form = next(form for form in GAME.forms(view, "u") if form.verb == "VOTE")
    assert form.public
    assert form.slots[0].values() == ("ann", "bob", "cy")
    room.close(u=["VOTE v", "VOTE ann", "VOTE bob"], ann=["VOTE bob", "PASS"])
    assert room.refused == ["u: VOTE v", "ann: VOTE bob", "ann: PASS"]
    assert room.told("vote")["votes"] == {"u": "bob"}


def test_B7_the_vote_is_public_while_it_lasts_and_closes_when_all_are_in() -> None:
    room = vote_room()
    phase = GAME.phase(room.state)
    assert phase is not None
    assert phase.open_waiting
    standing = {name: room.send(name, line) for name, line in (("u", "VOTE ann"), ("v", "PASS"), ("w", "VOTE bob"))}
    assert play.waiting(GAME, room.state, standing) == ("x",)


# --- B8


def test_B8_a_pledge_is_posted_at_once_and_the_card_stays_in_hand() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS"}, dead=("cy",))
    assert room.send("cy", "PLEDGE H TO bob") == ()
    assert room.told("pledge") == {"from": "cy", "card": "H", "recipient": "bob"}
    assert room.state["pledges"] == [{"from": "cy", "card": "H", "to": "bob"}]
    assert room.hands()["cy"] == "HS"


def test_B8_one_pledge_a_round_the_first_valid_one() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS"}, dead=("cy",))
    room.close(ann="BID D", bob="PASS", cy=["PLEDGE C TO ann", "PLEDGE H TO cy", "PLEDGE H TO ann", "PLEDGE S TO ann"])
    assert room.refused == ["cy: PLEDGE club TO ann", "cy: PLEDGE heart TO cy", "cy: PLEDGE spade TO ann"]
    assert room.open() == ("shoot", 1, ["ann"])
    room.send("cy", "PLEDGE S TO ann")  # the same round, a phase later
    assert room.refused[-1] == "cy: PLEDGE spade TO ann"


def test_B8_a_new_round_brings_a_new_pledge_but_not_of_a_card_pledged_before() -> None:
    room = Room({"ann": "DS", "bob": "DS", "cy": "HS"}, dead=("cy",))
    room.close(ann="BID D", bob="BID D", cy="PLEDGE H TO ann")
    assert room.open() == ("bid", 2, ["ann", "bob"])
    room.send("cy", "PLEDGE H TO bob", "PLEDGE S TO bob")
    assert room.refused == ["cy: PLEDGE heart TO bob"]
    assert len(room.state["pledges"]) == 2


def test_B8_of_two_cards_of_one_suit_each_can_be_pledged() -> None:
    room = Room({"ann": "DS", "bob": "DS", "cy": "HH"}, dead=("cy",))
    room.close(ann="BID D", bob="BID D", cy="PLEDGE H TO ann").send("cy", "PLEDGE H TO bob")
    assert room.refused == []
    assert [pledge["to"] for pledge in room.state["pledges"]] == ["ann", "bob"]


@pytest.mark.parametrize("phase", ["bid", "shoot", "vote", "pledge"])
def test_B8_a_pledge_is_possible_in_any_phase_and_only_by_the_dead(phase: str) -> None:
    hands = {"ann": "DS", "bob": "DS", "cy": "HS", "dan": ""}
    room = Room(hands, dead=("cy",), gone=("dan",), phase=phase, holder="ann" if phase == "shoot" else None)
    room.send("ann", "PLEDGE D TO bob")
    room.send("dan", "PLEDGE D TO bob", "PASS")
    assert room.refused == ["ann: PLEDGE diamond TO bob", "dan: PLEDGE diamond TO bob", "dan: PASS"]
    room.send("cy", "PLEDGE S TO bob")
    assert room.types() == ["pledge"]


def test_B8_a_pledge_with_the_shot_that_kills_its_recipient_is_made_and_void() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS", "dan": "D"}, dead=("cy",), phase="shoot", holder="ann")
    room.close(ann="SHOOT bob", cy="PLEDGE H TO bob")
    assert room.types() == ["pledge", "shot", "pledge_void"]
    assert room.told("pledge_void") == {"from": "cy", "card": "H", "recipient": "bob"}
    assert room.state["pledges"] == []
    room.send("cy", "PLEDGE H TO ann")  # free again, in the next round
    assert room.refused == []


def test_B8_a_void_pledge_was_still_that_rounds_pledge() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS", "dan": "D"}, dead=("cy",))
    room.send("cy", "PLEDGE H TO bob")
    room.remove("bob")
    assert room.types() == ["removed", "pledge_void"]
    room.send("cy", "PLEDGE H TO ann")
    assert room.refused == ["cy: PLEDGE heart TO ann"]


def test_B8_a_pledge_of_a_removed_player_is_void() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS"}, dead=("cy",))
    room.send("cy", "PLEDGE H TO bob")
    room.remove("cy")
    assert room.types() == ["removed", "pledge_void"]
    assert (room.state["pledges"], room.hands()["cy"], room.status("cy")) == ([], "", "removed")


def test_B8_a_pledge_made_in_vain_raises_rather_than_changing_the_table() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS"}, dead=("cy",))
    (order,) = Room({"ann": "D", "bob": "D", "cy": "HS"}, phase="bid").send("ann", "BID D")
    with pytest.raises(ValueError, match="no pledge"):
        GAME.act(room.state, "ann", order, DRAW)


# --- B9


def test_B9_pledged_cards_are_handed_over_when_no_living_player_has_a_card() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "HS", "dan": "C"}, dead=("cy", "dan"))
    room.state["pledges"] = [{"from": "dan", "card": "C", "to": "bob"}]
    room.close(ann="BID D", bob="BID D", cy="PLEDGE H TO bob")
    assert room.told("hand_over")["cards"] == [
        {"from": "dan", "card": "C", "to": "bob"},
        {"from": "cy", "card": "H", "to": "bob"},
    ]
    assert room.hands() == {"ann": "", "bob": "HC", "cy": "S", "dan": ""}
    assert room.state["pledges"] == []
    assert room.open() == ("bid", 2, ["bob"])


def test_B9_no_hand_over_while_a_living_player_has_a_card() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "H", "dan": "C"}, dead=("cy",))
    room.close(ann="BID D", bob="BID D", dan="PASS", cy="PLEDGE H TO bob")
    assert "hand_over" not in room.types()
    assert len(room.state["pledges"]) == 1


def test_B9_the_shot_can_leave_the_living_without_cards() -> None:
    room = Room({"ann": "", "bob": "HS", "cy": ""}, phase="shoot", holder="ann").close(ann="SHOOT bob")
    assert room.open() == ("pledge", 2, ["bob"])


def test_B9_a_pledge_round_waits_for_the_dead_with_cards_and_hands_over() -> None:
    hands = {"ann": "", "bob": "", "cy": "HS", "dan": "C", "eve": "", "fay": ""}
    room = Room(hands, dead=("cy", "dan", "eve"), gone=("fay",), phase="pledge", round=4)
    assert room.open() == ("pledge", 4, ["cy", "dan"])
    standing = {"dan": room.send("dan", "PASS")}
    assert play.waiting(GAME, room.state, standing) == ("cy",)
    room.send("cy", "PLEDGE S TO ann")
    assert play.waiting(GAME, room.state, standing) == ()
    room.close(dan="PASS", eve="PASS", ann="PASS")
    assert room.refused == ["ann: PASS"]
    assert room.types() == ["hand_over"]
    assert room.open() == ("bid", 5, ["ann"])


def test_B9_G3_who_neither_pledges_nor_passes_in_a_pledge_round_has_missed_without_a_strike() -> None:
    room = Room({"ann": "", "bob": "", "cy": "HS", "dan": "C"}, dead=("cy", "dan"), phase="pledge")
    room.close(cy="PLEDGE S TO ann")
    assert room.types() == ["pledge", "missed", "hand_over"]
    assert room.of("missed") == ["dan"]
    assert room.strikes("dan") == 0


@pytest.mark.parametrize("lines", [{}, {"cy": "PASS"}])
def test_B9_a_pledge_round_without_a_pledge_brings_a_new_deal(lines: dict[str, str]) -> None:
    room = Room({"ann": "", "bob": "", "cy": "HS", "dan": ""}, dead=("cy", "dan"), phase="pledge")
    room.close(**lines)
    assert room.told("new_deal") == {"gone": ["cy", "dan"]}
    assert room.of("removed") == ["cy", "dan"]
    assert room.hands() == {"ann": FULL, "bob": FULL, "cy": "", "dan": ""}
    assert room.open() == ("bid", 2, ["ann", "bob"])
    with pytest.raises(ValueError, match="removed already"):
        room.remove("cy")


def test_B9_a_pledge_round_whose_only_pledge_is_void_brings_a_new_deal() -> None:
    room = Room({"ann": "", "bob": "", "cy": "HS", "dan": ""}, dead=("cy",), phase="pledge")
    room.send("cy", "PLEDGE H TO bob")
    room.remove("bob").close()
    assert room.of("missed") == []
    assert "new_deal" in room.types()
    assert room.open() == ("bid", 2, ["ann", "dan"])


def test_B9_a_new_deal_at_once_where_no_dead_player_has_a_card() -> None:
    room = Room({"ann": "D", "bob": "D", "cy": "", "dan": "S"}, dead=("cy",), gone=("dan",))
    room.close(ann="BID D", bob="BID D")
    assert room.types() == ["bids", "removed", "new_deal"]
    assert room.open() == ("bid", 2, ["ann", "bob"])


def test_B9_after_a_hand_over_the_next_pledge_round_can_come() -> None:
    room = Room({"ann": "", "bob": "", "cy": "HS"}, dead=("cy",), phase="pledge").close(cy="PLEDGE S TO ann")
    room.close(ann="BID S").close(ann="SHOOT bob")
    assert room.result is not None
    room = Room({"ann": "", "bob": "", "dan": "", "cy": "HS"}, dead=("cy",), phase="pledge").close(cy="PLEDGE S TO ann")
    room.close(ann="BID S").close(ann="SHOOT bob")
    assert room.open() == ("pledge", 3, ["cy"])


def test_B9_the_vote_can_take_the_last_card_and_pledges_of_the_vote_are_handed_over() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "HS"}, dead=("cy",), phase="vote")
    room.close(cy=["VOTE ann", "PLEDGE H TO bob"])
    assert room.types() == ["pledge", "vote", "hand_over"]
    assert room.hands() == {"ann": "", "bob": "H", "cy": "S"}


# --- G2, G3


def test_G2_the_last_bid_of_a_mail_counts_and_none_is_refused() -> None:
    room = Room({"ann": FULL, "bob": FULL, "cy": FULL}).close(ann=["BID D", "BID H", "PASS"], bob="PASS", cy="PASS")
    assert (room.refused, room.bids()["ann"]) == ([], "H")


def test_G2_G3_a_pledge_stands_apart_from_the_vote() -> None:
    room = vote_room().close(u=["PLEDGE D TO ann", "VOTE bob"], x="PLEDGE C TO bob", v=["PASS"], w="PASS")
    assert room.told("vote")["votes"] == {"u": "bob"}
    assert room.of("missed") == ["x"]  # a pledge is no vote


@pytest.mark.parametrize("phase", ["bid", "shoot", "vote", "pledge"])
def test_G3_a_dead_players_pass_is_never_refused(phase: str) -> None:
    room = Room({"ann": "DS", "bob": "D", "cy": "HS", "dan": ""}, dead=("cy", "dan"), phase=phase)
    room.state["holder"] = "ann" if phase == "shoot" else None
    room.close(cy=["PASS", "PLEDGE H TO ann"], dan="PASS")
    assert room.refused == []


# --- G5


def test_G5_removal_in_a_bid_phase_waits_for_the_others() -> None:
    room = Room({"ann": FULL, "bob": FULL, "cy": FULL}).remove("ann")
    assert room.types() == ["removed"]
    assert room.open() == ("bid", 1, ["bob", "cy"])
    room.close(bob="BID D", cy="BID H", ann="BID D")
    assert room.refused == ["ann: BID diamond"]
    assert room.bids() == {"bob": "D", "cy": "H"}


def test_G5_a_removed_player_is_no_target_and_a_shot_at_them_drops_out() -> None:
    room = Room({"ann": FULL, "bob": FULL, "cy": FULL}, phase="shoot", holder="ann")
    standing = {"ann": room.send("ann", "SHOOT bob")}
    room.remove("bob")
    kept, dropped = play.recheck(GAME, room.state, standing)
    assert kept == {"ann": ()}
    assert [order.line for order in dropped["ann"]] == ["SHOOT bob"]
    after = GAME.close(room.state, standing, DRAW)  # nobody checked again: counts as not sent
    assert [event.type for event in after.events] == ["missed", "strike"]


def test_G5_votes_for_a_removed_player_drop_out_and_may_be_given_anew() -> None:
    room = vote_room()
    standing = {"u": room.send("u", "VOTE ann"), "v": room.send("v", "VOTE bob")}
    room.remove("ann")
    kept, dropped = play.recheck(GAME, room.state, standing)
    assert (kept["u"], list(dropped)) == ((), ["u"])
    assert play.waiting(GAME, room.state, kept) == ("u", "w", "x")


def test_G5_removed_voters_are_not_waited_for_and_the_vote_still_closes() -> None:
    room = Room({"ann": "D", "bob": "H", "cy": "S"}, dead=("cy",), phase="vote").remove("cy")
    assert room.open() == ("vote", 1, [])
    phase = GAME.phase(room.state)
    assert phase is not None
    assert phase.at_once  # nobody is left to act
    room.close()
    assert room.told("vote")["votes"] == {}
    assert room.open() == ("bid", 2, ["ann", "bob"])
    assert not GAME.phase(room.state).at_once  # type: ignore[union-attr]


def test_G5_a_removal_that_leaves_nobody_to_bid_closes_the_bids_at_once() -> None:
    room = Room({"ann": "D", "bob": "", "cy": "", "dan": "S"}, dead=("dan",))
    assert not GAME.phase(room.remove("dan").state).at_once  # type: ignore[union-attr]
    assert GAME.phase(room.remove("ann").state).at_once  # type: ignore[union-attr]


def test_G5_dead_players_can_be_removed_but_nobody_twice() -> None:
    room = Room({"ann": "D", "bob": "H", "cy": "S"}, dead=("cy",)).remove("cy")
    assert room.status("cy") == "removed"
    with pytest.raises(ValueError, match="cy has been removed already"):
        room.remove("cy")


def test_G5_a_penalty_goes_with_its_player() -> None:
    room = Room({"ann": "D", "bob": "H", "cy": "S", "dan": "C"}, phase="shoot", holder="ann").close().remove("ann")
    assert room.state["forced"] == {}

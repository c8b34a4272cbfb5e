"""Point Thief, rulings P8 and P9, and what G5 and G8 mean in it (RULINGS.md): the end, tiebreaks, removals."""

import pytest

from pbm import paper
from pbm.core.engine import Order, Step
from pbm.games.point_thief import GAME, PointThiefOptions
from tests.support.point_thief_play import ABC, DRAW, ROUND_1, go, last, of_type, played, queued, refused, sent, types

# P8: the end, and tiebreaks


def test_P8_the_most_points_win() -> None:
    out = played(go("carol", "mafia"), go("alice", "beggar"), go("bob", "police"), rounds=1)
    assert (out["over"], out["winners"]) == (True, ["carol"])
    step = last(out)
    assert types(step) == ["claim", "reveal", "game_over"]
    assert of_type(step, "game_over")[0]["winners"] == ["carol"]
    assert step["next"] is None


def test_P8_once_over_order_and_claims_stay_those_of_the_last_round_and_nothing_is_queued() -> None:
    end = sent(bob=["PICK police CLAIM beggar"], carol=["PICK mafia"])
    out = played(go("carol", "mafia"), go("alice", "beggar"), end, rounds=1)
    step = last(out)
    assert step["public"]["order"] == ROUND_1
    assert step["public"]["claims"] == {"carol": "mafia", "alice": "beggar", "bob": "beggar"}
    assert step["public"]["round"] == 1
    assert [queued(step, p) for p in ABC] == [None] * 3


def test_P8_tie_goes_to_the_most_points_received_as_a_beggar() -> None:
    # Round 1: carol earns 4 as mafia. Round 2: bob earns 4 as beggar.
    out = played(
        go("carol", "mafia"), go("alice", "police"), go("bob", "beggar"),
        go("alice", "mafia"), go("bob", "beggar"), go("carol", "cartel"),
        rounds=2,
    )  # fmt: skip
    assert last(out)["public"]["points"] == {"alice": 0, "bob": 4, "carol": 4}
    assert out["winners"] == ["bob"]


TIE = (go("carol", "mafia"), go("alice", "mafia"), go("bob", "cartel"))  # carol and alice: 2 each
TIEBREAK_1 = DRAW.shuffle("tiebreak 1 order", ["alice", "carol"])


def test_P8_still_tied_players_play_a_tiebreak_round_in_a_drawn_order() -> None:
    out = played(*TIE, rounds=1)
    step = last(out)
    assert out["over"] is False
    assert step["public"]["order"] == TIEBREAK_1
    assert step["public"]["round"] == 2
    assert step["next"] == {"phase": "turn", "round": 2, "waiting_for": [TIEBREAK_1[0]]}
    first, second = TIEBREAK_1
    out = played(*TIE, go(first, "mafia"), go(second, "police"), rounds=1)
    assert out["winners"] == [first]
    assert last(out)["public"]["points"] == {first: 6, second: 2, "bob": 0}
    assert last(out)["public"]["order"] == TIEBREAK_1
    assert last(out)["public"]["round"] == 2


def test_P8_tiebreak_rounds_are_scored_like_any_round_lies_and_beggars_included() -> None:
    first, second = TIEBREAK_1
    out = played(*TIE, go(first, "mafia", "police"), go(second, "cartel"), rounds=1)
    (reveal,) = of_type(last(out), "reveal")
    assert (reveal["gained"], reveal["lost"]) == ({}, {first: 1})
    assert out["winners"] == [second]
    # Points and beggar points go on adding up: both end with 4, but 2 of them as a beggar.
    out = played(*TIE, go(first, "beggar"), go(second, "beggar"), rounds=1)
    assert last(out)["public"]["beggar_points"] == {first: 2, second: 2, "bob": 0}
    assert last(out)["public"]["round"] == 3


def test_P8_tiebreaks_go_on_with_those_who_still_tie_until_one_leads() -> None:
    # All three tie with 1 beggar point; then two of them earn 2, and the third is out.
    order = DRAW.shuffle("tiebreak 1 order", ABC)
    picks = {order[0]: "mafia", order[1]: "mafia", order[2]: "police"}
    steps = [*[go(p, "beggar") for p in ROUND_1], *[go(p, picks[p]) for p in order]]
    tied = [p for p in ABC if p != order[2]]
    again = DRAW.shuffle("tiebreak 2 order", tied)
    out = played(*steps, rounds=1)
    assert last(out)["public"]["order"] == again
    assert last(out)["public"]["round"] == 3
    out = played(*steps, go(again[0], "mafia"), go(again[1], "mafia"), rounds=1)
    assert (out["over"], last(out)["public"]["round"]) == (False, 4)
    assert sorted(last(out)["public"]["order"]) == tied


def test_P8_the_tiebreak_lead_is_counted_among_the_tied_only() -> None:
    # carol and alice tie with 4; bob has 2. Lies cost both of the tied half, so bob now has more than one of them.
    steps = [
        go("carol", "mafia"), go("alice", "mafia"), go("bob", "cartel"),
        go("alice", "mafia"), go("bob", "cartel"), go("carol", "mafia"),
    ]  # fmt: skip
    first, second = TIEBREAK_1
    out = played(*steps, go(first, "mafia", "cartel"), go(second, "cartel"), rounds=2)
    assert out["winners"] == [second]
    assert last(out)["public"]["points"] == {first: 2, second: 4, "bob": 0}


def test_P8_who_is_not_in_the_tiebreak_has_nothing_to_send() -> None:
    step = last(played(*TIE, sent(bob=["PICK mafia", "CLAIM police", "PICK mafia CLAIM mafia"]), rounds=1))
    assert refused(step) == [("bob", "PICK mafia"), ("bob", "CLAIM police"), ("bob", "PICK mafia CLAIM mafia")]
    assert "P8" in step["refused"][0]["reason"]
    assert queued(step, "bob") is None


def test_P8_what_they_had_in_is_dropped_and_the_tied_keep_theirs() -> None:
    ahead = ["PICK police CLAIM police"]
    carol, alice, bob = TIE
    step = last(played(carol, alice, sent(bob=bob["orders"]["bob"], carol=["PICK beggar"]), rounds=1))
    assert queued(step, "carol") == {"pick": "beggar", "claim": None}
    steps = [go("carol", "cartel"), sent(alice=["PICK mafia CLAIM mafia"], carol=ahead), go("bob", "mafia")]
    step = last(played(*steps, rounds=1))
    assert sorted(step["public"]["order"]) == ["alice", "bob"]
    assert queued(step, "carol") is None


def test_P8_the_turns_that_the_tied_sent_ahead_are_played_at_once() -> None:
    ahead = ["PICK police CLAIM mafia"]
    carol, alice, bob = TIE
    steps = [carol, sent(alice=alice["orders"]["alice"], carol=ahead), sent(bob=bob["orders"]["bob"], alice=ahead)]
    step = last(played(*steps, rounds=1))
    assert [e["player"] for e in of_type(step, "claim")] == ["bob", *TIEBREAK_1]
    assert len(of_type(step, "reveal")) == 2
    assert step["public"]["round"] == 3


# P9 and G5: removal


def test_P9_a_removed_player_is_passed_over_in_the_order() -> None:
    out = played({"remove": "alice"}, go("carol", "beggar"), go("bob", "beggar"))
    assert out["steps"][0]["public"]["order"] == ["carol", "bob"]
    assert out["steps"][0]["events"][0]["type"] == "removed"
    assert out["steps"][0]["next"]["waiting_for"] == ["carol"]
    assert out["steps"][1]["next"]["waiting_for"] == ["bob"]
    assert of_type(last(out), "reveal")[0]["picks"] == [["bob", "beggar"], ["carol", "beggar"]]


def test_P9_a_round_whose_leader_is_removed_starts_with_the_next_and_later_rounds_keep_theirs() -> None:
    out = played({"remove": "alice"}, *[go(p, "beggar") for p in ("carol", "bob", "bob", "carol")])
    # Round 2 would have been alice's to lead: alice, bob, carol. Round 3 is bob's as before.
    assert out["steps"][2]["public"]["order"] == ["bob", "carol"]
    assert last(out)["public"]["order"] == ["bob", "carol"]
    assert last(out)["public"]["round"] == 3


def test_P9_removing_the_one_whose_turn_it_is_passes_the_turn_and_plays_those_queued_behind() -> None:
    out = played(go("carol", "mafia"), sent(bob=["PICK police"]), {"remove": "bob"}, players=ABC)
    assert types(last(out)) == ["removed", "reveal"]
    four = ["alice", "bob", "carol", "dora"]
    order = DRAW.shuffle("turn order", four)
    ahead = {order[2]: ["PICK mafia CLAIM mafia"]}
    out = played({"orders": {order[0]: ["PICK mafia"], **ahead}}, {"remove": order[1]}, players=four)
    step = last(out)
    assert types(step) == ["removed", "claim"]
    assert (step["phase"], step["round"]) == ("turn", 1)
    assert of_type(step, "claim")[0]["player"] == order[2]
    assert step["next"]["waiting_for"] == [order[3]]


def test_P9_removing_somebody_else_plays_no_turn() -> None:
    out = played(sent(bob=["PICK mafia CLAIM mafia"]), {"remove": "carol"})
    assert types(last(out)) == ["removed"]
    assert last(out)["next"]["waiting_for"] == ["alice"]
    assert queued(last(out), "bob") == {"pick": "mafia", "claim": "mafia"}


def test_P9_a_turn_already_played_still_counts_and_what_it_earns_is_discarded() -> None:
    out = played(go("carol", "mafia", "police"), {"remove": "carol"}, go("alice", "mafia"), go("bob", "cartel"))
    assert out["steps"][1]["public"]["order"] == ["alice", "bob"]
    assert out["steps"][1]["public"]["claims"] == {"carol": "police"}
    (reveal,) = of_type(last(out), "reveal")
    assert reveal["picks"] == [["bob", "cartel"], ["alice", "mafia"], ["carol", "mafia"]]
    assert reveal["gained"] == {"alice": 2}
    assert last(out)["public"]["points"] == {"alice": 2, "bob": 0, "carol": 0}


def test_P9_a_removed_beggar_still_takes_part_in_the_split_of_the_rest() -> None:
    out = played(go("carol", "beggar"), {"remove": "carol"}, go("alice", "beggar"), go("bob", "mafia", "police"))
    assert of_type(last(out), "reveal")[0]["gained"] == {"bob": 4}
    out = played(go("carol", "beggar"), {"remove": "carol"}, go("alice", "beggar"), go("bob", "beggar"))
    assert of_type(last(out), "reveal")[0]["gained"] == {"alice": 1, "bob": 1}
    assert last(out)["public"]["beggar_points"] == {"alice": 1, "bob": 1, "carol": 0}


def test_P9_P7_does_not_apply_to_a_removed_liar_and_their_points_stay() -> None:
    out = played(
        go("carol", "mafia"), go("alice", "police"), go("bob", "police"),
        go("alice", "mafia"), go("bob", "mafia"), go("carol", "beggar"),
        go("bob", "mafia"), go("carol", "cartel", "mafia"), {"remove": "carol"}, go("alice", "mafia"),
        rounds=9,
    )  # fmt: skip
    (reveal,) = of_type(last(out), "reveal")
    assert "carol" not in reveal["lost"] | reveal["gained"]
    assert last(out)["public"]["points"]["carol"] == 4


def test_P9_removing_the_last_one_left_to_act_reveals_at_once() -> None:
    out = played(go("carol", "mafia"), go("alice", "beggar"), {"remove": "bob"})
    step = last(out)
    assert types(step) == ["removed", "reveal"]
    assert (step["phase"], step["round"], step["public"]["round"]) == ("turn", 1, 2)
    assert of_type(step, "reveal")[0]["gained"] == {"carol": 4}


def test_P9_removing_the_last_one_left_to_act_in_the_last_round_ends_the_game() -> None:
    out = played(go("carol", "mafia"), go("alice", "beggar"), {"remove": "bob"}, rounds=1)
    assert types(last(out)) == ["removed", "reveal", "game_over"]
    assert (out["winners"], last(out)["next"]) == (["carol"], None)


def test_P9_a_removed_player_with_the_most_points_does_not_win() -> None:
    out = played(go("carol", "mafia"), go("alice", "beggar"), go("bob", "police"),
                 {"remove": "carol"}, go("alice", "mafia"), go("bob", "police"), rounds=2)  # fmt: skip
    assert last(out)["public"]["points"] == {"alice": 4, "bob": 0, "carol": 4}
    assert out["winners"] == ["alice"]


def test_G5_what_the_removed_player_had_in_is_dropped_and_their_lines_are_refused() -> None:
    out = played(sent(bob=["PICK mafia"]), {"remove": "bob"}, sent(bob=["PICK mafia", "CLAIM mafia"]))
    assert queued(out["steps"][1], "bob") is None
    assert refused(last(out)) == [("bob", "PICK mafia"), ("bob", "CLAIM mafia")]
    assert "removed" in last(out)["refused"][0]["reason"]


def test_G5_the_last_player_not_removed_wins_at_once_with_no_reveal() -> None:
    out = played(go("carol", "mafia"), go("alice", "police", "mafia"), {"remove": "bob"}, {"remove": "carol"})
    step = last(out)
    assert types(step) == ["removed", "game_over"]
    assert out["winners"] == ["alice"]
    assert step["public"]["order"] == ["alice"]
    assert step["public"]["round"] == 2
    out = played(go("carol", "mafia"), {"remove": "carol"}, {"remove": "bob"})
    assert types(last(out)) == ["removed", "game_over"]
    assert last(out)["public"]["claims"] == {"carol": "mafia"}
    assert last(out)["public"]["points"] == dict.fromkeys(ABC, 0)


def test_G5_the_last_of_the_tied_wins_the_tiebreak_at_once() -> None:
    first, second = TIEBREAK_1
    for gone, winner in ((first, second), (second, first)):
        out = played(*TIE, go(first, "mafia"), {"remove": gone}, rounds=1)
        assert types(last(out)) == ["removed", "game_over"]
        assert out["winners"] == [winner]
        assert last(out)["public"]["order"] == [winner]


def test_G5_removing_somebody_outside_the_tiebreak_changes_nothing_in_it() -> None:
    out = played(*TIE, {"remove": "bob"}, rounds=1)
    assert types(last(out)) == ["removed"]
    assert last(out)["public"]["order"] == TIEBREAK_1
    assert last(out)["next"]["waiting_for"] == [TIEBREAK_1[0]]


def test_P9_a_tied_player_who_is_removed_leaves_the_tiebreak_to_the_others() -> None:
    order = DRAW.shuffle("tiebreak 1 order", ABC)
    steps = [go(p, "beggar") for p in ROUND_1]
    out = played(*steps, go(order[0], "mafia"), {"remove": order[1]}, rounds=1)
    assert types(last(out)) == ["removed"]
    assert last(out)["public"]["order"] == [order[0], order[2]]
    assert last(out)["next"]["waiting_for"] == [order[2]]


def test_G5_removing_a_removed_player_is_an_error() -> None:
    with pytest.raises(paper.ScenarioFault, match="removed already"):
        played({"remove": "bob"}, {"remove": "Bob"})
    state = GAME.start(ABC, PointThiefOptions(), DRAW).state
    with pytest.raises(ValueError, match="no player"):
        GAME.remove(state, "zed", {}, DRAW)
    over = GAME.remove(GAME.remove(state, "bob", {}, DRAW).state, "carol", {}, DRAW).state
    with pytest.raises(ValueError, match="over"):
        GAME.remove(over, "alice", {}, DRAW)


def test_G3_point_thief_knows_no_pass() -> None:
    step = last(played(sent(carol=["PASS"])))
    assert refused(step) == [("carol", "PASS")]
    assert types(step) == ["missed", "claim"]


# G8: runners-up


def ended(points: dict[str, int], alms: dict[str, int], removed: list[str], winner_by_removing: str) -> Step:
    state = GAME.start(list(points), PointThiefOptions(), DRAW).state
    state = {**state, "points": points, "beggar_points": alms, "removed": removed}
    return GAME.remove(state, winner_by_removing, {}, DRAW)


def test_G8_runners_up_are_next_in_points_then_beggar_points() -> None:
    steps = [sent(carol=["PICK mafia"]), sent(alice=["PICK beggar"]), sent(bob=["PICK police"])]
    state = GAME.start(ABC, PointThiefOptions(rounds=1), DRAW).state
    state["points"] = {"alice": 3, "bob": 3, "carol": 0}
    state["beggar_points"] = {"alice": 1, "bob": 2, "carol": 0}
    for step in steps:
        orders = {p: (Order("PICK", {"character": lines[0][5:]}, lines[0]),) for p, lines in step["orders"].items()}
        done = GAME.close(state, orders, DRAW)
        state = done.state
    assert done.result is not None
    assert (done.result.winners, done.result.runners_up) == (("carol",), ("bob",))


def test_G8_removed_players_are_runners_up_only_where_nobody_else_is_left() -> None:
    done = ended({"alice": 0, "bob": 5, "carol": 5}, {"alice": 0, "bob": 0, "carol": 0}, ["bob"], "carol")
    assert done.result is not None
    assert (done.result.winners, done.result.runners_up) == (("alice",), ("bob", "carol"))

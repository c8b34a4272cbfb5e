"""Point Thief, rulings P1 to P7 (RULINGS.md): turns, points and lies."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm import paper
from pbm.core import play
from pbm.core.engine import Order
from pbm.games._point_thief_points import CHARACTERS, Turn, fine, score, split
from pbm.games.point_thief import FORMS, GAME, PointThiefOptions
from tests.support.point_thief_play import (
    ABC,
    DRAW,
    ROUND_1,
    Out,
    go,
    last,
    of_type,
    played,
    queued,
    refused,
    sent,
    types,
)

# P1 and P2: the order of turns, and how many rounds there are


def test_P1_turn_order_is_drawn_and_round_r_starts_with_its_rth_player() -> None:
    assert DRAW.shuffle("turn order", ABC) == ROUND_1
    out = played(*[go(p, "beggar") for p in (*ROUND_1, "alice", "bob", "carol")])
    assert [s["public"]["order"] for s in out["steps"]] == [
        *[ROUND_1] * 2,
        *[["alice", "bob", "carol"]] * 3,
        ["bob", "carol", "alice"],
    ]
    assert [s["next"]["waiting_for"][0] for s in out["steps"]] == ["alice", "bob", "alice", "bob", "carol", "bob"]


def test_P1_the_order_is_drawn_from_the_seat_order_not_from_the_names() -> None:
    other = ["carol", "bob", "alice"]
    step = last(played(sent(), players=other))
    assert step["public"]["order"] == DRAW.shuffle("turn order", other) != ROUND_1


def test_P2_there_are_as_many_rounds_as_players_and_each_leads_once() -> None:
    turns = [go(p, "mafia" if p == "bob" else "beggar") for r in range(3) for p in ROUND_1[r:] + ROUND_1[:r]]
    assert played(*turns[:-1])["over"] is False
    out = played(*turns)
    assert out["over"] is True
    assert [s["round"] for s in out["steps"]] == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_P2_a_removal_changes_no_number_of_rounds() -> None:
    turns = [go(p, "beggar") for p in ("carol", "alice", "alice", "carol", "carol")]
    out = played({"remove": "bob"}, *turns)
    assert out["over"] is False
    assert last(out)["next"] == {"phase": "turn", "round": 3, "waiting_for": ["alice"]}


def test_P2_option_rounds_with_more_rounds_than_players_the_leaders_go_round_again() -> None:
    turns = [go(p, "beggar") for r in range(4) for p in ROUND_1[r % 3 :] + ROUND_1[: r % 3]]
    out = played(*turns, rounds=5)
    assert [s["public"]["order"][0] for s in out["steps"][::3]] == ["carol", "alice", "bob", "carol"]
    assert last(out)["next"] == {"phase": "turn", "round": 5, "waiting_for": ["alice"]}
    assert last(out)["public"]["rounds"] == 5


def test_P2_option_rounds_one_round_is_enough() -> None:
    out = played(go("carol", "mafia"), go("alice", "police"), go("bob", "beggar"), rounds=1)
    assert (out["over"], out["winners"], last(out)["public"]["round"]) == (True, ["carol"], 1)


@pytest.mark.parametrize("rounds", [0, -1, True, "7", 2.5])
def test_P2_option_rounds_that_is_no_number_of_rounds_is_a_fault(rounds: Any) -> None:
    with pytest.raises(paper.ScenarioFault, match="rounds"):
        played(sent(), rounds=rounds)


# P3: turns, and orders sent ahead


def test_P3_the_claim_is_posted_and_the_turn_passes_at_once() -> None:
    step = last(played(go("carol", "mafia", "police")))
    (claim,) = step["events"]
    assert claim | {"type": "claim", "to": "public", "player": "carol", "claim": "police", "missed": False} == claim
    assert step["public"]["claims"] == {"carol": "police"}
    assert step["next"] == {"phase": "turn", "round": 1, "waiting_for": ["alice"]}
    assert "mafia" not in json.dumps(step["events"]) + json.dumps(step["public"])


def test_P3_phase_names_the_one_to_act_and_who_may_send_ahead() -> None:
    state = GAME.start(ABC, PointThiefOptions(), DRAW).state
    phase = GAME.phase(state)
    assert phase is not None
    assert (phase.name, phase.round, phase.must, phase.may) == ("turn", 1, ("carol",), ("alice", "bob"))
    assert phase.at_once
    assert phase.open_waiting
    assert phase.label == "Round 1, carol's turn"


def test_P3_pick_and_claim_are_both_needed_before_nobody_is_waited_for() -> None:
    state = GAME.start(ABC, PointThiefOptions(), DRAW).state
    pick = Order("PICK", {"character": "mafia"}, "PICK mafia")
    claim = Order("CLAIM", {"any character": "police"}, "CLAIM police")
    assert play.waiting(GAME, state, {}) == ("carol",)
    assert play.waiting(GAME, state, {"carol": (pick,)}) == ("carol",)
    assert play.waiting(GAME, state, {"carol": (claim,)}) == ("carol",)
    assert play.waiting(GAME, state, {"carol": (pick, claim)}) == ()
    assert play.waiting(GAME, state, {"alice": (pick, claim)}) == ("carol",)


def test_P3_turns_sent_ahead_are_played_behind_the_turn_that_closes() -> None:
    step = last(played(sent(carol=["PICK mafia CLAIM mafia"], alice=["PICK police", "CLAIM cartel"])))
    assert [(e["player"], e["claim"]) for e in of_type(step, "claim")] == [("carol", "mafia"), ("alice", "cartel")]
    assert step["next"]["waiting_for"] == ["bob"]
    assert queued(step, "alice") is None


def test_P3_what_is_sent_ahead_waits_until_the_turn_comes_and_only_its_player_sees_it() -> None:
    out = played(sent(bob=["PICK mafia CLAIM police"], carol=["PICK cartel CLAIM cartel"]), go("alice", "beggar"))
    first, second = out["steps"]
    assert queued(first, "bob") == {"pick": "mafia", "claim": "police"}
    assert (queued(first, "alice"), queued(first, "carol")) == (None, None)
    assert "mafia" not in json.dumps([first["public"], first["events"], first["private"]["alice"], first["next"]])
    assert types(second) == ["claim", "claim", "reveal"]


def test_P3_with_only_one_of_the_two_in_the_player_is_waited_for() -> None:
    step = last(played(sent(carol=["PICK mafia CLAIM mafia"], alice=["CLAIM police"], bob=["PICK police"])))
    assert step["next"]["waiting_for"] == ["alice"]
    assert queued(step, "alice") == {"pick": None, "claim": "police"}
    assert queued(step, "bob") == {"pick": "police", "claim": None}


def test_P3_newer_pick_replaces_the_pick_only_and_newer_claim_the_claim_only() -> None:
    start = sent(bob=["PICK mafia CLAIM police"])
    assert queued(last(played(start, sent(bob=["PICK cartel"]))), "bob") is None  # alice missed, so bob's turn came
    picks = played(start, sent(bob=["PICK cartel"]))
    assert last(picks)["events"][-1]["picks"][0] == ["bob", "cartel"]
    assert of_type(last(picks), "claim")[-1]["claim"] == "police"
    claims = played(start, sent(bob=["CLAIM beggar"]))
    assert last(claims)["events"][-1]["picks"][0] == ["bob", "mafia"]
    assert of_type(last(claims), "claim")[-1]["claim"] == "beggar"


def test_P3_half_sent_early_is_made_whole_by_the_other_half_later() -> None:
    out = played(sent(alice=["CLAIM police"]), sent(alice=["PICK mafia"]))
    assert of_type(last(out), "claim")[0]["claim"] == "police"
    assert of_type(last(out), "claim")[0]["missed"] is False


def test_P3_what_is_sent_after_ones_own_turn_is_kept_for_the_next_round() -> None:
    out = played(
        go("carol", "mafia"),
        sent(alice=["PICK police CLAIM police"], carol=["PICK beggar CLAIM cartel"]),
        go("bob", "mafia"),
        sent(alice=["PICK mafia CLAIM mafia"], bob=["PICK mafia CLAIM mafia"]),
    )
    assert queued(out["steps"][1], "carol") == queued(out["steps"][2], "carol") == {"pick": "beggar", "claim": "cartel"}
    assert types(last(out)) == ["claim", "claim", "claim", "reveal"]
    assert of_type(last(out), "reveal")[0]["picks"][0] == ["carol", "beggar"]


def test_P3_a_chain_of_turns_sent_ahead_runs_over_the_end_of_the_round() -> None:
    both = ["PICK police CLAIM police"]
    out = played(go("carol", "mafia"), sent(alice=both), sent(bob=both, alice=both))
    chain = last(out)
    assert [e["player"] for e in of_type(chain, "claim")] == ["bob", "alice"]
    assert types(chain) == ["claim", "reveal", "claim"]
    assert (chain["round"], chain["public"]["round"]) == (1, 2)
    assert chain["public"]["claims"] == {"alice": "police"}
    assert chain["next"] == {"phase": "turn", "round": 2, "waiting_for": ["bob"]}


def test_P3_a_turn_sent_ahead_is_not_played_before_the_one_who_is_waited_for() -> None:
    both = ["PICK police CLAIM police"]
    step = last(played(sent(bob=both, carol=both)))
    assert [e["player"] for e in of_type(step, "claim")] == ["carol"]
    step = last(played(sent(bob=both, carol=both), sent(carol=both)))
    assert types(step) == ["missed", "claim", "claim", "reveal"]  # alice missed; round 2 is hers to lead
    assert queued(step, "carol") == {"pick": "police", "claim": "police"}


def test_P3_pick_without_claim_when_the_turn_closes_claims_the_pick() -> None:
    step = last(played(sent(carol=["PICK cartel"])))
    (claim,) = step["events"]
    assert (claim["type"], claim["claim"], claim["missed"]) == ("claim", "cartel", False)


def test_P3_one_line_and_two_lines_are_the_same() -> None:
    one = played(sent(carol=["PICK cartel CLAIM police"]))
    two = played(sent(carol=["claim   POLICE", "Pick Cartel"]))
    assert one == two


def test_P3_merging_a_newer_mail_keeps_the_other_half() -> None:
    old = (
        Order("PICK", {"character": "mafia"}, "PICK mafia"),
        Order("CLAIM", {"any character": "police"}, "CLAIM police"),
    )
    new = (Order("PICK", {"character": "beggar"}, "PICK beggar"),)
    assert [order.line for order in play.merge(GAME, old, new)] == ["CLAIM police", "PICK beggar"]


def test_G2_P3_the_last_of_several_lines_of_one_mail_counts_and_none_is_refused() -> None:
    lines = ["PICK mafia CLAIM cartel", "PICK police", "CLAIM mafia", "PICK beggar", "PICK nobody"]
    step = last(played(sent(bob=lines)))
    assert queued(step, "bob") == {"pick": "beggar", "claim": "mafia"}
    assert refused(step) == [("bob", "PICK nobody")]


# P4: misses


def test_P4_a_miss_is_a_beggar_who_says_so_and_the_post_says_that_it_was_missed() -> None:
    out = played(sent(), go("alice", "mafia"), go("bob", "mafia"))
    first = out["steps"][0]
    assert types(first) == ["missed", "claim"]
    assert first["events"][0]["player"] == "carol"
    assert first["events"][0]["to"] == "public"
    assert (first["events"][1]["claim"], first["events"][1]["missed"]) == ("beggar", True)
    assert of_type(last(out), "reveal")[0]["picks"][-1] == ["carol", "beggar"]


def test_P4_a_claim_without_a_pick_is_a_miss_and_the_claim_is_dropped() -> None:
    out = played(sent(carol=["CLAIM police"]), sent(), sent())
    assert types(out["steps"][0]) == ["missed", "claim"]
    assert out["steps"][0]["public"]["claims"] == {"carol": "beggar"}
    assert queued(out["steps"][0], "carol") is None
    assert of_type(last(out), "reveal")[0]["lost"] == {}  # it isn't held against carol as a lie either


def test_P4_a_missed_turn_can_still_earn_as_a_beggar() -> None:
    out = played(sent(), sent(), sent())
    assert of_type(last(out), "reveal")[0]["gained"] == {"alice": 1, "bob": 1, "carol": 1}
    assert last(out)["public"]["beggar_points"] == {"alice": 1, "bob": 1, "carol": 1}


# P5: the reveal


def test_P5_true_picks_are_revealed_in_reverse_turn_order_in_one_post() -> None:
    out = played(go("carol", "mafia", "police"), go("alice", "cartel", "beggar"), go("bob", "beggar"))
    assert [types(step) for step in out["steps"]] == [["claim"], ["claim"], ["claim", "reveal"]]
    (reveal,) = of_type(last(out), "reveal")
    assert reveal["picks"] == [["bob", "beggar"], ["alice", "cartel"], ["carol", "mafia"]]
    assert last(out)["public"]["claims"] == {}
    assert last(out)["public"]["round"] == 2


# P6: points


@pytest.mark.parametrize(
    ("picks", "winner", "share", "alms"),
    [
        ("m", "mafia", 4, 0),
        ("mm", "mafia", 2, 0),
        ("mmm", "mafia", 1, 0),
        ("mmmb", "mafia", 1, 1),
        ("mmmbb", "mafia", 1, 0),
        ("mmmm", "mafia", 1, 0),
        ("mmmmm", "mafia", 0, 0),
        ("mmmmmb", "mafia", 0, 4),
        ("mmmmmbbb", "mafia", 0, 1),
        ("mmmmmbbbbb", "mafia", 0, 0),
        ("mccppp", "cartel", 2, 0),
        ("mcp", "police", 4, 0),
        ("mcppp", "police", 1, 0),
        ("mcpppb", "police", 1, 1),
        ("ppppp", "police", 0, 0),
        ("pppppbb", "police", 0, 2),
        ("mc", "police", 0, 0),
        ("mcb", "police", 0, 4),
        ("bbb", "police", 0, 1),
        ("b", "police", 0, 4),
        ("bbbbb", "police", 0, 0),
        ("p", "police", 4, 0),
        ("cccm", "cartel", 1, 0),
        ("mmccbb", "police", 0, 2),
    ],
)
def test_P6_split(picks: str, winner: str, share: int, alms: int) -> None:
    names = {name[0]: name for name in CHARACTERS}
    assert split([names[letter] for letter in picks]) == (winner, share, alms)


def test_P6_P7_standing_shows_the_points_and_those_earned_as_beggar() -> None:
    out = played(go("carol", "mafia"), go("alice", "cartel"), go("bob", "beggar"))
    assert last(out)["public"]["points"] == {"alice": 0, "bob": 4, "carol": 0}
    assert last(out)["public"]["beggar_points"] == {"alice": 0, "bob": 4, "carol": 0}
    out = played(go("carol", "mafia"), go("alice", "police"), go("bob", "beggar"))
    assert last(out)["public"]["points"] == {"alice": 0, "bob": 0, "carol": 4}
    assert last(out)["public"]["beggar_points"] == {"alice": 0, "bob": 0, "carol": 0}


# P7: lies


@pytest.mark.parametrize(
    ("points", "lost", "lost_by_remainder"),
    [(9, 4, 5), (8, 4, 4), (3, 1, 2), (2, 1, 1), (1, 0, 1), (0, 1, 1), (-1, 1, 1), (-7, 1, 1)],
)
def test_P7_what_a_lie_that_earned_nothing_costs(points: int, lost: int, lost_by_remainder: int) -> None:
    assert fine(points, remainder=False) == lost
    assert fine(points, remainder=True) == lost_by_remainder


def test_P7_only_liars_without_points_lose() -> None:
    turns = [
        Turn("won by lying", "mafia", "police"),
        Turn("won as well", "mafia", "mafia"),
        Turn("lied in vain", "cartel", "mafia"),
        Turn("true in vain", "police", "police"),
    ]
    result = score(turns, {turn.player: 5 for turn in turns}, (), remainder=False)
    assert result.gained == {"won by lying": 2, "won as well": 2}
    assert result.lost == {"lied in vain": 2}


def test_P7_winners_whose_share_is_nothing_pay_for_a_lie() -> None:
    turns = [Turn(f"p{n}", "mafia", "police") for n in range(5)]
    result = score(turns, dict.fromkeys((t.player for t in turns), 4), (), remainder=False)
    assert result.gained == {}
    assert result.lost == dict.fromkeys((t.player for t in turns), 2)


def two_rounds_with_a_lie(**options: Any) -> Out:
    """Carol has 4 points after round 1, 2 and 1 after two lies; alice lies with nothing."""
    return played(
        go("carol", "mafia"), go("alice", "police", "mafia"), go("bob", "beggar"),
        go("alice", "cartel"), go("bob", "cartel"), go("carol", "mafia", "police"),
        go("bob", "cartel"), go("carol", "mafia", "beggar"), go("alice", "cartel"),
        **options,
    )  # fmt: skip


def test_P7_a_lie_that_earned_nothing_loses_half_rounded_down_or_1() -> None:
    out = two_rounds_with_a_lie(rounds=9)
    reveals = [of_type(step, "reveal")[0] for step in out["steps"][2::3]]
    assert [reveal["lost"] for reveal in reveals] == [{"alice": 1}, {"carol": 2}, {"carol": 1}]
    assert last(out)["public"]["points"] == {"alice": 3, "bob": 4, "carol": 1}


def test_P7_option_lie_rounding_remainder_rounds_down_what_is_left() -> None:
    steps = [
        go("carol", "mafia"), go("alice", "mafia"), go("bob", "mafia"),
        go("alice", "police", "mafia"), go("bob", "cartel", "mafia"), go("carol", "mafia"),
    ]  # fmt: skip
    # Each has 1 point; police alone wins 4 (mafia and cartel are even), bob's lie earns nothing.
    loss = last(played(*steps))
    remainder = last(played(*steps, lie_rounding="remainder"))
    assert loss["public"]["points"] == {"alice": 5, "bob": 1, "carol": 1}
    assert of_type(loss, "reveal")[0]["lost"].get("bob", 0) == 0
    assert remainder["public"]["points"] == {"alice": 5, "bob": 0, "carol": 1}
    assert of_type(remainder, "reveal")[0]["lost"] == {"bob": 1}


def test_P7_option_lie_rounding_knows_no_other_word() -> None:
    with pytest.raises(paper.ScenarioFault, match="lie_rounding"):
        played(sent(), lie_rounding="up")


# The engine's promises


def test_once_over_nothing_is_open_and_every_line_is_refused() -> None:
    state = GAME.start(ABC, PointThiefOptions(), DRAW).state
    over = GAME.remove(GAME.remove(state, "bob", {}, DRAW).state, "carol", {}, DRAW).state
    assert GAME.phase(over) is None
    assert play.waiting(GAME, over, {}) == ()
    view = GAME.view(over, "alice")
    assert GAME.forms(view, "alice") == ()
    pick = Order("PICK", {"character": "mafia"}, "PICK mafia")
    assert [refusal.n for refusal in GAME.check(view, "alice", [pick, pick])] == [0, 1]


def test_orders_of_other_games_and_acts_are_refused() -> None:
    state = GAME.start(ABC, PointThiefOptions(), DRAW).state
    shot = Order("SHOOT", {"player": "bob"}, "SHOOT bob")
    (refusal,) = GAME.check(GAME.view(state, "alice"), "alice", [shot])
    assert "PICK and CLAIM" in refusal.reason
    with pytest.raises(ValueError, match="not at once"):
        GAME.act(state, "alice", shot, DRAW)


def test_one_line_form_offers_both_orders() -> None:
    assert [form.pattern() for form in FORMS] == [
        "PICK character CLAIM any character",
        "PICK character",
        "CLAIM any character",
    ]
    assert FORMS[0].example() == "PICK mafia CLAIM cartel"


character = st.sampled_from(CHARACTERS)
mail = st.lists(
    st.builds(lambda v, c: Order(v, {"character": c}, f"{v} {c}"), st.sampled_from(("PICK", "CLAIM")), character),
    max_size=2,
    unique_by=lambda order: order.verb,
)


@given(st.lists(st.dictionaries(st.sampled_from(ABC), mail, max_size=3), max_size=12), st.data())
def test_G3_P3_closing_leaves_its_inputs_unchanged_and_survives_json(mails: list[Any], data: st.DataObject) -> None:
    state = GAME.start(ABC, PointThiefOptions(rounds=2), DRAW).state
    for orders in mails:
        if GAME.phase(state) is None:
            break
        before, given_orders = deepcopy(state), deepcopy(orders)
        step = GAME.close(state, orders, DRAW)
        assert (state, orders) == (before, given_orders)
        assert GAME.close(json.loads(json.dumps(state)), orders, DRAW) == step
        assert json.loads(json.dumps(step.state)) == step.state
        state = step.state
        for seat in ABC:
            view = GAME.view(state, seat)
            view["points"].clear()
            view["order"].clear()
        assert GAME.view(state, None)["points"].keys() == set(ABC)


@given(*[character] * 5)
def test_P3_P5_a_secret_shows_to_nobody_else_before_the_reveal(a: str, b: str, c: str, d: str, claim: str) -> None:
    """Non-interference: two games that differ in a pick, and in what lies ahead for the next round."""

    def seen_by_alice(pick: str, ahead: str) -> str:
        steps = played(sent(carol=[f"PICK {pick} CLAIM {claim}"]), sent(carol=[f"PICK {ahead}"]))["steps"]
        return json.dumps([{**step, "private": step["private"]["alice"]} for step in steps])

    assert seen_by_alice(a, b) == seen_by_alice(c, d)

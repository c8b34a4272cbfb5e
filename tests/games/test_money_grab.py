"""Money Grab by its rulings, M1 to M7, and the common ones as they show in it."""

from typing import Any

import pytest

from pbm import paper
from pbm.core import registry
from pbm.core.draw import Draw
from pbm.core.engine import Order
from tests.support.coins import ALICE, BOB, SEED, Take, both, event, events, last, played, repeat

KEY = "money_grab"
DRAW = Draw.from_hex(SEED)


def cards(bout: int, number: int) -> list[int]:
    return DRAW.shuffle(f"bout {bout} set {number}: limits", [1, 2, 3, 4])


def begun(**changes: Any) -> dict[str, Any]:
    """A state at the start of a match, with some figures changed."""
    game = registry.get(KEY)
    state = game.start((ALICE, BOB), game.facts.options(), DRAW).state
    assert changes.keys() <= state.keys()
    return state | changes


def closed(state: dict[str, Any], alice: int, bob: int) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The state behind a round with these takes, and its events by type."""
    takes = {s: [Order("TAKE", {"coins": n}, f"TAKE {n}")] for s, n in both(alice, bob).items()}
    step = registry.get(KEY).close(state, takes, DRAW)
    return step.state, {event.type: event.data for event in step.events}


def test_M1_a_bout_starts_with_60_and_10_each() -> None:
    view = registry.get(KEY).view(begun(), None)
    assert (view["bout"], view["set"], view["round"], view["pot"]) == (1, 1, 1, 60)
    assert view["coins"] == both(10, 10)
    assert view["streaks"] == view["penalties"] == view["wins"] == both(0, 0)


def test_M1_the_first_to_win_2_bouts_wins_and_the_state_stays_at_the_last_round() -> None:
    state = begun(wins=both(1, 1), bout=3, pot=12, set=4, round=2, limits=[1, 4, 2, 3], coins=both(20, 28))
    end, told = closed(state, 3, 1)
    assert told["bout_end"]["winner"] == BOB
    assert told["game_over"]["winners"] == [BOB]
    view = registry.get(KEY).view(end, None)
    assert (view["bout"], view["set"], view["round"], view["pot"]) == (3, 4, 2, 8)
    assert view["limits"] == [1, 4, 2, 3]
    assert view["coins"] == both(23, 29)
    assert view["wins"] == both(1, 2)
    assert registry.get(KEY).phase(end) is None


def test_M1_a_new_bout_starts_from_the_beginning() -> None:
    state = begun(
        pot=12,
        set=4,
        round=2,
        limits=[1, 4, 2, 3],
        coins=both(20, 28),
        streaks=both(1, 0),
        penalties=both(3, 1),
        tie_run=1,
    )
    after, told = closed(state, 4, 1)
    assert told["bout_end"]["winner"] == BOB
    assert "game_over" not in told
    view = registry.get(KEY).view(after, None)
    assert (view["bout"], view["set"], view["round"], view["pot"]) == (2, 1, 1, 60)
    assert view["coins"] == both(10, 10)
    assert view["streaks"] == view["penalties"] == both(0, 0)
    assert view["wins"] == both(0, 1)
    assert view["limits"] == cards(2, 1)
    assert view["tie_run"] == 0
    assert view["past"] == []


def test_M2_limit_cards_are_drawn_for_each_set_and_public() -> None:
    out = played(KEY, *repeat((0, 0), 9))
    assert [step["public"]["limits"] for step in out["steps"]] == [cards(1, 1)] * 3 + [cards(1, 2)] * 4 + [
        cards(1, 3)
    ] * 2
    assert [step["public"]["set"] for step in out["steps"]] == [1, 1, 1, 2, 2, 2, 2, 3, 3]
    assert [step["round"] for step in out["steps"]] == [1, 2, 3, 4, 1, 2, 3, 4, 1]
    assert [step["public"]["round"] for step in out["steps"]] == [2, 3, 4, 1, 2, 3, 4, 1, 2]


def test_M2_M3_the_card_of_the_round_is_the_limit() -> None:
    limits = cards(1, 1)
    out = played(KEY, *[([f"TAKE {limit + 1}"], limit) for limit in limits])
    for step, limit in zip(out["steps"], limits, strict=True):
        (refusal,) = step["refused"]
        assert (refusal["player"], refusal["line"]) == (ALICE, f"TAKE {limit + 1}")
        assert f"0 to {limit}" in refusal["reason"]
        assert event(step, "takes")["takes"] == both(0, limit)


def test_M3_an_illegal_number_leaves_the_order_before_it() -> None:
    step = last(played(KEY, (["TAKE 1", "TAKE 5"], 0)))
    assert event(step, "takes")["takes"] == both(1, 0)


def test_M3_G3_a_miss_is_0_and_told_to_all() -> None:
    step = last(played(KEY, (None, 1)))
    assert event(step, "missed") == {"type": "missed", "to": "public", "player": ALICE}
    assert event(step, "takes")["takes"] == both(0, 1)


def test_M3_taking_0_is_no_miss() -> None:
    step = last(played(KEY, (0, 0)))
    assert events(step, "missed") == []


def test_M4_a_streak_costs_one_less_than_it_is_long() -> None:
    out = played(KEY, *repeat((1, 0), 5))
    assert [event(step, "takes")["penalties"] for step in out["steps"]] == [
        {},
        {ALICE: 1},
        {ALICE: 2},
        {ALICE: 3},
        {ALICE: 4},
    ]
    public = last(out)["public"]
    assert public["streaks"] == both(5, 0)
    assert public["penalties"] == both(10, 0)
    assert public["coins"] == both(5, 10)
    assert public["pot"] == 60 - 5 + 10 - 2


def test_M4_a_penalty_goes_as_far_as_the_coins_go() -> None:
    after, told = closed(begun(coins=both(1, 10), streaks=both(6, 0)), 1, 0)
    assert told["takes"]["penalties"] == {ALICE: 2}
    assert after["coins"] == both(0, 10)
    assert after["penalties"] == both(2, 0)
    assert after["pot"] == 60 - 1 + 2
    assert after["streaks"] == both(7, 0)


def test_M4_the_lower_number_sets_a_streak_to_0() -> None:
    out = played(KEY, (1, 0), (1, 0), (0, 1), (1, 0))
    assert [step["public"]["streaks"] for step in out["steps"]] == [both(1, 0), both(2, 0), both(0, 1), both(1, 0)]
    assert event(last(out), "takes")["penalties"] == {}


def test_M4_one_tie_changes_no_streak() -> None:
    out = played(KEY, (1, 0), (1, 1), (1, 0))
    assert [step["public"]["streaks"] for step in out["steps"]] == [both(1, 0), both(1, 0), both(2, 0)]
    assert event(last(out), "takes")["penalties"] == {ALICE: 1}


def test_M4_the_second_tie_in_a_row_sets_both_to_0() -> None:
    out = played(KEY, (1, 0), (1, 1), (0, 0), (1, 0))
    assert [step["public"]["streaks"] for step in out["steps"]] == [both(1, 0), both(1, 0), both(0, 0), both(1, 0)]


def test_M4_two_ties_that_are_not_in_a_row_set_nothing_to_0() -> None:
    out = played(KEY, (1, 0), (1, 1), (1, 0), (1, 1), (1, 0))
    assert last(out)["public"]["streaks"] == both(3, 0)
    assert event(last(out), "takes")["penalties"] == {ALICE: 2}


def test_M4_streaks_and_the_tie_run_go_on_from_set_to_set() -> None:
    out = played(KEY, (0, 1), (1, 0), (1, 0), (0, 0), (1, 0))
    assert event(last(out), "takes")["penalties"] == {ALICE: 2}
    out = played(KEY, (0, 1), (1, 0), (1, 0), (0, 0), (1, 1))
    assert last(out)["public"]["streaks"] == both(0, 0)


def test_M4_a_miss_counts_as_the_0_that_it_is() -> None:
    out = played(KEY, (1, None), (1, None))
    assert event(last(out), "takes")["penalties"] == {ALICE: 1}


def test_M5_the_pot_is_taxed_after_each_fourth_round() -> None:
    out = played(KEY, *repeat((0, 0), 8))
    assert [[tax["coins"] for tax in events(step, "tax")] for step in out["steps"]] == [[], [], [], [2]] * 2
    assert last(out)["public"]["pot"] == 56


@pytest.mark.parametrize(("pot", "takes", "over"), [(13, (2, 1), False), (13, (2, 2), True), (12, (2, 1), True)])
def test_M6_fewer_than_10_in_the_pot_end_the_bout(pot: int, takes: tuple[int, int], over: bool) -> None:
    _, told = closed(begun(pot=pot, coins=both(20, 30), limits=[2, 1, 3, 4]), *takes)
    assert ("bout_end" in told) == over


def test_M6_M5_tax_comes_before_the_end_is_looked_at() -> None:
    """Eleven coins behind the fourth round: the tax makes them nine."""
    state = begun(pot=12, round=4, limits=[2, 3, 4, 1], coins=both(20, 30))
    after, told = closed(state, 1, 0)
    assert told["tax"]["coins"] == 2
    assert told["bout_end"]["winner"] == BOB
    after, told = closed(state | {"pot": 13}, 1, 0)
    assert "bout_end" not in told
    assert after["pot"] == 10


def test_M6_M4_penalties_come_before_the_end_is_looked_at() -> None:
    after, told = closed(begun(pot=11, streaks=both(3, 0), coins=both(20, 30), limits=[4, 1, 2, 3]), 4, 0)
    assert told["takes"]["penalties"] == {ALICE: 3}
    assert "bout_end" not in told
    assert after["pot"] == 10


def test_M6_tie_in_coins_fewer_penalties_win() -> None:
    _, told = closed(begun(pot=11, coins=both(20, 20), penalties=both(4, 5), limits=[1, 2, 3, 4]), 1, 1)
    assert told["bout_end"]["winner"] == ALICE
    assert told["bout_end"]["by"] == "penalties"


def test_M6_full_tie_brings_10_coins_and_play_goes_on() -> None:
    state = begun(pot=11, coins=both(20, 20), penalties=both(4, 4), limits=[1, 2, 3, 4])
    after, told = closed(state, 1, 1)
    assert "bout_end" not in told
    assert told["takes"]["topped_up"] == 10
    assert (after["pot"], after["set"], after["round"], after["bout"]) == (19, 1, 2, 1)
    assert after["coins"] == both(21, 21)
    assert after["limits"] == [1, 2, 3, 4]


def test_M6_full_tie_at_the_end_of_a_set_goes_on_with_the_new_set() -> None:
    state = begun(pot=11, coins=both(20, 20), set=6, round=4, limits=[2, 3, 4, 1])
    after, told = closed(state, 0, 0)
    assert told["tax"]["topped_up"] == 10
    assert told["takes"]["topped_up"] == 0
    assert (after["pot"], after["set"], after["round"]) == (19, 7, 1)
    assert after["limits"] == cards(1, 7)


def test_M6_ten_more_coins_always_go_on() -> None:
    """The lowest that a pot can fall to is 0, and then it holds 10 again: enough."""
    state = begun(pot=10, coins=both(20, 20), round=4, limits=[1, 2, 3, 4])
    after, told = closed(state, 4, 4)
    assert told["tax"]["coins"] == 2
    assert after["pot"] == 10
    assert "bout_end" not in told


def test_M7_all_figures_are_public_and_nothing_is_private() -> None:
    step = last(played(KEY, (1, 0)))
    public = step["public"]
    wanted = {"bout", "set", "round", "pot", "coins", "streaks", "penalties", "wins", "limits"}
    assert wanted <= public.keys()
    assert public["past"] == [{"set": 1, "round": 1, "limit": cards(1, 1)[0], "takes": both(1, 0)}]
    assert step["private"] == {ALICE: {}, BOB: {}}


def test_G5_removal_ends_the_match_with_no_bout_end() -> None:
    out = played(KEY, (1, 0), BOB)
    step = last(out)
    assert [e["type"] for e in step["events"]] == ["removed", "game_over"]
    assert out["winners"] == [ALICE]
    assert step["public"]["wins"] == both(0, 0)
    assert (step["round"], step["public"]["round"], step["next"]) == (2, 2, None)


def test_G2_the_last_valid_take_of_a_mail_counts() -> None:
    lines: Take = ["TAKE 1", "take 0", "hello", "TAKE 7"]
    step = last(played(KEY, (lines, 0)))
    assert event(step, "takes")["takes"] == both(0, 0)
    assert [refusal["line"] for refusal in step["refused"]] == ["hello", "TAKE 7"]


def test_money_grab_has_no_options() -> None:
    with pytest.raises(paper.ScenarioFault, match="options of money_grab: none"):
        played(KEY, (1, 0), pot=100)


def test_phases_are_named_by_bout_set_and_round() -> None:
    phase = registry.get(KEY).phase(begun(bout=2, set=3, round=4))
    assert phase is not None
    assert phase.label == "Bout 2, set 3, round 4"
    assert phase.must == (ALICE, BOB)

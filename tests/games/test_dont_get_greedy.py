"""Don't Get Greedy by its rulings, D1 to D3, and the common ones as they show in it."""

import pytest

from pbm import paper
from pbm.core import registry
from pbm.core.draw import Draw
from pbm.core.engine import Order
from tests.support.coins import ALICE, BOB, SEED, Take, both, event, events, last, played, repeat

KEY = "dont_get_greedy"


def test_D1_both_takes_leave_the_pot_and_are_shown_together() -> None:
    step = last(played(KEY, (5, 3)))
    assert step["public"]["pot"] == 92
    assert step["public"]["coins"] == both(5, 3)
    told = event(step, "takes")
    assert (told["to"], told["takes"], told["penalties"]) == ("public", both(5, 3), {})
    assert step["private"] == {ALICE: {}, BOB: {}}


def test_D1_pot_and_players_start_with_100_and_nothing() -> None:
    game = registry.get(KEY)
    step = game.start((ALICE, BOB), game.facts.options(), Draw.from_hex(SEED))
    view = game.view(step.state, None)
    assert view["pot"] == 100
    assert view["coins"] == view["streaks"] == view["received"] == both(0, 0)
    assert view["game"] == view["round"] == 1


def test_D1_option_pot() -> None:
    assert last(played(KEY, (1, 2), pot=30))["public"]["pot"] == 27


@pytest.mark.parametrize("option", ["pot", "replay_pot"])
@pytest.mark.parametrize("value", [9, 0, -5, "100", 12.0, True, None])
def test_D1_a_pot_that_two_takes_could_overdraw_is_refused(option: str, value: object) -> None:
    given = {"game": KEY, "seed": SEED, "players": [ALICE, BOB], "options": {option: value}, "steps": []}
    with pytest.raises(paper.ScenarioFault, match=rf"options\.{option}"):
        paper.adjudicate(given)


@pytest.mark.parametrize("number", ["0", "6", "999999", "-1", "2.5", "two", ""])
def test_D1_numbers_from_1_to_5_only(number: str) -> None:
    step = last(played(KEY, ([f"TAKE {number}"], 2)))
    assert [(r["player"], r["line"]) for r in step["refused"]] == [(ALICE, f"TAKE {number}")]
    assert step["refused"][0]["reason"]
    assert event(step, "missed")["player"] == ALICE
    assert event(step, "takes")["takes"] == both(1, 2)


def test_D1_G3_a_miss_counts_as_1_and_is_told_to_all() -> None:
    step = last(played(KEY, (None, 4)))
    assert event(step, "missed") == {"type": "missed", "to": "public", "player": ALICE}
    assert event(step, "takes")["takes"] == both(1, 4)
    step = last(played(KEY, (None, None)))
    assert [missed["player"] for missed in events(step, "missed")] == [ALICE, BOB]
    assert step["public"]["coins"] == both(1, 1)


def test_G3_the_coin_games_know_no_pass() -> None:
    step = last(played(KEY, (["PASS"], 2)))
    assert [refusal["line"] for refusal in step["refused"]] == ["PASS"]
    assert event(step, "missed")["player"] == ALICE


def test_G2_of_several_takes_in_one_mail_the_last_valid_one_counts() -> None:
    step = last(played(KEY, (["TAKE 2", "take   5", "TAKE 3", "TAKE 9"], 1)))
    assert event(step, "takes")["takes"] == both(3, 1)
    assert [refusal["line"] for refusal in step["refused"]] == ["TAKE 9"]


def test_D2_taking_more_twice_discards_one_and_gives_one() -> None:
    step = last(played(KEY, (5, 3), (4, 1)))
    assert event(step, "takes")["penalties"] == {ALICE: 2}
    public = step["public"]
    assert public["coins"] == both(5 + 4 - 2, 3 + 1 + 1)
    assert public["pot"] == 100 - 13
    assert public["streaks"] == both(0, 0)
    assert public["received"] == both(0, 1)


@pytest.mark.parametrize("ties", [1, 2, 5])
def test_D2_the_count_stays_on_a_tie(ties: int) -> None:
    step = last(played(KEY, (2, 1), *repeat((3, 3), ties)))
    assert step["public"]["streaks"] == both(1, 0)
    step = last(played(KEY, (2, 1), *repeat((3, 3), ties), (2, 1)))
    assert event(step, "takes")["penalties"] == {ALICE: 2}


def test_D2_taking_less_sets_the_count_to_0() -> None:
    step = last(played(KEY, (2, 1), (1, 2)))
    assert step["public"]["streaks"] == both(0, 1)
    step = last(played(KEY, (2, 1), (1, 2), (2, 1)))
    assert step["public"]["streaks"] == both(1, 0)
    assert event(step, "takes")["penalties"] == {}


def test_D2_the_count_starts_again_behind_a_penalty() -> None:
    out = played(KEY, *repeat((2, 1), 4))
    assert [event(step, "takes")["penalties"] for step in out["steps"]] == [{}, {ALICE: 2}, {}, {ALICE: 2}]
    assert last(out)["public"]["received"] == both(0, 2)


def test_D2_a_miss_can_break_a_count() -> None:
    step = last(played(KEY, (2, 1), (None, 2)))
    assert step["public"]["streaks"] == both(0, 1)


def test_D3_10_in_the_pot_is_not_the_end() -> None:
    assert not played(KEY, (5, 4), pot=19)["over"]


def test_D3_the_game_ends_behind_a_round_that_leaves_9() -> None:
    out = played(KEY, (5, 4), pot=18)
    step = last(out)
    assert out["over"]
    assert out["winners"] == [ALICE]
    assert step["next"] is None
    assert event(step, "game_over") == {"type": "game_over", "to": "public", "winners": [ALICE]}
    assert step["public"]["pot"] == 9
    assert step["public"]["round"] == step["round"] == 1


def test_D3_the_special_rule_is_done_before_coins_are_counted() -> None:
    """Alice has more before the penalty of the last round, bob behind it."""
    out = played(KEY, (2, 1), (1, 1), (3, 2), pot=17)
    assert last(out)["public"]["coins"] == both(4, 5)
    assert out["winners"] == [BOB]


def test_D3_tie_in_coins_more_received_wins() -> None:
    out = played(KEY, (2, 1), (4, 2), pot=18)
    step = last(out)
    assert step["public"]["coins"] == both(4, 4)
    assert step["public"]["received"] == both(0, 1)
    assert out["winners"] == [BOB]


def test_D3_full_tie_starts_a_new_game_from_nothing() -> None:
    out = played(KEY, (3, 3), pot=14)
    step = last(out)
    assert not out["over"]
    assert event(step, "replay")["to"] == "public"
    public = step["public"]
    assert (public["pot"], public["game"], public["round"]) == (40, 2, 1)
    assert public["coins"] == public["streaks"] == public["received"] == both(0, 0)
    assert step["next"] == {"phase": "round", "round": 1, "waiting_for": [ALICE, BOB]}


def test_D3_counts_do_not_go_on_into_the_replay() -> None:
    """Level in coins and received, with a count of 1 for alice: it is gone in the new game."""
    opening: list[tuple[Take, Take]] = [(1, 3), (3, 1)]
    out = played(KEY, *opening, pot=16, replay_pot=20)
    assert event(last(out), "takes")["streaks"] == both(1, 0)
    assert event(last(out), "replay")
    step = last(played(KEY, *opening, (2, 1), pot=16, replay_pot=20))
    assert event(step, "takes")["penalties"] == {}
    assert step["public"]["streaks"] == both(1, 0)


def test_D3_replays_as_often_as_needed_with_replay_pot() -> None:
    out = played(KEY, (1, 1), (2, 2), (4, 4), (4, 3), pot=10, replay_pot=12)
    assert [step["public"]["game"] for step in out["steps"]] == [2, 3, 4, 4]
    assert [step["public"]["pot"] for step in out["steps"]] == [12, 12, 12, 5]
    assert out["winners"] == [ALICE]


def test_D3_rounds_count_from_1_in_each_replay() -> None:
    out = played(KEY, (1, 1), (1, 1), (1, 1), pot=10, replay_pot=12)
    assert [step["round"] for step in out["steps"]] == [1, 1, 2]
    game = registry.get(KEY)
    step = game.start((ALICE, BOB), game.facts.options.model_validate({"pot": 10}), Draw.from_hex(SEED))
    first = game.phase(step.state)
    step = game.close(step.state, {}, Draw.from_hex(SEED))
    second = game.phase(step.state)
    assert first is not None
    assert second is not None
    assert (first.label, second.label) == ("Round 1", "Game 2, round 1")


def test_G5_the_player_who_stays_wins_at_once_without_a_reveal() -> None:
    out = played(KEY, (5, 1), ALICE)
    step = last(out)
    assert [e["type"] for e in step["events"]] == ["removed", "game_over"]
    assert out["winners"] == [BOB]
    assert step["public"]["coins"] == both(5, 1)
    assert (step["phase"], step["round"], step["public"]["round"], step["next"]) == ("round", 2, 2, None)


def test_G5_nobody_can_be_removed_twice_or_behind_the_end() -> None:
    game, draw = registry.get(KEY), Draw.from_hex(SEED)
    state = game.start((ALICE, BOB), game.facts.options(), draw).state
    over = game.remove(state, ALICE, {}, draw).state
    for seat in (ALICE, BOB):
        with pytest.raises(ValueError, match="removed"):
            game.remove(over, seat, {}, draw)
    assert game.phase(over) is None


def test_G6_G8_the_other_player_is_runner_up() -> None:
    game, draw = registry.get(KEY), Draw.from_hex(SEED)
    state = game.start((ALICE, BOB), game.facts.options.model_validate({"pot": 10}), draw).state
    removed = game.remove(state, BOB, {}, draw).result
    assert removed is not None
    assert (removed.winners, removed.runners_up) == ((ALICE,), (BOB,))
    takes = {ALICE: [Order("TAKE", {"coins": 2}, "TAKE 2")]}
    ended = game.close(state, takes, draw).result
    assert ended is not None
    assert (ended.winners, ended.runners_up) == ((ALICE,), (BOB,))


def test_G2_orders_behind_the_end_are_refused_with_the_reason() -> None:
    game, draw = registry.get(KEY), Draw.from_hex(SEED)
    state = game.start((ALICE, BOB), game.facts.options(), draw).state
    view = game.view(game.remove(state, BOB, {}, draw).state, ALICE)
    refusals = game.check(view, ALICE, [Order("TAKE", {"coins": 2}, "TAKE 2")] * 2)
    assert [refusal.n for refusal in refusals] == [0, 1]
    assert "over" in refusals[0].reason
    assert game.forms(view, ALICE) == ()


def test_no_order_of_a_coin_game_acts_at_once() -> None:
    game, draw = registry.get(KEY), Draw.from_hex(SEED)
    state = game.start((ALICE, BOB), game.facts.options(), draw).state
    with pytest.raises(ValueError, match="before the round closes"):
        game.act(state, ALICE, Order("TAKE", {"coins": 2}, "TAKE 2"), draw)


def test_an_order_of_another_game_is_refused_in_words() -> None:
    game, draw = registry.get(KEY), Draw.from_hex(SEED)
    view = game.view(game.start((ALICE, BOB), game.facts.options(), draw).state, ALICE)
    (refusal,) = game.check(view, ALICE, [Order("PASS", {}, "PASS")])
    assert "PASS is no order of this game" in refusal.reason

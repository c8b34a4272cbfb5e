"""Tontine: misses, roulette, new tokens, the end and the jury (T12 to T18; G5, G8), by the rulings."""

import pytest

from pbm.core import play
from pbm.core.engine import Step
from pbm.games.tontine import GAME
from tests.support.tontine_table import (
    DRAW,
    PLAYERS,
    close,
    hits,
    jury,
    mail,
    of,
    paper_game,
    refusals,
    table,
    told,
)

# T12


def test_T12_the_first_miss_gives_no_order() -> None:
    step = close(table(tokens={"dave": 5}), idle=False, alice=["HIT bob"], bob=["PASS"], carol=["PASS"])
    assert hits(step) == [("Ash", "bob", 1, False)]
    assert of(step, "misses")["dave"] == 1
    assert of(step, "tokens")["dave"] == 5


@pytest.mark.parametrize(
    ("tokens", "line"),
    [
        (1, "HIT {}"),
        (2, "PROTECT {}"),
        (3, "BRIBE Dot HIT {}"),
        (4, "BRIBE Dot HIT {}"),
        (5, "SECRET BRIBE Dot HIT {}"),
        (9, "SECRET BRIBE Dot HIT {}"),
    ],
)
def test_T12_every_later_miss_pays_the_dearest_to_ones_own_assassin_and_loses_the_rest(tokens: int, line: str) -> None:
    state = table(tokens={"dave": tokens}, misses={"dave": 1}) | {"round": 7}
    target = DRAW.choice("round 7: dave target", ["alice", "bob", "carol"])
    step = close(state, idle=False, alice=["PASS"], bob=["PASS"], carol=["PASS"])
    dave = step.state["players"]["dave"]
    assert [o["line"] for o in dave["last"]["orders"]] == [line.format(target)]
    assert dave["tokens"] == 0
    assert dave["misses"] == 2
    assert hits(step) == ([] if tokens == 2 else [("Dot", target, 1, False)])
    assert [event.to for event in step.events if event.type == "bribe_told"] == ([("dave",)] if 3 <= tokens < 5 else [])
    assert told(step, "roulette", "owner") == []


def test_T12_without_tokens_or_assassin_nothing_happens_and_nothing_is_lost() -> None:
    poor = close(
        table(tokens={"dave": 0}, misses={"dave": 3}), idle=False, alice=["HIT bob"], bob=["PASS"], carol=["PASS"]
    )
    assert hits(poor) == [("Ash", "bob", 1, False)]
    state = table(tokens={"dave": 4}, misses={"dave": 1}, assassin_in_play={"dave": False})
    alone = close(state, idle=False, alice=["HIT bob"], bob=["PASS"], carol=["PASS"])
    assert of(alone, "tokens")["dave"] == 4


def test_T12_a_removed_player_is_not_among_the_targets() -> None:
    for number in range(1, 8):
        state = GAME.remove(table(misses={"dave": 1}) | {"round": number}, "bob", {}, DRAW).state
        target = DRAW.choice(f"round {number}: dave target", ["alice", "carol"])
        step = close(state, idle=False, alice=["PASS"], carol=["PASS"])
        assert told(step, "hit", "target") == [target]


def test_T12_bribes_by_others_still_move_a_missing_players_assassin() -> None:
    step = close(table(tokens={"alice": 3}), idle=False, alice=["BRIBE Dot HIT bob"], bob=["PASS"], carol=["PASS"])
    assert hits(step) == [("Dot", "bob", 1, False)]


def test_T12_a_missed_vote_is_no_miss_here() -> None:
    state = table(status={"carol": "jailed", "dave": "jailed"}) | {"phase": "jury", "vote": 1}
    step = close(state, idle=False, carol=["VOTE bob"])
    assert of(step, "misses")["dave"] == 0
    assert [event.to for event in step.events if event.type == "missed"] == [("dave",)]


# T13


def test_T13_without_any_payment_one_assassin_dies_and_its_owner_lives_on() -> None:
    step = close(table())
    lost = DRAW.choice("round 1: roulette", PLAYERS[:4])
    assert told(step, "roulette", "owner") == [lost]
    assert of(step, "status")[lost] == "alive"
    assert of(step, "assassin_in_play") == {name: name != lost for name in PLAYERS[:4]}
    forms = [form.verb for form in GAME.forms(GAME.view(step.state, lost), lost)]
    assert forms == ["BRIBE", "SECRET BRIBE", "PASS"]


def test_T13_only_assassins_in_play_are_drawn_after_the_jailed_ones_have_left() -> None:
    """alice is jailed for an order that she can't pay; no payment was made."""
    state = table(5, assassin_in_play={"bob": False}, tokens={"alice": 0})
    step = close(state, alice=["HIT bob"])
    assert told(step, "roulette", "owner") == [DRAW.choice("round 1: roulette", ["carol", "dave", "erin"])]


def test_T13_the_last_assassin_is_never_drawn() -> None:
    state = table(assassin_in_play={"alice": False, "bob": False, "dave": False})
    step = close(state)
    assert told(step, "roulette", "owner") == []
    assert of(step, "assassin_in_play")["carol"] is True


def test_T13_blackmail_is_no_payment_and_a_lapsed_order_is_none() -> None:
    assert len(told(close(table(), alice=["BLACKMAIL"]), "roulette", "owner")) == 1


def test_T13_a_bribe_that_was_held_back_is_a_payment() -> None:
    step = close(table(tokens={"bob": 3}), alice=["BLACKMAIL"], bob=["BRIBE Ash HIT carol"])
    assert told(step, "roulette", "owner") == []


def test_T13_option_roulette_player_kills_the_owner_and_pays_the_dividend() -> None:
    state = table(options={"roulette": "player"}, assassin_in_play={"bob": False}, tokens={"alice": 4}) | {
        "deaths_rounds": 1
    }
    step = close(state)
    lost = DRAW.choice("round 1: roulette", PLAYERS[:4])
    assert told(step, "roulette", "owner") == [lost]
    assert told(step, "death", "player") == [lost]
    assert told(step, "dividend", "each") == [3]
    assert step.state["deaths_rounds"] == 2
    assert of(step, "status")[lost] == "dead"
    assert of(step, "assassin_in_play")[lost] is False
    for name in PLAYERS[:4]:
        assert of(step, "tokens")[name] == state["players"][name]["tokens"] + (0 if name == lost else 3)


def test_T13_option_roulette_player_never_draws_the_last_one() -> None:
    state = table(3, options={"roulette": "player"}, tokens={"alice": 0, "bob": 0})
    step = close(state, alice=["HIT bob"], bob=["HIT alice"])
    assert told(step, "roulette", "owner") == []
    assert step.result is not None
    assert step.result.winners == ("carol",)


def test_T13_option_roulette_player_can_end_the_game() -> None:
    state = table(3, options={"roulette": "player"}, status={"carol": "dead"})
    step = close(state)
    lost = DRAW.choice("round 1: roulette", PLAYERS[:2])
    assert step.result is not None
    assert step.result.winners == tuple(name for name in PLAYERS[:2] if name != lost)


# T14


def test_T14_when_nobody_in_play_holds_a_token_each_receives_one() -> None:
    state = table(5, tokens={"dave": 0, "erin": 5}, status={"erin": "dead"})
    step = close(state, alice=["HIT bob"], bob=["HIT carol"], carol=["HIT dave"])
    assert told(step, "new_tokens", "each") == [1]
    assert of(step, "tokens") == {"alice": 1, "bob": 1, "carol": 1, "dave": 1, "erin": 5}


def test_T14_not_while_somebody_holds_one() -> None:
    step = close(table(), alice=["HIT bob"], bob=["HIT carol"], carol=["HIT dave"])
    assert told(step, "new_tokens", "each") == []
    assert of(step, "tokens") == {"alice": 0, "bob": 0, "carol": 0, "dave": 1}


# T15


def test_T15_one_player_left_wins() -> None:
    step = close(table(3, life={"alice": 1, "bob": 1}, tokens={"carol": 2}), carol=["HIT alice", "HIT bob"])
    assert told(step, "game_over", "winners") == [["carol"]]
    assert GAME.phase(step.state) is None
    assert told(step, "new_tokens", "each") == []


def test_T15_nobody_left_nobody_wins() -> None:
    state = table(3, status={"carol": "dead"}, life={"alice": 1, "bob": 1})
    step = close(state, alice=["HIT bob"], bob=["HIT alice"])
    assert told(step, "game_over", "winners") == [[]]


def test_T15_two_left_and_somebody_in_jail_calls_the_jury_before_new_tokens() -> None:
    out = paper_game({"orders": {"alice": ["HIT bob"], "bob": ["HIT alice"], "carol": ["HIT bob", "HIT bob"]}})
    (step,) = out["steps"]
    assert step["next"] == {"phase": "jury", "round": 1, "waiting_for": ["carol"]}
    assert [step["private"][name]["tokens"] for name in PLAYERS[:3]] == [0, 0, 0]
    assert out["over"] is False


def test_T15_two_left_and_nobody_in_jail_play_on() -> None:
    state = table(3, life={"carol": 1})
    step = close(state, alice=["HIT carol"])
    assert step.result is None
    assert (step.state["phase"], step.state["round"]) == ("round", 2)


def test_T15_of_two_the_one_who_is_not_jailed_wins() -> None:
    state = table(3, status={"carol": "dead"})
    step = close(state, alice=["HIT bob", "HIT bob"])
    assert told(step, "game_over", "winners") == [["bob"]]


def test_T15_of_two_one_dead_and_one_jailed_nobody_wins() -> None:
    """The dead one's last hit is paid, and the other can't pay what is on credit, though the dividend came."""
    state = table(3, status={"carol": "dead"}, life={"alice": 1})
    step = close(state, bob=["HIT alice", "SECRET BRIBE Ash HIT bob"])
    assert told(step, "game_over", "winners") == [[]]


def test_T15_a_removal_that_leaves_two_does_not_call_the_jury_before_the_round_has_ended() -> None:
    out = paper_game(
        {"orders": {"alice": ["HIT bob", "HIT bob"], "bob": ["PASS"], "carol": ["PASS"], "dave": ["PASS"]}},
        {"remove": "dave"},
        {"orders": {"bob": ["HIT carol"], "carol": ["PASS"]}},
        players=4,
    )
    assert out["steps"][1]["next"] == {"phase": "round", "round": 2, "waiting_for": ["bob", "carol"]}
    assert out["steps"][2]["next"] == {"phase": "jury", "round": 2, "waiting_for": ["alice"]}


# T16


def test_T16_the_jury_votes_for_one_of_the_two_and_the_votes_come_out_together() -> None:
    state = jury("carol", "dave", "erin")
    phase = GAME.phase(state)
    assert phase is not None
    assert (phase.name, phase.round, phase.must) == ("jury", 4, ("carol", "dave", "erin"))
    step = close(state, carol=["VOTE bob"], dave=["VOTE bob"], erin=["VOTE alice"])
    assert told(step, "jury_vote", "votes") == [{"carol": "bob", "dave": "bob", "erin": "alice"}]
    assert told(step, "game_over", "winners") == [["bob"]]
    assert step.state["round"] == 4


def test_T16_only_jurors_vote_and_only_for_the_two() -> None:
    state = jury("carol", "dave")
    for seat in ("alice", "erin"):
        assert [n for n, _ in refusals(state, seat, "VOTE bob", "PASS", "HIT bob")] == [0, 1, 2]
    assert [n for n, _ in refusals(state, "carol", "VOTE carol", "HIT bob", "BLACKMAIL", "VOTE alice")] == [0, 1, 2]
    assert [n for n, _ in refusals(table(), "alice", "VOTE bob")] == [0]


def test_T16_of_several_votes_in_a_mail_the_last_valid_one_counts() -> None:
    step = close(jury("carol"), carol=["VOTE alice", "VOTE bob", "PASS"])
    assert told(step, "jury_vote", "votes") == [{"carol": "bob"}]


def test_T16_no_vote_and_pass_are_abstentions() -> None:
    step = close(jury("carol", "dave", "erin"), idle=False, carol=["VOTE alice"], dave=["PASS"])
    assert told(step, "jury_vote", "votes") == [{"carol": "alice"}]
    assert told(step, "game_over", "winners") == [["alice"]]
    assert told(step, "missed", "player") == ["erin"]


@pytest.mark.parametrize("votes", [{}, {"carol": ["VOTE alice"], "dave": ["VOTE bob"]}])
def test_T16_a_tie_is_voted_on_once_more_and_then_drawn(votes: dict[str, list[str]]) -> None:
    first = close(jury("carol", "dave"), idle=True, **votes)
    assert first.result is None
    phase = GAME.phase(first.state)
    assert phase is not None
    assert (phase.name, phase.round) == ("jury", 4)
    second = close(first.state, idle=True, **votes)
    assert second.result is not None
    assert second.result.winners == (DRAW.choice("jury tie", ["alice", "bob"]),)
    assert len(told(second, "jury_vote", "votes")) == 1


def test_T16_the_second_vote_can_decide() -> None:
    first = close(jury("carol", "dave"), carol=["VOTE alice"], dave=["VOTE bob"])
    second = close(first.state, carol=["VOTE bob"], dave=["VOTE bob"])
    assert told(second, "game_over", "winners") == [["bob"]]


def test_T16_without_a_juror_left_T14_is_done_and_rounds_go_on() -> None:
    state = jury("carol", tokens={"alice": 0, "bob": 0})
    state = GAME.remove(state, "carol", {}, DRAW).state
    phase = GAME.phase(state)
    assert phase is not None
    assert (phase.name, phase.must) == ("jury", ())
    step = close(state)
    assert [event.type for event in step.events] == ["new_tokens"]
    assert of(step, "tokens")["alice"] == 1
    phase = GAME.phase(step.state)
    assert phase is not None
    assert (phase.name, phase.round, phase.must) == ("round", 5, ("alice", "bob"))
    again = close(step.state, alice=["HIT bob", "HIT bob"])
    assert told(again, "game_over", "winners") == [["bob"]]


# T17


def test_T17_a_removed_player_is_neither_dead_nor_on_the_jury() -> None:
    step = GAME.remove(table(), "dave", {}, DRAW)
    assert of(step, "status")["dave"] == "removed"
    assert step.state["deaths_rounds"] == 0
    assert told(step, "dividend", "each") == []
    state = jury("carol", "dave")
    state = GAME.remove(state, "dave", {}, DRAW).state
    phase = GAME.phase(state)
    assert phase is not None
    assert phase.must == ("carol",)
    assert [n for n, _ in refusals(state, "dave", "VOTE bob")] == [0]
    assert told(close(state, carol=["VOTE bob"]), "jury_vote", "votes") == [{"carol": "bob"}]


def test_T17_two_left_and_all_others_dead_or_removed_calls_no_jury() -> None:
    state = GAME.remove(table(), "dave", {}, DRAW).state
    state["players"]["carol"]["life"] = 1
    step = close(state, alice=["HIT carol"])
    assert step.state["phase"] == "round"


# T18


def test_T18_after_ten_rounds_without_a_payment_nobody_wins() -> None:
    out = paper_game(*[{"orders": {name: ["PASS"] for name in PLAYERS[:3]}}] * 10)
    assert out["over"] is True
    assert out["winners"] == []
    assert out["steps"][8]["next"] is not None
    assert out["steps"][9]["events"][-1] == {"type": "game_over", "to": "public", "winners": []}


def test_T18_a_payment_starts_the_count_anew_and_option_idle_limit() -> None:
    state = table(options={"idle_limit": 2})
    state = close(state).state
    state = close(state, alice=["HIT bob"] if state["players"]["alice"]["assassin_in_play"] else ["PASS"]).state
    assert state["result"] is None
    step = close(close(table(options={"idle_limit": 3}, assassin_in_play={"bob": False})).state)
    assert step.result is None
    assert told(close(step.state), "game_over", "winners") == [[]]


def test_T18_the_end_by_T15_goes_first() -> None:
    """The last idle round jails all but one."""
    state = table(3, options={"idle_limit": 1}, tokens={"alice": 0, "bob": 0})
    step = close(state, alice=["HIT bob"], bob=["HIT alice"])
    assert told(step, "game_over", "winners") == [["carol"]]
    state = table(3, options={"idle_limit": 1}, tokens={"alice": 0})
    step = close(state, alice=["HIT bob"])
    assert step.state["phase"] == "jury"


# What holds for all games


def test_G5_removal_leaving_one_player_ends_the_game_at_once() -> None:
    state = table(3, status={"carol": "jailed"})
    step = GAME.remove(state, "bob", {}, DRAW)
    assert [event.type for event in step.events] == ["removed", "game_over"]
    assert step.result is not None
    assert (step.result.winners, step.result.runners_up) == (("alice",), ("bob",))


def test_G5_removal_of_a_finalist_ends_the_jury() -> None:
    step = GAME.remove(jury("carol"), "alice", {}, DRAW)
    assert step.result is not None
    assert (step.result.winners, step.result.runners_up) == (("bob",), ("alice",))


def test_G5_the_dead_and_the_jailed_can_be_removed_but_nobody_twice() -> None:
    state = table(5, status={"dave": "dead", "erin": "jailed"})
    for name in ("dave", "erin"):
        state = GAME.remove(state, name, {}, DRAW).state
        assert state["players"][name]["status"] == "removed"
        with pytest.raises(ValueError, match="removed from the game already"):
            GAME.remove(state, name, {}, DRAW)


def test_G5_the_assassin_leaves_with_the_removed_player_and_lines_that_need_it_drop_out() -> None:
    state = table(5, tokens={"alice": 9})
    standing = {"alice": mail(state, "alice", ["BRIBE Bee HIT carol", "HIT bob", "HIT dave"]).standing}
    state = GAME.remove(state, "bob", standing, DRAW).state
    assert of(Step(state, ()), "assassin_in_play")["bob"] is False
    kept, dropped = play.recheck(GAME, state, standing)
    assert [o.line for o in kept["alice"]] == ["HIT dave"]
    assert [o.line for o in dropped["alice"]] == ["BRIBE Bee HIT carol", "HIT bob"]
    unchecked = GAME.close(state, standing, DRAW)  # the same, had nobody checked them again
    assert of(unchecked, "tokens")["alice"] == 8


def test_G5_a_mail_that_drops_out_whole_is_a_miss() -> None:
    state = table(5)
    standing = {"alice": mail(state, "alice", ["HIT bob"]).standing}
    step = GAME.close(GAME.remove(state, "bob", standing, DRAW).state, standing, DRAW)
    assert "alice" in told(step, "missed", "player")


def test_G8_runners_up_are_the_losing_finalist_else_who_left_last() -> None:
    finalist = close(table(3, status={"carol": "dead"}, life={"alice": 1}), bob=["HIT alice"])
    assert finalist.result is not None
    assert finalist.result.runners_up == ("alice",)
    voted = close(jury("carol"), carol=["VOTE alice"])
    assert voted.result is not None
    assert voted.result.runners_up == ("bob",)
    state = table(status={"dave": "dead"}, life={"alice": 1, "bob": 1}, tokens={"carol": 2}) | {"round": 3}
    together = close(state, carol=["HIT alice", "HIT bob"])
    assert together.result is not None
    assert together.result.runners_up == ("alice", "bob")


def test_G8_removing_one_who_was_dead_already_makes_no_runner_up() -> None:
    state = table(5, status={"dave": "dead", "erin": "jailed"}, life={"alice": 1, "bob": 1}, tokens={"carol": 2})
    state = GAME.remove(state | {"round": 3}, "dave", {}, DRAW).state
    step = close(state, carol=["HIT alice", "HIT bob"])
    assert step.result is not None
    assert step.result.runners_up == ("alice", "bob")

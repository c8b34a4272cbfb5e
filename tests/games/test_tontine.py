"""Tontine by its rulings, T1 to T18, and by those of all games where they say something of it (G2, G3, G5, G8)."""

import copy
import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest
from rapidfuzz.distance import OSA

from pbm import paper
from pbm.core import play
from pbm.core.draw import Draw
from pbm.core.engine import Form, Json, Order, Step
from pbm.core.names import fold, name_fault
from pbm.core.orders import Read, read_line
from pbm.games._tontine_names import ASSASSINS, names_for
from pbm.games.tontine import GAME, TontineOptions

SEED = "00112233445566778899aabbccddeeff" * 2
DRAW = Draw.from_hex(SEED)
PLAYERS = ("alice", "bob", "carol", "dave", "erin", "frank")
HIRED = ("Ash", "Bee", "Cid", "Dot", "Elk", "Fox")


def table(players: int = 4, *, options: Json | None = None, **given: Mapping[str, Any]) -> Json:
    """A game's state with what is given by player: life, tokens, status, misses, blackmail_used, assassin_in_play."""
    chosen = TontineOptions.model_validate({"assassins": list(HIRED[:players]), **(options or {})})
    state = GAME.start(PLAYERS[:players], chosen, DRAW).state
    for key, values in given.items():
        for name, value in values.items():
            state["players"][name][key] = value
            if key == "status":
                state["players"][name]["assassin_in_play"] = False
                state["players"][name]["left"] = state["round"]
    return state


def order(line: str, state: Json) -> Order:
    read = read_line(line, GAME.grammar(GAME.view(state, None)), near=False)
    assert isinstance(read, Read), line
    return read.orders[0]


def mail(state: Json, seat: str, lines: Sequence[str]) -> play.Checked:
    return play.check(GAME, GAME.view(state, seat), seat, [order(line, state) for line in lines])


def refusals(state: Json, seat: str, *lines: str) -> list[tuple[int | None, str]]:
    return [(refusal.n, refusal.reason) for refusal in mail(state, seat, lines).refusals]


def close(state: Json, idle: bool = True, **orders: Sequence[str]) -> Step:
    """Close the phase with these orders, which must all be good; who isn't named passes, or misses with idle=False."""
    standing: dict[str, tuple[Order, ...]] = {}
    for seat, lines in orders.items():
        checked = mail(state, seat, lines)
        assert not checked.refusals, checked.refusals
        standing[seat] = checked.standing
    phase = GAME.phase(state)
    assert phase is not None
    if idle:
        for seat in phase.must:
            standing.setdefault(seat, (order("PASS", state),))
    before = copy.deepcopy(state)
    step = GAME.close(state, standing, DRAW)
    assert state == before
    return step


def told(step: Step, kind: str, *keys: str) -> list[Any]:
    """The events of a kind: the one key of each, or a tuple of several."""
    found = [event.data for event in step.events if event.type == kind]
    return [data[keys[0]] if len(keys) == 1 else tuple(data[key] for key in keys) for data in found]


def hits(step: Step) -> list[tuple[str, str, int, bool]]:
    """(assassin, target, damage, stopped)"""
    return told(step, "hit", "assassin", "target", "damage", "stopped")


def of(step: Step, key: str) -> Json:
    return {name: player[key] for name, player in step.state["players"].items()}


def paper_game(*steps: Json, players: int = 3, **options: Any) -> Json:
    return paper.adjudicate(
        {
            "game": "tontine",
            "seed": SEED,
            "players": list(PLAYERS[:players]),
            "options": {"assassins": list(HIRED[:players]), **options},
            "steps": list(steps),
        }
    )


# Setup and options


def test_setup_gives_3_life_1_token_and_a_named_assassin_each() -> None:
    state = GAME.start(PLAYERS, TontineOptions(), DRAW).state
    view = GAME.view(state, "alice")
    assert [p["life"] for p in view["players"].values()] == [3] * 6
    assert view["private"] == {"tokens": 1, "blackmail_used": False, "misses": 0, "last": None}
    drawn = [p["assassin"] for p in view["players"].values()]
    assert drawn == DRAW.shuffle("assassins", ASSASSINS)[:6]


def test_setup_the_option_assassins_names_them_in_seat_order() -> None:
    view = GAME.view(table(3), None)
    assert [p["assassin"] for p in view["players"].values()] == ["Ash", "Bee", "Cid"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"assassins": ["Ash", "Bee"]}, "2 names for 3 players"),
        ({"assassins": ["Ash", "Bee", "Cid", "Dot"]}, "4 names for 3 players"),
        ({"assassins": []}, "0 names for 3 players"),
        ({"assassins": ["Ash", "Béé", "bee"]}, "Béé and bee are the same name"),
        ({"assassins": ["Ash", "Bee", " "]}, "no name for an assassin"),
        ({"assassins": ["Ash", "Bee", "The Hit Man"]}, "HIT is a word of the orders"),
        ({"assassins": ["Ash", "Bee", 7]}, "string"),
        ({"dividends": []}, "at least 1 item"),
        ({"dividends": [2, -1]}, "greater than or equal to 0"),
        ({"dividends": 3}, "list"),
        ({"roulette": "owner"}, "'assassin' or 'player'"),
        ({"idle_limit": 0}, "greater than or equal to 1"),
        ({"idle_limit": "ten"}, "integer"),
        ({"lives": 3}, "Extra inputs"),
    ],
)
def test_setup_wrong_options_are_refused_with_the_reason(options: Json, part: str) -> None:
    with pytest.raises(paper.ScenarioFault, match=part):
        paper_game(**options)


def test_setup_needs_three_players() -> None:
    with pytest.raises(paper.ScenarioFault, match="3 players or more"):
        paper_game(players=2)


def test_the_names_that_ship_are_many_clear_and_no_words_of_the_grammar() -> None:
    words = {"all", "none", "end", "to", "with", "as", "hit", "protect", "bribe", "secret", "blackmail", "pass", "vote"}
    assert len(ASSASSINS) >= 40
    assert all(name_fault(name, words) is None for name in ASSASSINS)
    assert {len(name.split()) for name in ASSASSINS} == {1, 2}
    assert min(OSA.distance(fold(a), fold(b)) for a, b in combinations(ASSASSINS, 2)) > 3
    many = names_for(150)
    assert len({fold(name) for name in many}) == len(many) >= 150


# T1


def test_T1_what_is_public_and_what_is_private() -> None:
    step = close(table(), alice=["HIT bob"])
    public = GAME.view(step.state, None)
    assert public["players"]["bob"] == {"life": 2, "status": "alive", "assassin": "Bee", "assassin_in_play": True}
    assert "private" not in public
    assert "tokens" not in json.dumps(public)
    mine = GAME.view(step.state, "alice")["private"]
    assert (mine["tokens"], mine["blackmail_used"], mine["misses"]) == (0, False, 0)
    assert mine["last"]["orders"] == [{"line": "HIT bob", "price": 1, "fate": "paid"}]


def test_T1_a_hit_does_not_tell_who_paid_nor_when() -> None:
    own = close(table(tokens={"bob": 3}), alice=["HIT dave"])
    secret = close(table(tokens={"bob": 5}), bob=["SECRET BRIBE Ash HIT dave"])
    assert [e for e in own.events if e.to == "public"] == [e for e in secret.events if e.to == "public"]
    early = close(table(life={"dave": 1}, tokens={"alice": 2}), alice=["HIT dave", "HIT bob"])
    late = close(table(life={"dave": 1}, tokens={"alice": 1}), alice=["HIT dave", "HIT bob"])
    assert early.events == late.events


def test_T1_a_miss_is_told_to_that_player_alone() -> None:
    step = close(table(), idle=False, alice=["PASS"], bob=["PASS"], carol=["PASS"])
    (missed,) = [event for event in step.events if event.type == "missed"]
    assert missed.to == ("dave",)
    assert missed.data["player"] == "dave"


# T2


def test_T2_a_player_may_target_themself_and_bribe_their_own_assassin() -> None:
    step = close(table(tokens={"alice": 6}), alice=["HIT alice", "PROTECT alice", "BRIBE Ash HIT alice"])
    assert hits(step) == [("Ash", "alice", 1, False), ("Ash", "alice", 1, True)]


@pytest.mark.parametrize("status", ["dead", "jailed", "removed"])
def test_T2_targets_must_be_in_play_when_the_round_starts(status: str) -> None:
    state = table(5, status={"bob": status})
    for line in ("HIT bob", "PROTECT bob", "BRIBE Cid HIT bob", "SECRET BRIBE Cid HIT bob"):
        ((n, reason),) = refusals(state, "alice", line)
        assert n == 0
        assert "bob is" in reason
        assert "alice, carol, dave, erin" in reason
    assert not refusals(state, "alice", "HIT carol")


def test_T2_an_order_to_an_assassin_out_of_play_is_refused() -> None:
    state = table(5, assassin_in_play={"alice": False}, status={"bob": "dead"})
    assert [n for n, _ in refusals(state, "alice", "HIT carol", "PROTECT alice", "BLACKMAIL", "PASS")] == [0, 1, 2]
    assert [n for n, _ in refusals(state, "carol", "BRIBE Ash HIT dave", "SECRET BRIBE bob HIT dave", "HIT dave")] == [
        0,
        1,
    ]
    ((_, reason),) = refusals(state, "carol", "BRIBE Ash HIT dave")
    assert "Ash is no longer in play" in reason
    assert "Cid, Dot, Elk" in reason


def test_T2_an_assassin_is_meant_by_its_name_or_its_owners() -> None:
    state = table()
    assert order("BRIBE Bee HIT carol", state) == order("bribe BOB hit Carol", state)
    assert order("BRIBE bob HIT carol", state).line == "BRIBE Bee HIT carol"


def test_T2_a_name_that_is_an_assassins_and_a_players_means_the_assassin() -> None:
    for assassins, owner in ((["carol", "Bee", "Cid"], "alice"), (["Ash", "Bee", "alice"], "carol")):
        state = table(3, options={"assassins": assassins})
        name = assassins[PLAYERS.index(owner)]
        assert order(f"BRIBE {name} HIT bob", state).text("assassin") == owner


def test_T2_assassins_with_marks_in_their_names_can_be_written() -> None:
    state = table(3, options={"assassins": ['Nat "Widow" Roma', "Xena: Warrior Princess", "Leon (The Pro)"]})
    assert order('BRIBE Nat "Widow" Roma HIT bob', state).text("assassin") == "alice"
    assert order("SECRET BRIBE Xena: Warrior Princess HIT bob.", state).text("assassin") == "bob"
    assert order("BRIBE Leon (The Pro) HIT alice", state).text("assassin") == "carol"


# T3


@pytest.mark.parametrize(("life", "damage"), [(3, 1), (2, 2), (1, 3)])
def test_T3_damage_is_four_less_the_owners_life(life: int, damage: int) -> None:
    step = close(table(life={"alice": life}), alice=["HIT bob"])
    assert hits(step) == [("Ash", "bob", damage, False)]
    assert of(step, "life")["bob"] == 3 - damage


def test_T3_the_life_at_the_start_of_the_round_counts() -> None:
    step = close(table(), alice=["HIT bob"], bob=["HIT carol"])
    assert ("Bee", "carol", 1, False) in hits(step)
    assert of(step, "life") == {"alice": 3, "bob": 2, "carol": 2, "dave": 3}


def test_T3_a_bribed_assassin_hits_by_its_owners_life_not_the_payers() -> None:
    step = close(table(life={"alice": 1, "bob": 2}, tokens={"alice": 3}), alice=["BRIBE Bee HIT dave"])
    assert hits(step) == [("Bee", "dave", 2, False)]


def test_T3_life_never_falls_below_0() -> None:
    step = close(table(life={"alice": 1, "bob": 1}), alice=["HIT bob"])
    assert of(step, "life")["bob"] == 0


# T4


def test_T4_orders_are_paid_in_the_order_listed_and_the_rest_stands_on_credit() -> None:
    """The PROTECT can't be paid; the HIT behind it could, and still isn't."""
    step = close(table(tokens={"alice": 2}), alice=["HIT bob", "PROTECT alice", "HIT carol"])
    assert hits(step) == [("Ash", "bob", 1, False)]
    assert [o["fate"] for o in step.state["players"]["alice"]["last"]["orders"]] == ["paid", "unpaid", "unpaid"]


def test_T4_all_paid_orders_take_effect_at_the_same_time() -> None:
    step = close(table(3, life={"alice": 1, "bob": 1}), alice=["HIT bob"], bob=["HIT alice"])
    assert told(step, "death", "player") == ["alice", "bob"]
    assert told(step, "game_over", "winners") == [["carol"]]


# T5


def test_T5_a_protection_stops_the_strongest_hit() -> None:
    state = table(5, life={"bob": 1, "carol": 2}, tokens={"erin": 2})
    step = close(state, bob=["HIT dave"], carol=["HIT dave"], alice=["HIT dave"], erin=["PROTECT dave"])
    assert set(hits(step)) == {("Ash", "dave", 1, False), ("Bee", "dave", 3, True), ("Cid", "dave", 2, False)}
    assert of(step, "life")["dave"] == 0


def test_T5_of_equal_hits_the_one_of_the_earlier_seat_is_stopped() -> None:
    step = close(table(tokens={"alice": 2}), carol=["HIT dave"], bob=["HIT dave"], alice=["PROTECT dave"])
    assert hits(step) == [("Bee", "dave", 1, True), ("Cid", "dave", 1, False)]


def test_T5_several_protections_stop_as_many_hits_and_each_is_announced() -> None:
    state = table(5, life={"bob": 1}, tokens={"alice": 4, "bob": 2, "erin": 2})
    step = close(state, alice=["PROTECT dave"] * 2, erin=["PROTECT dave"], bob=["HIT dave"] * 2)
    assert hits(step) == [("Bee", "dave", 3, True)] * 2
    assert told(step, "protection", "assassin", "target") == [("Ash", "dave")] * 2 + [("Elk", "dave")]


def test_T5_a_protection_without_a_hit_is_not_announced() -> None:
    step = close(table(tokens={"alice": 2}), alice=["PROTECT dave"], bob=["HIT carol"])
    assert told(step, "protection", "target") == []


def test_T5_a_protection_is_announced_where_the_hit_came_in_the_other_wave_and_stops_nothing() -> None:
    """alice dies first; the dividend then pays dave's hit on bob (second wave), whom carol protected in the first."""
    state = table(5, life={"alice": 1}, tokens={"carol": 2, "dave": 0})
    step = close(state, erin=["HIT alice"], carol=["PROTECT bob"], dave=["HIT bob"])
    assert ("Dot", "bob", 1, False) in hits(step)
    assert told(step, "protection", "assassin", "target") == [("Cid", "bob")]


def test_T5_a_late_protection_does_not_stop_an_early_hit_but_is_announced() -> None:
    state = table(5, life={"alice": 1}, tokens={"carol": 0})
    step = close(state, erin=["HIT alice"], dave=["HIT bob"], carol=["PROTECT bob"])
    assert ("Dot", "bob", 1, False) in hits(step)
    assert told(step, "protection", "assassin") == ["Cid"]


def test_T5_a_hit_held_back_by_a_blackmail_was_not_aimed() -> None:
    state = table(tokens={"alice": 2, "carol": 3})
    step = close(state, alice=["PROTECT dave"], bob=["BLACKMAIL"], carol=["BRIBE Bee HIT dave"])
    assert hits(step) == []
    assert told(step, "protection", "target") == []


def test_T5_a_protection_does_not_help_against_hits_on_others() -> None:
    step = close(table(tokens={"alice": 2}), alice=["PROTECT alice"], bob=["HIT carol"])
    assert hits(step) == [("Bee", "carol", 1, False)]


# T6


def test_T6_the_dead_are_out_and_the_living_get_the_dividend_once() -> None:
    state = table(6, life={"alice": 1, "bob": 1}, status={"erin": "jailed"}, tokens={"erin": 0, "bob": 4})
    step = close(state, carol=["HIT alice"], dave=["HIT bob"])
    assert told(step, "death", "player") == ["alice", "bob"]
    assert told(step, "dividend", "each") == [2]
    assert of(step, "tokens") == {"alice": 1, "bob": 4, "carol": 2, "dave": 2, "erin": 0, "frank": 3}
    assert GAME.view(step.state, None)["deaths_rounds"] == 1


@pytest.mark.parametrize(("before", "each"), [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 6), (9, 6)])
def test_T6_the_nth_round_with_a_death_pays_the_nth_figure(before: int, each: int) -> None:
    state = table(life={"alice": 1}) | {"deaths_rounds": before}
    assert told(close(state, bob=["HIT alice"]), "dividend", "each") == [each]


def test_T6_option_dividends() -> None:
    state = table(options={"dividends": [7, 1]}, life={"alice": 1})
    assert told(close(state, bob=["HIT alice"]), "dividend", "each") == [7]
    assert told(close(state | {"deaths_rounds": 4}, bob=["HIT alice"]), "dividend", "each") == [1]


def test_T6_with_nobody_left_no_dividend_is_announced_but_the_round_counts() -> None:
    state = table(3, life={"alice": 1, "bob": 1, "carol": 1})
    step = close(state, alice=["HIT bob"], bob=["HIT carol"], carol=["HIT alice"])
    assert told(step, "dividend", "each") == []
    assert step.state["deaths_rounds"] == 1
    assert step.result is not None
    assert step.result.winners == ()


# T7


def test_T7_the_dividend_pays_for_orders_on_credit_in_a_second_wave() -> None:
    state = table(5, life={"alice": 1, "carol": 2})
    step = close(state, bob=["HIT alice", "PROTECT bob"], carol=["HIT bob", "HIT dave", "HIT dave"])
    assert hits(step) == [("Bee", "alice", 1, False), ("Cid", "bob", 2, False), *[("Cid", "dave", 2, False)] * 2]
    assert of(step, "life")["bob"] == 1  # carol's hit was in the first wave, bob's protection in the second
    assert told(step, "death", "player") == ["alice", "dave"]
    assert told(step, "dividend", "each") == [2]  # no second one for dave
    assert of(step, "tokens")["bob"] == 0
    assert told(step, "jailed", "player") == []


def test_T7_payment_stops_at_the_first_that_still_can_not_be_paid() -> None:
    state = table(5, life={"alice": 1})
    step = close(state, bob=["HIT alice", "BRIBE Cid HIT dave", "HIT erin"])
    assert hits(step) == [("Bee", "alice", 1, False)]
    assert told(step, "jailed", "player") == ["bob"]


def test_T7_an_order_on_credit_against_one_who_died_lapses_free_of_charge() -> None:
    state = table(5, life={"alice": 1}, tokens={"carol": 0})
    step = close(state, bob=["HIT alice"], carol=["BRIBE Dot HIT alice", "PROTECT alice", "HIT dave"])
    assert hits(step) == [("Bee", "alice", 1, False), ("Cid", "dave", 1, False)]
    assert of(step, "tokens")["carol"] == 1
    assert told(step, "jailed", "player") == []
    assert [o["fate"] for o in step.state["players"]["carol"]["last"]["orders"]] == ["target_gone"] * 2 + ["paid_late"]
    assert told(step, "bribe_told", "by") == []


def test_T7_an_order_on_credit_against_one_who_died_only_in_the_second_wave_must_be_paid() -> None:
    state = table(5, life={"alice": 1, "dave": 1}, tokens={"carol": 0})
    step = close(state, bob=["HIT alice"], carol=["HIT dave", "HIT dave", "HIT dave"])
    assert told(step, "death", "player") == ["alice", "dave"]
    assert told(step, "jailed", "player") == ["carol"]


def test_T7_orders_on_credit_of_one_who_died_in_the_first_wave_lapse() -> None:
    state = table(5, life={"alice": 1})
    step = close(state, bob=["HIT alice"], alice=["HIT carol", "HIT dave"])
    assert ("Ash", "dave", 3, False) not in hits(step)
    assert of(step, "status")["alice"] == "dead"
    assert [o["fate"] for o in step.state["players"]["alice"]["last"]["orders"]] == ["paid", "died"]


def test_T7_a_protection_in_the_second_wave_stops_a_hit_of_that_wave() -> None:
    state = table(5, life={"alice": 1}, tokens={"carol": 0, "dave": 0})
    step = close(state, bob=["HIT alice"], carol=["PROTECT bob"], dave=["HIT bob"])
    assert ("Dot", "bob", 1, True) in hits(step)
    assert told(step, "protection", "assassin") == ["Cid"]


def test_T7_damage_in_the_second_wave_is_by_the_life_at_the_start_of_the_round() -> None:
    state = table(5, life={"alice": 1}, tokens={"carol": 0})
    step = close(state, bob=["HIT alice"], erin=["HIT carol"], carol=["HIT bob"])
    assert ("Cid", "bob", 1, False) in hits(step)


# T8


def test_T8_a_paid_order_is_carried_out_though_its_giver_dies() -> None:
    step = close(table(life={"alice": 1}), bob=["HIT alice"], alice=["HIT carol"])
    assert told(step, "death", "player") == ["alice", "carol"]


def test_T8_an_assassin_acts_though_its_owner_dies_and_leaves_at_the_end_of_the_round() -> None:
    """Ash is bribed in the second wave, when its owner is dead already."""
    state = table(5, life={"alice": 1}, tokens={"carol": 1})
    step = close(state, bob=["HIT alice"], carol=["BRIBE Ash HIT dave"])
    assert ("Ash", "dave", 3, False) in hits(step)
    assert of(step, "assassin_in_play")["alice"] is False
    assert told(step, "bribe_told", "by") == ["carol"]


# T9


def test_T9_a_living_player_with_an_unpaid_order_is_jailed_and_loses_all_tokens() -> None:
    step = close(table(5, tokens={"alice": 2}), alice=["HIT bob", "BRIBE Bee HIT bob"], bob=["HIT carol"])
    assert told(step, "jailed", "player") == ["alice"]
    assert (of(step, "status")["alice"], of(step, "tokens")["alice"]) == ("jailed", 0)
    assert of(step, "assassin_in_play")["alice"] is False
    assert ("Ash", "bob", 1, False) in hits(step)
    assert told(step, "dividend", "each") == []
    assert step.state["deaths_rounds"] == 0


def test_T9_who_dies_in_the_second_wave_is_not_jailed_and_keeps_showing_the_tokens() -> None:
    state = table(5, life={"alice": 1, "carol": 1}, tokens={"dave": 0})
    step = close(state, bob=["HIT alice"], dave=["HIT carol"], carol=["SECRET BRIBE Bee HIT bob"])
    assert of(step, "status")["carol"] == "dead"
    assert of(step, "tokens")["carol"] == 3
    assert told(step, "jailed", "player") == []


def test_T9_the_removed_keep_showing_their_tokens() -> None:
    state = GAME.remove(table(tokens={"bob": 4}), "bob", {}, DRAW).state
    assert GAME.view(state, "bob")["private"]["tokens"] == 4


def test_T9_a_free_order_behind_one_on_credit_is_not_on_credit() -> None:
    step = close(table(tokens={"alice": 0, "bob": 3}), alice=["BRIBE Bee HIT bob"], bob=["BRIBE Ash HIT carol"])
    assert told(step, "jailed", "player") == ["alice"]


# T10


def test_T10_a_blackmailed_assassin_does_nothing_but_whoever_paid_has_paid() -> None:
    state = table(tokens={"bob": 3, "carol": 5})
    step = close(state, alice=["BLACKMAIL"], bob=["BRIBE Ash HIT carol"], carol=["SECRET BRIBE Ash HIT bob"])
    assert hits(step) == []
    assert (of(step, "tokens")["bob"], of(step, "tokens")["carol"]) == (0, 0)
    assert of(step, "blackmail_used")["alice"] is True
    events = [(e.to, e.data["assassin"], e.data["target"]) for e in step.events if e.type == "bribe_refused"]
    assert events == [(("bob",), "Ash", "carol"), (("carol",), "Ash", "bob")]
    assert told(step, "roulette", "owner") == []  # payments were made


def test_T10_who_only_wanted_to_bribe_and_could_not_pay_is_told_nothing() -> None:
    step = close(table(5), alice=["BLACKMAIL"], bob=["BRIBE Ash HIT carol"])
    assert told(step, "bribe_refused", "target") == []
    assert told(step, "jailed", "player") == ["bob"]


@pytest.mark.parametrize("line", ["HIT bob", "PROTECT alice", "BRIBE Ash HIT bob", "SECRET BRIBE alice HIT bob"])
def test_T10_blackmail_beside_an_order_to_ones_own_assassin_refuses_the_whole_mail(line: str) -> None:
    state = table(tokens={"alice": 9})
    for lines in (["BLACKMAIL", line], [line, "BLACKMAIL"], ["BRIBE Bee HIT carol", line, "BLACKMAIL", "PASS"]):
        checked = mail(state, "alice", lines)
        assert checked.standing == ()
        (refusal,) = checked.refusals
        assert refusal.n is None
        assert "BLACKMAIL" in refusal.reason
    assert not refusals(state, "alice", "BLACKMAIL", "BRIBE Bee HIT bob")


def test_T10_lines_refused_by_themselves_are_left_out_first() -> None:
    state = table(5, status={"bob": "dead"}, blackmail_used={"carol": True})
    assert [n for n, _ in refusals(state, "alice", "BLACKMAIL", "HIT bob")] == [1]
    assert [n for n, _ in refusals(state, "carol", "BLACKMAIL", "HIT dave")] == [0]
    assert [n for n, _ in refusals(state, "alice", "BLACKMAIL", "BLACKMAIL", "HIT dave")] == [1, None]


def test_T10_on_paper_every_line_of_a_mail_that_is_refused_whole_is_reported() -> None:
    out = paper_game({"orders": {"alice": ["BLACKMAIL", "BRIBE Bee HIT bob", "HIT bob"], "bob": ["HIT carol"]}})
    assert [(r["player"], r["line"]) for r in out["steps"][0]["refused"]] == [
        ("alice", "BLACKMAIL"),
        ("alice", "BRIBE Bee HIT bob"),
        ("alice", "HIT bob"),
    ]
    missed = [event["to"] for event in out["steps"][0]["events"] if event["type"] == "missed"]
    assert missed == [["alice"], ["carol"]]
    assert out["steps"][0]["private"]["alice"]["blackmail_used"] is False


def test_T10_a_second_blackmail_in_a_game_or_in_a_mail_is_refused() -> None:
    assert [n for n, _ in refusals(table(), "alice", "BLACKMAIL", "BLACKMAIL")] == [1]
    step = close(table(), alice=["BLACKMAIL"], bob=["HIT carol"])
    ((n, reason),) = refusals(step.state, "alice", "BLACKMAIL")
    assert n == 0
    assert "already blackmailed Ash" in reason


def test_T10_blackmail_is_never_on_credit() -> None:
    """It holds in the first wave already, though it stands behind an order that can't be paid."""
    state = table(5, tokens={"alice": 1, "bob": 3})
    step = close(state, alice=["BRIBE Cid HIT dave", "BLACKMAIL"], bob=["BRIBE Ash HIT carol"])
    assert hits(step) == []
    assert told(step, "bribe_refused", "target") == ["carol"]


def test_T10_a_blackmail_holds_in_the_second_wave_too() -> None:
    state = table(5, life={"carol": 1}, tokens={"bob": 1})
    step = close(state, alice=["BLACKMAIL"], dave=["HIT carol"], bob=["BRIBE Ash HIT erin"])
    assert hits(step) == [("Dot", "carol", 1, False)]
    assert told(step, "bribe_refused", "target") == ["erin"]


# T11


def test_T11_the_owner_of_an_openly_bribed_assassin_is_told_and_of_a_secret_bribe_nobody() -> None:
    state = table(tokens={"bob": 3, "carol": 5})
    step = close(state, bob=["BRIBE Ash HIT dave"], carol=["SECRET BRIBE Ash HIT dave"])
    (event,) = [event for event in step.events if event.type == "bribe_told"]
    assert event.to == ("alice",)
    assert event.data == {"assassin": "Ash", "by": "bob", "target": "dave"}


def test_T11_an_owner_is_told_also_where_blackmail_stopped_it() -> None:
    step = close(table(tokens={"bob": 3}), alice=["BLACKMAIL"], bob=["BRIBE Ash HIT dave"])
    assert told(step, "bribe_told", "by", "target") == [("bob", "dave")]


def test_T11_an_owner_who_died_or_was_jailed_is_told_too() -> None:
    dead = close(table(life={"alice": 1}, tokens={"bob": 3}), carol=["HIT alice"], bob=["BRIBE Ash HIT dave"])
    assert [event.to for event in dead.events if event.type == "bribe_told"] == [("alice",)]
    jailed = close(table(tokens={"bob": 3}), alice=["HIT bob", "HIT bob"], bob=["BRIBE Ash HIT dave"])
    assert told(jailed, "jailed", "player") == ["alice"]
    assert [event.to for event in jailed.events if event.type == "bribe_told"] == [("alice",)]


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


def jury(*jurors: str, tokens: Mapping[str, int] | None = None) -> Json:
    state = table(3 + len(jurors), status=dict.fromkeys(jurors, "jailed"), tokens=tokens or {})
    for name in PLAYERS[2 : 3 + len(jurors)]:
        state["players"][name]["assassin_in_play"] = False
        if name not in jurors:
            state["players"][name] |= {"status": "dead", "life": 0}
    return state | {"phase": "jury", "vote": 1, "round": 4}


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


def test_G3_pass_is_an_order_and_changes_nothing_beside_others() -> None:
    assert [o.line for o in mail(table(), "alice", ["PASS", "HIT bob"]).standing] == ["HIT bob"]
    assert [o.line for o in mail(table(), "alice", ["PASS", "PASS"]).standing] == ["PASS"]


@pytest.mark.parametrize("phase", ["round", "jury", "over"])
def test_forms_offer_exactly_what_check_takes_line_by_line(phase: str) -> None:
    state = table(
        6,
        status={"bob": "dead", "carol": "jailed", "dave": "removed"},
        assassin_in_play={"erin": False},
        blackmail_used={"alice": True},
    ) | {"phase": phase, "vote": phase == "jury"}
    for seat in state["players"]:
        view = GAME.view(state, seat)
        offered = {form.line(args) for form in GAME.forms(view, seat) for args in fillings(form)}
        for form in GAME.grammar(GAME.view(state, None)):
            for args in fillings(form):
                line = form.line(args)
                assert (not refusals(state, seat, line)) == (line in offered), (seat, line)


def fillings(form: Form) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{}]
    for slot in form.slots:
        found = [{**args, slot.name: value} for args in found for value in slot.values()]
    return found


def test_T4_the_receipt_says_what_orders_cost_and_which_stand_on_credit() -> None:
    state = table(tokens={"alice": 3})
    view = GAME.view(state, "alice")

    def said(*lines: str) -> str:
        return " ".join(GAME.remarks(view, "alice", [order(line, state) for line in lines]))

    assert said("PASS") == "These orders cost nothing."
    assert (
        said("HIT bob", "PROTECT bob")
        == "These orders cost 3 tokens in all; you hold 3. All of them can be paid at once."
    )
    assert "From (BRIBE Bee HIT bob) on they stand on credit" in said("HIT bob", "BRIBE Bee HIT bob", "HIT bob")
    assert "jail" in said("SECRET BRIBE Bee HIT bob")
    assert said() == ""


def test_state_is_plain_json() -> None:
    step = close(table(tokens={"alice": 9}), alice=["BRIBE Bee HIT carol", "HIT dave"])
    assert json.loads(json.dumps(step.state)) == step.state


def test_views_are_fresh() -> None:
    state = close(table(), alice=["HIT bob"]).state
    before = copy.deepcopy(state)
    view = GAME.view(state, "alice")
    view["players"]["bob"]["life"] = 99
    view["private"]["last"]["orders"][0]["fate"] = "changed"
    view["private"]["last"]["holds"] = 77
    assert state == before


def test_nothing_in_tontine_takes_effect_before_the_close() -> None:
    with pytest.raises(ValueError, match="before the phase closes"):
        GAME.act(table(), "alice", order("PASS", table()), DRAW)

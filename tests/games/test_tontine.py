"""Tontine: a round's two waves, deaths, jail and bribes (T3 to T9, T11), by the rulings."""

import pytest

from pbm.games.tontine import GAME
from tests.support.tontine_table import DRAW, close, hits, of, table, told

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

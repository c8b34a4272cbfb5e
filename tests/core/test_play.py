"""What the paper game and the service do alike around a rule set: rulings G2, G3, G5 and P3."""

from collections.abc import Sequence

import pytest

from pbm.core import play, registry
from pbm.core.draw import Draw
from pbm.core.engine import Event, Form, Game, Json, Order, Result
from pbm.core.orders import Read, read_line

DRAW = Draw(bytes(32))
SEATS = ("alice", "bob", "carol", "dan")


def begun(key: str, seats: Sequence[str] = SEATS) -> tuple[Game, Json]:
    game = registry.get(key)
    return game, game.start(seats, game.facts.options(), DRAW).state


def written(game: Game, state: Json, *lines: str) -> list[Order]:
    orders: list[Order] = []
    for line in lines:
        read = read_line(line, game.grammar(game.view(state, None)), near=False)
        assert isinstance(read, Read), line
        orders += read.orders
    return orders


def checked(key: str, *lines: str, seat: str = "alice") -> play.Checked:
    game, state = begun(key, SEATS[: registry.get(key).facts.seats[1] or 4])
    return play.check(game, game.view(state, seat), seat, written(game, state, *lines))


def lines(orders: Sequence[Order]) -> list[str]:
    return [order.line for order in orders]


def test_G2_the_last_of_several_counts_where_one_can() -> None:
    found = checked("dont_get_greedy", "TAKE 1", "TAKE 2", "TAKE 3")
    assert lines(found.standing) == ["TAKE 3"]
    assert found.refusals == ()


def test_G2_a_refused_line_does_not_count_as_the_last() -> None:
    found = checked("dont_get_greedy", "TAKE 2", "TAKE 8")
    assert lines(found.standing) == ["TAKE 2"]
    assert [refusal.n for refusal in found.refusals] == [1]


def test_G2_tontine_keeps_all_orders_in_their_order() -> None:
    found = checked("tontine", "HIT bob", "PROTECT alice", "HIT bob")
    assert lines(found.standing) == ["HIT bob", "PROTECT alice", "HIT bob"]


def test_G3_pass_changes_nothing_beside_other_orders() -> None:
    assert lines(checked("tontine", "PASS", "HIT bob", "PASS").standing) == ["HIT bob"]
    assert lines(checked("buy_the_bullet", "BID heart", "PASS").standing) == ["BID heart"]


def test_G3_pass_alone_stands_once() -> None:
    assert lines(checked("tontine", "PASS", "PASS").standing) == ["PASS"]


def test_T10_a_whole_mail_can_be_refused() -> None:
    game, state = begun("tontine")
    own = state_assassin(game, state, "alice")
    orders = written(game, state, "BLACKMAIL", "HIT bob", f"SECRET BRIBE {own} HIT carol")
    found = play.check(game, game.view(state, "alice"), "alice", orders)
    assert found.standing == ()
    assert found.at_once == ()
    assert any(refusal.n is None for refusal in found.refusals)


def state_assassin(game: Game, state: Json, seat: str) -> str:
    name: str = game.view(state, None)["players"][seat]["assassin"]
    return name


def test_P3_pick_and_claim_are_merged_verb_by_verb() -> None:
    game, state = begun("point_thief")
    old = written(game, state, "PICK mafia CLAIM police")
    assert sorted(lines(play.merge(game, old, written(game, state, "CLAIM beggar")))) == ["CLAIM beggar", "PICK mafia"]
    assert sorted(lines(play.merge(game, old, written(game, state, "PICK cartel")))) == ["CLAIM police", "PICK cartel"]


def test_P3_of_split_lines_the_last_of_each_verb_counts() -> None:
    found = checked("point_thief", "PICK mafia CLAIM police", "CLAIM mafia", "PICK beggar")
    assert sorted(lines(found.standing)) == ["CLAIM mafia", "PICK beggar"]


def test_G2_a_newer_mail_replaces_all_orders_of_the_older() -> None:
    game, state = begun("tontine")
    old, new = written(game, state, "HIT bob", "PROTECT alice"), written(game, state, "HIT carol")
    assert lines(play.merge(game, old, new)) == ["HIT carol"]


def test_G2_a_mail_without_a_valid_order_replaces_nothing() -> None:
    game, state = begun("tontine")
    old = written(game, state, "HIT bob")
    assert lines(play.merge(game, old, ())) == ["HIT bob"]


def test_waiting_names_in_seat_order_who_must_act_and_has_not() -> None:
    game, state = begun("tontine")
    standing = {"carol": written(game, state, "PASS")}
    assert play.waiting(game, state, standing) == ("alice", "bob", "dan")
    assert play.waiting(game, state, {}) == SEATS


def test_P3_half_a_turn_is_waited_for() -> None:
    game, state = begun("point_thief")
    phase = game.phase(state)
    assert phase is not None
    (acting,) = phase.must
    assert play.waiting(game, state, {acting: written(game, state, "PICK mafia")}) == (acting,)
    assert play.waiting(game, state, {acting: written(game, state, "PICK mafia CLAIM mafia")}) == ()


def test_nobody_is_waited_for_behind_the_end() -> None:
    game, state = begun("dont_get_greedy", SEATS[:2])
    over = game.remove(state, "bob", {}, DRAW).state
    assert play.waiting(game, over, {}) == ()


def test_G5_lines_that_name_a_removed_player_drop_out() -> None:
    game, state = begun("tontine")
    state = game.remove(state, "bob", {}, DRAW).state
    standing = {
        "alice": tuple(written(game, state, "HIT bob", "PROTECT alice")),
        "carol": tuple(written(game, state, "HIT dan")),
        "dan": tuple(written(game, state, "HIT bob")),
    }
    kept, dropped = play.recheck(game, state, standing)
    assert {seat: lines(orders) for seat, orders in kept.items() if orders} == {
        "alice": ["PROTECT alice"],
        "carol": ["HIT dan"],
    }
    assert {seat: lines(orders) for seat, orders in dropped.items()} == {"alice": ["HIT bob"], "dan": ["HIT bob"]}


def test_form_of_finds_the_form_an_order_was_written_by() -> None:
    game, state = begun("point_thief")
    pick, claim = written(game, state, "PICK mafia CLAIM police")
    view = game.view(state, None)
    for order in (pick, claim):
        form = play.form_of(game, view, order)
        assert isinstance(form, Form)
        assert form.verb == order.verb
        assert not form.split


def test_events_know_their_readers() -> None:
    private = Event("bribe_told", ("alice",), {"by": "bob"})
    assert private.seen_by("alice")
    assert not private.seen_by("bob")
    assert not private.seen_by(None)
    assert Event("death", "public").seen_by(None)
    assert not Event("note", "moderator").seen_by("alice")
    assert Event.from_json(private.to_json()) == private
    assert Event.from_json({"type": "death", "to": "public", "player": "bob"}).data == {"player": "bob"}


def test_G6_a_result_may_have_no_winner() -> None:
    assert Result(()).winners == ()


def test_unknown_rule_sets_are_refused_with_those_there_are() -> None:
    with pytest.raises(registry.UnknownGame, match="money_grab"):
        registry.get("chess")
    with pytest.raises(registry.UnknownGame, match="plug-in"):
        registry.switch_on(["no-such-plugin"])


def test_G1_the_five_rule_sets_have_these_keys() -> None:
    assert registry.BUILT_IN == ("tontine", "point_thief", "buy_the_bullet", "dont_get_greedy", "money_grab")
    assert [registry.get(key).facts.key for key in registry.BUILT_IN] == list(registry.BUILT_IN)

"""Tontine: its setup and options, and which orders may be sent (T1, T2, T10), by the rulings."""

import copy
import json
from itertools import combinations
from typing import Any

import pytest
from rapidfuzz.distance import OSA

from pbm import paper
from pbm.core.engine import Form, Json
from pbm.core.names import fold, name_fault
from pbm.games._tontine_names import ASSASSINS, names_for
from pbm.games.tontine import GAME, TontineOptions
from tests.support.tontine_table import DRAW, PLAYERS, close, hits, mail, of, order, paper_game, refusals, table, told

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


@pytest.mark.parametrize("name", ["Secret Agent", "Pass", "Blackmail Bill", "Vote"])
def test_T2_an_assassin_may_be_called_by_a_word_of_the_orders(name: str) -> None:
    """HIT alone parts an assassin from the target."""
    state = table(3, options={"assassins": ["Ash", name, "Cid"]})
    for verb in ("BRIBE", "SECRET BRIBE"):
        assert order(f"{verb} {name} HIT carol", state) == order(f"{verb} bob HIT carol", state)


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


# What holds for all games


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

"""Scenario files (SCENARIOS.md): what comes out, and every fault of a file."""

import json
import time
from typing import Any

import pytest

from pbm import paper
from pbm.core import registry

SEED = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"


def scenario(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "game": "dont_get_greedy",
        "seed": SEED,
        "options": {},
        "players": ["alice", "bob"],
        "steps": [{"orders": {"alice": ["TAKE 5"], "bob": ["TAKE 1"]}}],
    }
    return {key: value for key, value in (whole | changes).items() if value is not ...}


def fault(**changes: Any) -> str:
    with pytest.raises(paper.ScenarioFault) as raised:
        paper.adjudicate(scenario(**changes))
    return str(raised.value)


def test_output_has_these_keys_and_is_json() -> None:
    out = paper.adjudicate(scenario())
    assert json.loads(json.dumps(out)) == out
    assert list(out) == ["game", "steps", "over", "winners"]
    (step,) = out["steps"]
    assert step.keys() == {"phase", "round", "refused", "events", "public", "private", "next"}
    assert step["next"] == {"phase": "round", "round": 2, "waiting_for": ["alice", "bob"]}
    assert (out["over"], out["winners"]) == (False, [])
    assert all({"type", "to"} <= event.keys() for event in step["events"])


def test_the_example_of_the_contract_is_read() -> None:
    """Alice can't pay for her protection and is jailed (T9), so a jury is called (T15), and carol's removal ends it."""
    text = f"""
game: tontine
seed: "{SEED}"  # a comment
options: {{}}
players: [alice, bob, carol]
steps:
  - orders:
      alice: ["HIT bob", "PROTECT alice"]
      bob: ["PASS"]
  - remove: carol
  - orders: {{alice: ["VOTE bob"]}}
"""
    given = paper.load(text)
    last = given["steps"].pop()
    out = paper.adjudicate(given)
    assert [step["phase"] for step in out["steps"]] == ["round", "jury"]
    assert [step["round"] for step in out["steps"]] == [1, 1]
    assert out["winners"] == ["bob"]
    given["steps"][1] = last
    out = paper.adjudicate(given)
    assert (out["over"], out["winners"]) == (True, ["bob"])
    with pytest.raises(paper.ScenarioFault, match="left over"):
        paper.adjudicate(paper.load(text))


def test_a_removal_closes_no_phase() -> None:
    out = paper.adjudicate(scenario(game="buy_the_bullet", players=list("abcd"), steps=[{"remove": "b"}]))
    (step,) = out["steps"]
    assert (step["phase"], step["round"]) == ("bid", 1)
    assert step["next"] == {"phase": "bid", "round": 1, "waiting_for": ["a", "c", "d"]}
    assert [event["type"] for event in step["events"]] == ["removed"]


def test_options_may_be_left_out_or_empty() -> None:
    none, null, empty = (paper.adjudicate(scenario(options=given)) for given in (..., None, dict[str, int]()))
    assert none == null == empty


def test_no_steps_is_a_game_that_has_not_begun() -> None:
    assert paper.adjudicate(scenario(steps=[])) == {
        "game": "dont_get_greedy",
        "steps": [],
        "over": False,
        "winners": [],
    }
    assert paper.adjudicate(scenario(steps=...))["steps"] == []


def test_names_and_verbs_in_any_case_and_with_blanks() -> None:
    out = paper.adjudicate(scenario(steps=[{"orders": {"ALICE": ["  take   5 "], "Bob": ["Take 1"]}}]))
    assert out["steps"][0]["refused"] == []
    assert out["steps"][0]["public"]["coins"] == {"alice": 5, "bob": 1}


@pytest.mark.parametrize(
    "line", ["TAKEE 3", "TAKE three", "hello", "", "(TAKE 3)", "TAKE 3 TAKE 4", "HELP", "HIT bob", "TAKE 3\nTAKE 4"]
)
def test_every_line_that_is_no_order_is_refused_as_it_was_written(line: str) -> None:
    out = paper.adjudicate(scenario(steps=[{"orders": {"alice": [line, "TAKE 2"]}}]))
    (step,) = out["steps"]
    (refusal,) = step["refused"]
    assert (refusal["player"], refusal["line"]) == ("alice", line)
    assert refusal["reason"]
    assert step["public"]["coins"]["alice"] == 2


def test_refusals_stand_in_seat_order_and_line_by_line() -> None:
    orders = {"bob": ["x", "TAKE 9"], "alice": ["TAKE 0", "TAKE 1", "y"]}
    (step,) = paper.adjudicate(scenario(steps=[{"orders": orders}]))["steps"]
    assert [(r["player"], r["line"]) for r in step["refused"]] == [
        ("alice", "TAKE 0"),
        ("alice", "y"),
        ("bob", "x"),
        ("bob", "TAKE 9"),
    ]


def test_the_same_scenario_gives_the_same_output_and_is_left_unchanged() -> None:
    given = scenario()
    before = json.dumps(given)
    assert paper.adjudicate(given) == paper.adjudicate(given)
    assert json.dumps(given) == before


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [None, [], "text", 3, True])
def test_what_is_no_mapping_is_no_scenario(thing: object) -> None:
    with pytest.raises(paper.ScenarioFault, match="mapping"):
        paper.adjudicate(thing)


@pytest.mark.parametrize("game", [..., None, "chess", 3, ["tontine"], "", "Tontine"])
def test_an_unknown_game_is_a_fault(game: object) -> None:
    assert "there are: tontine" in fault(game=game)


@pytest.mark.parametrize(
    "seed", [..., None, "", SEED[:-1], SEED + "0", SEED[:-1] + "g", int("1" * 64), [SEED], b"x" * 32]
)
def test_a_missing_short_or_strange_seed_is_a_fault(seed: object) -> None:
    assert "seed" in fault(seed=seed)


@pytest.mark.parametrize(
    "options", [{"pott": 3}, {"pot": "100"}, {"pot": 3.5}, {"pot": True}, {"pot": [1]}, {"rounds": 3}, {3: 4}]
)
def test_an_unknown_or_ill_typed_option_is_a_fault(options: dict[Any, Any]) -> None:
    assert "option" in fault(options=options)


@pytest.mark.parametrize("options", [[], "pot", 3])
def test_options_are_a_mapping(options: object) -> None:
    assert "options" in fault(options=options)


def test_an_option_that_does_not_go_with_the_players_is_a_fault() -> None:
    told = fault(game="tontine", players=["a", "b", "c"], options={"assassins": ["Xena", "Zorro"]}, steps=[])
    assert "assassins" in told


@pytest.mark.parametrize(
    ("game", "count"),
    [("dont_get_greedy", 1), ("dont_get_greedy", 3), ("money_grab", 0), ("money_grab", 3)]
    + [(key, count) for key in ("tontine", "point_thief", "buy_the_bullet") for count in (0, 1, 2)],
)
def test_a_wrong_number_of_players_is_a_fault(game: str, count: int) -> None:
    told = fault(game=game, players=[f"p{n}" for n in range(count)], steps=[])
    assert f"here are {count}" in told


@pytest.mark.parametrize("game", ["tontine", "point_thief", "buy_the_bullet"])
def test_many_players_are_no_fault(game: str) -> None:
    players = [f"p{n}" for n in range(30)]
    assert not paper.adjudicate(scenario(game=game, players=players, steps=[{"orders": {}}]))["over"]


@pytest.mark.parametrize("players", [["alice", "alice"], ["alice", "ALICE"], ["Björn", "bjorn"], ["a b", "a  b"]])
def test_equal_names_are_a_fault(players: list[str]) -> None:
    assert "the same name" in fault(players=players, steps=[])


@pytest.mark.parametrize(
    "players", [..., None, "alice", {"alice": 1, "bob": 2}, ["alice", 3], ["alice", None], ["alice", " "]]
)
def test_players_are_a_list_of_names(players: object) -> None:
    assert "players" in fault(players=players)


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"orders": {}, "remove": "bob"},
        {"order": {}},
        {"orders": {}, "note": "x"},
        "orders",
        None,
        ["remove", "bob"],
    ],
)
def test_a_step_has_either_orders_or_remove(step: object) -> None:
    assert fault(steps=[{"orders": {}}, step]).startswith("step 2: ")


@pytest.mark.parametrize("steps", ["x", {}, 3, None])
def test_steps_are_a_list(steps: object) -> None:
    assert "steps" in fault(steps=steps)


@pytest.mark.parametrize(
    "orders", [None, [], "TAKE 3", {"alice": "TAKE 3"}, {"alice": [3]}, {"alice": None}, {"alice": [None]}]
)
def test_orders_are_lists_of_lines_by_player(orders: object) -> None:
    assert "step 1: " in fault(steps=[{"orders": orders}])


@pytest.mark.parametrize("name", ["zed", "", 3, None])
def test_orders_of_an_unknown_player_are_a_fault(name: object) -> None:
    assert "unknown player" in fault(steps=[{"orders": {name: ["TAKE 3"]}}])


@pytest.mark.parametrize("name", ["Robert Jr.", 'The "Knife"', "M*A*S*H", "“Nails”", "x!", "`tick`", " bo  b "])
@pytest.mark.parametrize(
    ("game", "first", "line"),
    [("tontine", [], "HIT {}"), ("buy_the_bullet", [{"orders": {"alice": ["BID D"]}}], "shoot {}")],
)
def test_players_with_marks_in_their_names_can_be_written(game: str, first: list[Any], line: str, name: str) -> None:
    """What doesn't matter around an order may belong to a name; SCENARIOS.md doesn't say which names there are."""
    steps = [*first, {"orders": {"alice": [line.format(name)]}}]
    step = paper.adjudicate(scenario(game=game, players=["alice", name, "carol"], steps=steps))["steps"][-1]
    assert step["refused"] == []
    assert name in [event.get("target", event.get("player")) for event in step["events"] if event["type"] != "missed"]


@pytest.mark.parametrize("name", ["zed", "", 3, None, ["bob"]])
def test_removing_an_unknown_player_is_a_fault(name: object) -> None:
    assert "unknown player" in fault(steps=[{"remove": name}])


def test_a_player_named_twice_in_a_step_is_a_fault() -> None:
    assert "twice" in fault(steps=[{"orders": {"alice": [], "ALICE": []}}])


@pytest.mark.parametrize("game", ["tontine", "point_thief", "buy_the_bullet"])
def test_G5_removing_a_removed_player_is_a_fault(game: str) -> None:
    told = fault(game=game, players=["a", "b", "c", "d"], steps=[{"remove": "b"}, {"remove": "B"}])
    assert told.startswith("step 2: ")
    assert "removed" in told


@pytest.mark.parametrize("behind", [{"orders": {}}, {"remove": "bob"}, {"remove": "zed"}, "nonsense"])
@pytest.mark.parametrize("key", registry.BUILT_IN)
def test_steps_left_over_behind_the_end_are_a_fault(key: str, behind: object) -> None:
    players = ["alice", "bob", "carol"][: registry.get(key).facts.seats[1] or 3]
    steps = [{"remove": name} for name in players[1:]]
    ended = paper.adjudicate(scenario(game=key, players=players, steps=steps))
    assert (ended["over"], ended["winners"], ended["steps"][-1]["next"]) == (True, ["alice"], None)
    told = fault(game=key, players=players, steps=[*steps, behind, behind])
    assert "left over" in told
    assert told.startswith(f"step {len(steps) + 1}: ")


def test_an_unknown_key_is_a_fault() -> None:
    assert "option" in fault(option={})


@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "- " * 9000 + "x",
        b"\x80",
        b"a: \xff",
        "a: b: c",
        "\tx: 1",
        "a: 1\n---\nb: 2",
        "x: !!python/name:os.system",
        "a: 2024-13-45",
        "\x00",
        "{[]: 1}",
    ],
)
def test_what_is_not_readable_as_yaml_is_a_fault(text: str | bytes) -> None:
    with pytest.raises(paper.ScenarioFault, match="not readable as YAML"):
        paper.load(text)


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("seed: a\nseed: b\n", "seed", 2),
        ("steps:\n  - orders: {alice: [HIT bob],\n      alice: [PASS]}\n", "alice", 3),
        ("steps:\n  - orders: {}\n    orders: {}\n", "orders", 3),
        ("steps:\n  - {remove: a, 'remove': b}\n", "remove", 2),
        ("a: &x {b: 1}\nc: [*x, *x, {<<: *x, b: 2, b: 3}]\n", "b", 2),
    ],
)
def test_a_key_that_stands_twice_is_a_fault(text: str, key: str, line: int) -> None:
    """Else the first of a player's two lists of orders would be lost with no word."""
    with pytest.raises(paper.ScenarioFault, match=f"“{key}” stands twice.*line {line}"):
        paper.load(text)


def test_a_section_may_be_used_again_and_changed() -> None:
    once = {"alice": ["PASS"]}
    text = "a: &x {alice: [PASS]}\nb: *x\nc: {<<: *x, bob: [], }\nd: {<<: *x, alice: []}\n"
    assert paper.load(text) == {"a": once, "b": once, "c": {**once, "bob": []}, "d": {"alice": []}}


def test_faults_say_it_in_one_line() -> None:
    with pytest.raises(paper.ScenarioFault) as raised:
        paper.load("a: [1,\nb: 2\n: :")
    assert "\n" not in str(raised.value)


# --- speed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", registry.BUILT_IN)
def test_small_scenarios_are_played_fast(key: str) -> None:
    """1,000 files in one call stay under 20 s (issue "All five games"): here forty, read and played, under a second."""
    players = ["alice", "bob", "carol", "dan"][: registry.get(key).facts.seats[1] or 4]
    orders = {player: ["PASS", "PICK mafia CLAIM mafia", "TAKE 1", "BID NONE", "nonsense"] for player in players}
    text = json.dumps(scenario(game=key, players=players, steps=[{"orders": orders}] * 3))
    paper.adjudicate(paper.load(text))
    began = time.process_time()
    for _ in range(40):
        json.dumps(paper.adjudicate(paper.load(text)))
    assert time.process_time() - began < 0.8

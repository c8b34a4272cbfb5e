"""Buy the Bullet against a second adjudicator, written apart: every small table of cards, and random whole games."""

import random
from itertools import product
from typing import Any

import pytest

from pbm import paper
from pbm.games._bullet_cards import bullet_goes_to, put_in, struck_out
from tests.support import bullet_slow as slow

SEED = "0123456789abcdef" * 4
FIELDS = {
    "bids": ("bids", "winner"),
    "strike": ("player", "strikes"),
    "shot": ("by", "player"),
    "pledge": ("from", "card", "recipient"),
    "pledge_void": ("from", "card", "recipient"),
    "hand_over": ("cards",),
    "vote": ("votes", "player", "card"),
    "new_deal": (),
    "missed": ("player",),
    "removed": ("player",),
    "game_over": ("winners",),
}
NAMES = ("ann", "bob", "cy", "dan", "eve", "fay", "gus", "hal", "ida", "jo")
SUITS = ("DIAMOND", "HEART", "SPADE", "CLUB")
HANDS = ("", "D", "C", "DH", "HS", "SC", "DC", "DHSC", "DDH")


def test_B3_B4_every_table_of_two_bids_and_two_put_in_cards() -> None:
    for real_cards in product(("D", "H", "S", "C", None), repeat=2):
        real = {f"r{n}": card for n, card in enumerate(real_cards) if card}
        for hands in product(HANDS, repeat=2):
            fast: dict[str, str] = {}
            slowly: dict[str, str] = {}
            for n, hand in enumerate(hands):
                one = put_in(hand, [*real.values(), *fast.values()])
                two = slow.would_be_put_in(list(hand), [*real.values(), *slowly.values()])
                fast |= {f"p{n}": one} if one else {}
                slowly |= {f"p{n}": two} if two else {}
            assert fast == slowly
            assert bullet_goes_to(real, fast) == slow.bullet(real, slowly)


def test_B7_every_vote_of_up_to_five_voters_on_four() -> None:
    for voters in range(6):
        for votes in product("abcd", repeat=voters):
            taken, _ = struck_out(votes)
            assert taken == slow.penalised(dict(zip("pqrst", votes, strict=False)))


def random_lines(chance: random.Random, name: str, game: slow.Slow, eager: float) -> list[str]:
    """Mostly what fits this player, sometimes anything."""
    if chance.random() > eager:
        return []
    target, suit = chance.choice(game.order).upper(), chance.choice((*SUITS, "NONE"))
    hand = game.hands[name]
    own = next((s for s in SUITS if hand and s[0] == chance.choice(hand)), suit)
    anything = [f"BID {suit}", f"SHOOT {target}", f"VOTE {target}", f"PLEDGE {suit} TO {target}", "PASS"]
    anything += [f"PLEDGE {own} TO {target}", f"PLEDGE: {own} TO {target}", "BID NONE", "SHOOT", "HIT BOB", "BID HART"]
    fits = {"bid": f"BID {own}", "shoot": f"SHOOT {target}", "vote": f"VOTE {target}", "pledge": "PASS"}[game.phase]
    if game.status[name] == "dead" and game.phase != "vote" and chance.random() < 0.6:
        fits = f"PLEDGE {own} TO {target}"
    lines = [fits] if chance.random() < 0.85 else []
    while chance.random() < 0.25:
        lines.insert(chance.randint(0, len(lines)), chance.choice(anything))
    return lines


def random_game(chance: random.Random) -> dict[str, Any]:
    """A scenario that is played to its end, or for 60 steps."""
    players = list(NAMES[: chance.choice((3, 3, 4, 4, 5, 6, 8, 10))])
    chance.shuffle(players)
    eager, unrest = chance.choice((0.6, 0.8, 0.95, 1.0)), chance.choice((0, 0, 0.05, 0.15))
    alike = chance.random() < 0.3  # bids of the same cards, so that cards run out before players do
    scenario: dict[str, Any] = {"game": "buy_the_bullet", "seed": SEED, "players": players, "steps": []}
    game = slow.Slow(list(players))
    while not game.over and len(scenario["steps"]) < 60:
        step: dict[str, Any]
        if chance.random() < unrest:
            there = [p for p in players if game.status[p] != "removed"]
            step = {"remove": chance.choice(there)}
        else:
            step = {"orders": {p: random_lines(chance, p, game, eager) for p in players}}
            if alike and game.phase == "bid":
                for p in game.alive():
                    step["orders"][p] = [f"BID {next((s for s in SUITS if s[0] in game.hands[p]), 'NONE')}"]
        scenario["steps"].append(step)
        game.step(step)
    return scenario


def narrowed(out: dict[str, Any]) -> dict[str, Any]:
    """An output of `pbm.paper` without what SCENARIOS.md doesn't name, and without the words of refusals."""
    for step in out["steps"]:
        for refusal in step["refused"]:
            assert refusal.pop("reason")
        step["events"] = [{k: e[k] for k in ("type", "to", *FIELDS[e["type"]])} for e in step["events"]]
        step["public"] = {k: step["public"][k] for k in ("players", "holder", "pledges")}
    return out


def compare(seeds: range) -> set[str]:
    """Plays a random game for each seed both ways; gives the types of events seen."""
    seen: set[str] = set()
    for seed in seeds:
        scenario = random_game(random.Random(seed))
        fast, slowly = narrowed(paper.adjudicate(scenario)), slow.adjudicate(scenario)
        for n, (one, two) in enumerate(zip(fast["steps"], slowly["steps"], strict=True)):
            one["events"].sort(key=repr)
            two["events"].sort(key=repr)
            assert one == two, f"seed {seed}, step {n}"
            seen |= {event["type"] for event in one["events"]}
        assert fast == slowly, f"seed {seed}"
    return seen


def test_B1_to_B11_random_games_agree_with_the_second_adjudicator() -> None:
    assert compare(range(80)) == set(FIELDS)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_B1_to_B11_ten_thousand_random_games_agree(part: int) -> None:
    compare(range(1_000 + 500 * part, 1_500 + 500 * part))

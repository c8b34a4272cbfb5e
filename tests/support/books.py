"""Conservation, a hook for each rule set: from one public state, by the events, to the next, nothing gets lost.

A hook gets what everybody may know, and each seat's private state, before and after one call that changed the state.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pbm.core.engine import Event, Json

VARIANTS: dict[str, tuple[Json, ...]] = {
    "tontine": ({}, {"roulette": "player"}, {"dividends": [1, 5]}, {"idle_limit": 2}),
    "point_thief": ({}, {"lie_rounding": "remainder"}, {"rounds": 2}, {"rounds": 7}),
    "buy_the_bullet": ({},),
    "dont_get_greedy": ({}, {"pot": 20}, {"pot": 10, "replay_pot": 12}, {"replay_pot": 10}),
    "money_grab": ({},),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One call: the public state and {seat: private state} on both sides of it, and its events."""

    before: Json
    after: Json
    own_before: dict[str, Json]
    own_after: dict[str, Json]
    events: Sequence[Event]

    def of(self, kind: str) -> list[Json]:
        return [event.data for event in self.events if event.type == kind]


def dont_get_greedy(entry: Entry) -> None:
    """Coins leave the game by D2's discard only: one at each penalty, which takes two from one and gives one."""
    for takes in entry.of("takes"):
        paid = [coins for coins in takes["penalties"].values() if coins]
        assert paid in ([], [2])
        there = entry.before["pot"] + sum(entry.before["coins"].values())
        assert takes["pot"] + sum(takes["coins"].values()) == there - len(paid)
        assert takes["pot"] == entry.before["pot"] - sum(takes["takes"].values())
        assert sum(takes["received"].values()) == sum(entry.before["received"].values()) + len(paid)
        if not entry.of("replay"):
            assert {k: entry.after[k] for k in ("pot", "coins")} == {k: takes[k] for k in ("pot", "coins")}
    assert entry.after["pot"] >= 0
    assert all(coins >= 0 for coins in entry.after["coins"].values())
    assert all(streak in (0, 1) for streak in entry.after["streaks"].values())


def money_grab(entry: Entry) -> None:
    """Coins leave by the tax and come in by M6's ten; penalties go back to the pot."""
    for takes in entry.of("takes"):
        there = entry.before["pot"] + sum(entry.before["coins"].values())
        assert takes["pot"] + sum(takes["coins"].values()) == there
        paid = sum(takes["penalties"].values())
        assert takes["pot"] == entry.before["pot"] - sum(takes["takes"].values()) + paid
        assert all(take <= takes["limit"] for take in takes["takes"].values())
        taxed = sum(tax["coins"] for tax in entry.of("tax"))
        came = takes["topped_up"] + sum(tax["topped_up"] for tax in entry.of("tax"))
        if not entry.of("bout_end"):
            assert entry.after["pot"] == takes["pot"] - taxed + came >= 10
            assert entry.after["coins"] == takes["coins"]
            assert sum(entry.after["penalties"].values()) == sum(entry.before["penalties"].values()) + paid
        elif entry.of("game_over"):
            assert entry.after["pot"] == takes["pot"] - taxed < 10
            assert entry.after["coins"] == takes["coins"]
    assert all(coins >= 0 for coins in entry.after["coins"].values())
    assert sorted(entry.after["limits"]) == [1, 2, 3, 4]
    assert sum(entry.after["wins"].values()) == sum(entry.before["wins"].values()) + len(entry.of("bout_end"))


def point_thief(entry: Entry) -> None:
    """A round gives out its four points at most (P6); points change by gains and losses only."""
    points, alms = dict(entry.before["points"]), dict(entry.before["beggar_points"])
    for reveal in entry.of("reveal"):
        assert sum(reveal["gained"].values()) <= 4
        assert not {seat for seat, n in reveal["gained"].items() if n} & {s for s, n in reveal["lost"].items() if n}
        for seat, n in reveal["gained"].items():
            assert n >= 0
            points[seat] += n
            alms[seat] += n if dict(map(tuple, reveal["picks"]))[seat] == "beggar" else 0
        for seat, n in reveal["lost"].items():
            assert n >= 0
            points[seat] -= n
    assert entry.after["points"] == points
    assert entry.after["beggar_points"] == alms


def buy_the_bullet(entry: Entry) -> None:
    """Cards leave by bids, by B7's vote and with the removed; they change hands by pledges; a new deal is four each."""
    hands = {seat: Counter(player["hand"]) for seat, player in entry.before["players"].items()}
    for event in entry.events:
        data = event.data
        match event.type:
            case "removed":
                hands[data["player"]].clear()
            case "bids":
                for seat, card in data["bids"].items():
                    if card is not None:
                        assert hands[seat][card] > 0
                        hands[seat][card] -= 1
            case "vote":
                if data["card"] is not None:
                    hands[data["player"]][data["card"]] -= 1
            case "hand_over":
                for card in data["cards"]:
                    hands[card["from"]][card["card"]] -= 1
                    hands[card["to"]][card["card"]] += 1
            case "new_deal":
                living = [seat for seat, player in entry.after["players"].items() if player["status"] == "alive"]
                hands = {seat: Counter("DHSC") if seat in living else Counter() for seat in hands}
    for seat, player in entry.after["players"].items():
        assert +hands[seat] == Counter(player["hand"]), seat
        assert all(n >= 0 for n in hands[seat].values()), seat
        assert 0 <= player["strikes"] <= 3
    for pledge in entry.after["pledges"]:
        assert pledge["card"] in entry.after["players"][pledge["from"]]["hand"]


def tontine(entry: Entry) -> None:
    """Tokens come from dividends and T14 only, and life goes down only, by no more than the hits that got through."""
    dividend = sum(event["each"] for event in entry.of("dividend"))
    fresh = bool(entry.of("new_tokens"))
    for seat, own in entry.own_after.items():
        before = entry.own_before[seat]
        assert own["tokens"] >= 0
        assert own["tokens"] <= before["tokens"] + dividend + fresh
        assert own["misses"] >= before["misses"]
        assert own["blackmail_used"] >= before["blackmail_used"]
        if fresh and entry.after["players"][seat]["status"] == "alive":
            assert own["tokens"] == 1
    for seat, player in entry.after["players"].items():
        was = entry.before["players"][seat]
        hits = [hit for hit in entry.of("hit") if hit["target"] == seat and not hit["stopped"]]
        assert player["life"] == max(0, was["life"] - sum(hit["damage"] for hit in hits))
        assert was["status"] in ("alive", player["status"]) or player["status"] == "removed"
        assert player["status"] != "alive" or player["life"] > 0
        assert was["assassin_in_play"] or not player["assassin_in_play"]
        assert player["assassin"] == was["assassin"]
    gone = {event["player"] for kind in ("death", "jailed", "removed") for event in entry.of(kind)}
    changed = {s for s, p in entry.after["players"].items() if p["status"] != entry.before["players"][s]["status"]}
    assert changed == gone


BOOKS: dict[str, Callable[[Entry], None]] = {
    "tontine": tontine,
    "point_thief": point_thief,
    "buy_the_bullet": buy_the_bullet,
    "dont_get_greedy": dont_get_greedy,
    "money_grab": money_grab,
}

"""Buy the Bullet's table: who must act, how a player leaves, how a round ends.

A *table* is the game's state, or any view of it: everything but the open bids is public (ruling B1), and those are the
shell's to keep. The functions that end in a change take the caller's own copy, and append to its list of events.
"""

from collections.abc import Sequence

from pbm.core.engine import Event, Json, Result
from pbm.games._bullet_cards import SUITS, in_order, without

LAST_STRIKE = 3


def opening(seats: Sequence[str]) -> Json:
    """The first state. `pledged`: who has used this round's pledge (ruling B8). `forced`: {name: number of the strike
    whose penalty waits for the next bid phase} (ruling B5). `emptied`: a removal left nobody to act (ruling G5)."""
    return {
        "seats": list(seats),
        "players": {seat: {"hand": list(SUITS), "status": "alive", "strikes": 0} for seat in seats},
        "holder": None,
        "pledges": [],
        "round": 1,
        "phase": "bid",
        "pledged": [],
        "forced": {},
        "emptied": False,
        "winners": None,
    }


def copied(state: Json) -> Json:
    """A copy that shares nothing that can change; some ten times faster than `deepcopy`, and taken for every mail."""
    return {
        **state,
        "seats": list(state["seats"]),
        "players": {seat: {**player, "hand": list(player["hand"])} for seat, player in state["players"].items()},
        "pledges": [dict(pledge) for pledge in state["pledges"]],
        "pledged": list(state["pledged"]),
        "forced": dict(state["forced"]),
        "winners": None if state["winners"] is None else list(state["winners"]),
    }


def with_status(table: Json, status: str) -> list[str]:
    """Who is alive, dead or removed, in seat order."""
    return [seat for seat in table["seats"] if table["players"][seat]["status"] == status]


def hand(table: Json, seat: str) -> list[str]:
    cards: list[str] = table["players"][seat]["hand"]
    return cards


def must_act(table: Json) -> list[str]:
    """Who is waited for, orders aside (rulings B2, B5, B7, B9), in seat order."""
    if table["winners"] is not None:
        return []
    match table["phase"]:
        case "bid":
            return [s for s in with_status(table, "alive") if hand(table, s) and s not in table["forced"]]
        case "shoot":
            return [] if table["holder"] is None else [table["holder"]]
        case "vote":
            return with_status(table, "dead")
        case _:
            return [s for s in with_status(table, "dead") if hand(table, s)]


def may_pledge(table: Json, seat: str) -> list[str]:
    """The cards that this player may pledge now, highest first (ruling B8); a card pledged before is not free."""
    player = table["players"][seat]
    if table["winners"] is not None or player["status"] != "dead" or seat in table["pledged"]:
        return []
    return in_order(without(player["hand"], (p["card"] for p in table["pledges"] if p["from"] == seat)))


def strike(state: Json, seat: str, events: list[Event]) -> int:
    """One strike more (rulings B4 and B5); gives their number."""
    player = state["players"][seat]
    player["strikes"] += 1
    strikes: int = player["strikes"]
    events.append(Event("strike", "public", {"player": seat, "strikes": strikes, "phase": state["phase"]}))
    return strikes


def take_out(state: Json, seats: Sequence[str], why: str, events: list[Event]) -> None:
    """Remove players (ruling G5), cards and all (ruling B4); those of one call fall together.

    `why`: `moderator`, `strikes` or `new deal`. A holder's bullet is lost (ruling B5).
    """
    for seat in seats:
        holding = state["holder"] == seat
        state["players"][seat] |= {"hand": [], "status": "removed"}
        state["forced"].pop(seat, None)
        if holding:
            state["holder"] = None
        events.append(Event("removed", "public", {"player": seat, "why": why, "bullet_lost": holding}))
    void_pledges(state, events)


def void_pledges(state: Json, events: list[Event]) -> None:
    """Ruling B8: a pledge is void once its recipient has died, or either of the two was removed."""
    players = state["players"]
    standing = []
    for pledge in state["pledges"]:
        if players[pledge["to"]]["status"] == "alive" and players[pledge["from"]]["status"] == "dead":
            standing.append(pledge)
        else:
            told = {"from": pledge["from"], "card": pledge["card"], "recipient": pledge["to"]}
            events.append(Event("pledge_void", "public", told))
    state["pledges"] = standing


def ended(state: Json, left: Sequence[str], events: list[Event]) -> Result | None:
    """Ruling B11, after a death or a removal. `left`: those who went just now: the runners-up (ruling G8), since the
    game ends with the last to be shot or removed."""
    living = with_status(state, "alive")
    if len(living) > 1:
        return None
    state["winners"] = living
    events.append(Event("game_over", "public", {"winners": list(living)}))
    return Result(tuple(living), tuple(left))


def end_round(state: Json, events: list[Event]) -> None:
    """Rulings B9 and B10: where no living player has a card, hand-over, pledge round or new deal; then a new round."""
    following = "bid"
    if not any(hand(state, seat) for seat in with_status(state, "alive")):
        if state["pledges"]:
            _hand_over(state, events)
        elif state["phase"] != "pledge" and any(hand(state, seat) for seat in with_status(state, "dead")):
            following = "pledge"
        else:
            _new_deal(state, events)
    state |= {"phase": following, "round": state["round"] + 1, "holder": None, "pledged": [], "emptied": False}


def _hand_over(state: Json, events: list[Event]) -> None:
    pledges, state["pledges"] = state["pledges"], []
    for pledge in pledges:
        giver, taker = state["players"][pledge["from"]], state["players"][pledge["to"]]
        giver["hand"] = without(giver["hand"], [pledge["card"]])
        taker["hand"] = in_order([*taker["hand"], pledge["card"]])
    events.append(Event("hand_over", "public", {"cards": [dict(pledge) for pledge in pledges]}))


def _new_deal(state: Json, events: list[Event]) -> None:
    dead = with_status(state, "dead")
    take_out(state, dead, "new deal", events)
    for seat in with_status(state, "alive"):
        state["players"][seat]["hand"] = list(SUITS)
    events.append(Event("new_deal", "public", {"gone": dead}))

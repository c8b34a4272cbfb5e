"""How a game of Tontine ends: the jury, the winner, the record's runners-up, and what goes on where it doesn't end
(rulings T14 to T18, G8)."""

from collections.abc import Mapping, Sequence

from pbm.core.draw import Draw
from pbm.core.engine import Event, Json, Order, Result
from pbm.games._tontine_orders import VOTE, alive, jailed


def after_round(state: Json, before: Sequence[str], *, paid: bool) -> list[Event]:
    """What follows a round that has been settled: T15, then T18, then T14 and the next round. Changes `state`.

    `before`: who was in play when the round closed.
    """
    left = alive(state)
    for name in before:
        if name not in left:
            state["players"][name]["left"] = state["round"]
    state["idle"] = 0 if paid else state["idle"] + 1
    if len(left) < 2:
        return [end(state, left, before)]
    if len(left) == 2 and jailed(state):
        state["phase"], state["vote"] = "jury", 1
        return []
    if state["idle"] >= state["options"]["idle_limit"]:
        return [end(state, [], before)]
    return next_round(state)


def next_round(state: Json) -> list[Event]:
    """T14, and the round after it opens."""
    left = alive(state)
    events = []
    if not any(state["players"][name]["tokens"] for name in left):
        for name in left:
            player = state["players"][name]
            player["tokens"] = 1
            if player["last"] is not None:
                player["last"] |= {"new": 1, "holds": 1}
        events.append(Event("new_tokens", "public", {"each": 1}))
    state["phase"], state["vote"], state["round"] = "round", 0, state["round"] + 1
    return events


def close_jury(state: Json, orders: Mapping[str, Sequence[Order]], draw: Draw) -> list[Event]:
    """T16: the votes come out; a winner, a second vote, a draw, or rounds that go on because nobody is left to vote."""
    finalists, jurors = alive(state), jailed(state)
    for player in state["players"].values():
        player["last"] = None
    if not jurors:
        return next_round(state)
    events = [Event("missed", (juror,), {"player": juror}) for juror in jurors if not orders.get(juror)]
    votes = {juror: cast for juror in jurors if (cast := _cast(orders.get(juror, ()), finalists)) is not None}
    count = {name: list(votes.values()).count(name) for name in finalists}
    leading = [name for name in finalists if count[name] == max(count.values())]
    drawn = len(leading) > 1 and state["vote"] > 1
    if drawn:
        leading = [draw.choice("jury tie", finalists)]
    winner = leading[0] if len(leading) == 1 else None
    told = {"votes": votes, "vote": state["vote"], "winner": winner, "drawn": drawn}
    events.append(Event("jury_vote", "public", told))
    if winner is None:
        state["vote"] = 2
    else:
        events.append(end(state, [winner], finalists))
    return events


def _cast(orders: Sequence[Order], finalists: Sequence[str]) -> str | None:
    """A juror's vote; None is an abstention."""
    votes = (order.text("player") for order in orders if order.verb == VOTE)
    return next((name for name in votes if name in finalists), None)


def end(state: Json, winners: Sequence[str], before: Sequence[str]) -> Event:
    """The game is over. `before`: who was in play before that which ends it; two of them are the finalists (G8)."""
    out = {name: player["left"] for name, player in state["players"].items() if player["left"]}
    last = max(out.values(), default=0)
    runners_up = [name for name, left in out.items() if left == last]
    if winners and len(before) == 2:
        runners_up = [name for name in before if name not in winners]
    state["phase"] = "over"
    state["result"] = {"winners": list(winners), "runners_up": runners_up}
    return Event("game_over", "public", {"winners": list(winners)})


def result(state: Json) -> Result | None:
    """How the game ended, or None while it goes on."""
    ended = state["result"]
    return Result(tuple(ended["winners"]), tuple(ended["runners_up"])) if ended else None

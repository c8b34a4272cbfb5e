"""Point Thief: turns, rounds, tiebreaks and the end (rulings P1 to P5, P8, P9).

The state is JSON: `players` (seat order), `turn_order` (P1), `rounds`, `remainder` (option), `round`, `tiebreak` (0, or
the number of the tiebreak round under way), `order` (of the round under way, as it began), `turns` (played in it:
{player, pick, claim}), `tied` (who plays the tiebreak), `points`, `beggar_points`, `removed`, `queued` ({seat: {PICK:
character, CLAIM: character}}, what is in for turns to come), `winners` (None until the end), `runners_up`.
"""

from pbm.core.draw import Draw
from pbm.core.engine import Event, Json, Order, Result, Standing, Step
from pbm.games._point_thief_points import BEGGAR, Turn, score

PICK, CLAIM = "PICK", "CLAIM"


def character(order: Order) -> str:
    """What a PICK or a CLAIM names: its only argument."""
    (value,) = order.args.values()
    return str(value)


def is_over(state: Json) -> bool:
    return state["winners"] is not None


def in_game(state: Json) -> list[str]:
    """Who hasn't been removed, in seat order."""
    return [seat for seat in state["players"] if seat not in state["removed"]]


def playing(state: Json) -> list[str]:
    """Who may still have a turn, in seat order: in a tiebreak the tied only (P8), and nobody once the game is over."""
    if is_over(state):
        return []
    return [seat for seat in in_game(state) if not state["tiebreak"] or seat in state["tied"]]


def order_now(state: Json) -> list[str]:
    """The order of the round under way; a removed player is passed over (P9)."""
    return [seat for seat in state["order"] if seat not in state["removed"]]


def whose_turn(state: Json) -> str | None:
    """The player who acts now (P3), or None once the game is over."""
    if is_over(state):
        return None
    played = {turn["player"] for turn in state["turns"]}
    return next((seat for seat in order_now(state) if seat not in played), None)


def round_order(state: Json) -> list[str]:
    """Rulings P1 and P9: round r goes round from the r-th player of the turn order, whoever of them has left."""
    whole = state["turn_order"]
    first = (state["round"] - 1) % len(whole)
    return [seat for seat in whole[first:] + whole[:first] if seat not in state["removed"]]


class Table:
    """A state that is being played on: a copy of its own, the events so far, and how it ended."""

    def __init__(self, state: Json, draw: Draw) -> None:
        self.state = state
        self.draw = draw
        self.events: list[Event] = []

    def step(self) -> Step:
        state = self.state
        ended = is_over(state)
        result = Result(tuple(state["winners"]), tuple(state["runners_up"])) if ended else None
        return Step(state, tuple(self.events), result)

    def take(self, orders: Standing) -> None:
        """Keep what stands of everybody who may have a turn; of equal verbs the last counts (G2)."""
        allowed = playing(self.state)
        self.state["queued"] = {
            seat: {order.verb: character(order) for order in orders[seat]} for seat in allowed if orders.get(seat)
        }

    def close_turn(self) -> None:
        """The turn of the player who acts now, with what is in for it (P3), or as a miss (P4)."""
        seat = whose_turn(self.state)
        assert seat is not None
        sent = self.state["queued"].pop(seat, {})
        pick = sent.get(PICK)
        missed = pick is None
        if missed:
            self.tell("missed", player=seat, round=self.state["round"])
            turn = Turn(seat, BEGGAR, BEGGAR)
        else:
            turn = Turn(seat, pick, sent.get(CLAIM, pick))
        self.state["turns"].append({"player": seat, "pick": turn.pick, "claim": turn.claim})
        self.tell("claim", player=seat, claim=turn.claim, missed=missed, round=self.state["round"])

    def play_on(self) -> None:
        """End the round where all have acted, and play each turn whose pick and claim are both in (P3)."""
        while not is_over(self.state):
            seat = whose_turn(self.state)
            if seat is None:
                self.reveal()
            elif self.state["queued"].get(seat, {}).keys() >= {PICK, CLAIM}:
                self.close_turn()
            else:
                return

    def reveal(self) -> None:
        """Rulings P5 to P7: the true picks in reverse turn order, and the points; then the next round or the end."""
        state = self.state
        turns = [Turn(**turn) for turn in state["turns"]]
        result = score(turns, state["points"], state["removed"], remainder=state["remainder"])
        for turn in turns:
            gain = result.gained.get(turn.player, 0)
            state["points"][turn.player] += gain - result.lost.get(turn.player, 0)
            if turn.pick == BEGGAR:
                state["beggar_points"][turn.player] += gain
        back = turns[::-1]
        self.tell(
            "reveal",
            picks=[[turn.player, turn.pick] for turn in back],
            gained=dict(result.gained),
            lost=dict(result.lost),
            round=state["round"],
            tiebreak=state["tiebreak"],
            claims={turn.player: turn.claim for turn in back},
            winner=result.winner,
            share=result.share,
            alms=result.alms,
            points=dict(state["points"]),
            beggar_points=dict(state["beggar_points"]),
            removed=[turn.player for turn in back if turn.player in state["removed"]],
        )
        self.next_round()

    def next_round(self) -> None:
        """The round after this one, a tiebreak round, or the end (P8)."""
        state = self.state
        if state["round"] < state["rounds"]:
            state["round"] += 1
            state["order"] = round_order(state)
        else:
            lead = leaders(state, playing(state))
            if len(lead) == 1:
                self.end(lead)
                return
            state["round"] += 1
            state["tiebreak"] += 1
            state["tied"] = lead
            state["order"] = self.draw.shuffle(f"tiebreak {state['tiebreak']} order", lead)
            state["queued"] = {seat: sent for seat, sent in state["queued"].items() if seat in lead}
        state["turns"] = []

    def remove(self, seat: str) -> None:
        """Rulings G5 and P9. A turn that passes because of it plays on; nothing else closes."""
        state = self.state
        acting = whose_turn(state)
        state["removed"].append(seat)
        state["queued"].pop(seat, None)
        self.tell("removed", player=seat)
        left = playing(state)
        if len(left) == 1:
            # The last one in the game, or in the tiebreak: G5's "at once, with no reveal".
            self.end(left)
        elif seat == acting:
            self.play_on()

    def end(self, winners: list[str]) -> None:
        state = self.state
        state["queued"] = {}
        state["winners"] = list(winners)
        state["runners_up"] = runners_up(state, winners)
        self.tell(
            "game_over",
            winners=list(winners),
            points=dict(state["points"]),
            beggar_points=dict(state["beggar_points"]),
            runners_up=list(state["runners_up"]),
        )

    def tell(self, kind: str, **data: object) -> None:
        self.events.append(Event(kind, "public", data))


def leaders(state: Json, seats: list[str]) -> list[str]:
    """Ruling P8: those of these seats with the most points, and of them the most points got as a beggar."""

    def standing(seat: str) -> tuple[int, int]:
        return state["points"][seat], state["beggar_points"][seat]

    best = max((standing(seat) for seat in seats), default=None)
    return [seat for seat in seats if standing(seat) == best]


def runners_up(state: Json, winners: list[str]) -> list[str]:
    """Ruling G8: next in points, then beggar points; removed players only where nobody else is left."""
    rest = [seat for seat in state["players"] if seat not in winners]
    return leaders(state, [seat for seat in rest if seat not in state["removed"]] or rest)

"""Buy the Bullet: bid cards for one bullet a round; the dead still have a say (rulings B1 to B11)."""

from collections.abc import Mapping, Sequence

from pbm.core.draw import Draw
from pbm.core.engine import (
    Event,
    Facts,
    Form,
    Json,
    Options,
    Order,
    Phase,
    PhaseKind,
    Refusal,
    Standing,
    Step,
)
from pbm.games._bullet_cards import NONE, bullet_goes_to, in_order, put_in, struck_out, without
from pbm.games._bullet_orders import BID, PASS, PLEDGE, SHOOT, VOTE, all_forms, forms_for, why_not
from pbm.games._bullet_table import (
    LAST_STRIKE,
    copied,
    end_round,
    ended,
    hand,
    may_pledge,
    must_act,
    opening,
    strike,
    take_out,
    void_pledges,
    with_status,
)

# Nouns that are no order's verb, so that a subject can't be read as one, however it is wrapped.
_LABELS = {"bid": "bidding", "shoot": "shooting", "vote": "voting", "pledge": "pledging"}
_ANSWERS = {"bid": (BID, PASS), "shoot": (SHOOT,), "vote": (VOTE, PASS), "pledge": (PASS,)}


class BulletOptions(Options):
    """Buy the Bullet has no rule options."""


class BuyTheBullet:
    """The rule set. The state holds no secret: open bids are standing orders, which the shell keeps."""

    facts = Facts(
        key="buy_the_bullet",
        title="Buy the Bullet",
        tagline="Bid your cards for the one bullet of the round, and fire it; the dead have cards to promise, too.",
        seats=(3, None),
        options=BulletOptions,
        version=1,
        press="alive",
        phases=(
            PhaseKind("bid", "Bidding", {"length": "48h", "min": "12h"}),
            PhaseKind("shoot", "Shooting", {"length": "24h"}),
            PhaseKind("vote", "Voting of the dead", {"length": "24h"}),
            PhaseKind("pledge", "Pledging", {"length": "24h"}),
        ),
    )

    def start(self, seats: Sequence[str], options: Options, draw: Draw) -> Step:
        return Step(opening(seats), ())

    def phase(self, state: Json) -> Phase | None:
        if state["winners"] is not None:
            return None
        name, must = state["phase"], must_act(state)
        return Phase(
            name=name,
            round=state["round"],
            label=f"Round {state['round']}, {_LABELS[name]}",
            must=tuple(must),
            may=tuple(seat for seat in state["seats"] if seat not in must and may_pledge(state, seat)),
            at_once=name == "shoot" or state["emptied"],
            open_waiting=name != "bid",
        )

    def grammar(self, view: Json) -> tuple[Form, ...]:
        return all_forms(view)

    def forms(self, view: Json, seat: str) -> tuple[Form, ...]:
        return forms_for(view, seat)

    def check(self, view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
        forms = forms_for(view, seat)
        refusals = []
        pledged = False
        for n, order in enumerate(orders):
            if not any(form.takes(order) for form in forms):
                refusals.append(Refusal(n, why_not(view, seat, order)))
            elif order.verb == PLEDGE:
                if pledged:
                    reason = (
                        "one pledge a round: the first one of this mail stands, and this one doesn't count (rule B8)"
                    )
                    refusals.append(Refusal(n, reason))
                pledged = True
        return tuple(refusals)

    def complete(self, view: Json, seat: str, orders: Sequence[Order]) -> bool:
        return _answered(view, seat, orders)

    def act(self, state: Json, seat: str, order: Order, draw: Draw) -> Step:
        """Ruling B8: a pledge. Raises ValueError for what `check` refuses."""
        if self.check(state, seat, [order]) or order.verb != PLEDGE:
            raise ValueError(f"{order.line!r} of {seat} is no pledge that can be made now")
        state = copied(state)
        card, to = order.text("card"), order.text("player")
        state["pledges"].append({"from": seat, "card": card, "to": to})
        state["pledged"].append(seat)
        return Step(state, (Event("pledge", "public", {"from": seat, "card": card, "recipient": to}),))

    def close(self, state: Json, orders: Standing, draw: Draw) -> Step:
        state = copied(state)
        # What no longer holds counts as not sent (ruling G5), whoever checked it before.
        valid = {
            seat: [order for order in sent if any(form.takes(order) for form in forms_for(state, seat))]
            for seat, sent in orders.items()
        }
        missing = [seat for seat in must_act(state) if not _answered(state, seat, valid.get(seat, ()))]
        events = [Event("missed", "public", {"player": seat, "phase": state["phase"]}) for seat in missing]
        match state["phase"]:
            case "bid":
                return _close_bids(state, valid, missing, events)
            case "shoot":
                return _close_shot(state, valid, missing, events)
            case "vote":
                _close_vote(state, valid, events)
        end_round(state, events)
        return Step(state, tuple(events))

    def remove(self, state: Json, seat: str, orders: Standing, draw: Draw) -> Step:
        """Ruling G5. A holder's bullet is lost (B5), and then the shoot phase only waits to be closed."""
        if state["players"][seat]["status"] == "removed":
            raise ValueError(f"{seat} has been removed already")
        if state["winners"] is not None:
            raise ValueError("the game is over: nobody can be removed any more")
        state = copied(state)
        waited_for = must_act(state)
        events: list[Event] = []
        take_out(state, [seat], "moderator", events)
        result = ended(state, [seat], events)
        state["emptied"] = state["emptied"] or bool(waited_for and not must_act(state))
        return Step(state, tuple(events), result)

    def standing(self, state: Json, seat: str) -> tuple[Order, ...]:
        return ()

    def view(self, state: Json, seat: str | None) -> Json:
        view = copied(state)
        if seat is not None:
            view |= {"you": seat, "private": {}, "may_pledge": may_pledge(state, seat)}
        return view


def _answered(table: Json, seat: str, orders: Sequence[Order]) -> bool:
    """Whether the phase has what it waits for from this seat; a pledge is on the table, not among the orders."""
    if table["phase"] == "pledge" and seat in table["pledged"]:
        return True
    return any(order.verb in _ANSWERS[table["phase"]] for order in orders)


def _args(orders: Standing, verb: str, slot: str) -> dict[str, str]:
    """Who named what with this verb; the last one counts (ruling G2)."""
    return {seat: order.text(slot) for seat, sent in orders.items() for order in sent if order.verb == verb}


def _close_bids(state: Json, orders: Standing, missing: Sequence[str], events: list[Event]) -> Step:
    penalties: dict[str, int] = {**state["forced"], **{seat: strike(state, seat, events) for seat in missing}}
    state["forced"] = {}
    out = [seat for seat, strikes in penalties.items() if strikes >= LAST_STRIKE]
    if out:
        take_out(state, out, "strikes", events)
        result = ended(state, out, events)
        if result is not None:
            return Step(state, tuple(events), result)
    living = with_status(state, "alive")
    given = _args(orders, BID, "card")
    bids = {seat: given[seat] for seat in living if given.get(seat, NONE) != NONE}
    put = _put_in(state, bids, [seat for seat in living if penalties.get(seat) == LAST_STRIKE - 1])
    table = {**bids, **put}
    winner = bullet_goes_to(bids, put)
    somebody_could = any(hand(state, seat) for seat in living)
    for seat, card in table.items():
        state["players"][seat]["hand"] = without(hand(state, seat), [card])
    told = {"bids": {seat: table.get(seat) for seat in living}, "winner": winner, "put_in": dict(put)}
    events.append(Event("bids", "public", told))
    state["emptied"] = False
    if winner is not None:
        state |= {"phase": "shoot", "holder": winner}
    elif not table and somebody_could and with_status(state, "dead"):
        state["phase"] = "vote"
    else:
        end_round(state, events)
    return Step(state, tuple(events))


def _put_in(state: Json, bids: Mapping[str, str], seats: Sequence[str]) -> dict[str, str]:
    """Ruling B4, second strikes: the cards put in for these players, one after the other in seat order."""
    put: dict[str, str] = {}
    for seat in seats:
        card = put_in(hand(state, seat), [*bids.values(), *put.values()])
        if card is not None:
            put[seat] = card
    return put


def _close_shot(state: Json, orders: Standing, missing: Sequence[str], events: list[Event]) -> Step:
    """Ruling B5. With nobody to fire (the holder was removed) the round just ends."""
    left: list[str] = []
    for holder in missing:
        strikes = strike(state, holder, events)
        if strikes < LAST_STRIKE:
            state["forced"][holder] = strikes
            return Step(state, tuple(events))
        left = [holder]
        take_out(state, left, "strikes", events)
    shots = _args(orders, SHOOT, "player")
    if state["holder"] is not None:
        by, target = state["holder"], shots[state["holder"]]
        left = [target]
        state["players"][target]["status"] = "dead"
        state["holder"] = None
        state["forced"].pop(target, None)
        kept = in_order(hand(state, target))
        events.append(Event("shot", "public", {"by": by, "player": target, "hand": kept}))
        void_pledges(state, events)
    result = ended(state, left, events) if left else None
    if result is None:
        end_round(state, events)
    return Step(state, tuple(events), result)


def _close_vote(state: Json, orders: Standing, events: list[Event]) -> None:
    """Ruling B7."""
    given = _args(orders, VOTE, "player")
    votes = {seat: given[seat] for seat in state["seats"] if seat in given}
    taken, struck = struck_out(votes.values())
    cards = in_order(hand(state, taken))[:1] if taken is not None else []
    if taken is not None:
        state["players"][taken]["hand"] = without(hand(state, taken), cards)
    told = {"votes": votes, "player": taken, "card": next(iter(cards), None), "struck_out": struck}
    events.append(Event("vote", "public", told))


GAME = BuyTheBullet()

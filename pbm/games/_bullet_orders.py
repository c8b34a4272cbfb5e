"""What may be written in Buy the Bullet, and why an order isn't taken: from the view of the one who writes."""

from collections.abc import Sequence
from functools import lru_cache

from pbm.core.engine import Choice, Form, Json, Order, Slot
from pbm.games._bullet_cards import NO_CARD, SUIT_CHOICES, SUIT_NAMES, in_words
from pbm.games._bullet_table import hand, may_pledge, must_act, with_status

BID, SHOOT, PLEDGE, VOTE, PASS = "BID", "SHOOT", "PLEDGE", "VOTE", "PASS"

_PHASES = {"bid": "the bidding", "shoot": "the shot", "vote": "the vote of the dead", "pledge": "a round of pledges"}
_WHEN = {BID: ("bid", "cards are bid"), SHOOT: ("shoot", "the bullet is fired"), VOTE: ("vote", "the dead vote")}


def _suits(cards: Sequence[str], *more: Choice) -> Slot:
    return Slot("card", "suit", (*(choice for choice in SUIT_CHOICES if choice.value in cards), *more))


def _players(names: Sequence[str]) -> Slot:
    return Slot("player", "player", tuple(Choice(name, (name,)) for name in names))


def bid_form(cards: Sequence[str]) -> Form:
    return Form((BID, _suits(cards, NO_CARD)), "bid a card of your hand, or none", repeat="last")


def shoot_form(names: Sequence[str]) -> Form:
    text = "fire the bullet: it counts at once and can't be taken back"
    return Form((SHOOT, _players(names)), text, repeat="last", final=True)


def pledge_form(cards: Sequence[str], names: Sequence[str]) -> Form:
    text = "promise one of your cards to a living player: posted at once, and it can't be taken back"
    return Form((PLEDGE, _suits(cards), "TO", _players(names)), text, repeat="first", at_once=True, public=True)


def vote_form(names: Sequence[str]) -> Form:
    text = "say who shall lose their highest card; posted as it comes"
    return Form((VOTE, _players(names)), text, repeat="last", public=True)


def pass_form(text: str) -> Form:
    return Form((PASS,), text, repeat="last")


def all_forms(table: Json) -> tuple[Form, ...]:
    return _grammar(tuple(table["seats"]))


@lru_cache(maxsize=64)  # asked for once a line, and the same for a whole game
def _grammar(names: tuple[str, ...]) -> tuple[Form, ...]:
    suits = tuple(SUIT_NAMES)
    passing = pass_form("do nothing: bid none, or abstain")
    return bid_form(suits), shoot_form(names), pledge_form(suits, names), vote_form(names), passing


def forms_for(table: Json, seat: str) -> tuple[Form, ...]:
    """What this seat may write now, line by line."""
    phase, living = table["phase"], with_status(table, "alive")
    if table["winners"] is not None or table["players"][seat]["status"] == "removed":
        return ()
    if table["players"][seat]["status"] == "alive":
        if seat not in must_act(table):
            return ()
        if phase == "bid":
            return bid_form(hand(table, seat)), pass_form("the same as bidding no card")
        return (shoot_form([name for name in living if name != seat]),)
    forms = []
    if phase == "vote":
        forms.append(vote_form(living))
    free = may_pledge(table, seat)
    if free:
        forms.append(pledge_form(free, living))
    forms.append(pass_form("abstain" if phase == "vote" else "promise nothing"))
    return tuple(forms)


def why_not(table: Json, seat: str, order: Order) -> str:
    """The reason for an order that no form of this seat takes."""
    player, phase, verb = table["players"][seat], table["phase"], order.verb
    if table["winners"] is not None:
        return "the game is over: no orders are taken any more"
    if player["status"] == "removed":
        return "you have been removed from this game, and have no more orders to give (rulings G5 and B9)"
    if player["status"] == "dead":
        if verb == PLEDGE:
            return _why_no_pledge(table, seat, order)
        if verb != VOTE:
            return "you are dead: all that is left to you is to promise a card to the living, and to vote when asked"
    elif verb == PLEDGE:
        return "only the dead promise cards; you are alive, and your cards are yours to bid (rule B8)"
    elif verb == VOTE:
        return "only the dead vote, when all the living have bid no card (rule B7)"
    if verb in _WHEN and phase != _WHEN[verb][0]:
        return f"this is not the phase in which {_WHEN[verb][1]}: {_PHASES[phase]} is open now"
    if verb == VOTE:
        return f"{order.text('player')} is not among the living; only a living player can be voted for"
    return _why_not_alive(table, seat, order)


def _why_not_alive(table: Json, seat: str, order: Order) -> str:
    """For a living player: a bid in the bid phase, a shot in the shoot phase, or a PASS in any."""
    phase = table["phase"]
    if phase == "bid":
        if not hand(table, seat):
            return "you have no cards, so there is nothing for you to bid in this round (rule B2)"
        if seat in table["forced"]:
            return "your strike for the shot that you didn't fire decides this bid; nothing you send counts (rule B5)"
        return f"you hold no {SUIT_NAMES[order.text('card')]}; your hand: {in_words(hand(table, seat))} (rule B2)"
    if phase != "shoot":
        return f"{_PHASES[phase]} is open now: the living have nothing to send until it is over"
    if table["holder"] is None:
        return "the bullet is lost with the one who held it; nobody fires it (rule B5)"
    if table["holder"] != seat:
        return f"{table['holder']} has the bullet; you have nothing to send until it is fired (rule B5)"
    if order.verb == PASS:
        return "the holder of the bullet can't pass: name the player who is to be shot (rulings G3 and B5)"
    if order.text("player") == seat:
        return "you can't turn the bullet on yourself; name another living player (rule B5)"
    return f"{order.text('player')} is not among the living any more; name another living player (rule B5)"


def _why_no_pledge(table: Json, seat: str, order: Order) -> str:
    card, to = SUIT_NAMES[order.text("card")], order.text("player")
    if seat in table["pledged"]:
        return "you have already made your pledge of this round; the next is possible in the next round (rule B8)"
    if not hand(table, seat):
        return "you have no cards left to promise (rule B8)"
    free = may_pledge(table, seat)
    if order.text("card") not in free:
        if order.text("card") in hand(table, seat):
            return f"your {card} is promised already; still free: {in_words(free)} (rule B8)"
        return f"you hold no {card}; free to be promised: {in_words(free)} (rule B8)"
    return f"{to} is not among the living; a card can only be promised to a living player (rule B8)"

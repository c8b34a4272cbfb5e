"""Tontine's orders: which there are (grammar), which a seat may send now (forms), and why one isn't taken (check).

Everything here reads a view, never the state, so that nothing secret can shape a refusal.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from pbm.core.engine import Choice, Form, Json, Order, Refusal, Slot
from pbm.core.names import fold

HIT, PROTECT, BRIBE, SECRET, BLACKMAIL, PASS, VOTE = (
    "HIT",
    "PROTECT",
    "BRIBE",
    "SECRET BRIBE",
    "BLACKMAIL",
    "PASS",
    "VOTE",
)  # fmt: skip
PRICES = {HIT: 1, PROTECT: 2, BRIBE: 3, SECRET: 5}
OWN = (HIT, PROTECT, BLACKMAIL)  # orders to one's own assassin (T2)

PASS_ROUND = Form((PASS,), "do nothing this round, on purpose: it costs nothing and is no miss")
PASS_JURY = Form((PASS,), "abstain")
_BLACKMAIL = Form((BLACKMAIL,), "your own assassin does nothing this round, whoever pays it: free, once a game")


def alive(view: Json) -> list[str]:
    """The players in play, in seat order: alive, so neither dead, jailed nor removed."""
    return [name for name, player in view["players"].items() if player["status"] == "alive"]


def jailed(view: Json) -> list[str]:
    """The jury, in seat order (T16)."""
    return [name for name, player in view["players"].items() if player["status"] == "jailed"]


def assassin_of(order: Order, seat: str) -> str:
    """The owner of the assassin that an order of `seat` goes to; call it for orders to an assassin only."""
    return order.text("assassin") if order.verb in (BRIBE, SECRET) else seat


def grammar(view: Json) -> tuple[Form, ...]:
    """Every shape in any phase, with all names whatever their status."""
    return _grammar(tuple((name, player["assassin"]) for name, player in view["players"].items()))


@lru_cache(maxsize=64)  # every line of every mail is read by it
def _grammar(owners: tuple[tuple[str, str], ...]) -> tuple[Form, ...]:
    names = [owner for owner, _ in owners]
    return (*_paid(names, names, _assassins(owners), own=True), _BLACKMAIL, _vote(names), PASS_ROUND)


def forms(view: Json, seat: str) -> tuple[Form, ...]:
    """What the seat may write now: exactly what `check` takes line by line."""
    me = view["players"][seat]
    if view["phase"] == "round" and me["status"] == "alive":
        targets = alive(view)
        owners = tuple((name, player["assassin"]) for name, player in view["players"].items())
        hired = tuple(a for a in _assassins(owners) if view["players"][a.value]["assassin_in_play"])
        own = me["assassin_in_play"]
        others_first = [t for t in targets if t != seat] + [seat]
        me_first = [seat] + [t for t in targets if t != seat]
        found = list(_paid(others_first, me_first, hired, own=own))
        if own and not view["private"]["blackmail_used"]:
            found.append(_BLACKMAIL)
        return (*found, PASS_ROUND)
    if view["phase"] == "jury" and me["status"] == "jailed":
        return (_vote(alive(view)), PASS_JURY)
    return ()


def _paid(targets: Sequence[str], wards: Sequence[str], assassins: tuple[Choice, ...], *, own: bool) -> Iterable[Form]:
    """The orders that cost something; those to one's own assassin only with `own`, bribes only with somebody to bribe.

    Two lists of the same players: help and examples show the first ones.
    """
    target = Slot("player", "player", _players(targets))
    if own:
        ward = Slot("player", "player", _players(wards))
        yield Form((HIT, target), "your assassin hits a player (1 token)")
        yield Form((PROTECT, ward), "your assassin stops one hit on a player (2 tokens)")
    if assassins:
        hired = Slot("assassin", "assassin", assassins)
        yield Form((BRIBE, hired, HIT, target), "that assassin hits a player, and its owner is told of you (3 tokens)")
        yield Form((SECRET, hired, HIT, target), "the same, and nobody is told of you (5 tokens)")


def _vote(finalists: Iterable[str]) -> Form:
    return Form((VOTE, Slot("player", "player", _players(finalists))), "vote for the winner", repeat="last")


def _players(names: Iterable[str]) -> tuple[Choice, ...]:
    return tuple(Choice(name, (name,)) for name in names)


@lru_cache(maxsize=64)
def _assassins(owners: tuple[tuple[str, str], ...]) -> tuple[Choice, ...]:
    """Assassins, from (owner, assassin) pairs: written by the assassin's name or the owner's. Where a player bears the
    name of an assassin, that name means the assassin, so it is no spelling of the player's own assassin then."""
    taken = {fold(name) for _, name in owners}
    found = []
    for owner, name in owners:
        found.append(Choice(owner, (name,) if fold(owner) in taken else (name, owner)))
    return tuple(found)


def check(view: Json, seat: str, orders: Sequence[Order]) -> tuple[Refusal, ...]:
    """Why lines of one mail aren't taken, each by itself; then T10's rule about the whole mail for the rest of it."""
    reason_for = _reasons(view, seat)
    refusals: list[Refusal] = []
    blackmailed = False
    kept: list[Order] = []
    for n, order in enumerate(orders):
        reason = reason_for(order)
        if reason is None and order.verb == BLACKMAIL and blackmailed:
            reason = "a second (BLACKMAIL) in one mail does nothing: once is enough, and once a game (rule T10)"
        if reason is None:
            kept.append(order)
            blackmailed = blackmailed or order.verb == BLACKMAIL
        else:
            refusals.append(Refusal(n, reason))
    own = next((o for o in kept if o.verb in (*PRICES,) and assassin_of(o, seat) == seat), None)
    if blackmailed and own is not None:
        name = view["players"][seat]["assassin"]
        refusals.append(
            Refusal(
                None,
                f"(BLACKMAIL) makes {name} do nothing this round, so it can't stand beside ({own.line}), which also "
                f"goes to {name}; nothing in this mail was taken. Send it again with only one of the two (rule T10)",
            )
        )
    return tuple(refusals)


def _reasons(view: Json, seat: str) -> Callable[[Order], str | None]:
    """The check of one line for this seat in the phase that is open."""
    status = view["players"][seat]["status"]
    if view["phase"] == "over":
        return lambda order: "the game is over; nothing can be sent any more"
    if status == "removed":
        return lambda order: "you were removed from the game and have nothing to send any more (rule T17)"
    if status == "dead":
        return lambda order: "you are dead and have nothing to send any more; the dead have no vote either (rule T16)"
    if view["phase"] == "round":
        if status == "jailed":
            return lambda order: (
                "you are in jail and have nothing to send in a round; if two players are left, you will be asked "
                "for your vote (rule T16)"
            )
        return lambda order: _round_fault(view, seat, order)
    if status == "alive":
        return lambda order: "the jury is voting about you; you have nothing to send until it has closed (rule T16)"
    return lambda order: _jury_fault(view, order)


def _round_fault(view: Json, seat: str, order: Order) -> str | None:
    if order.verb == PASS:
        return None
    if order.verb == VOTE:
        return "there is no vote now: the jury is asked once two players are left and somebody is in jail (rule T15)"
    me = view["players"][seat]
    if order.verb in OWN and not me["assassin_in_play"]:
        return f"your assassin {me['assassin']} is no longer in play; you can only bribe others' assassins (rule T13)"
    if order.verb == BLACKMAIL:
        if view["private"]["blackmail_used"]:
            return f"you have already blackmailed {me['assassin']}; that works once a game (rule T10)"
        return None
    if order.verb not in PRICES:
        return f"({order.line}) is no order of a round"
    if order.verb in (BRIBE, SECRET):
        owner = order.text("assassin")
        if owner not in view["players"] or not view["players"][owner]["assassin_in_play"]:
            name = view["players"][owner]["assassin"] if owner in view["players"] else owner
            left = [p["assassin"] for p in view["players"].values() if p["assassin_in_play"]]
            return f"{name} is no longer in play; assassins in play: {', '.join(left) or 'none'} (rule T2)"
    return _target_fault(view, order.text("player"), "only players alive can be hit or protected")


def _jury_fault(view: Json, order: Order) -> str | None:
    if order.verb == PASS:
        return None
    if order.verb != VOTE:
        return f"the jury only votes now: send the name of one of the two, such as (VOTE {alive(view)[0]}) (rule T16)"
    return _target_fault(view, order.text("player"), "the vote is between the two who are left")


def _target_fault(view: Json, target: str, why: str) -> str | None:
    player = view["players"].get(target)
    if player is not None and player["status"] == "alive":
        return None
    status = player["status"] if player is not None else "not in this game"
    word = "in jail" if status == "jailed" else status
    return f"{target} is {word}; {why}: {', '.join(alive(view))} (rule {'T2' if view['phase'] == 'round' else 'T16'})"

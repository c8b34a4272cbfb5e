"""What the paper game (`pbm adjudicate`) and the live service do alike around a rule set: one validator for all.

*Standing* orders are those that count when the open phase closes: {seat: orders}.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.core.engine import Form, Game, Json, Order, Refusal, Standing

PASS = "PASS"  # noqa: S105 - an order, no secret


@dataclass(frozen=True, slots=True)
class Checked:
    """Orders of one mail: `at_once` take effect now, one after the other; `standing` until the phase closes.

    `refusals` index the orders that went in; one with n None refuses the whole mail, and then nothing is kept.
    """

    at_once: tuple[tuple[int, Order], ...]
    standing: tuple[Order, ...]
    refusals: tuple[Refusal, ...]


def form_of(game: Game, view: Json, order: Order) -> Form | None:
    """The form of the grammar that the order was written by; None for half of a split one (`PICK x CLAIM y`)."""
    return next((form for form in game.grammar(view) if form.verb == order.verb and not form.split), None)


def check(game: Game, view: Json, seat: str, orders: Sequence[Order]) -> Checked:
    """Check one mail's orders by the game, and leave out what ruling G2 lets a later line of the same mail replace."""
    refusals = game.check(view, seat, orders)
    if any(refusal.n is None for refusal in refusals):
        return Checked((), (), refusals)
    refused = {refusal.n for refusal in refusals}
    good = [(n, order) for n, order in enumerate(orders) if n not in refused]
    forms = {order.verb: form_of(game, view, order) for _, order in good}
    at_once = tuple((n, o) for n, o in good if (f := forms[o.verb]) is not None and f.at_once)
    rest = [order for n, order in good if (n, order) not in at_once]
    return Checked(at_once, settle([forms[o.verb] for o in rest], rest), refusals)


def settle(forms: Sequence[Form | None], orders: Sequence[Order]) -> tuple[Order, ...]:
    """Ruling G2: of several lines of a `last` form the last counts; `PASS` changes nothing beside other orders (G3)."""
    last = {order.verb: n for n, order in enumerate(orders)}
    kept = [
        order
        for n, (form, order) in enumerate(zip(forms, orders, strict=True))
        if form is None or form.repeat != "last" or last[order.verb] == n
    ]
    acting = [order for order in kept if order.verb != PASS]
    return tuple(acting or kept[-1:])


def merge(game: Game, old: Sequence[Order], new: Sequence[Order]) -> tuple[Order, ...]:
    """What stands once `new` (of a newer mail, with at least one order) has come: rulings G2 and P3."""
    if not new:
        return tuple(old)
    if game.facts.merge == "mail":
        return tuple(new)
    verbs = {order.verb for order in new}
    return (*(order for order in old if order.verb not in verbs), *new)


def waiting(game: Game, state: Json, standing: Standing) -> tuple[str, ...]:
    """Who must act and hasn't yet sent all that the phase waits for, in seat order."""
    phase = game.phase(state)
    if phase is None:
        return ()
    return tuple(seat for seat in phase.must if not game.complete(game.view(state, seat), seat, standing.get(seat, ())))


def recheck(
    game: Game, state: Json, standing: Standing
) -> tuple[dict[str, tuple[Order, ...]], dict[str, tuple[Order, ...]]]:
    """Ruling G5: all standing orders checked again after a removal; what still holds, and what drops out."""
    kept: dict[str, tuple[Order, ...]] = {}
    dropped: dict[str, tuple[Order, ...]] = {}
    for seat, orders in standing.items():
        refusals = game.check(game.view(state, seat), seat, orders)
        bad = {n for n in range(len(orders)) if any(r.n is None or r.n == n for r in refusals)}
        kept[seat] = tuple(order for n, order in enumerate(orders) if n not in bad)
        if bad:
            dropped[seat] = tuple(order for n, order in enumerate(orders) if n in bad)
    return kept, dropped

"""The end of a round in Tontine: misses, the two waves of payments, deaths, jail, roulette (rulings T3 to T13).

`settle` works on a fresh copy of the state and changes it as the rulings say, in their order. What it tells the public
is sorted by seats, never by wave or by who paid, since both would say more of the payers than T1 lets them know.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pbm.core.draw import Draw
from pbm.core.engine import Event, Json, Order
from pbm.games._tontine_orders import BLACKMAIL, BRIBE, HIT, PRICES, PROTECT, SECRET, alive, assassin_of

Fate = Literal["credit", "paid", "paid_late", "target_gone", "died", "unpaid"]
FORCED = (SECRET, BRIBE, PROTECT, HIT)  # what a later miss may pay for, the dearest first (T12)


@dataclass(slots=True)
class Job:
    """One order that costs something: who pays, which assassin (by its owner), and what has become of it."""

    payer: str
    verb: str
    owner: str
    target: str
    line: str
    fate: Fate = "credit"

    @property
    def price(self) -> int:
        return PRICES[self.verb]

    @property
    def is_bribe(self) -> bool:
        return self.verb in (BRIBE, SECRET)

    @property
    def is_paid(self) -> bool:
        return self.fate in ("paid", "paid_late")


@dataclass(slots=True)
class Round:
    """A round while it is settled. `lives`: at its start. `silent`: the owners whose assassins T10 holds back."""

    state: Json
    draw: Draw
    lives: dict[str, int]
    jobs: dict[str, list[Job]] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    stopped: list[tuple[Job, bool]] = field(
        default_factory=list
    )  # every hit that was aimed, and whether it was stopped
    guards: list[Job] = field(default_factory=list)
    public: list[Event] = field(default_factory=list)

    @property
    def players(self) -> dict[str, Json]:
        players: dict[str, Json] = self.state["players"]
        return players

    def seat(self, name: str) -> int:
        return list(self.players).index(name)

    def damage(self, job: Job) -> int:
        """T3: by the life that the assassin's owner had at the start of the round."""
        return 4 - self.lives[job.owner]

    def all_jobs(self) -> Iterable[Job]:
        return (job for jobs in self.jobs.values() for job in jobs)


def settle(state: Json, orders: Mapping[str, Sequence[Order]], draw: Draw) -> tuple[list[Event], bool]:
    """Play the round out up to and including T13, in `state`. The events, and whether anything at all was paid."""
    r = Round(state, draw, {name: player["life"] for name, player in state["players"].items()})
    missed = _take_orders(r, orders)
    fallen = _wave(r, "paid")
    each = _bury(r, fallen)
    _lapse(r, fallen)
    later = _wave(r, "paid_late")
    for name in later:
        r.players[name]["status"] = "dead"
    jailed = _jail(r)
    for player in r.players.values():  # T8: an assassin leaves with its owner, at the end of the round
        player["assassin_in_play"] = player["assassin_in_play"] and player["status"] == "alive"
    paid = any(job.is_paid for job in r.all_jobs())
    _tell_story(r, [*fallen, *later], each, jailed)
    if not paid:
        _roulette(r)
    _keep_accounts(r)
    return [*missed, *r.public, *_private(r)], paid


def _take_orders(r: Round, orders: Mapping[str, Sequence[Order]]) -> list[Event]:
    """Everybody's jobs, blackmails, and the misses with what T12 makes of them."""
    missed = []
    for player in r.players.values():
        player["last"] = None
    for seat in alive(r.state):
        me = r.players[seat]
        me["last"] = {
            "round": r.state["round"],
            "held": me["tokens"],
            "lost": 0,
            "dividend": 0,
            "new": 0,
            "missed": False,
        }
        mine = [order for order in orders.get(seat, ()) if _holds(r, seat, order)]
        r.jobs[seat] = [
            Job(seat, o.verb, assassin_of(o, seat), o.text("player"), o.line) for o in mine if o.verb in PRICES
        ]
        if any(order.verb == BLACKMAIL for order in mine):
            r.silent.add(seat)
            me["blackmail_used"] = True
        if not mine:
            me["misses"] += 1
            me["last"]["missed"] = True
            missed.append(Event("missed", (seat,), {"player": seat, "misses": me["misses"]}))
            if me["misses"] > 1:
                _force(r, seat)
    return missed


def _holds(r: Round, seat: str, order: Order) -> bool:
    """Whether an order that was checked when it came in still does, whatever was removed since (G5)."""
    if order.verb in PRICES:
        assassin = r.players[assassin_of(order, seat)]
        return bool(assassin["assassin_in_play"]) and r.players[order.text("player")]["status"] == "alive"
    return order.verb != BLACKMAIL or (r.players[seat]["assassin_in_play"] and not r.players[seat]["blackmail_used"])


def _force(r: Round, seat: str) -> None:
    """T12: all tokens go, the dearest payment that they reach is made to one's own assassin, with a drawn target."""
    me = r.players[seat]
    if not me["tokens"] or not me["assassin_in_play"]:
        return
    verb = next(verb for verb in FORCED if PRICES[verb] <= me["tokens"])
    others = [name for name in alive(r.state) if name != seat]
    target = r.draw.choice(f"round {r.state['round']}: {seat} target", others)
    me["last"]["lost"] = me["tokens"] - PRICES[verb]
    me["tokens"] = PRICES[verb]
    line = f"{verb} {me['assassin']} HIT {target}" if verb in (BRIBE, SECRET) else f"{verb} {target}"
    r.jobs[seat] = [Job(seat, verb, seat, target, line)]


def _wave(r: Round, fate: Literal["paid", "paid_late"]) -> list[str]:
    """One wave of payments (T4, T7): all that is paid takes effect at the same time. Who is at 0 life after it."""
    now: list[Job] = []
    for seat in alive(r.state):
        for job in (job for job in r.jobs[seat] if job.fate == "credit"):
            if job.price > r.players[seat]["tokens"]:
                break
            r.players[seat]["tokens"] -= job.price
            job.fate = fate
            now.append(job)
    acting = [job for job in now if job.owner not in r.silent]
    guards = [job for job in acting if job.verb == PROTECT]
    r.guards += guards
    for target in alive(r.state):
        hits = [job for job in acting if job.verb != PROTECT and job.target == target]
        hits.sort(key=lambda job: (-r.damage(job), r.seat(job.owner)))  # T5: the strongest is stopped first
        stops = sum(job.target == target for job in guards)
        r.stopped += [(job, n < stops) for n, job in enumerate(hits)]
        hurt = sum(r.damage(job) for job in hits[stops:])
        r.players[target]["life"] = max(0, r.players[target]["life"] - hurt)
    return [name for name in alive(r.state) if r.players[name]["life"] == 0]


def _bury(r: Round, fallen: Sequence[str]) -> int | None:
    """T6: the dead of the first wave (or of T13's roulette), and the dividend. What each living player received; None
    without a death, or with nobody left to receive it."""
    if not fallen:
        return None
    for name in fallen:
        r.players[name]["status"] = "dead"
    r.state["deaths_rounds"] += 1
    each = dividend(r.state["options"]["dividends"], r.state["deaths_rounds"])
    heirs = alive(r.state)
    for name in heirs:
        r.players[name]["tokens"] += each
        r.players[name]["last"]["dividend"] = each
    return each if heirs else None


def dividend(figures: Sequence[int], nth: int) -> int:
    """What the nth round with a death pays to each (T6); the last figure goes on for good."""
    return figures[min(nth, len(figures)) - 1]


def _lapse(r: Round, fallen: Sequence[str]) -> None:
    """T7: an order on credit against somebody who died in the first wave costs nothing and counts as paid for T9."""
    for job in r.all_jobs():
        if job.fate == "credit" and job.target in fallen:
            job.fate = "target_gone"


def _jail(r: Round) -> list[str]:
    """T9: a living player with an order that is still unpaid. Orders on credit of the dead of both waves lapse."""
    for job in r.all_jobs():
        if job.fate == "credit":
            job.fate = "died" if r.players[job.payer]["status"] == "dead" else "unpaid"
    caught = [seat for seat in alive(r.state) if any(job.fate == "unpaid" for job in r.jobs[seat])]
    for seat in caught:
        r.players[seat]["status"] = "jailed"
        r.players[seat]["last"]["lost"] += r.players[seat]["tokens"]
        r.players[seat]["tokens"] = 0
    return caught


def _tell_story(r: Round, dead: Sequence[str], each: int | None, jailed: Sequence[str]) -> None:
    """What the public learns of the two waves, sorted by seats."""

    def named(job: Job) -> Json:
        return {"assassin": r.players[job.owner]["assassin"], "owner": job.owner, "target": job.target}

    def place(job: Job) -> tuple[int, int]:
        return r.seat(job.target), r.seat(job.owner)

    aimed = {job.target for job, _ in r.stopped}
    for job, stopped in sorted(r.stopped, key=lambda hit: (*place(hit[0]), hit[1])):
        r.public.append(Event("hit", "public", {**named(job), "damage": r.damage(job), "stopped": stopped}))
    for job in sorted(r.guards, key=place):
        if job.target in aimed:
            r.public.append(Event("protection", "public", named(job)))
    r.public += [Event("death", "public", {"player": name}) for name in r.players if name in dead]
    if each is not None:
        r.public.append(Event("dividend", "public", {"each": each}))
    r.public += [Event("jailed", "public", {"player": name}) for name in jailed]


def _roulette(r: Round) -> None:
    """T13, where nothing was paid: one assassin leaves the game, or with the option one player."""
    whole = r.state["options"]["roulette"] == "player"
    barrel = [name for name in alive(r.state) if whole or r.players[name]["assassin_in_play"]]
    if len(barrel) < 2:
        return
    owner = r.draw.choice(f"round {r.state['round']}: roulette", barrel)
    r.players[owner]["assassin_in_play"] = False
    told = {"owner": owner, "assassin": r.players[owner]["assassin"], "dies": "player" if whole else "assassin"}
    r.public.append(Event("roulette", "public", told))
    if whole:  # only hits take life points, so the one who dies here keeps showing theirs
        each = _bury(r, [owner])
        r.public.append(Event("death", "public", {"player": owner}))
        r.public.append(Event("dividend", "public", {"each": each}))


def _keep_accounts(r: Round) -> None:
    """What each player's result mail says of their own orders, and what they hold now."""
    for seat, jobs in r.jobs.items():
        me = r.players[seat]
        me["last"]["orders"] = [{"line": job.line, "price": job.price, "fate": job.fate} for job in jobs]
        me["last"]["blackmail"] = seat in r.silent
        me["last"]["holds"] = me["tokens"]


def _private(r: Round) -> list[Event]:
    """T10 to the payer, T11 to the owner; in seat order of those who paid, and of the targets."""
    bribes = [job for job in r.all_jobs() if job.is_bribe and job.is_paid]
    bribes.sort(key=lambda job: (r.seat(job.payer), r.seat(job.owner), r.seat(job.target)))
    events = []
    for job in bribes:
        named = {"assassin": r.players[job.owner]["assassin"], "target": job.target}
        if job.verb == BRIBE:
            events.append(Event("bribe_told", (job.owner,), {**named, "by": job.payer}))
        if job.owner in r.silent:
            events.append(Event("bribe_refused", (job.payer,), {**named, "owner": job.owner}))
    return events

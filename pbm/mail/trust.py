"""Who is this, and may they? One tuple of rules, read from top to bottom; the first that says something decides.

MAIL.md, *Addresses and identity*. The rules are pure: the case holds all that was looked up before.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pbm.mail.letter import Kind, Letter

# Answers that one address gets in a day before it is left unanswered: what ends a loop that nothing marks.
ANSWERS_A_DAY = 60
STRANGER_ANSWERS_A_DAY = 1


@dataclass(frozen=True, slots=True)
class Holder:
    """Whom a token speaks for. `seat` None: a moderator. `live`: what it was made for can still be done.

    `revoked`: REPLACE or ADDRESS ended it. `question`: the id of a question that a reply confirms."""

    game: str
    seat: str | None
    address: str
    turn: int | None
    live: bool
    revoked: bool = False
    question: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """A seat (None: moderator) whose address on file is the mail's From. `open`: its game isn't over."""

    game: str
    seat: str | None
    open: bool


@dataclass(frozen=True, slots=True)
class Case:
    """A letter, with what the database knows of it. `proven`: an aligned pass; `named`: games that the thread's
    headers, then the subject, name; `answered`: answers to this address today."""

    letter: Letter
    own: str
    token: str | None
    holder: Holder | None
    proven: bool
    claims: tuple[Claim, ...]
    named: tuple[str, ...]
    answered: int
    stranger_answered: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do. `act`: for `game` and `seat` (None: its moderator); `confirm`: ask the address on file first;
    `which`: ask which game; `base`: nobody's seat: JOIN, or the short answer; `bounce`; `listed`: came by a list;
    `unreadable`: answer its owner; `drop`: no answer. `quiet`: do it, but answer nothing."""

    do: Literal["act", "answer", "confirm", "which", "base", "bounce", "listed", "unreadable", "drop"]
    reason: str = ""
    game: str | None = None
    seat: str | None = None
    moderator: bool = False
    quiet: bool = False


Rule = Callable[[Case], Verdict | None]


def own_mail(case: Case) -> Verdict | None:
    if case.letter.kind is Kind.OWN:
        return Verdict("drop", "our own mail came back")
    return None


def bounce(case: Case) -> Verdict | None:
    if case.letter.kind is Kind.BOUNCE:
        return Verdict("bounce", "a bounce")
    return None


def automatic(case: Case) -> Verdict | None:
    if case.letter.kind is Kind.AUTO:
        return Verdict("drop", "an automatic reply")
    return None


def readable(case: Case) -> Verdict | None:
    """A mail over the limits, or broken beyond reading: its owner is told where a token names one."""
    if case.letter.kind is not Kind.REFUSED:
        return None
    reason = case.letter.refused or "it can't be read"
    holder = case.holder if case.holder is not None and case.holder.game else None
    if holder is not None and not holder.revoked and case.answered < ANSWERS_A_DAY:
        return Verdict("unreadable", reason, holder.game, holder.seat, moderator=holder.seat is None)
    return Verdict("drop", reason)


def by_list(case: Case) -> Verdict | None:
    if case.letter.kind is Kind.LIST:
        reason = "it came by a mailing list, where orders never go"
        return Verdict("listed" if case.answered < ANSWERS_A_DAY else "drop", reason)
    return None


def one_from(case: Case) -> Verdict | None:
    if case.letter.sender is None:
        return Verdict("drop", "it doesn't name one sender")
    return None


def revoked(case: Case) -> Verdict | None:
    if case.holder is not None and case.holder.revoked:
        return Verdict("drop", "its reply address was ended when the seat got a new address")
    return None


def question(case: Case) -> Verdict | None:
    if case.holder is not None and case.holder.question is not None:
        return Verdict("answer", "", case.holder.game, case.holder.seat, quiet=case.answered >= ANSWERS_A_DAY)
    return None


def token(case: Case) -> Verdict | None:
    """A live token acts for its seat, whatever address the mail came from; an older one still proves the seat."""
    if case.holder is None:
        return None
    return Verdict(
        "act",
        "",
        case.holder.game,
        case.holder.seat,
        moderator=case.holder.seat is None,
        quiet=case.answered >= ANSWERS_A_DAY,
    )


def unknown_token(case: Case) -> Verdict | None:
    """A token that nobody holds proves nothing; the rest of the mail may."""
    if case.token is not None and not case.claims:
        return Verdict("drop", "its reply address is nobody's")
    return None


def rate(case: Case) -> Verdict | None:
    if case.answered >= ANSWERS_A_DAY:
        return Verdict("drop", f"more than {ANSWERS_A_DAY} answers to this address today")
    return None


def by_address(case: Case) -> Verdict | None:
    """Without a token: From is a seat's address, and a trusted server says that it is true; else that address is asked.

    The game: by the thread, else by `[id]` in the subject, else the only open one."""
    claims = [c for c in case.claims if c.open] or list(case.claims)
    named = [c for name in case.named[:1] for c in case.claims if c.game == name]
    if named:
        claims = named
    if not claims:
        return None
    if len({c.game for c in claims}) > 1:
        return Verdict("which", "it doesn't say which game it is for")
    claim = claims[0]
    return Verdict(
        "act" if case.proven else "confirm",
        "" if case.proven else "nothing proves that it comes from the address in its From",
        claim.game,
        claim.seat,
        moderator=claim.seat is None,
    )


def stranger(case: Case) -> Verdict | None:
    return Verdict("base", "it comes from nobody in a game")


RULES: tuple[Rule, ...] = (
    own_mail,
    bounce,
    automatic,
    readable,
    by_list,
    one_from,
    revoked,
    question,
    token,
    unknown_token,
    rate,
    by_address,
    stranger,
)


def judge(case: Case) -> Verdict:
    for rule in RULES:
        verdict = rule(case)
        if verdict is not None:
            return verdict
    raise AssertionError("the last rule always decides")

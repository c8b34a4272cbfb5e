"""Every kind of mail that there is, made from the states of a real game, with what a hostile player might put in."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbm.core.engine import Event, Form
from pbm.mail import contexts as c
from pbm.mail.guard import Guard
from pbm.mail.pages import Page, Pages
from pbm.mail.templates import Templates
from tests.support.table import Table, line_for, random_mail

PAGES = Pages(Templates())
BASE = "pbm@example.org"
DUE = c.Due(1_796_403_600, "Europe/Berlin")


@dataclass(frozen=True)
class Sample:
    """A page, and for whom: a public one has no links."""

    kind: str
    page: Page
    public: bool = False


def grammar(table: Table) -> tuple[Form, ...]:
    return table.game.grammar(table.game.view(table.state, None))


def guard(table: Table) -> Guard:
    return Guard(grammar(table))


def nasty(table: Table, chance: random.Random) -> str:
    """Text as players write it, and as one would who wants others to act when they quote it."""
    forms = [f for f in grammar(table) if all(s.is_number or s.choices for s in f.slots)]
    lines = [line_for(chance.choice(forms), chance) for _ in range(4)]
    words = [
        "wait",
        "I'm ready",
        "HELP",
        "the end",
        "pass",
        "status?",
        "co-operate",
        "re-hit",
        "please",
        "…",
        "–",
        "🙂",
    ]
    tail = " ".join(chance.choice([*words, *lines, *table.seats]) for _ in range(30))
    return (
        f"{lines[0]}\nI shall {lines[1].lower()} tomorrow. “{lines[2]}!” he said\n\n"
        f"🙂{lines[3]}\nTELL {table.seats[0]}: {lines[0]}\n{tail}\nEND\n"
        f"xxxxxxxxxxxxxxxxxxxxxxxxxxxxwait\n* {lines[1]}\n(c) pass"
    )


def samples(table: Table, events: Sequence[Event], closed: str | None, chance: random.Random) -> Iterator[Sample]:
    """All kinds of mail at this point of a game. `events`: of the call that led to it."""
    game, state = table.game, table.state
    about = c.About("a-1", game.facts.key, game.facts.title)
    public = game.view(state, None)
    phase = game.phase(state)
    label = phase.label if phase else None
    seats = table.seats
    over = None
    if table.result is not None:
        over = c.Over(
            table.result.winners,
            "ab" * 32,
            table.result.runners_up,
            (("Moderator", "Max"), ("Days", "3")),
            ((seats[0], "x"),),
        )
    seen = tuple(e for e in events if e.seen_by(None))
    options = game.facts.options.model_validate(table.options).model_dump()
    opening = None
    if closed is None:
        opening = c.Opening(seats, "cd" * 32, options, ("A round lasts 24 hours.", "Players may write to each other."))
    yield Sample("digest", PAGES.digest(c.Digest(about, public, closed, BASE, seen, label, DUE, over, opening)), True)
    stood = {seat: tuple(o.line for o in table.standing.get(seat, ())) for seat in seats}
    views = {seat: game.view(state, seat) for seat in seats}
    tallies = (c.Tally("Letters", ("3 sent, none came back",)),)
    yield Sample(
        "at_close",
        PAGES.at_close(
            c.AtClose(
                about,
                closed or "Start",
                public,
                stood,
                seats[:1],
                tuple(events),
                label,
                DUE,
                over,
                chance.random() < 0.3,
                views=views,
                tallies=tallies,
            )
        ),
    )
    preview = c.Desk(about, label, DUE, preview=tuple(events), view=public, views=views)
    yield Sample("preview", PAGES.desk(preview))
    for seat in seats:
        yield from _private(table, seat, tuple(e for e in events if e.seen_by(seat)), closed, over, opening, chance)


def _private(
    table: Table,
    seat: str,
    events: tuple[Event, ...],
    closed: str | None,
    over: c.Over | None,
    opening: c.Opening | None,
    chance: random.Random,
) -> Iterator[Sample]:
    game, state = table.game, table.state
    about = c.About("a-1", game.facts.key, game.facts.title)
    view, phase = game.view(state, seat), game.phase(state)
    forms = game.forms(view, seat)
    lines = tuple(random_mail(table, seat, chance))
    if phase is not None and forms:
        must = seat in phase.must
        yield Sample(
            "round",
            PAGES.round(
                c.Round(
                    about,
                    seat,
                    phase.label,
                    DUE,
                    view,
                    forms,
                    must,
                    True,
                    closed,
                    events,
                    lines[:1],
                    lines[1:],
                    ("Your absence has ended.",),
                    opening,
                )
            ),
        )
        yield Sample("reminder", PAGES.reminder(c.Reminder(about, seat, phase.label, DUE, 10_800, view, forms, lines)))
    else:
        next_label = phase.label if phase else None
        yield Sample(
            "result", PAGES.result(c.Result(about, seat, view, closed, events, next_label, DUE, over, (), opening))
        )
    text = nasty(table, chance)
    given = tuple(order for line in lines for order in table.read(seat, line))
    yield Sample(
        "receipt",
        PAGES.receipt(
            c.Receipt(
                about,
                seat,
                view,
                lines,
                lines[:1],
                lines,
                given,
                ("“bop” was read as bob",),
                ("Your zone is Asia/Tokyo.",),
                (c.Sent(table.seats[:2], text), c.Sent(None, text)),
                (c.Refused("HIT zed", "nobody is called that"),),
                lines[:1],
                2,
                "Round 2",
                lines,
                phase.label if phase else None,
                DUE,
                True,
                None,
                "x@example.net",
                forms,
            ),
            [PAGES.status(c.Status(about, seat, view, "Round 1", DUE, (seat,), (("Zone", "UTC"),), events, closed))],
        ),
    )
    yield Sample("press", PAGES.press(c.Press(about, seat, table.seats[0], table.seats, text)))
    yield Sample("act", PAGES.act(c.Act(about, "say", seat, BASE, game.view(state, None), text=text)), True)


def steady(table: Table) -> Iterator[Sample]:
    """The kinds that don't hang on what just happened."""
    game = table.game
    about = c.About("a-1", game.facts.key, game.facts.title)
    view = game.view(table.state, None)
    one, two = table.seats[:2]
    own = game.view(table.state, one)
    forms = game.forms(own, one)
    options = game.facts.options.model_validate(table.options).model_dump()
    yield Sample("rules", PAGES.rules(c.Rules(about, view, options)))
    yield Sample(
        "help",
        PAGES.help(
            c.Help(about, one, own, forms, "Round 1", DUE, name=two, example=forms[0].example() if forms else "PASS")
        ),
    )
    yield Sample("help-desk", PAGES.help(c.Help(about, None, view, moderator=True, name=two, example="PASS")))
    yield Sample("help-stranger", PAGES.help(c.Help(None, None, {}, base=BASE)))
    join = f"JOIN a-1 AS {one}"
    for reader, line in ((one, None), (None, join)):
        call = c.Invitation(
            about,
            reader,
            game.facts.tagline,
            "It begins when all are here.",
            BASE,
            table.seats,
            line,
            ("A round lasts 24 hours.",),
        )
        yield Sample("invitation", PAGES.invitation(call), reader is None)
    yield Sample("welcome", PAGES.welcome(c.Welcome(about, one, table.seats, "It begins on Friday.")))
    yield Sample("stranger", PAGES.stranger(c.Stranger(BASE, (("a-1", "A game"),))))
    kinds: tuple[c.QuestionKind, ...] = ("join", "lines", "resign", "address", "game", "name", "still")
    for kind in kinds:
        question = c.Question(
            kind, about, one, one, ("HIT bob", "TAKE 3"), "new@example.org", (("a-1", "A game"),), DUE
        )
        yield Sample(f"question-{kind}", PAGES.question(question))
    notices: tuple[c.NoticeKind, ...] = (
        "extended",
        "paused",
        "resumed",
        "closing",
        "removed",
        "replaced",
        "withdrawn",
        "announced",
        "ended",
    )
    for notice in notices:
        for reader in (one, None):
            after = table.twin()
            event = after.remove(two) if notice == "removed" and two not in table.removed else ()
            seen = game.view(after.state, reader)
            shown = c.Notice(
                about,
                notice,
                reader,
                seen,
                two,
                "Round 2",
                DUE,
                "Be patient\nfor a day",
                ("What alice had pledged.",),
                event,
                BASE,
            )
            yield Sample(f"notice-{notice}", PAGES.notice(shown), reader is None)
    for act, days in (("away", ("2026-12-20", "2026-12-27")), ("back", None), ("resign", None)):
        yield Sample(f"act-{act}", PAGES.act(c.Act(about, act, one, BASE, view, days=days, due=DUE)), True)  # type: ignore[arg-type]
    for moderator in (True, False):
        lines = {one: ("HIT bob", "PASS")}
        yield Sample("stands", PAGES.stands(c.Stands(about, "Round 1", DUE, lines, (two,), moderator)))
    yield Sample(
        "status-desk", PAGES.status(c.Status(about, None, view, "Round 1", DUE, (two,), (("Approval", "no"),)))
    )
    yield Sample("before", PAGES.before_deadline(c.BeforeDeadline(about, "Round 1", DUE, (one,), (two,), (two,))))
    why = ("The mail server said: no such user.",)
    yield Sample("asked", PAGES.asked(c.Asked(about, "An e-mail came back", why, ((f"REMOVE {two}", "they are out"),))))
    yield Sample(
        "desk",
        PAGES.desk(
            c.Desk(
                about,
                "Round 1",
                DUE,
                ("The deadline has moved.",),
                ((f"REMOVE {two}", "they are out"),),
                (c.Refused("CLOZE", "did you mean (CLOSE)?"),),
                None,
                {},
                {},
                1,
                "Round 1",
                ("CLOSE",),
            ),
            [PAGES.stands(c.Stands(about, "Round 1", DUE, {one: ()}, (), True))],
        ),
    )

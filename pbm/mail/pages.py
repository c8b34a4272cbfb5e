"""One function a kind of mail: its values → subject and markup. Nobody else knows of templates.

Subjects name the game in brackets, so that a reply without a token still finds it (MAIL.md, *Addresses and identity*).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from markupsafe import Markup

from pbm.core.engine import Event, Form, Json
from pbm.mail import contexts as c
from pbm.mail.templates import Templates, names

_NOTICES: dict[c.NoticeKind, str] = {
    "extended": "More time",
    "paused": "Paused",
    "resumed": "Play goes on",
    "closing": "Closes now",
    "removed": "{seat} is out",
    "replaced": "{seat} has a new player",
    "withdrawn": "{label} is open again",
    "announced": "A word from the moderator",
    "ended": "The game is over",
}
_QUESTIONS: dict[c.QuestionKind, str] = {
    "join": "Do you want to join?",
    "lines": "Is this from you?",
    "resign": "Do you really want to leave?",
    "address": "Is this your new address?",
    "game": "Which game is this for?",
    "name": "Whom do you mean?",
    "still": "Are you still in?",
}
_ACTS: dict[c.ActKind, str] = {
    "event": "{seat} has acted",
    "say": "{seat} says",
    "away": "{seat} is on leave",
    "back": "{seat} is back",
    "resign": "{seat} leaves the game",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A mail without its header: subject, and markup for `compose.build`."""

    subject: str
    source: Markup


@dataclass(frozen=True, slots=True)
class Move:
    """A form as templates show it: its pattern, what it does, and an example made of this game's names."""

    pattern: str
    help: str
    example: str
    each: tuple[str, ...]  # every line that it allows, where they are few enough for a button each
    many: bool  # of several such lines in one mail, all count


# So many one-tap links a form: more is no help on a phone.
MOST_BUTTONS = 12


def moves(forms: Iterable[Form]) -> tuple[Move, ...]:
    return tuple(Move(f.pattern(), f.help, f.example(), _each(f), f.repeat == "all") for f in forms)


def _each(form: Form) -> tuple[str, ...]:
    if not form.slots:
        return (form.line({}),)
    if len(form.slots) > 1:
        return ()
    slot = form.slots[0]
    if slot.is_number and slot.high - slot.low >= MOST_BUTTONS:
        return ()
    values = slot.values()
    return tuple(form.line({slot.name: v}) for v in values) if len(values) <= MOST_BUTTONS else ()


class Pages:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    # -- the game's course -----------------------------------------------------------------------------------------

    def invitation(self, ctx: c.Invitation) -> Page:
        call = "players wanted" if ctx.join else "you are invited"
        return self._page("invitation", _in(ctx.about, f"{ctx.about.title}: {call}"), ctx)

    def round(self, ctx: c.Round) -> Page:
        ask = "send your order by" if ctx.must else "open until"
        game = self._game(ctx.about, ctx.view, ctx.reader, ctx.events)
        phase = self._own(ctx.about, "phase", ctx.view, ctx.reader, forms=ctx.forms)
        more = {**game, "phase": phase, "moves": moves(ctx.forms)}
        return self._page("round", _in(ctx.about, f"{ctx.label}: {ask} {ctx.due.short}"), ctx, more)

    def result(self, ctx: c.Result) -> Page:
        what = "the game is over" if ctx.over else f"{ctx.closed} results" if ctx.closed else "the game begins"
        game = self._game(ctx.about, ctx.view, ctx.reader, ctx.events)
        return self._page("result", _in(ctx.about, what), ctx, game)

    def digest(self, ctx: c.Digest) -> Page:
        what = f"{ctx.closed} results" if ctx.closed else "The game begins"
        game = self._game(ctx.about, ctx.view, None, ctx.events)
        coming = "" if ctx.over else self._own(ctx.about, "phase", ctx.view, None, forms=())
        what = f"{what}: the game is over" if ctx.over else what
        return self._page("digest", _in(ctx.about, what), ctx, {**game, "coming": coming})

    def reminder(self, ctx: c.Reminder) -> Page:
        phase = self._own(ctx.about, "phase", ctx.view, ctx.reader, forms=ctx.forms)
        more = {"phase": phase, "moves": moves(ctx.forms)}
        return self._page("reminder", _in(ctx.about, f"{ctx.label}: still open until {ctx.due.short}"), ctx, more)

    # -- answers ---------------------------------------------------------------------------------------------------

    def receipt(self, ctx: c.Receipt, parts: Sequence[Page] = (), *, subject: str | None = None) -> Page:
        """`parts`: pages asked for in the same mail (HELP, STATUS …), shown below. `subject`: of the mail answered."""
        if ctx.refused:
            what = "something was not taken"
        elif ctx.doubtful:
            what = "please confirm"
        elif ctx.too_late:
            what = f"too late for {ctx.too_late}"
        else:
            what = "received"
        cost = self._optional(ctx.about, "cost", ctx.view, ctx.reader, given=ctx.paid) if ctx.paid else ""
        more = {"cost": cost, "moves": moves(ctx.forms), "parts": [part.source for part in parts]}
        label = f"{ctx.label}: " if ctx.label else ""
        return self._page("receipt", subject or _in(ctx.about, f"{label}{what}"), ctx, more)

    def help(self, ctx: c.Help) -> Page:
        title = "How to write to this game" if ctx.about else "How to write to this service"
        phase: Markup | str = ""
        if ctx.about and ctx.reader is not None and ctx.label and ctx.forms:
            phase = self._own(ctx.about, "phase", ctx.view, ctx.reader, forms=ctx.forms)
        more = {"phase": phase, "moves": moves(ctx.forms)}
        return self._page("help", _in(ctx.about, title) if ctx.about else title, ctx, more)

    def rules(self, ctx: c.Rules) -> Page:
        source = self._own(ctx.about, "rules", ctx.view, None, options=ctx.options)
        return Page(_in(ctx.about, f"How {ctx.about.title} is played"), source)

    def status(self, ctx: c.Status) -> Page:
        game = self._game(ctx.about, ctx.view, ctx.reader, ctx.events)
        return self._page("status", _in(ctx.about, "How things stand"), ctx, game)

    def stands(self, ctx: c.Stands) -> Page:
        return self._page("stands", _in(ctx.about, "What is in so far"), ctx)

    def question(self, ctx: c.Question) -> Page:
        what = _QUESTIONS[ctx.kind]
        return self._page("question", _in(ctx.about, what) if ctx.about else what, ctx)

    def welcome(self, ctx: c.Welcome) -> Page:
        return self._page("welcome", _in(ctx.about, f"Welcome, {ctx.reader}"), ctx)

    def stranger(self, ctx: c.Stranger) -> Page:
        return self._page("stranger", "About your message to Play by Mail", ctx)

    # -- what others do --------------------------------------------------------------------------------------------

    def press(self, ctx: c.Press) -> Page:
        what = f"{ctx.writer} writes to {'everybody' if not ctx.to else 'you'}"
        if ctx.copy:
            what = f"{ctx.writer} writes to {', '.join(ctx.to) or 'everybody'}"
        return self._page("press", _in(ctx.about, what), ctx)

    def act(self, ctx: c.Act) -> Page:
        game = self._game(ctx.about, ctx.view, None, ctx.events)
        return self._page("act", _in(ctx.about, _ACTS[ctx.kind].format(seat=ctx.seat)), ctx, game)

    def notice(self, ctx: c.Notice) -> Page:
        what = _NOTICES[ctx.kind].format(seat=ctx.seat or "", label=ctx.label or "")
        game = self._game(ctx.about, ctx.view, ctx.reader, ctx.events)
        return self._page("notice", _in(ctx.about, what), ctx, game)

    # -- the moderator's -------------------------------------------------------------------------------------------

    def before_deadline(self, ctx: c.BeforeDeadline) -> Page:
        n = len(ctx.missing)
        what = f"{ctx.label}: {n or 'nobody'} missing, open until {ctx.due.short}"
        return self._page("before_deadline", _in(ctx.about, what), ctx)

    def at_close(self, ctx: c.AtClose) -> Page:
        what = "waits for your approval" if ctx.held else "the game is over" if ctx.over else "has closed"
        game = self._game(ctx.about, ctx.view, None, ctx.events, views=ctx.views)
        comma = "," if ctx.over and not ctx.held else ""
        return self._page("at_close", _in(ctx.about, f"Summary: {ctx.closed}{comma} {what}"), ctx, game)

    def asked(self, ctx: c.Asked) -> Page:
        subject = f"Needs you: {ctx.what}"
        return self._page("asked", _in(ctx.about, subject) if ctx.about else subject, ctx)

    def desk(self, ctx: c.Desk, parts: Sequence[Page] = ()) -> Page:
        story: tuple[Markup, ...] = ()
        if ctx.preview is not None:
            story = self._story(ctx.about, ctx.view, None, ctx.preview, ctx.views)
        what = "please confirm" if ctx.confirm else "something was not taken" if ctx.refused else "done"
        more = {"story": story, "parts": [part.source for part in parts]}
        return self._page("desk", _in(ctx.about, f"Moderator: {what}"), ctx, more)

    # -- templates -------------------------------------------------------------------------------------------------

    def _page(self, name: str, subject: str, ctx: Any, more: Mapping[str, Any] | None = None) -> Page:
        values = {f.name: getattr(ctx, f.name) for f in fields(ctx)}
        return Page(subject, self._templates.render(f"shared/{name}.txt", {**values, **(more or {})}))

    def _game(
        self,
        about: c.About,
        view: Json,
        reader: str | None,
        events: Sequence[Event],
        views: Mapping[str, Json] | None = None,
    ) -> dict[str, Any]:
        return {
            "story": self._story(about, view, reader, events, views),
            "standing": self._own(about, "standing", view, reader),
            "you": self._own(about, "you", view, reader) if reader is not None else "",
        }

    def _story(
        self,
        about: c.About,
        view: Json,
        reader: str | None,
        events: Sequence[Event],
        views: Mapping[str, Json] | None = None,
    ) -> tuple[Markup, ...]:
        """What happened, an event a piece; with `views`, for the moderator, private events as their readers see them.

        Raises ValueError for an event that this reader may not know.
        """
        told = []
        for event in events:
            seat = reader
            head: Markup | str = ""
            if not event.seen_by(reader):
                if views is None:
                    raise ValueError(f"an event {event.type!r} is not for {reader or 'the public'}")
                if isinstance(event.to, tuple):
                    seat = event.to[0]
                    head = Markup("**To ") + names(event.to) + Markup(":** ")
            files = (f"{about.key}/{event.type}.txt", f"shared/events/{event.type}.txt")
            seen = (views or {}).get(seat, view) if seat is not None else view
            values = {"event": {"type": event.type, **event.data}, "reader": seat, "view": seen}
            if piece := self._templates.render_first(files, values):
                told.append(head + piece)
        return tuple(told)

    def _own(self, about: c.About, name: str, view: Json, reader: str | None, **more: Any) -> Markup:
        return self._templates.render(f"{about.key}/{name}.txt", {"view": view, "reader": reader, **more})

    def _optional(self, about: c.About, name: str, view: Json, reader: str | None, **more: Any) -> Markup | str:
        if not self._templates.exists(f"{about.key}/{name}.txt"):
            return ""
        return self._own(about, name, view, reader, **more)


def _in(about: c.About, what: str) -> str:
    return f"[{about.id}] {what}"

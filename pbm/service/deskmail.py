"""What became of a moderator's mail, and the receipt that tells it."""

from dataclasses import dataclass, field

from pbm.mail import contexts as c
from pbm.mail.letter import Letter
from pbm.mail.pages import Page
from pbm.service import desk, mails, post, show
from pbm.service.house import House
from pbm.service.preview import Preview
from pbm.service.table import Table
from pbm.store.models import Game, Seat
from pbm.timewords import in_zone


@dataclass(slots=True)
class Done:
    """What became of one mail's lines. `waits`: what is asked back, by the question's kind: line, effect, data.
    `again`: lines that the open phase takes. `asked`: pages to be shown below."""

    done: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    waits: dict[str, tuple[str, str, dict[str, object]]] = field(default_factory=dict)
    again: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    preview: Preview | None = None
    late: str | None = None
    chat: int = 0

    @property
    def worth_a_receipt(self) -> bool:
        """The question itself answers a mail that holds nothing but what is asked back."""
        return bool(self.done or self.refused or self.asked or self.preview or not self.waits)


def told(house: House, table: Table, done: Done, address: str, letter: Letter, now: int) -> None:
    """Queue the receipt of a moderator's mail, with the pages that it asked for."""
    table = Table.of(Game.get_by_id(table.id))
    turn = table.turn if table.turn is not None and table.turn.status == "open" else None
    seen = done.preview.views if done.preview is not None else {}
    ctx = c.Desk(
        about=post.about(table),
        label=turn.label if turn is not None else None,
        due=c.Due(turn.deadline, desk.zone(table)) if turn is not None and table.game.status != "paused" else None,
        done=tuple(done.done),
        refused=tuple(c.Refused(line, reason) for line, reason in done.refused),
        preview=done.preview.events if done.preview is not None else None,
        view=seen.get(None, {}),
        views={name: view for name, view in seen.items() if name is not None},
        ignored=done.chat,
        too_late=done.late,
        again=tuple(done.again),
    )
    mails.desk(house, table, ctx, _parts(house, table, done), address, letter, now)


def _parts(house: House, table: Table, done: Done) -> list[Page]:
    about, turn = post.about(table), table.turn
    running = turn is not None and turn.status == "open"
    label = turn.label if turn is not None and running else None
    due = c.Due(turn.deadline, desk.zone(table)) if turn is not None and running else None
    view = table.view(None) if turn is not None else {}
    made: list[Page] = []
    for word in done.asked:
        if word == "HELP":
            made.append(house.pages.help(c.Help(about, None, view, label=label, due=due, moderator=True)))
        elif word == "ORDERS":
            lines = {name: tuple(given) for name, given in show.orders(table).items()}
            made.append(house.pages.stands(c.Stands(about, label, due, lines, table.waiting(), moderator=True)))
        elif turn is not None and word == "RULES":
            made.append(house.pages.rules(c.Rules(about, view, table.options.model_dump())))
        elif turn is not None and word == "STATUS":
            waiting = table.waiting() if running else None
            settings = tuple(_settings(table))
            made.append(house.pages.status(c.Status(about, None, view, label, due, waiting, settings)))
    return made


def _settings(table: Table) -> list[tuple[str, str]]:
    """(label, value): the game's state as only its moderator sees it."""
    told = [("Game", str(table.game.status)), ("Moderators", ", ".join(table.game.moderators))]
    told += [(seat.name, _about(table, seat)) for seat in table.seats]
    return told


def _about(table: Table, seat: Seat) -> str:
    zone = str(seat.timezone)
    parts = [show.status_of(table, seat), str(seat.address), f"misses in a row: {seat.misses}", zone]
    if seat.bounced:
        parts.append("mail bounces")
    if table.turn is not None and seat.name in table.rows and (newest := table.rows[seat.name].newest):
        parts.append(f"newest orders of {in_zone(newest[0], 'UTC')}")
    return "; ".join(parts)

"""What the moderator's own mails are answered with; and the end of a game that never began."""

from collections.abc import Sequence

from markupsafe import Markup

from pbm.mail import contexts as c
from pbm.mail.letter import Letter
from pbm.mail.pages import Page
from pbm.mail.templates import harmless
from pbm.service import post
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Question


def desk(
    house: House, table: Table, ctx: c.Desk, parts: Sequence[Page], address: str, letter: Letter, now: int
) -> None:
    """The receipt of a moderator's mail, to the address on file."""
    to = post.to_moderator(house, table, now, address)
    post.queue(house, table, to, "receipt", house.pages.desk(ctx, parts), now, answers=letter)


def question(house: House, table: Table, asked: Question, now: int) -> None:
    """Lines of the moderator's that wait for a confirming reply, each with what it would do."""
    turn = table.turn if table.turn is not None and table.turn.status == "open" else None
    ctx = c.Desk(
        about=post.about(table),
        label=turn.label if turn is not None else None,
        due=c.Due(turn.deadline) if turn is not None else None,
        confirm=tuple((line, effect) for line, effect in asked.data["asked"]),
    )
    to = post.to_question(house, table, None, asked)
    post.queue(house, table, to, "question", house.pages.desk(ctx), now)


def called_off(house: House, table: Table, now: int) -> None:
    """A game that was open for sign-up doesn't take place: the list and those who had signed up hear of it."""
    text = f"The moderator has called {table.game.title} off; it doesn't take place."
    page = Page(f"[{table.id}] The game is called off", Markup("# Called off\n\n") + harmless(text))
    to_all = post.to_list(table)
    seats = [post.to_seat(house, table, seat) for seat in table.seats]
    for to in ([to_all] if to_all is not None else []) + seats:
        post.queue(house, table, to, "notice", page, now)

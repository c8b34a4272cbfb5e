"""Mails before a game's start: the call for players, and what those who sign up hear."""

from pbm.mail import contexts as c
from pbm.mail.letter import Letter
from pbm.service import post
from pbm.service.house import House
from pbm.service.mails.facts import pace
from pbm.service.table import Table
from pbm.store.models import Game, Seat


def invited(house: House, game: Game, now: int) -> None:
    """A game opens: the listed players, or for a sign-up by mail the list, hear of it."""
    table = Table.of(game)
    facts = table.rules.facts
    join = f"JOIN {table.id} AS Bob" if table.settings["seats"] else None
    to_all = post.to_list(table)
    about, begins, players, how = post.about(table), _begins(table), _players(table), pace(table)
    if to_all is not None:
        ctx = c.Invitation(about, None, facts.tagline, begins, house.address, players, join, how)
        post.queue(house, table, to_all, "invitation", house.pages.invitation(ctx), now)
    for seat in table.seats:
        ctx = c.Invitation(about, seat.name, facts.tagline, begins, house.address, players, None, how)
        post.queue(house, table, post.to_seat(house, table, seat), "invitation", house.pages.invitation(ctx), now)


def welcome(
    house: House, table: Table, seat: Seat, now: int, *, letter: Letter | None = None, moved_up: bool = False
) -> None:
    """Somebody has a seat, by the mail that is answered, or since another player left (`moved_up`)."""
    ctx = c.Welcome(post.about(table), seat.name, _players(table), _begins(table), moved_up)
    page = house.pages.welcome(ctx)
    post.queue(house, table, post.to_seat(house, table, seat), "welcome", page, now, answers=letter)


def let_go(house: House, table: Table, seat: Seat, now: int) -> None:
    """Who didn't say in time that they are still in has no seat any more."""
    why = ("You were asked whether you are still in, and no answer has come. The seat has gone to somebody else.",)
    ctx = c.Asked(about=post.about(table), what="your sign-up", why=why)
    post.queue(house, None, post.to_stranger(seat.address), "answer", house.pages.asked(ctx), now)


def _begins(table: Table) -> str:
    if table.settings["seats"] and table.settings["start"] == "full":
        return "It begins when every seat is taken."
    return "It begins when the moderator starts it."


def _players(table: Table) -> tuple[str, ...]:
    """Who is in so far: told in no anonymous game."""
    return tuple(table.names) if not table.settings["anonymous"] else ()

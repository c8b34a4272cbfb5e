"""The seats of an anonymous game are drawn at its start, and so are their names (ruling G1)."""

from pbm.core.draw import Draw
from pbm.core.seatnames import SEAT_NAMES
from pbm.service.table import Table
from pbm.store.models import Question, Seat, Token

# Seat numbers on their way to others: (game, n) is unique at every moment.
ASIDE = 1_000_000


def draw_names(table: Table, draw: Draw) -> None:
    """Ruling G1: in an anonymous game the seats are drawn, and so are their names."""
    people = {seat.name: seat for seat in table.seats}
    order = draw.shuffle("seats", list(people))
    names = draw.shuffle("names", SEAT_NAMES)
    for n, person in enumerate(order):
        Seat.update(n=ASIDE + n, name=names[n]).where(Seat.id == people[person].id).execute()
        # Keys and questions of the sign-up go with the person: else they would act for whoever has the number now.
        for rows in (Token, Question):
            rows.update(seat=ASIDE + n).where((rows.game == table.id) & (rows.seat == people[person].n)).execute()
    for numbered, column in ((Seat, Seat.n), (Token, Token.seat), (Question, Question.seat)):
        moved = (numbered.game == table.id) & (column >= ASIDE)
        numbered.update({column: column - ASIDE}).where(moved).execute()
    table.seats = list(Seat.select().where((Seat.game == table.game.id) & (Seat.waitlist == False)).order_by(Seat.n))  # noqa: E712

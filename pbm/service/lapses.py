"""Questions that nobody has answered in time: what lapses, and what is done then. Part of the timer."""

from itertools import groupby

from pbm.service import mails, needs, starting
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.db import transaction
from pbm.store.models import Question
from pbm.store.statements import Statement

NEXT: Statement[Question] = Statement(
    lambda: Question.select(Question.until).where(Question.until.is_null(False)).order_by(Question.until).limit(1)
)
_LAPSED: Statement[Question] = Statement(
    lambda now: Question.select().where(Question.until <= now).order_by(Question.game, Question.address, Question.id)
)


def tick(house: House, now: int) -> None:
    """Deal with all that has lapsed, game by game; a game that fails doesn't hold up the others."""
    for (game, address), rows in groupby(_LAPSED.all(now), key=lambda row: (row.game_id, row.address)):
        try:
            with transaction():
                _lapse(house, Table.of(game) if game is not None else None, address, list(rows), now)
        except Exception as fault:
            house.report("lapse_failed", game=game, fault=f"{type(fault).__name__}: {fault}", exc_info=True)


def _lapse(house: House, table: Table | None, address: str, rows: list[Question], now: int) -> None:
    for row in rows:
        row.until = None
        row.save()
    _ask_next(house, table, address, [row for row in rows if row.kind == needs.KIND], now)
    for row in rows:
        if row.kind == starting.KIND and table is not None:
            starting.lapsed(house, table, row, now)


def _ask_next(house: House, table: Table | None, address: str, rows: list[Question], now: int) -> None:
    """One mail, with all that this moderator has been asked in vain and that still needs a person."""
    open_rows = [row for row in rows if needs.still(row, table)]
    following = needs.following(table.game.moderators if table is not None else house.moderators, address)
    if open_rows and following is not None:
        mails.asked_next(house, table, open_rows, following, now)
    for row in rows:
        row.answered = now
        row.save()

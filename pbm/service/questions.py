"""What waits for a confirming reply: each question has a token of its own, and goes to one address on file."""

from pbm.core.engine import Json
from pbm.core.orders import first_word, plain
from pbm.mail.letter import Letter
from pbm.mail.reply import new_text
from pbm.service import mails
from pbm.service.house import House
from pbm.service.table import Table
from pbm.store.models import Question, Seat

A_DAY = 3
DAY = 86_400
# What takes a question back: alone on a line, or as the first word of the answer; everything else says yes.
NO = ("NO", "CANCEL", "STOP")


def says_no(letter: Letter) -> bool:
    """Whether an answer says no. `No, that wasn't me` is one, too: what is asked can often not be taken back."""
    lines = [plain(line.text) for line in new_text(letter).lines if line.text.strip()]
    return any(line.upper() in NO for line in lines) or bool(
        lines and first_word(lines[0]).upper().strip(",.;:!") in NO
    )


def ask(
    house: House, table: Table, seat: Seat | None, kind: str, data: Json, now: int, *, address: str | None = None
) -> bool:
    """Ask the seat (None: a moderator, whose `address` is given) to confirm. A newer question of the same kind takes
    the place of the older. False where it was asked three times today already: then the newest waits all the same."""
    to = address or (seat.address if seat is not None else table.game.moderators[0])
    number = seat.n if seat is not None else None
    open_ones = Question.select().where(
        (Question.game == table.id)
        & (Question.seat == number)
        & (Question.address == to)
        & (Question.kind == kind)
        & Question.answered.is_null()
    )
    asked = Question.select().where(
        (Question.game == table.id) & (Question.address == to) & (Question.kind == kind) & (Question.at > now - DAY)
    )
    if asked.count() >= A_DAY:
        newest = open_ones.order_by(Question.id.desc()).first()
        if newest is not None:
            newest.data = data
            newest.save()
        return False
    for old in open_ones:
        old.answered = now
        old.save()
    question = Question.create(
        game=table.id, seat=number, address=to, kind=kind, data=data, at=now, turn=table.game.turn
    )
    mails.question(house, table, seat, question, now)
    return True

"""The last steps of a sign-up: who signed up long ago is asked "still in?" before the start; who leaves makes room for
the waiting list.

A game that was opened with `seats` starts when it is full, or when its moderator starts it. While somebody is asked the
start is pending: it comes when all have answered, or after 48 hours without those who haven't.
"""

from pbm.service import mails, rounds
from pbm.service.house import House
from pbm.service.rounds import NotNow
from pbm.service.table import Table
from pbm.store.models import Game, Question, Seat

KIND = "still"
STALE = 3 * 86_400
PATIENCE = 48 * 3600


def full(game: Game) -> bool:
    """Whether every seat is taken."""
    return bool(game.settings["seats"]) and len(Table.of(game).seats) >= game.settings["seats"]


def asked(game_id: str) -> list[Question]:
    """Who has been asked, and hasn't answered yet."""
    open_ones = (Question.game == game_id) & (Question.kind == KIND) & Question.answered.is_null()
    return list(Question.select().where(open_ones).order_by(Question.id))


def begin(house: House, game: Game, now: int, *, by_moderator: bool) -> Table | None:
    """Start the game, or ask those who signed up more than three days ago; then None is given. While the start is
    pending a moderator's second word starts it at once, with everybody. Raises NotNow."""
    table = Table.of(game)
    rounds.can_start(table)
    pending = asked(game.id)
    for question in pending:
        _settle(question, now)
    stale = [seat for seat in table.seats if now - seat.joined > STALE] if table.settings["seats"] else []
    if not stale or (pending and by_moderator):
        return rounds.start(house, game, now)
    for seat in stale:
        question = Question.create(
            game=game.id,
            seat=seat.n,
            address=seat.address,
            kind=KIND,
            data={"line": "", "by_moderator": by_moderator},
            at=now,
            until=now + PATIENCE,
        )
        mails.question(house, table, seat, question, now)
    return None


def stays(house: House, table: Table, seat: Seat, question: Question, now: int) -> None:
    """Still in: that counts like a fresh sign-up."""
    seat.joined = now
    seat.save()
    _settle(question, now)
    _go_on(house, table.game, question, now)


def leaves(house: House, table: Table, seat: Seat, now: int) -> None:
    """The seat is free again, and goes to the first of the waiting list, who is told."""
    pending = asked(table.id)
    Question.update(answered=now, until=None).where(
        (Question.game == table.id) & (Question.seat == seat.n) & Question.answered.is_null()
    ).execute()
    Seat.delete().where(Seat.id == seat.id).execute()
    waiting = (Seat.game == table.id) & (Seat.waitlist == True)  # noqa: E712
    next_one = Seat.select().where(waiting).order_by(Seat.n).first()
    if next_one is not None:
        next_one.waitlist = False
        next_one.save()
        mails.welcome(house, Table.of(table.game), next_one, now, moved_up=True)
    if pending:
        _go_on(house, table.game, pending[0], now)


def lapsed(house: House, table: Table, question: Question, now: int) -> None:
    """Nobody has answered in time: the seat is given up."""
    seat = next((seat for seat in table.seats if seat.n == question.seat), None)
    if table.game.status == "signup" and seat is not None:
        mails.let_go(house, table, seat, now)
        leaves(house, table, seat, now)


def _settle(question: Question, now: int) -> None:
    question.answered, question.until = now, None
    question.save()


def _go_on(house: House, game: Game, question: Question, now: int) -> None:
    """When the last one has answered the game starts, if there are enough; else it waits for others to sign up."""
    by_moderator = bool(question.data["by_moderator"])
    if asked(game.id) or not (by_moderator or full(game)):
        return
    try:
        begin(house, game, now, by_moderator=by_moderator)
    except NotNow as fault:
        mails.trouble(house, Table.of(game), f"The game can't start yet: {fault}. It is open for sign-up again.", now)

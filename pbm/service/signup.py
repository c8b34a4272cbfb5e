"""Mails of people who are in no game: JOIN to a game open for sign-up, or one short answer a day (MAIL.md)."""

import re

from pbm.addresses import address_fault, address_key
from pbm.core import registry
from pbm.core.names import fold, name_fault, printed
from pbm.core.orders import plain
from pbm.core.words import reserved
from pbm.mail.authres import proven
from pbm.mail.letter import Letter
from pbm.mail.reply import new_text
from pbm.service import mails, questions, starting
from pbm.service.house import House
from pbm.service.outcome import Outcome
from pbm.service.table import Table
from pbm.store.models import Game, Mail, Outbox, Question, Seat, Token

DAY, HOUR = 86_400, 3600
QUESTIONS_AN_HOUR = 20
_JOIN = re.compile(r"^JOIN\s+([A-Za-z0-9-]{1,40})(?:\s+AS\s+(.{1,60}))?$", re.IGNORECASE)


def read(house: House, letter: Letter, mail: Mail, now: int) -> Outcome:
    """A stranger's mail. Nothing of it is echoed; without proof of its sender only a JOIN's question goes out."""
    sender = letter.sender or ""
    if address_fault(sender) is not None:
        return Outcome("dropped", "its sender has no address that can be answered")
    asked = join_line(letter)
    if asked is not None:
        return _join(house, letter, *asked, now)
    answered = Outbox.select().where(
        (Outbox.recipient == sender) & (Outbox.kind == "stranger") & (Outbox.queued > mail.arrived - DAY)
    )
    if proven(letter, house.authserv_id, house.own_hosts) and not answered.exists():
        mails.stranger(house, letter, [game.id for game in _open_games()], now)
        return Outcome("dropped", "a stranger; answered once today")
    return Outcome("dropped", "it comes from nobody in a game")


def join_line(letter: Letter) -> tuple[str, str] | None:
    """The game and the name of the first JOIN in the subject or the new text, or None."""
    for line in (letter.subject, *(line.text for line in new_text(letter).lines)):
        found = _JOIN.match(plain(line))
        if found:
            return found.group(1).lower(), printed(found.group(2) or "")
    return None


def _open_games() -> list[Game]:
    return [
        game for game in Game.select().where(Game.status == "signup").order_by(Game.created) if game.settings["seats"]
    ]


def _join(house: House, letter: Letter, game_id: str, name: str, now: int) -> Outcome:
    sender = letter.sender or ""
    today = Question.select().where(
        (Question.address == sender) & (Question.kind == "join") & (Question.at > now - DAY)
    )
    hour = Question.select().where((Question.kind == "join") & (Question.at > now - HOUR))
    if today.exists():
        return Outcome("dropped", "its JOIN was asked back earlier today")
    if hour.count() >= QUESTIONS_AN_HOUR:
        return Outcome("dropped", "too many JOINs in this hour")
    game = Game.get_or_none(Game.id == game_id)
    fault = join_fault(house, game, name, sender)
    is_open = game is not None and game.status == "signup" and game.settings["seats"]
    if not is_open and not proven(letter, house.authserv_id, house.own_hosts):
        return Outcome("dropped", f"{fault}, and nothing proves its sender")
    question = Question.create(game=None, seat=None, address=sender, kind="join", data={}, at=now, turn=None)
    question.data = {"game": game_id, "name": name, "fault": fault or ""}
    question.save()
    mails.join_question(house, question, letter, game if not fault else None, fault or "", now)
    if fault:
        question.answered = now
        question.save()
        return Outcome("refused", fault)
    return Outcome("accepted", f"a JOIN to {game_id}, to be confirmed", game_id)


def join_fault(house: House, game: Game | None, name: str, address: str) -> str | None:
    """Why this JOIN can't be taken, in words for its sender, or None."""
    if game is None or game.status != "signup" or not game.settings["seats"]:
        return "there is no game of that name open for sign-up"
    if not name:
        return f"write a name, too: (JOIN {game.id} AS Bob)"
    seats = list(Seat.select().where(Seat.game == game.id))
    fault = name_fault(name, reserved(registry.grammar(game.rules)))
    if fault:
        return fault
    if any(fold(seat.name) == fold(name) for seat in seats):
        return "that name is taken in this game"
    used = {seat.address_key for seat in seats} | {address_key(a) for a in (*game.moderators, house.address)}
    if address_key(address) in used:
        return "that address is in this game already"
    return None


def confirmed(house: House, question: Question, letter: Letter, mail: Mail, now: int) -> Outcome:
    """The address has said yes: it gets a seat, or a place on the waiting list; a full game may start."""
    data = question.data
    if question.answered is not None:
        return Outcome("dropped", "its question was answered before", data.get("game"))
    question.answered = now
    question.save()
    if questions.says_no(letter):
        return Outcome("dropped", "it says no to the sign-up", data.get("game"))
    game = Game.get_or_none(Game.id == data["game"])
    fault = join_fault(house, game, data["name"], question.address)
    if fault or game is None:
        mails.join_answer(house, question.address, data["game"], fault or "the game is gone", letter, now)
        return Outcome("refused", fault or "the game is gone", data["game"])
    full = starting.full(game)
    seat: Seat = Seat.create(
        game=game.id,
        n=_number(game),
        name=data["name"],
        person=data["name"],
        address=question.address,
        address_key=address_key(question.address),
        waitlist=full,
        joined=now,
    )
    if full:
        mails.join_answer(house, question.address, game.id, "you are on the waiting list", letter, now)
    elif not (
        game.settings["start"] == "full"
        and starting.full(game)
        and starting.begin(house, game, now, by_moderator=False) is not None
    ):
        # Where the game starts at once its first mail says all.
        mails.welcome(house, Table.of(game), seat, now, letter=letter)
    return Outcome("accepted", "", game.id, data["name"])


def _number(game: Game) -> int:
    """A seat's number; none is used twice, since older keys name it."""
    seats = [row.n for row in Seat.select(Seat.n).where(Seat.game == game.id)]
    keys = [row.seat for row in Token.select(Token.seat).where(Token.game == game.id) if row.seat is not None]
    return max([*seats, *keys], default=-1) + 1

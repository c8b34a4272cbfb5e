"""What we answer to one mail: receipts, questions, pages asked for, and the little that strangers hear."""

from collections.abc import Sequence

from pbm.core.engine import Order
from pbm.mail import contexts as c
from pbm.mail.letter import Letter
from pbm.mail.pages import Page
from pbm.service import post
from pbm.service.house import House
from pbm.service.mails import moderator
from pbm.service.mails.facts import pace
from pbm.service.mails.roundmail import round_mail
from pbm.service.receipt import Receipt
from pbm.service.table import Table
from pbm.store.models import Game, Question, Seat


def receipt(house: House, table: Table, seat: Seat, made: Receipt, letter: Letter | None, now: int) -> None:
    """The answer to a player's mail: always to the address on file, whatever address the mail came from. `letter` None:
    what the moderator did for the player."""
    turn = table.turn if table.turn is not None and table.turn.status == "open" else None
    phase = table.phase if turn is not None else None
    standing: tuple[Order, ...] = table.standing().get(seat.name, ()) if turn is not None else ()
    taken = set(made.taken)
    closing = None
    if phase is not None and phase.at_once and seat.name in phase.must and seat.name not in table.waiting():
        closing = "it is in, and closes the phase"
    ctx = c.Receipt(
        about=post.about(table),
        reader=seat.name,
        view=table.view(seat.name) if table.turn is not None else {},
        understood=tuple(made.taken),
        replaced=tuple(made.replaced),
        stands=tuple(order.line for order in standing),
        paid=tuple(order for order in standing if order.line in taken),
        notes=tuple(made.notes),
        done=tuple(made.done),
        sent=tuple(c.Sent(_addressed(head), text) for head, text in made.texts),
        refused=tuple(c.Refused(line, reason) for line, reason in made.refused),
        doubtful=tuple(made.waits),
        ignored=made.chat,
        too_late=made.late or None,
        again=tuple(made.open_lines),
        label=turn.label if turn is not None else None,
        due=c.Due(turn.deadline, seat.timezone) if turn is not None else None,
        must=phase is not None and seat.name in phase.must,
        closing=closing,
        other_address=made.other_address or None,
        forms=table.forms(seat.name) if turn is not None else (),
    )
    page = house.pages.receipt(ctx, _parts(house, table, seat, made.answers))
    post.queue(house, table, post.to_seat(house, table, seat), "receipt", page, now, answers=letter)
    if "status" in made.answers and table.turn is not None:
        # The one mail to a seat that bears no key, so that it can be passed on.
        page = house.pages.status(c.Status(ctx.about, seat.name, ctx.view, ctx.label, ctx.due))
        bare = post.To(post.to_seat(house, table, seat).mailbox, seat.name, None)
        post.queue(house, table, bare, "status", page, now, answers=letter)


def _addressed(head: str) -> tuple[str, ...] | None:
    if head == "SAY":
        return None
    names = head.removeprefix("TELL ")
    return () if names == "ALL" else tuple(names.split(", "))


def _parts(house: House, table: Table, seat: Seat, asked: Sequence[str]) -> list[Page]:
    """The pages that the mail asked for (HELP, RULES, STATUS, ORDERS), below its receipt."""
    if table.turn is None:
        return [house.pages.help(c.Help(post.about(table), seat.name, {}))] if asked else []
    about, view = post.about(table), table.view(seat.name)
    turn = table.turn if table.turn.status == "open" else None
    due = c.Due(turn.deadline, seat.timezone) if turn is not None else None
    label = turn.label if turn is not None else None
    made: list[Page] = []
    for word in asked:
        if word == "help":
            forms = table.forms(seat.name) if turn is not None else ()
            made.append(house.pages.help(c.Help(about, seat.name, view, forms, label, due)))
        elif word == "rules":
            made.append(house.pages.rules(c.Rules(about, table.view(None), table.options.model_dump())))
        elif word == "orders":
            standing = table.standing() if turn is not None else {}
            lines = {seat.name: tuple(o.line for o in standing.get(seat.name, ()))}
            made.append(house.pages.stands(c.Stands(about, label, due, lines)))
    return made


_KINDS: dict[str, c.QuestionKind] = {
    "order": "name",
    "resign": "resign",
    "address": "address",
    "lines": "lines",
    "still": "still",
}


def question(house: House, table: Table, seat: Seat | None, asked: Question, now: int) -> None:
    """Something waits for a confirming reply: shown whole, to the address on file."""
    if seat is None:
        moderator.question(house, table, asked, now)
        return
    data = asked.data
    lines = tuple(line for line, *_ in data["lines"] if line.strip()) if "lines" in data else (data["line"],)
    turn = table.turn if table.turn is not None and table.turn.status == "open" else None
    until = turn.deadline if turn is not None and asked.kind in ("order", "lines") else asked.until
    ctx = c.Question(
        kind=_KINDS[asked.kind],
        about=post.about(table),
        reader=seat.name,
        lines=lines,
        detail=data.get("new"),
        due=c.Due(until, seat.timezone) if until is not None else None,
    )
    to = post.to_question(house, table, seat, asked)
    post.queue(house, table, to, "question", house.pages.question(ctx), now)


def which_game(house: House, letter: Letter, games: Sequence[str], now: int) -> None:
    """A proven sender with several games: which one is it for?"""
    choices = tuple((game.id, game.title) for game in Game.select().where(Game.id.in_(list(games))).order_by(Game.id))
    ctx = c.Question(kind="game", about=None, choices=choices)
    to = post.to_stranger(letter.sender or "")
    post.queue(house, None, to, "which", house.pages.question(ctx), now, answers=letter)


def stranger(house: House, letter: Letter, games: Sequence[str], now: int) -> None:
    """The one short answer a day to somebody who is in no game; nothing of theirs is echoed."""
    rows = Game.select().where(Game.id.in_(list(games))).order_by(Game.id)
    ctx = c.Stranger(base=house.address, open_games=tuple((game.id, game.title) for game in rows))
    to = post.to_stranger(letter.sender or "")
    post.queue(house, None, to, "stranger", house.pages.stranger(ctx), now, answers=letter)


def join_question(house: House, asked: Question, letter: Letter, game: Game | None, fault: str, now: int) -> None:
    """JOIN is asked back once; where it can't be done the reason is told instead."""
    if game is None:
        join_answer(house, asked.address, asked.data["game"], fault, letter, now)
        return
    about = c.About(game.id, game.rules, game.title)
    ctx = c.Question(kind="join", about=about, name=asked.data["name"])
    to = post.to_question(house, None, None, asked)
    post.queue(house, None, to, "question", house.pages.question(ctx), now, answers=letter)


def join_answer(house: House, address: str, game_id: str, text: str, letter: Letter, now: int) -> None:
    """What became of a JOIN."""
    game = Game.get_or_none(Game.id == game_id)
    about = c.About(game.id, game.rules, game.title) if game is not None else None
    ctx = c.Asked(about=about, what="your sign-up", why=(text[:1].upper() + text[1:] + ".",))
    post.queue(house, None, post.to_stranger(address), "answer", house.pages.asked(ctx), now, answers=letter)


def catch_up(house: House, table: Table, seat: Seat, now: int) -> None:
    """All that the seat may know, to a new address or a new person."""
    notes = ("This is a fresh start of your mails: what you need to know is in this one.", *pace(table))
    if round_mail(house, table, seat, now, notes=notes):
        return
    to = post.to_seat(house, table, seat)
    result = c.Result(post.about(table), seat.name, table.view(seat.name), closed=None, notes=notes)
    post.queue(house, table, to, "result", house.pages.result(result), now)

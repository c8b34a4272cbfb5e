"""Games to measure with: some that the service itself has started, and as many copies of one as are wanted."""

from pathlib import Path
from typing import Any

from pbm.addresses import address_key
from pbm.app import house_of
from pbm.config import Config
from pbm.core import registry
from pbm.core.words import reserved
from pbm.demo.mailer import PROGRAMS, Writer
from pbm.demo.sheet import Sheet
from pbm.gamefile import load_game_file
from pbm.service import opening, rounds
from pbm.service.house import House
from pbm.store import db
from pbm.store.models import Action, Game, Outbox, Seat, Standing, Turn

HOST = "play.test"
SERVICE, PASSWORD = f"pbm@{HOST}", "secret"
START = 1_796_000_000
LINES = ("TAKE 1", "TAKE 0")

_GAME = """
game: money_grab
id: {id}
players:
  - {{name: alice, address: alice.{id}@{host}}}
  - {{name: bob, address: bob.{id}@{host}}}
timing: {{default: {{length: 24h, close: deadline}}}}
"""


def opened(folder: Path, name: str, imap_port: int = 143, smtp_port: int = 25) -> tuple[Config, House]:
    """A new database of this name, and the house for it."""
    config = settings(folder, name, imap_port, smtp_port)
    db.connect(config.database)
    db.init()
    return config, house_of(config)


def settings(folder: Path, name: str, imap_port: int, smtp_port: int) -> Config:
    imap = {"host": "127.0.0.1", "port": imap_port, "tls": "none", "password": PASSWORD}
    smtp = {"host": "127.0.0.1", "port": smtp_port, "tls": "none", "rate": "none"}
    values: dict[str, Any] = {
        "mail": {"address": SERVICE, "imap": imap, "smtp": smtp},
        "archive": f"archive@{HOST}",
        "moderator": [f"moderator@{HOST}"],
        "database": f"sqlite:///{folder}/{name}.db",
    }
    return Config.model_validate(values, context={"base": folder})


def started(house: House, config: Config, name: str, now: int = START) -> Game:
    """A two-player game that the service has opened and started."""
    text = _GAME.format(id=name, host=HOST)
    file = load_game_file(text, reserved=reserved(()), facts=lambda key: registry.get(key).facts, config=config)
    with db.transaction():
        game = opening.open_game(file, config, now)
        rounds.start(house, game, now)
    return game


def copied(game: Game, count: int) -> None:
    """The game `count` times more, each with seats and addresses of its own: to start them one by one would take
    longer than what is measured."""
    seats = list(Seat.select().where(Seat.game == game.id).order_by(Seat.n))
    turns = list(Turn.select().where(Turn.game == game.id).order_by(Turn.n))
    actions = list(Action.select().where(Action.game == game.id).order_by(Action.id))
    with db.transaction():
        for n in range(count):
            name = f"{game.id}-{n}"
            row = Game.create(**{**game.__data__, "id": name, "turn": None})
            for seat in seats:
                address = f"{seat.name}.{name}@{HOST}"
                _again(seat, game=name, address=address, address_key=address_key(address))
            for turn in turns:
                new = _again(turn, game=name)
                row.turn = new.id
                for standing in Standing.select().where(Standing.turn == turn.id):
                    _again(standing, turn=new.id)
            for action in actions:
                _again(action, game=name, turn=row.turn if action.turn is not None else None)
            row.save()


def _again(row: Any, **other: Any) -> Any:
    return type(row).create(**{**row.__data__, "id": None, **other})


def replies(count: int) -> list[tuple[str, bytes]]:
    """So many answers to the round mails in the outbox, of all mail programs in turn: (recipient, the mail)."""
    rounds_sent = Outbox.select(Outbox.recipient, Outbox.content).where(Outbox.kind == "round").order_by(Outbox.id)
    asked = [(row.recipient, Sheet.read(bytes(row.content))) for row in rounds_sent]
    programs = tuple(PROGRAMS)
    made = []
    for n in range(count):
        address, sheet = asked[n % len(asked)]
        turn = n // len(asked)
        writer = Writer("A Player", address, programs[(n + turn) % len(programs)], signature="-- \nsent from my phone")
        made.append((sheet.reply_to, writer.reply(sheet, [LINES[turn % len(LINES)]], START + 60 + turn, n)))
    return made

"""A service that dies between any two statements, and is started again: the same database, the same mails, to the byte.

Its death is an exception that nothing catches: what wasn't committed is gone. The mailbox and the readers' boxes are
outside, and stay.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from pbm.mail.imap import Arrival
from pbm.mail.pages import Pages
from pbm.mail.templates import Templates
from pbm.service import inbox
from pbm.service.table import Table
from pbm.store import db
from pbm.store.models import TABLES, Game, database
from tests.support.world import World

T = TypeVar("T")

GREEDY = """
game: dont_get_greedy
id: greedy-1
options: {pot: 20, replay_pot: 10}
players:
  - {name: alice, address: alice@play.test, timezone: Europe/Berlin}
  - {name: bob, address: bob@play.test}
timing: {default: {length: 24h}}
"""
BULLET = """
game: buy_the_bullet
id: bullet-1
players:
  - {name: carol, address: carol@play.test}
  - {name: dave, address: dave@play.test}
  - {name: erin, address: erin@play.test}
  - {name: frank, address: frank@play.test}
timing: {default: {length: 24h, grace: 1h}}
"""


class _Death(BaseException):
    """kill -9."""


class _Mortal(World):
    """A world whose service dies before the statements that `dies_at` picks, counted over all its lives."""

    statements = 0
    deaths = 0
    dies_at: Callable[[int], bool] = staticmethod(lambda n: False)

    def __post_init__(self) -> None:
        self.mailbox: list[Arrival] = []
        super().__post_init__()
        self._count()

    def arrive(self, raw: bytes, *, at: int | None = None, uid: int | None = None) -> int:
        self.uid += 1
        when = at if at is not None else self.clock.now()
        self.mailbox.append(Arrival("INBOX", 1, self.uid, when, len(raw), raw))
        return self.uid

    def game(self, file: str, *, start: bool = True) -> Table:
        """A command's work, done whole or not at all; its mails go out with the next service."""
        number = file.partition("id: ")[2].partition("\n")[0]
        self._survive(lambda: Game.get_or_none(Game.id == number) or super(_Mortal, self).game(file, start=start))
        return self._survive(lambda: self.table(number))

    def pass_time(self, seconds: int) -> list[str]:
        end = self.clock.now() + seconds
        return self._survive(lambda: super(_Mortal, self).pass_time(end - self.clock.now()))

    def row(self, game: str) -> Game:
        return self._survive(lambda: super(_Mortal, self).row(game))

    def _survive(self, work: Callable[[], T]) -> T:
        """Do it; after each death once more, by a new service."""
        while True:
            try:
                return work()
            except _Death:
                self.deaths += 1
                self._restart()

    def settle(self) -> list[str]:
        held = set(inbox.known("INBOX", 1, [arrival.uid for arrival in self.mailbox]))
        with db.transaction():
            inbox.store([arrival for arrival in self.mailbox if arrival.uid not in held])
        return super().settle()

    def _restart(self) -> None:
        database.close()
        db.connect(self.config.database)
        self._count()
        object.__setattr__(self.house, "_guards", {})
        object.__setattr__(self.house, "pages", Pages(Templates()))

    def _count(self) -> None:
        opened: Any = database.obj
        execute = opened.execute_sql

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.statements += 1
            if self.dies_at(self.statements):
                raise _Death
            return execute(*args, **kwargs)

        opened.execute_sql = counted


def _tell(world: _Mortal) -> None:
    """A story with a little of everything: orders, refusals, press, a miss, an absence, grace, a moderator's words."""
    world.game(GREEDY)
    world.game(BULLET)
    world.pass_time(60)
    world.send("alice", "TAKE 3\nTELL bob:\nlet us both take three\nEND")
    world.send("bob", "TAKE 7")
    world.pass_time(3600)
    world.send("bob", "TAKE 4\nSAY:\nI am in\nEND")
    world.send("carol", "HELP\nSTATUS")
    world.pass_time(7200)
    world.send(
        "mod", "EXTEND 2h\nANNOUNCE:\nthe servers are slow today\nEND", answers=_newest(world, "mod", "greedy-1")
    )
    world.send("alice", "TAKE 2\nAWAY 2026-12-02 TO 2026-12-03")
    world.send("erin", "RESIGN")
    world.pass_time(26 * 3600)
    question = world.last("erin", "question")
    world.send("erin", "yes", answers=question)
    world.pass_time(3600)
    world.send("bob", "TAKE 1", answers=world.last("bob", "round"))
    world.pass_time(26 * 3600)
    world.send("mod", "END", answers=_newest(world, "mod", "bullet-1"))
    world.pass_time(60)
    world.send("mod", "yes", answers=_newest(world, "mod", "bullet-1"))
    world.pass_time(3600)
    while world.row("greedy-1").status != "over":
        world.send("alice", "TAKE 5")
        world.send("bob", "TAKE 2")
        world.pass_time(3600)


def _newest(world: World, name: str, game: str) -> Any:
    return [mail for mail in world.box(name) if f"[{game}]" in mail.subject and mail.reply_to.startswith("pbm+")][-1]


def _all_rows() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for table in TABLES:
        model: Any = table
        rows = model.select().order_by(model._meta.primary_key).dicts()
        found[model._meta.name] = [row for row in rows if row.get("key") != "service_key"]
    return found


def _boxes(world: World) -> dict[str, list[bytes]]:
    """What each reader has, the same mail once."""
    return {address: list(dict.fromkeys(mail.raw for mail in box)) for address, box in world.boxes.items()}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, int]:
    world = _Mortal(tmp_path_factory.mktemp("undisturbed"))
    try:
        before = world.statements
        _tell(world)
        assert world.reports == []
        assert {world.row(game).status for game in ("greedy-1", "bullet-1")} == {"over"}
        return _all_rows(), _boxes(world), world.statements - before
    finally:
        world.close()


@pytest.mark.parametrize("seed", [1, 2, 3, *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 60))])
def test_a_service_that_dies_again_and_again_leaves_the_same_world(
    undisturbed: tuple[Any, Any, int], tmp_path: Path, seed: int
) -> None:
    rows, boxes, statements = undisturbed
    chance = Random(seed)
    world = _Mortal(tmp_path)
    next_death = world.statements + chance.randint(1, 100)

    def dies(n: int) -> bool:
        nonlocal next_death
        if n < next_death:
            return False
        # Far enough for the longest transaction now and then, so that every one gets through.
        next_death = n + chance.choice((chance.randint(1, 30), chance.randint(1, 300)))
        return True

    try:
        world.dies_at = dies
        _tell(world)
        world.dies_at = lambda n: False
        assert world.reports == []
        assert world.deaths > statements / 200, world.deaths
        found = _all_rows()
        for name, expected in rows.items():
            assert found[name] == expected, name
        assert _boxes(world) == boxes
    finally:
        world.close()

"""Kept statements do what peewee's own do."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from peewee import DoesNotExist

from pbm.store import db
from pbm.store.models import Game, Outbox, Question, Token, database
from pbm.store.statements import Statement


@pytest.fixture(autouse=True)
def store(tmp_path: Path) -> Iterator[None]:
    db.connect(f"sqlite:///{tmp_path}/pbm.db")
    db.init()
    yield
    database.close()


def game(name: str, **more: object) -> Game:
    made: Game = Game.create(
        id=name, rules="money_grab", version=1, title="Grab", status="open", settings={"a": [1, None, "ü"]}, options={},
        moderators=["mod@play.test"], created=5, **more,
    )  # fmt: skip
    return made


def test_rows_are_written_and_found_as_by_peewee() -> None:
    game("one", hold=True)
    quick, slow = Game.get_by_id("one"), Game.get(Game.id == "one")
    assert quick.__data__ == slow.__data__
    assert quick.settings == {"a": [1, None, "ü"]}
    assert quick.hold is True
    assert quick.posted == 0
    assert quick == slow
    assert not quick.is_dirty()


def test_a_new_row_gets_its_number() -> None:
    rows = [Question.create(game=None, address=f"{n}@play.test", kind="join", data={}, at=n) for n in range(3)]
    assert [row.id for row in rows] == [1, 2, 3]
    assert [row.address for row in Question.select().order_by(Question.id)] == [f"{n}@play.test" for n in range(3)]


def test_saving_writes_what_was_assigned_and_nothing_else() -> None:
    game("one")
    mine, other = Game.get_by_id("one"), Game.get_by_id("one")
    other.title = "Another"
    assert other.save() == 1
    mine.status, mine.winners = "over", ["bob"]
    assert mine.save() == 1
    assert mine.save() == 0
    stored = Game.get(Game.id == "one")
    assert (stored.title, stored.status, stored.winners) == ("Another", "over", ["bob"])


def test_saving_some_fields_leaves_the_others_to_be_saved() -> None:
    row = game("one")
    row.title, row.status = "Another", "over"
    row.save(only=["title"])
    assert (Game.get_by_id("one").title, Game.get_by_id("one").status) == ("Another", "open")
    row.save()
    assert Game.get_by_id("one").status == "over"


def test_what_is_not_there() -> None:
    assert Game.find("nobody") is None
    assert Game.find(None) is None
    with pytest.raises(DoesNotExist):
        Game.get_by_id("nobody")


def test_rows_that_are_there_are_kept() -> None:
    row = {"token": "abc", "game": None, "seat": 1, "address": None, "turn": 2, "purpose": "order", "made": 0}
    Token.keep([{**row, "generation": 1}, {**row, "token": "def", "generation": 1}])
    Token.keep([{**row, "generation": 7}, {**row, "token": "ghi", "generation": 7}])
    assert {t.token: t.generation for t in Token.select()} == {"abc": 1, "def": 1, "ghi": 7}


def test_a_statement_takes_its_values_each_time() -> None:
    for n in range(6):
        Outbox.create(
            reader=f"r{n % 2}", kind="round" if n < 4 else "act", subject="", recipient="a@play.test",
            content=b"\0\xff", message_id=str(n), queued=n, due=n,
        )  # fmt: skip
    found: Statement[Outbox] = Statement(
        lambda reader, since: (
            Outbox.select(Outbox.id, Outbox.content)
            .where((Outbox.reader == reader) & (Outbox.queued >= since) & Outbox.kind.in_(("round", "x")))
            .order_by(Outbox.id.desc())
            .limit(2)
        )
    )
    assert [row.id for row in found.all("r1", 0)] == [4, 2]
    assert [row.id for row in found.all("r0", 1)] == [3]
    first = found.first("r0", 0)
    assert first is not None
    assert bytes(first.content) == b"\0\xff"
    assert found.first("nobody", 0) is None
    assert found.tuples("r0", 2) == [(3, b"\0\xff")]
    change: Statement[Outbox] = Statement(lambda reader: Outbox.update(status="sent").where(Outbox.reader == reader))
    assert change.run("r0") == 3
    assert Outbox.select().where(Outbox.status == "sent").count() == 3


def test_a_statement_that_loses_a_value_says_so() -> None:
    lost: Statement[Game] = Statement(lambda name, other: Game.select().where(Game.id == name))
    with pytest.raises(TypeError, match="a value is lost"):
        lost.all("one", "two")

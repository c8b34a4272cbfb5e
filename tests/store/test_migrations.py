"""`pbm upgrade`: a database of each older schema ends with the tables of a new one, and with its rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm.store import db
from pbm.store.models import Meta, Question, database


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[None]:
    db.connect(f"sqlite:///{tmp_path}/pbm.db")
    db.init()
    yield
    database.close()


def shape() -> dict[str, tuple[Any, ...]]:
    """Columns and indices of each table."""
    found: dict[str, tuple[Any, ...]] = {}
    for (table,) in database.execute_sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        columns = {row[1] for row in database.execute_sql(f'PRAGMA table_info("{table}")')}
        indices = {row[1:3] for row in database.execute_sql(f'PRAGMA index_list("{table}")')}
        found[table] = columns, indices
    return found


def test_schema_1_is_brought_up_to_date(opened: None) -> None:
    new = shape()
    Question.create(game=None, seat=None, address="a@play.test", kind="join", data={"name": "Ann"}, at=1)
    database.execute_sql('DROP INDEX "question_until"')
    database.execute_sql('ALTER TABLE "question" DROP COLUMN "until"')
    database.execute_sql('ALTER TABLE "standing" ADD COLUMN "reminded" INTEGER')
    Meta.update(value="1").where(Meta.key == "schema").execute()
    assert shape() != new
    with pytest.raises(db.StoreFault, match="pbm upgrade"):
        db.ready()
    assert db.upgrade() == (1, db.SCHEMA)
    db.ready()
    assert shape() == new
    assert (Question.get().data, Question.get().until) == ({"name": "Ann"}, None)
    assert db.upgrade() == (db.SCHEMA, db.SCHEMA)


def test_a_newer_schema_is_left_alone(opened: None) -> None:
    Meta.update(value=str(db.SCHEMA + 1)).where(Meta.key == "schema").execute()
    with pytest.raises(db.StoreFault, match="newer"):
        db.upgrade()

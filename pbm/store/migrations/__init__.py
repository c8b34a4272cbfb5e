"""The way from each schema to the next: MIGRATIONS[n - 1] takes schema n to n + 1, in one transaction.

A new database is made with the newest tables at once. A step is written in SQL of its day or with playhouse.migrate,
never with the models, which move on.
"""

from collections.abc import Callable
from typing import Any

from peewee import Database


def _questions_lapse(database: Any) -> None:
    database.execute_sql('ALTER TABLE "question" ADD COLUMN "until" INTEGER')
    database.execute_sql('CREATE INDEX "question_until" ON "question" ("until")')
    # Nothing was ever written there: the outbox knows who was reminded when.
    database.execute_sql('ALTER TABLE "standing" DROP COLUMN "reminded"')


MIGRATIONS: tuple[Callable[[Database], None], ...] = (_questions_lapse,)

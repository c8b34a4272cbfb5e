"""The way from each schema to the next: MIGRATIONS[n - 1] takes schema n to n + 1, in one transaction.

A new database is made with the newest tables at once. A step is written in SQL of its day or with playhouse.migrate,
never with the models, which move on.
"""

from collections.abc import Callable

from peewee import Database

MIGRATIONS: tuple[Callable[[Database], None], ...] = ()

"""Open, make and migrate the database; transactions; the lock that keeps a second service out."""

import contextlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from peewee import Database, OperationalError, PostgresqlDatabase, ProgrammingError, SqliteDatabase

from pbm.store.migrations import MIGRATIONS
from pbm.store.models import TABLES, Meta, database

SCHEMA = len(MIGRATIONS) + 1

# Advisory locks on PostgreSQL: of the one service, and of whoever writes.
SERVICE_LOCK, WRITER_LOCK = 7316254, 7316255


class StoreFault(Exception):
    """The database can't be used as it is; the message says what to do."""


def connect(url: str) -> Database:
    """Bind the tables to `sqlite:///path` or `postgresql://user:password@host/name`. Raises StoreFault."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        path = url.removeprefix("sqlite:///")
        opened: Database = SqliteDatabase(
            path,
            pragmas={"journal_mode": "wal", "synchronous": "full", "foreign_keys": 1, "busy_timeout": 20_000},
        )
    elif parts.scheme in ("postgresql", "postgres"):
        opened = PostgresqlDatabase(
            parts.path.lstrip("/"),
            user=parts.username,
            password=parts.password,
            host=parts.hostname,
            port=parts.port or 5432,
            connect_timeout=10,
        )
    else:
        raise StoreFault(f"database: {parts.scheme or url!r} is not known; write sqlite:///pbm.db or postgresql://…")
    if not database.is_closed() if database.obj is not None else False:
        database.close()
    database.initialize(opened)
    return opened


@contextmanager
def transaction() -> Iterator[None]:
    """One writer's transaction: the next one reads what this one has written. On SQLite it begins IMMEDIATE: a read
    that turned into a write would fail at once with «database is locked», whatever the time-out. On PostgreSQL, where a
    command and the service would else read the same row and save over each other, a lock does the same."""
    if isinstance(database.obj, SqliteDatabase):
        with database.atomic("IMMEDIATE"):
            yield
        return
    outermost = not database.in_transaction()
    with database.atomic():
        if outermost:
            database.execute_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
        yield


def schema_version() -> int | None:
    """The schema that the database holds, or None where it has none. Raises StoreFault if it can't be reached."""
    try:
        if not database.table_exists(Meta._meta.table_name):
            return None
        row = Meta.get_or_none(Meta.key == "schema")
    except (OperationalError, ProgrammingError) as fault:
        raise StoreFault(f"the database can't be opened: {fault}") from None
    return int(row.value) if row else None


def init() -> bool:
    """Make the tables and the service key. False where they are there already. Raises StoreFault."""
    if schema_version() is not None:
        return False
    with transaction():
        database.create_tables(TABLES)
        Meta.create(key="schema", value=str(SCHEMA))
        Meta.create(key="service_key", value=secrets.token_hex(32))
    return True


def upgrade() -> tuple[int, int]:
    """Bring the schema up to date, a transaction a step; gives the versions before and after. Raises StoreFault."""
    version = schema_version()
    if version is None:
        raise StoreFault("the database is empty; run `pbm init` first")
    if version > SCHEMA:
        raise StoreFault(f"the database has schema {version}; this pbm knows {SCHEMA} only: install the newer pbm")
    for step in range(version, SCHEMA):
        with transaction():
            MIGRATIONS[step - 1](database.obj)
            Meta.update(value=str(step + 1)).where(Meta.key == "schema").execute()
    return version, SCHEMA


def ready() -> None:
    """Raise StoreFault, with the command that helps, unless the schema is this pbm's."""
    version = schema_version()
    if version is None:
        raise StoreFault("the database is empty; run `pbm init` first")
    if version != SCHEMA:
        raise StoreFault(f"the database has schema {version}, this pbm {SCHEMA}; run `pbm upgrade`")


def service_key() -> bytes:
    return bytes.fromhex(Meta.get_by_id("service_key").value)


@contextmanager
def only_service(url: str) -> Iterator[None]:
    """Hold the lock of the one service that polls, closes and sends. Raises StoreFault where another holds it.

    The system lets go of it when the process dies, so a killed service leaves nothing behind.
    """
    release: Callable[[], None]
    if url.startswith("sqlite"):
        release = _file_lock(Path(url.removeprefix("sqlite:///") + ".lock"))
    else:
        if not database.execute_sql(f"SELECT pg_try_advisory_lock({SERVICE_LOCK})").fetchone()[0]:
            raise StoreFault("another pbm serves this database already")
        release = lambda: database.execute_sql(f"SELECT pg_advisory_unlock({SERVICE_LOCK})")  # noqa: E731
    try:
        yield
    finally:
        with contextlib.suppress(OSError, OperationalError):
            release()


def _file_lock(path: Path) -> Callable[[], None]:
    import fcntl

    handle = path.open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise StoreFault("another pbm serves this database already") from None
    return handle.close

"""Statements whose text is kept. To make one takes peewee 0.3 to 0.7 ms, many times as long as SQLite takes to run it:
with some thirty statements a mail or close, that was the larger part of both."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from peewee import AutoField, CharField, ForeignKeyField, IntegerField, Model, TextField

M = TypeVar("M", bound=Model)

# Columns whose values come from every driver as they are.
_NATIVE = (AutoField, CharField, ForeignKeyField, IntegerField, TextField)


class _Mark(str):
    """Stands for the n-th value while peewee makes the text; no column type changes it."""

    __slots__ = ("n",)
    n: int


class Statement(Generic[M]):
    """A query of one table, made once by peewee and run with other values each time.

    `make`: values → the query. It gets marks in their place, so it can't look at them; a value is a str or an int, and
    None finds nothing. `Statement(lambda game: Seat.select().where(Seat.game == game))`.
    """

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._model: Any = None
        self._texts: dict[type, tuple[str, list[Any]]] = {}
        self._columns: list[tuple[str, Callable[[Any], Any] | None]] = []

    def all(self, *values: str | int) -> list[M]:
        """The rows, as objects of the table's class."""
        cursor = self._cursor(values)
        if not self._columns:
            self._columns = [_column(self._model, described[0]) for described in cursor.description]
        return [_object(self._model, self._columns, row) for row in cursor.fetchall()]

    def first(self, *values: str | int) -> M | None:
        rows = self.all(*values)
        return rows[0] if rows else None

    def tuples(self, *values: str | int) -> list[tuple[Any, ...]]:
        """The rows as the driver gives them."""
        found: list[tuple[Any, ...]] = self._cursor(values).fetchall()
        return found

    def run(self, *values: str | int) -> int:
        """For UPDATE and DELETE: how many rows it changed."""
        return int(self._cursor(values).rowcount)

    def _cursor(self, values: Sequence[str | int]) -> Any:
        if self._model is None:
            self._model = self._query(len(values)).model
        database = self._model._meta.database
        kind = type(database.obj)
        if kind not in self._texts:
            text, params = self._query(len(values)).sql()
            if sorted({p.n for p in params if isinstance(p, _Mark)}) != list(range(len(values))):
                raise TypeError(f"a value is lost in {text}")
            self._texts[kind] = text, list(params)
        text, params = self._texts[kind]
        return database.execute_sql(text, [values[p.n] if isinstance(p, _Mark) else p for p in params])

    def _query(self, count: int) -> Any:
        marks = [_Mark(f"value {n}") for n in range(count)]
        for n, mark in enumerate(marks):
            mark.n = n
        return self._make(*marks)


def _column(model: Any, name: str) -> tuple[str, Callable[[Any], Any] | None]:
    """The field's name, and how its value is read, for a column of an answer."""
    field = model._meta.columns[name]
    return field.name, None if type(field) in _NATIVE else field.python_value


def _object(model: Any, columns: Sequence[tuple[str, Callable[[Any], Any] | None]], row: Sequence[Any]) -> Any:
    made = model(__no_default__=True)
    data = made.__data__
    for (name, read), value in zip(columns, row, strict=True):
        data[name] = value if read is None or value is None else read(value)
    made._dirty.clear()
    return made


class Quick(Model):
    """A table whose rows are found by their key, made and saved by kept statements. Saving writes what was assigned
    since the row was read: a value that is changed in place has to be assigned again."""

    @classmethod
    def find(cls, pk: Any) -> Any:
        """The row with this key, or None."""
        model: Any = cls
        if cls not in _by_key:
            _by_key[cls] = Statement(lambda value: cls.select().where(model._meta.primary_key == value))
        return _by_key[cls].first(pk)

    @classmethod
    def get_by_id(cls, pk: Any) -> Any:
        """Raises DoesNotExist."""
        model: Any = cls
        found = cls.find(pk)
        if found is None:
            raise model.DoesNotExist(f"there is no {model._meta.name} {pk!r}")
        return found

    def save(self, force_insert: bool = False, only: Iterable[str] | None = None) -> int:
        """Write the row, or of one that is stored what was assigned (`only`: these fields). Gives how many rows were
        written."""
        row: Any = self
        meta, data = row._meta, row.__data__
        key = meta.primary_key.name
        new = force_insert or data.get(key) is None
        wanted = data.keys() if new else row._dirty - {key} if only is None else set(only)
        names = tuple(name for name in data if name in wanted and not (name == key and data[name] is None))
        if not names:
            return 0
        database = meta.database
        values = [meta.fields[name].db_value(data[name]) for name in names]
        if new:
            cursor = database.execute_sql(_insert_text(type(self), database, names), values)
            if data.get(key) is None:
                data[key] = cursor.fetchone()[0] if database.returning_clause else cursor.lastrowid
        else:
            database.execute_sql(_update_text(type(self), database, names), [*values, data[key]])
        row._dirty.difference_update(names)
        return 1

    @classmethod
    def keep(cls, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write new rows; one whose key is there already stays as it is."""
        model: Any = cls
        database, fields = model._meta.database, model._meta.fields
        for row in rows:
            text = _insert_text(cls, database, tuple(row), ignore=True)
            database.execute_sql(text, [fields[name].db_value(value) for name, value in row.items()])


_by_key: dict[type, Statement[Any]] = {}
_texts: dict[tuple[object, ...], str] = {}


def _insert_text(model: Any, database: Any, names: tuple[str, ...], *, ignore: bool = False) -> str:
    kind = (model, type(database.obj), "insert", ignore, names)
    if kind not in _texts:
        columns = ", ".join(f'"{model._meta.fields[name].column_name}"' for name in names)
        marks = ", ".join([database.param] * len(names))
        text = f'INSERT INTO "{model._meta.table_name}" ({columns}) VALUES ({marks})'  # noqa: S608 - names of ours
        if ignore:
            text += " ON CONFLICT DO NOTHING"
        elif database.returning_clause:
            text += f' RETURNING "{model._meta.primary_key.column_name}"'
        _texts[kind] = text
    return _texts[kind]


def _update_text(model: Any, database: Any, names: tuple[str, ...]) -> str:
    kind = (model, type(database.obj), "update", names)
    if kind not in _texts:
        key = model._meta.primary_key.column_name
        sets = ", ".join(f'"{model._meta.fields[name].column_name}" = {database.param}' for name in names)
        _texts[kind] = f'UPDATE "{model._meta.table_name}" SET {sets} WHERE "{key}" = {database.param}'  # noqa: S608
    return _texts[kind]

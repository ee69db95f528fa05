"""What a builder made is kept as rows and files, and given to the next test that asks for it.

An open contest takes 30 ms to build, one with everything in it a second, and hundreds of tests
begin with the same one. Keys stay the same, so only what never changes may be cached under them.
"""

import pickle
from collections.abc import Callable
from datetime import datetime
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from django.apps import apps
from django.conf import settings
from django.core.files.storage import storages
from django.db import connection, transaction

T = TypeVar("T")
P = ParamSpec("P")
# What `migrate` itself fills.
FILLED = ("django_content_type", "auth_permission")


class Rows(NamedTuple):
    columns: list[str]
    values: list[tuple[Any, ...]]


class Kept(NamedTuple):
    """The answer of a builder, all rows it made and all files there are."""

    answer: bytes
    tables: dict[str, Rows]
    files: dict[Path, bytes]


_kept: dict[object, Kept] = {}
_given: list[Kept] = []  # one after the other: a builder may call another one


def built_once(build: Callable[P, T]) -> Callable[P, T]:
    """A builder whose rows are kept for the next test, by its arguments: these have to be hashable.

    One with a moment among them is of now, perhaps, and builds anew.
    """

    @wraps(build)
    def given(*args: P.args, **more: P.kwargs) -> T:
        key = (build.__module__, build.__qualname__, *args, *sorted(more.items()))
        if any(isinstance(value, datetime) for value in (*args, *more.values())):
            return build(*args, **more)
        return _from_rows(key, lambda: build(*args, **more))

    return given


def _from_rows(key: object, build: Callable[[], T]) -> T:
    """The answer of `build` to an empty database, with the rows and files that belong to it.

    Where there are rows already, or a test has a store of its own, it builds anew.
    """
    if not Path(storages["golds"].location).is_relative_to(settings.DATA_DIR) or _has_rows():
        return build()
    if key not in _kept:
        before, begun = _files(), len(_given)
        answer = build()
        tables = {table: _read(table) for table in _tables()}
        files = {path: path.read_bytes() for path in _files() - before}
        for inner in _given[begun:]:
            files |= inner.files
        _kept[key] = Kept(pickle.dumps(answer), tables, files)
        _given.append(_kept[key])
        return answer
    found = _kept[key]
    _given.append(found)
    with transaction.atomic():  # the order of tables is the alphabet's, keys are checked at its end
        for table, rows in found.tables.items():
            _write(table, rows)
    for path, data in found.files.items():
        if not path.exists():  # a test did away with it
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    made: T = pickle.loads(found.answer)
    return made


def _files() -> set[Path]:
    return {path for path in (Path(settings.DATA_DIR) / "files").rglob("*") if path.is_file()}


def _has_rows() -> bool:
    asked = (f"EXISTS(SELECT 1 FROM {connection.ops.quote_name(table)})" for table in _tables())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {' OR '.join(asked)}")
        return bool(cursor.fetchone()[0])


@cache
def _tables() -> list[str]:
    models = apps.get_models(include_auto_created=True)
    names = {model._meta.db_table for model in models if model._meta.managed}
    return sorted(names.difference(FILLED))


def _read(table: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
        return Rows([column[0] for column in cursor.description], cursor.fetchall())


def _write(table: str, rows: Rows) -> None:
    if not rows.values:
        return
    quote = connection.ops.quote_name
    columns = ", ".join(map(quote, rows.columns))
    places = ", ".join(["%s"] * len(rows.columns))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {quote(table)} ({columns}) VALUES ({places})", rows.values)

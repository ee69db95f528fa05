"""What a builder made is kept as rows and files, and given to the next test that asks for it.

A contest with everything in it takes most of a second to build, and dozens of tests begin with
the same one. Keys stay the same, so only what never changes may be cached under them.
"""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction

T = TypeVar("T")
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


def built_once(key: object, build: Callable[[], T]) -> T:
    """The answer of `build` to an empty database, with the rows and files that belong to it.

    Where there are rows already it builds anew. `key` stands for the builder and its arguments.
    """
    if any(_read(table).values for table in _tables()):
        return build()
    if key not in _kept:
        answer = build()
        tables = {table: _read(table) for table in _tables()}
        files = {path: path.read_bytes() for path in _folder().rglob("*") if path.is_file()}
        _kept[key] = Kept(pickle.dumps(answer), tables, files)
        return answer
    kept = _kept[key]
    with transaction.atomic():  # the order of tables is the alphabet's, keys are checked at its end
        for table, rows in kept.tables.items():
            _write(table, rows)
    for path, data in kept.files.items():
        if not path.exists():  # a test did away with it
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    found: T = pickle.loads(kept.answer)
    return found


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "files"


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

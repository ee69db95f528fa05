"""The database as one file: taken while everybody goes on, read back, put into an empty one."""

import errno
import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import OperationalError, connection, models, transaction

from leaderboard.competitions.models import DataFile
from leaderboard.operations.management.commands.migrate import UNLIMITED
from leaderboard.references.models import ReferenceSet
from leaderboard.submissions.models import Submission

NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
# Where rows name files: place, table, column of the name, column of its sha256. Golds have none.
# An app above adds its own in its `ready()`.
NAMED_BY: list[tuple[str, type[models.Model], str, str | None]] = [
    ("submissions", Submission, "file", "sha256"),
    ("default", DataFile, "file", "sha256"),
    ("golds", ReferenceSet, "stored_as", None),
]
ALL_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%'"
    " ESCAPE '~'",
    "postgresql": "SELECT schemaname || '.' || tablename FROM pg_tables"
    " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
}
COPY = re.compile(rb"COPY (\S+) .*FROM stdin;\n")

Ask = Callable[[str], list[tuple[Any, ...]]]


class CannotDump(Exception):
    """One sentence for the operator: what is wrong with the database's file or its programs."""


class DamagedDump(CannotDump):
    """The same of a dump that cannot be read."""


class Named(NamedTuple):
    """A file that a row names; `sha256` is "" where no row says it."""

    place: str
    name: str
    sha256: str


class Snapshot(NamedTuple):
    """What stood in the database at the instant of its dump: rows by table, and so on."""

    server: str
    tables: dict[str, int]
    migrations: list[list[str]]
    files: list[Named]


def take(file: Path) -> Snapshot:
    """Write the whole database into a new file. Nobody waits for it but who changes tables.

    Raises CannotDump, OSError.
    """
    if connection.vendor == "postgresql":
        return _take_postgresql(file)
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(file)])
    except OperationalError as error:
        if getattr(error.__cause__, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file)) from error
        raise CannotDump(f"SQLite says: {error}.") from error
    with _opened(file) as kept:
        return _seen(lambda sql: kept.execute(sql).fetchall(), sqlite3.sqlite_version)


def _take_postgresql(file: Path) -> Snapshot:
    """pg_dump sees what this transaction sees: rows and files are counted of the same instant."""
    _refuse_pooler()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for name in UNLIMITED:
            cursor.execute(f"SET LOCAL {name} = 0")

        def ask(sql: str) -> list[tuple[Any, ...]]:
            cursor.execute(sql)
            return list(cursor.fetchall())

        snapshot, server = ask("SELECT pg_export_snapshot(), current_setting('server_version')")[0]
        seen = _seen(ask, str(server))
        _run("pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={file}")
    return seen


def _seen(ask: Ask, server: str) -> Snapshot:
    done = ask("SELECT app, name FROM django_migrations ORDER BY app, name")
    return Snapshot(
        server, _rows(ask), [[str(app), str(name)] for app, name in done], sorted(set(_named(ask)))
    )


def _rows(ask: Ask) -> dict[str, int]:
    count = "SELECT count(*) FROM "
    tables = sorted(str(name) for (name,) in ask(ALL_TABLES[connection.vendor]))
    return {name: int(ask(count + name)[0][0]) for name in tables}


def _named(ask: Ask) -> Iterator[Named]:
    for place, model, column, sha256 in NAMED_BY:
        columns = f"{column}, {sha256}" if sha256 else f"{column}, ''"
        for name, told in ask(" ".join(("SELECT", columns, "FROM", model._meta.db_table))):
            names = [name] if sha256 else json.loads(name)
            yield from (Named(place, str(one), str(told)) for one in names if one)


def rows(file: Path) -> dict[str, int]:
    """The rows by table of a dump of this engine, each byte of which is read. Raises CannotDump.

    DamagedDump where that is the dump's own fault.
    """
    if connection.vendor == "postgresql":
        return _rows_of_archive(file)
    with _opened(file) as kept:
        try:
            if (said := kept.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise DamagedDump(f"SQLite says: {said}.")
            return _rows(lambda sql: kept.execute(sql).fetchall())
        except sqlite3.DatabaseError as error:
            raise DamagedDump(f"SQLite says: {error}.") from error


def _rows_of_archive(file: Path) -> dict[str, int]:
    """Lines between `COPY public.name (…) FROM stdin;` and `\\.`, which pg_restore prints."""
    found: dict[str, int] = {}
    command = [_program("pg_restore"), "--data-only", "--file=-", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as reading:
        table, said = None, b""
        for line in reading.stdout or ():
            if table is None:
                if begins := COPY.fullmatch(line):
                    table = begins[1].decode()
                    found[table] = 0
                elif b"error:" in line:
                    said = line
            elif line == b"\\.\n":
                table = None
            else:
                found[table] += 1
    if reading.returncode:
        raise DamagedDump(f"pg_restore says: {said.decode(errors='replace').strip()}")
    return found


def put(file: Path) -> None:
    """Fill an empty database with a dump: all of it or nothing. Raises CannotDump, OSError."""
    if connection.vendor == "postgresql":
        _put_postgresql(file)
        return
    connection.ensure_connection()
    try:
        with _opened(file) as kept:
            # One transaction of the database here, whoever has it open.
            kept.backup(connection.connection)
    except sqlite3.DatabaseError as error:
        raise CannotDump(f"SQLite says: {error}.") from error
    connection.close()


def _put_postgresql(file: Path) -> None:
    """The tables of an installation that nobody used go first; what else lies there stays."""
    _refuse_pooler()
    there = {*connection.introspection.django_table_names(only_existing=True)}
    there |= {"django_migrations"} & {*connection.introspection.table_names()}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in sorted(there):
            cursor.execute(f'DROP TABLE "{table}" CASCADE')
    connection.close()
    whole = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    # That on an extension is its owner's to write, who may be another one here.
    _run("pg_restore", *whole, "--no-comments", str(file))
    with transaction.atomic(), connection.cursor() as cursor:
        for limit in UNLIMITED:
            cursor.execute(f"SET LOCAL {limit} = 0")
        cursor.execute("ANALYZE")  # a dump brings no statistics, and the first pages need them


def _opened(file: Path) -> closing[sqlite3.Connection]:
    """A snapshot of SQLite, which nobody writes: nothing is locked or left beside it."""
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    return closing(sqlite3.connect(uri, uri=True))


# --- PostgreSQL's programs -----------------------------------------------------------------------


def _refuse_pooler() -> None:
    if settings.DATABASE_POOLED:
        raise CannotDump(
            "pg_dump would leave its settings on the pooler's connections: for this command say "
            "DATABASE_POOLED=0 and DATABASE_URL of the database itself."
        )


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise CannotDump(
            f"{name} is missing on this machine: apt install postgresql-client, of the server's "
            "version or newer."
        )
    return found


def _run(name: str, *words: str) -> None:
    """One of the programs on our database; its password goes by the environment."""
    found, secret = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    _, *address, database = found
    done = subprocess.run(
        [_program(name), "--no-password", *address, f"--dbname={database}", *words],
        env={**os.environ, **(secret or {}), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        if os.strerror(errno.ENOSPC) in done.stderr:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        said = done.stderr.strip().splitlines()
        first = next((line for line in said if "error:" in line), f"exit code {done.returncode}")
        raise CannotDump(f"{name} says: {first}")

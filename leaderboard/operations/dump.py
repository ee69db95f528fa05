"""The database as one file: written while everybody goes on, read whole, put into an empty one."""

import errno
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from enum import IntEnum
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction

from leaderboard.operations.management.commands.migrate import UNLIMITED

NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
FULL = ("disk is full", os.strerror(errno.ENOSPC))  # as SQLite and PostgreSQL's programs say it


class ExitCode(IntEnum):
    """Exit codes of `backup` and `restore`, as docs/operating.md lists them.

    A CommandError is raised with one of them and a sentence for the operator.
    """

    REFUSED = 1
    NOT_WRITABLE = 3
    DISK_FULL = 4
    STORE = 5
    DAMAGED = 6
    NOT_EMPTY = 7
    NEWER = 8


def take(file: Path) -> None:
    """Write the whole database into a new file. Raises CommandError.

    Nobody waits for it but who changes tables.
    """
    if connection.vendor == "postgresql":
        _run("pg_dump", "--format=custom", f"--file={file}")
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(file)])
    except DatabaseError as error:
        raise _problem("SQLite", str(error)) from error


def read(file: Path) -> None:
    """Read each byte of a dump of this engine. Raises CommandError."""
    try:
        if connection.vendor == "postgresql":
            _run("pg_restore", f"--file={os.devnull}", str(file), connects=False)
            return
        with _opened(file) as copy:
            ((said,),) = copy.execute("PRAGMA integrity_check(1)")
    except (CommandError, sqlite3.DatabaseError) as error:
        said = str(error)
    if said != "ok":
        raise CommandError(f"{file} is damaged: {said}", returncode=ExitCode.DAMAGED)


def put(file: Path) -> None:
    """Fill an empty database with a dump: all of it or nothing. Raises CommandError."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        try:
            with _opened(file) as copy:
                copy.backup(connection.connection)  # one transaction, whoever has it open
        except sqlite3.DatabaseError as error:
            raise _problem("SQLite", str(error)) from error
        connection.close()
        return
    # The tables of an installation that nobody used go first; what else lies there stays.
    there = {*connection.introspection.django_table_names(only_existing=True)}
    there |= {"django_migrations"} & {*connection.introspection.table_names()}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in sorted(there):
            cursor.execute(f'DROP TABLE "{table}" CASCADE')
    connection.close()
    whole = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    # A comment on an extension is its owner's to write, who may be another one here.
    _run("pg_restore", *whole, "--no-comments", str(file))
    with transaction.atomic(), connection.cursor() as cursor:
        for name in UNLIMITED:
            cursor.execute(f"SET LOCAL {name} = 0")
        cursor.execute("ANALYZE")  # a dump brings no statistics, and the first pages need them


def _opened(file: Path) -> closing[sqlite3.Connection]:
    """A snapshot of SQLite, which nobody writes: nothing is locked or left beside it."""
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    return closing(sqlite3.connect(uri, uri=True))


def _problem(who: str, said: str) -> CommandError:
    ending = ExitCode.DISK_FULL if any(one in said for one in FULL) else ExitCode.REFUSED
    return CommandError(f"{who} says: {said}", returncode=ending)


def _run(name: str, *words: str, connects: bool = True) -> None:
    """Run a program of PostgreSQL on our database, whose password goes by the environment."""
    program, why = shutil.which(name), ""
    if program is None:
        why = f"{name} is missing: apt install postgresql-client, of the server's version or newer."
    elif settings.DATABASE_POOLED:
        why = "Behind a pooler set DATABASE_POOLED=0 and DATABASE_URL of the database itself here."
    if program is None or why:
        raise CommandError(why, returncode=ExitCode.REFUSED)
    psql, secret = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    if connects:
        words = ("--no-password", *psql[1:-1], f"--dbname={psql[-1]}", *words)
    env = {**os.environ, **(secret or {}), "LC_ALL": "C"}
    done = subprocess.run([program, *words], env=env, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise _problem(name, said or f"exit code {done.returncode}")

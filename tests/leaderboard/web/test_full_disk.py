"""Which errors mean that the disk is full, by the errors themselves."""

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg.errors
import pytest
from django.db import OperationalError

from leaderboard.web.errors import found_no_room


def full_file() -> OSError:
    """What the kernel says of its own full device."""
    with (
        Path("/dev/full").open("wb", buffering=0) as file,
        pytest.raises(OSError, match="No space left") as caught,
    ):
        file.write(b"x")
    return caught.value


def full_sqlite() -> sqlite3.OperationalError:
    """What SQLite says of a database that may not grow."""
    with closing(sqlite3.connect(":memory:")) as own:
        own.execute("PRAGMA max_page_count = 3")
        own.execute("CREATE TABLE kept (text)")
        with pytest.raises(sqlite3.OperationalError, match="database or disk is full") as caught:
            own.execute("INSERT INTO kept VALUES (zeroblob(100000))")
    return caught.value


def locked_sqlite(tmp_path: Path) -> sqlite3.OperationalError:
    with closing(sqlite3.connect(tmp_path / "one")) as own:
        own.execute("BEGIN IMMEDIATE")
        with (
            closing(sqlite3.connect(tmp_path / "one", timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError) as caught,
        ):
            other.execute("BEGIN IMMEDIATE")
    return caught.value


def wrapped(cause: Exception) -> OperationalError:
    """As Django raises it."""
    error = OperationalError(*cause.args)
    error.__cause__ = cause
    return error


def test_a_full_disk_is_known_by_its_error(tmp_path: Path) -> None:
    assert found_no_room(full_file())
    assert found_no_room(OSError(errno.EDQUOT, "Disk quota exceeded"))
    assert found_no_room(wrapped(full_sqlite()))
    assert found_no_room(wrapped(psycopg.errors.DiskFull("could not extend file")))


def test_what_only_takes_long_or_is_gone_is_not_a_full_disk(tmp_path: Path) -> None:
    assert not found_no_room(wrapped(locked_sqlite(tmp_path)))
    assert not found_no_room(wrapped(psycopg.errors.AdminShutdown("terminating connection")))
    assert not found_no_room(FileNotFoundError(errno.ENOENT, "No such file"))
    assert not found_no_room(None)

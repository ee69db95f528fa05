"""`./run` on a database of another version: one line says what to do, and nothing is changed."""

import sqlite3
from pathlib import Path

import pytest
from django.db.migrations.loader import MigrationLoader

from tests.servers import free_port, product

# Code that was rolled back knows all migrations of its own, and not the newest one.
NEWER = [*MigrationLoader(None).disk_migrations, ("teams", "9999_of_the_newer_version")]


@pytest.mark.faults
def test_it_is_refused_in_one_line_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "db.sqlite3"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app, name, applied)")
        made.executemany(
            "INSERT INTO django_migrations (app, name, applied) VALUES (?, ?, '2026-01-01')", NEWER
        )
    env = {"DATA_DIR": str(tmp_path), "PORT": str(free_port()), "DEMO": "false"}
    ended = product("-m", "leaderboard.operations.up", **env)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert "manage.py restore" in line
    with sqlite3.connect(file) as kept:
        assert kept.execute("SELECT count(*) FROM sqlite_master WHERE type='table'").fetchone() == (
            1,
        )

"""Tests begin with the tables of the models: they are those that the migrations make."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.servers import ROOT
from tests.stack import DATABASE, _environment, migrated


def tables(file: Path) -> dict[str, list[str]]:
    """Each table's columns and constraints, whatever their order; each index; and the rows that
    migrations leave.
    """
    found = {}
    with closing(sqlite3.connect(file)) as read:
        made = read.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for kind, name, sql in made:
            parts = sql[:-1].partition(" (")[2].split(", ") if kind == "table" else [sql]
            found[name] = sorted(parts)
        for asked in (
            "app, name FROM django_migrations",
            "app_label, model FROM django_content_type",
            "codename, name FROM auth_permission",
        ):
            found[asked] = sorted(map(str, read.execute(f"SELECT {asked}")))
    return found


@pytest.mark.whole
def test_migrations_make_the_tables_of_the_models(tmp_path: Path) -> None:
    words = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
    subprocess.run(words, cwd=ROOT, env=_environment(tmp_path), check=True)
    quick, whole = tables(migrated()), tables(tmp_path / DATABASE)
    assert quick.keys() == whole.keys()
    assert [(name, quick[name], whole[name]) for name in quick if quick[name] != whole[name]] == []

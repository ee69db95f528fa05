"""Tests begin with the tables of the models: they are those that the migrations make."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connections
from django.db.utils import ConnectionHandler

from tests.servers import ROOT
from tests.stack import DATABASE, _environment, migrated


def tables(file: Path) -> dict[str, object]:
    """By table: its columns, whatever their order, and its constraints and indexes by name."""
    engine = connections["default"].settings_dict | {"NAME": str(file)}
    handler = ConnectionHandler({"default": engine})
    with closing(handler["default"]) as asked, asked.cursor() as cursor:
        return {
            table: (
                sorted(
                    (column.name, column.type_code, column.null_ok, column.default)
                    for column in asked.introspection.get_table_description(cursor, table)
                ),
                asked.introspection.get_constraints(cursor, table),
            )
            for table in asked.introspection.table_names(cursor)
        }


@pytest.mark.whole
@pytest.mark.django_db
def test_migrations_make_the_tables_of_the_models(tmp_path: Path) -> None:
    words = [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity=0"]
    subprocess.run(words, cwd=ROOT, env=_environment(tmp_path), check=True)
    quick, whole = tables(migrated()), tables(tmp_path / DATABASE)
    assert quick.keys() == whole.keys()
    assert {name for name in quick if quick[name] != whole[name]} == set()
    for statement in ("SELECT app, name FROM django_migrations", "SELECT * FROM auth_permission"):
        rows = []
        for file in (migrated(), tmp_path / DATABASE):
            with closing(sqlite3.connect(file)) as read:
                rows.append(sorted(map(str, read.execute(statement))))
        assert rows[0] == rows[1]

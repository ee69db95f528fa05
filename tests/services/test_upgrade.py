"""Databases that earlier versions filled are migrated, with nothing lost, on both engines.

A file `filled/<before what>.json.gz` was kept by `python -m tests.filled` when that change began.
"""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.servers import ROOT, Postgres

pytestmark = pytest.mark.services

FILLED = sorted((Path(__file__).parent / "filled").glob("*.json.gz"))
RENAMED = {"community.report": "community.postreport"}

LOOK = """
from django.test import Client
from leaderboard.competitions.models import Competition
for one in Competition.objects.order_by("slug"):
    for page in ("/", "/leaderboard", "/leaderboard?at=2026-11-22"):
        answer = Client().get(f"/c/{one.slug}{page}", headers={"host": "localhost"})
        assert answer.status_code == 200, (page, answer.status_code)
    print(one.slug)
"""


def run(database: str, folder: Path, *words: str) -> str:
    """What this Python prints with the product's own settings on this database."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": database,
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


def keys(path: Path) -> set[tuple[str, Any]]:
    """The model, as it is called now, and the key of every row."""
    rows = json.loads(gzip.decompress(path.read_bytes()))["rows"]
    return {(RENAMED.get(row["model"], row["model"]), row["pk"]) for row in rows}


@pytest.mark.parametrize("filled", FILLED, ids=lambda path: path.name.split(".")[0])
@pytest.mark.parametrize("engine", [pytest.param("sqlite", marks=pytest.mark.slow), "postgresql"])
def test_a_filled_database_is_migrated(
    engine: str, filled: Path, postgres: Postgres, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path}/db.sqlite3"
    if engine == "postgresql":
        database = postgres.new_database(f"filled_{filled.name.split('.')[0]}")
    run(database, tmp_path, "-m", "tests.filled", "lay", str(filled))
    run(database, tmp_path, "manage.py", "migrate", "--verbosity=0")
    run(database, tmp_path, "manage.py", "collectstatic", "--no-input", "--verbosity=0")
    after = tmp_path / "after.json.gz"
    run(database, tmp_path, "-m", "tests.filled", "keep", str(after))
    assert keys(filled) - keys(after) == set()
    checked = run(database, tmp_path, "manage.py", "rebuild_standings", "--check")
    assert "equal their scores" in checked
    shown = run(database, tmp_path, "manage.py", "shell", "-v0", "-c", LOOK)
    assert shown.split() == ["daily-dialogue", "short-calls"]

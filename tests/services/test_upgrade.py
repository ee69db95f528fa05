"""Databases that earlier versions filled are migrated, with nothing lost, on both engines.

A file `filled/<before what>.json.gz` was kept by `python -m tests.filled` when that change began.
"""

import gzip
import json
import os
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.forked import Commands
from tests.servers import ROOT, Postgres
from tests.stack import static_files

pytestmark = pytest.mark.services

FILLED = sorted((Path(__file__).parent / "filled").glob("*.json.gz"))
OLDEST = next(path for path in FILLED if path.name.startswith("before_teams."))
RENAMED = {"community.report": "community.postreport"}
GONE = {"evaluation.kepttokens"}  # tokens lie in the store, and are made again

LOOK = """
from django.test import Client
from leaderboard.competitions.models import Competition
for one in Competition.objects.order_by("slug"):
    for page in ("/", "/leaderboard", "/leaderboard?at=2026-11-22"):
        answer = Client().get(f"/c/{one.slug}{page}", headers={"host": "localhost"})
        assert answer.status_code == 200, (page, answer.status_code)
    print(one.slug)
"""


def run(commands: Commands, *words: str) -> str:
    """What one of them prints."""
    done = commands.run(*words)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


def keys(path: Path) -> set[tuple[str, Any]]:
    """The model, as it is called now, and the key of every row."""
    rows = json.loads(gzip.decompress(path.read_bytes()))["rows"]
    kept = [row for row in rows if row["model"] not in GONE]
    return {(RENAMED.get(row["model"], row["model"]), row["pk"]) for row in kept}


def seeds(path: Path) -> list[Any]:
    """What split each reference set: organizers chose numbers, and one was put into each file."""
    rows = json.loads(gzip.decompress(path.read_bytes()))["rows"]
    sets = [row for row in rows if row["model"] == "references.referenceset"]
    return sorted((row["fields"]["split_seed"] for row in sets), key=str)


# The oldest, on the engine that looks at constraints at once, goes through everything.
WAYS = [
    pytest.param(
        engine,
        filled,
        marks=() if (engine, filled) == ("postgresql", OLDEST) else pytest.mark.slow,
        id=f"{engine}-{filled.name.split('.')[0]}",
    )
    for engine in ("sqlite", "postgresql")
    for filled in FILLED
]


@pytest.mark.parametrize(("engine", "filled"), WAYS)
def test_a_filled_database_is_migrated(
    engine: str, filled: Path, postgres: Postgres, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path}/db.sqlite3"
    if engine == "postgresql":
        database = postgres.new_database(f"filled_{filled.name.split('.')[0]}")
    product = {
        "DATABASE_URL": database,
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    }
    shutil.copytree(static_files(), tmp_path / "static")
    with closing(Commands({**os.environ, **product}, ROOT)) as commands:
        run(commands, "tests.filled", "lay", str(filled))
        run(commands, "manage.py", "migrate", "--verbosity=0")
        after = tmp_path / "after.json.gz"
        run(commands, "tests.filled", "keep", str(after))
        assert keys(filled) - keys(after) == set()
        assert (seeds(filled), seeds(after)) == ([7, None, None], ["7", None, None])
        checked = run(commands, "manage.py", "rebuild_standings", "--check")
        assert "equal their scores" in checked
        shown = run(commands, "manage.py", "shell", "-v0", "-c", LOOK)
        assert shown.split() == ["daily-dialogue", "short-calls"]

"""What is kept is its owner's alone, however the process is started that writes it."""

from pathlib import Path

import pytest

from tests.servers import product

# As a shell has it that nobody set up, with a data folder that somebody made by hand.
UMASK, FOLDER = 0o022, 0o755
WRITES = """
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
connection.cursor().execute("CREATE TABLE golds (gold text)")
storages["golds"].save("golds.csv", ContentFile(b"fname"))
"""
SAYS = "import os; print(oct(os.umask(0)))"


def run(folder: Path, *words: str) -> str:
    done = product(*words, umask=UMASK, DATA_DIR=str(folder))
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_a_command_leaves_nothing_that_others_can_read(tmp_path: Path) -> None:
    tmp_path.chmod(FOLDER)
    run(tmp_path, "manage.py", "shell", "-v0", "-c", WRITES)
    found = {path: path.stat().st_mode & 0o077 for path in tmp_path.rglob("*")}
    assert {"db.sqlite3", "golds.csv"} <= {path.name for path in found}
    assert {path: mode for path, mode in found.items() if mode} == {}


@pytest.mark.whole
@pytest.mark.parametrize(
    "entry",
    [
        "leaderboard.wsgi",
        "leaderboard.celery; app.conf.broker_url",
        "leaderboard.operations.up; settings.DATA_DIR",
    ],
)
def test_so_does_each_other_entry(entry: str, tmp_path: Path) -> None:
    """gunicorn; worker, as Celery asks for its settings; `./run` before it begins."""
    module, _, asks = entry.partition("; ")
    code = f"from {module} import *; {asks}\n{SAYS}"
    assert run(tmp_path, "-c", code).split()[-1] == "0o77"

"""A contest moves to an empty installation: another database, other files, other processes."""

import json
import zipfile
from pathlib import Path
from typing import Literal

import pytest
from django.core.management import call_command

from tests.leaderboard.contest_file import full_contest
from tests.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.django_db]

# What the placements of now say, as text: the same lines on every machine.
STANDINGS = """
import json
from leaderboard.boards.models import Standing
rows = Standing.objects.filter(scoring_version__state__in=("live", "rehearsing"))
print("rows", json.dumps(sorted(
    [str(value) for value in row]
    for row in rows.values_list(
        "team__competition__slug", "scoring_version__number", "board", "team__name", "printed",
        "submission", "received_at", "entries", "last_submission_at", "ranked",
    )
)))
"""
ENDED = """
from leaderboard.evaluation.models import Evaluation
ended = Evaluation.objects.filter(state__in=("done", "cancelled")).count()
print(f"ended {ended} {Evaluation.objects.count()}")
"""
OWNER = "from leaderboard.accounts.models import User; User.objects.create(username='root')"


def here() -> list[list[str]]:
    """The same of the database of this test."""
    rows = full_contest.placements_now("talk")
    return sorted([str(value) for value in ("talk", *row)] for row in rows)


def document(file: Path) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        return archive.read("contest.yaml").decode().splitlines()


def asked(stack: Stack, code: str, word: str) -> str:
    lines = stack.manage("shell", "-c", code).splitlines()
    return next(line for line in lines if line.startswith(word)).removeprefix(word).strip()


@pytest.mark.parametrize(
    "db",
    ["sqlite", pytest.param("postgres", marks=[pytest.mark.services, pytest.mark.slow])],
)
def test_it_is_scored_there_and_is_the_same_contest(
    db: Literal["sqlite", "postgres"], tmp_path: Path
) -> None:
    full_contest.build()
    file, again = tmp_path / "talk.zip", tmp_path / "again.zip"
    call_command("export_contest", "talk", str(file), "--full")
    with Stack(db, only=("worker", "sweeper")) as there:
        there.manage("shell", "-c", OWNER)
        told = there.manage("import_contest", str(file), "--owner", "root")
        assert "imported: talk" in told

        def all_ended() -> bool:
            ended, number = asked(there, ENDED, "ended").split()
            return ended == number != "0"

        there.wait_for(all_ended, 120, "everything scored")
        assert json.loads(asked(there, STANDINGS, "rows")) == here()
        there.manage("export_contest", "talk", str(again), "--full")
        assert document(again) == document(file)
        assert again.read_bytes() == file.read_bytes()
        there.manage("rebuild_standings", "--check")

"""A contest moves to an empty installation: another database, other files, other processes."""

import json
import zipfile
from pathlib import Path
from typing import Literal

import pytest
from django.core.management import call_command

from leaderboard.demo.seed import seed
from tests.leaderboard.builders import NOON
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


def here(slugs: list[str]) -> list[list[str]]:
    """The same of the database of this test."""
    return sorted(
        [str(value) for value in (slug, *row)]
        for slug in slugs
        for row in full_contest.placements_now(slug)
    )


def document(file: Path) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        return archive.read("contest.yaml").decode().splitlines()


def asked(stack: Stack, code: str, word: str) -> str:
    lines = stack.manage("shell", "-c", code).splitlines()
    return next(line for line in lines if line.startswith(word)).removeprefix(word).strip()


@pytest.mark.parametrize(
    ("db", "demo"),
    [
        ("sqlite", False),
        pytest.param("sqlite", True, marks=pytest.mark.slow),
        pytest.param("postgres", False, marks=[pytest.mark.services, pytest.mark.slow]),
    ],
)
def test_it_is_scored_there_and_is_the_same_contest(
    db: Literal["sqlite", "postgres"], demo: bool, tmp_path: Path
) -> None:
    full_contest.build()
    slugs = ["talk"]
    if demo:  # which takes its time
        seed(at=NOON)
        slugs += ["short-calls"]
    for slug in slugs:
        call_command("export_contest", slug, str(tmp_path / f"{slug}.zip"), "--full")
    with Stack(db=db, only=("worker", "sweeper")) as there:
        there.manage("shell", "-c", OWNER)
        for slug in slugs:
            told = there.manage("import_contest", str(tmp_path / f"{slug}.zip"), "--owner", "root")
            assert f"imported: {slug}" in told

        def all_ended() -> bool:
            ended, number = asked(there, ENDED, "ended").split()
            return ended == number != "0"

        there.wait_for(all_ended, 120, "everything scored")
        assert json.loads(asked(there, STANDINGS, "rows")) == here(slugs)
        for slug in slugs:
            again = tmp_path / f"{slug}-again.zip"
            there.manage("export_contest", slug, str(again), "--full")
            first = tmp_path / f"{slug}.zip"
            assert document(again) == document(first)
            assert again.read_bytes() == first.read_bytes()
        there.manage("rebuild_standings", "--check")

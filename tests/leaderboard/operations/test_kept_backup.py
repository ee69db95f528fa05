"""Backups of earlier code, restored by today's: its migrations run over a filled database."""

import csv
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.drill import command
from tests.kept.make import BACKUPS, BOARDS, FOLDER
from tests.stack import Stack

pytestmark = pytest.mark.faults
KEPT = sorted(FOLDER.glob("*.tar.xz"))
FOUND = """
import json
from leaderboard.evaluation.models import Evaluation
from leaderboard.operations.models import Alarm
from leaderboard.submissions.models import Submission
def is_whole(one):
    with one.file.open("rb") as file:
        return len(file.read()) > 0
print(json.dumps({
    "submissions": Submission.objects.count(),
    "files": sum(map(is_whole, Submission.objects.all())),
    "unended": Evaluation.objects.filter(state__in=("queued", "running")).count(),
    "alarms": [each.kind for each in Alarm.objects.all()],
}))
"""


def lines(board: str) -> list[dict[str, str]]:
    return list(csv.DictReader(line for line in board.splitlines() if not line.startswith("#")))


def same_lines(then: str, now: str) -> bool:
    """Whether each line says what it said. Later code may have more columns."""
    pairs = zip(lines(then), lines(now), strict=True)
    return all(before.items() <= after.items() for before, after in pairs)


@pytest.mark.parametrize("archive", KEPT, ids=lambda path: path.name.split(".")[0])
def test_a_backup_of_then_is_restored_and_its_boards_say_the_same(
    archive: Path, tmp_path: Path
) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    then: dict[str, Any] = json.loads((tmp_path / BOARDS).read_text())
    stack = Stack(only=())
    try:
        done = command(stack, "restore", str(tmp_path / BACKUPS))
        assert done.code == 0, done.out
        stack.manage("migrate", "--check")
        stack.manage("rebuild_standings", "--check")
        now = stack.drive("kept.boards", then["at"])
        found = json.loads(stack.manage("shell", "--no-imports", "-v0", "-c", FOUND))
    finally:
        stack.close()
    assert now["boards"].keys() == then["boards"].keys()
    for name, board in then["boards"].items():
        assert len(lines(board)) > 5
        assert same_lines(board, now["boards"][name]), name
    number = len([*(tmp_path / BACKUPS / "files" / "submissions").iterdir()])
    assert (found["submissions"], found["files"], found["unended"]) == (number, number, 0)
    assert found["alarms"] == ["disk"]


def test_kept_archives_are_small() -> None:
    assert KEPT
    assert all(archive.stat().st_size < 300_000 for archive in KEPT)

"""`manage.py files`: what no row names is counted, and removed when somebody says so."""

import os
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command

from leaderboard.operations.management.commands.files import FORMER_TRASH, copy_from
from leaderboard.operations.store import PLACES
from leaderboard.submissions.models import QuotaEntry, Submission
from tests.leaderboard import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """One file of each kind, written two days ago, in a store of this test's own."""
    for name, place in PLACES.items():
        monkeypatch.setattr(storages[name], "location", str(tmp_path / "files" / place))
    contest = builders.open_competition()
    builders.hand_in(builders.team(contest, "alice"))
    builders.data_file(contest)
    builders.score_all()
    for file in (tmp_path / "files").rglob("*"):
        age(file)
    return tmp_path / "files"


def age(file: Path, days: float = 2) -> None:
    then = time.time() - days * 86_400
    os.utime(file, (then, then))


def leave(file: Path, days: float = 2) -> Path:
    """A file that a killed process left behind so many days ago."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    age(file, days)
    return file


def there(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def said(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    call_command("files", *options)
    return capsys.readouterr().out


def test_files_with_a_row_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = there(folder)
    assert len(before) == 4
    assert "0 files deleted." in said(capsys, "--delete")
    assert there(folder) == before


def test_what_is_older_than_a_day_goes_when_somebody_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = there(folder)
    for place in PLACES.values():
        leave(folder / place / "0d5a8c9e-8a0f-4d3e-9f1b-0123456789ab.csv")
    young = leave(folder / "submissions" / "young.csv", days=0.9)
    names = there(folder)
    for _ in range(2):
        told = said(capsys)
        assert told.count(": 2 files, 1 without a row for a day.") == 3
        assert there(folder) == names
    assert "4 files deleted." in said(capsys, "--delete")
    assert there(folder) == kept | {str(young.relative_to(folder))}


def test_where_most_files_have_no_row_nothing_goes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        leave(folder / "submissions" / f"{number}.csv")
        leave(folder / "golds" / f".{number}.part")
    before = there(folder)
    with pytest.raises(CommandError, match="Most files in submissions have no row"):
        call_command("files", "--delete")
    assert there(folder) == before
    assert "4 files deleted." in said(capsys, "--delete", "--however-many")
    with pytest.raises(CommandError):
        call_command("files", "--however-many")


def test_what_lies_in_the_trash_of_an_earlier_version_is_named_and_stays(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = leave(folder / "submissions" / FORMER_TRASH / "2026-11-01" / "a.csv")
    assert f"submissions: 1 files in {FORMER_TRASH}" in said(capsys, "--delete")
    assert file.exists()


def test_another_store_is_copied_whole_but_for_begun_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    leave(folder / "submissions" / ".begun.part")
    wanted = there(folder) - {"submissions/.begun.part"}
    for name, place in PLACES.items():
        monkeypatch.setattr(storages[name], "location", str(tmp_path / "new" / place))
    assert copy_from(f"file://{folder}") == len(wanted)
    assert there(tmp_path / "new") == wanted
    assert copy_from(f"file://{folder}") == 0


def test_a_submit_whose_transaction_fails_leaves_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alices, before = Submission.objects.get().team, there(folder)

    def fail(**given: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(QuotaEntry.objects, "create", fail)
    with pytest.raises(RuntimeError):
        builders.hand_in(alices)
    assert there(folder) == before

"""What a backup holds, what it finds to be wrong, and what it leaves as it was."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.storage import storages
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import FileField

from leaderboard.actions.data_files import remove_data_file
from leaderboard.competitions.models import DataFile
from leaderboard.operations import dump
from leaderboard.operations.backup import (
    MANIFEST,
    SUMS,
    BackupProblem,
    ExitCode,
    Made,
    back_up,
    check,
    kept,
    sha256_of,
    sums,
)
from leaderboard.operations.restore import restore
from leaderboard.references.models import ReferenceSet
from leaderboard.submissions.models import Submission
from tests.faults.test_full_disk import SmallDisk
from tests.leaderboard import builders
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file of each kind, in a store of this test's own."""
    for place in ("submissions", "golds", "default"):
        monkeypatch.setattr(storages[place], "location", str(tmp_path / "store" / place))
    made = builders.open_competition()
    builders.hand_in(builders.team(made, "alice", "bob"))
    builders.data_file(made)
    builders.score_all()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def made_at(target: Path, minutes: int = 0) -> Made:
    return back_up(target, NOON + timedelta(minutes=minutes))


def files_of(target: Path) -> set[str]:
    return {str(file.relative_to(target)) for file in target.glob("files/*/*")}


def a_submission() -> str:
    return str(Submission.objects.get().file.name)


def damaged(file: Path) -> None:
    """One bit in the middle is another."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_a_backup_holds_every_row_and_every_file_that_a_row_names(target: Path) -> None:
    made = made_at(target)
    (golds,) = ReferenceSet.objects.get().stored_as
    assert files_of(target) == {
        f"files/submissions/{a_submission()}",
        f"files/data/{DataFile.objects.get().file.name}",
        f"files/golds/{golds}",
    }
    assert made.copied == made.manifest["files"]["number"] == 3
    tables = {name.rpartition(".")[2]: rows for name, rows in made.manifest["tables"].items()}
    assert tables.keys() == set(connection.introspection.table_names())
    assert tables["submissions_submission"] == 1
    assert tables["accounts_user"] == 3
    assert kept(target) == [made.folder]
    # Without us too, as the page for operators says.
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=made.folder, check=True)
    private = [file.stat().st_mode & 0o077 for file in target.rglob("*")]
    assert set(private) == {0}


def test_every_column_of_files_is_known() -> None:
    columns = {
        (model._meta.model_name, field.attname)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    }
    known = {(model._meta.model_name, column) for _, model, column, _ in dump.NAMED_BY}
    assert known == columns | {("referenceset", "stored_as")}


def test_a_second_backup_copies_what_is_new(target: Path) -> None:
    first = made_at(target)
    before = {name: (target / name).stat().st_mtime_ns for name in files_of(target)}
    assert made_at(target, 1).copied == 0
    builders.hand_in(Submission.objects.get().team, key="2")
    assert made_at(target, 2).copied == 1
    assert {name: (target / name).stat().st_mtime_ns for name in before} == before
    assert len(kept(target)) == 3
    check(first.folder, sums(first.folder))  # what came later did not touch it


def test_a_damaged_byte_and_a_missing_file_are_found_wherever_they_are(target: Path) -> None:
    folder = made_at(target).folder
    files = [*folder.iterdir(), *target.glob("files/*/*")]
    assert len(files) == 6
    for file in files:
        check(folder, sums(folder))
        good = file.read_bytes()
        damaged(file)
        for said in ("damaged", "missing|cannot be read"):
            with pytest.raises(BackupProblem, match=said) as found:
                check(folder, sums(folder))
            assert found.value.ending == ExitCode.DAMAGED
            file.unlink(missing_ok=True)
        file.write_bytes(good)


def test_rows_that_were_lost_between_dump_and_disk_are_found(target: Path) -> None:
    """The hashes are right, and the dump is not of this database."""
    made = made_at(target)
    Submission.objects.update(note="later")
    builders.user("charlie")
    file = made.folder / made.manifest["database"]["name"]
    file.unlink()
    dump.take(file)
    lines = [line for line in sums(made.folder) if line.path == MANIFEST]
    with pytest.raises(BackupProblem, match="accounts_user it has 4 rows, and the database had 3"):
        check(made.folder, lines)


def test_a_file_that_the_store_lacks_is_named_and_the_rest_is_kept(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = a_submission()
    storages["submissions"].delete(lost)
    with pytest.raises(CommandError, match=f"1 files are lost.*submissions/{lost}") as found:
        call_command("backup", str(target))
    assert found.value.returncode == ExitCode.STORE
    (folder,) = kept(target)
    assert check(folder, sums(folder))["missing"] == [f"submissions/{lost}"]
    assert f"{folder}: " in capsys.readouterr().out
    assert len(files_of(target)) == 2


def test_a_file_that_is_not_what_was_handed_in_is_no_backup_of_it(target: Path) -> None:
    stored = Path(storages["submissions"].path(a_submission()))
    good = stored.read_bytes()
    damaged(stored)
    assert made_at(target).manifest["missing"] == [f"submissions/{stored.name}"]
    stored.write_bytes(good)
    assert made_at(target, 1).manifest["missing"] == []


def test_a_copy_that_was_damaged_since_is_made_anew(target: Path) -> None:
    first = made_at(target)
    copies = [*target.glob("files/*/*")]
    for copy in copies:
        damaged(copy)
    assert made_at(target, 1).copied == len(copies)
    check(first.folder, sums(first.folder))
    (kept(target)[-1] / SUMS).write_bytes(b"\xff")  # nor does a damaged backup stop the next one
    made_at(target, 2)


def test_what_is_taken_away_meanwhile_is_no_loss(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, times = dump.take, iter(range(9))

    def then_remove(file: Path) -> dump.Snapshot:
        found = take(file)
        if next(times) == 0:
            remove_data_file(
                data_file=DataFile.objects.get(), user=builders.user("olivia"), at=NOON
            )
        return found

    monkeypatch.setattr(dump, "take", then_remove)
    made = made_at(target)
    assert made.manifest["missing"] == []
    assert made.manifest["files"]["number"] == 2


def test_what_was_interrupted_is_no_backup(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path) -> dump.Snapshot:
        file.write_bytes(b"half")
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(dump, "take", full)
        with pytest.raises(MemoryError):
            made_at(target)
    (target / ".part-of-one-that-was-killed").mkdir()
    (target / "files" / "golds").mkdir(parents=True)
    (target / "files" / "golds" / ".half.part").touch()
    assert kept(target) == []
    made_at(target)
    assert not [*target.glob(".part-*"), *target.glob("files/*/.*")]


def refused(target: Path) -> BackupProblem:
    with pytest.raises(BackupProblem) as found:
        made_at(target)
    return found.value


def test_one_backup_at_a_time_goes_into_a_target(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, inner = dump.take, list[BackupProblem]()

    def meanwhile(file: Path) -> dump.Snapshot:
        inner.append(refused(target))
        return take(file)

    monkeypatch.setattr(dump, "take", meanwhile)
    made_at(target)
    assert "under way" in str(inner[0])
    assert inner[0].ending == ExitCode.REFUSED


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "file", tmp_path / "file" / "in", tmp_path / "not" / "there"):
        found = refused(target)
        assert found.ending == ExitCode.NOT_WRITABLE
        assert str(target) in str(found)


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 KB, where this user may mount one."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    try:
        disk = SmallDisk(folder, size=200 * 1024)
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("mounting needs root")
    yield folder
    disk.close()


@pytest.mark.parametrize("room", ["none for the database", "none for a file"])
def test_a_full_disk_is_said_and_leaves_nothing(
    tiny: Path, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if room == "none for a file":
        take = dump.take

        def small(file: Path) -> dump.Snapshot:
            beside = tiny.parent / "elsewhere"
            found = take(beside)
            with file.open("wb") as out:
                out.write(b"\0" * (os.statvfs(tiny).f_bavail * os.statvfs(tiny).f_frsize))
            return found

        monkeypatch.setattr(dump, "take", small)
    found = refused(tiny)
    assert found.ending == ExitCode.DISK_FULL
    assert "disk is full" in str(found)
    assert kept(tiny) == []
    assert not [*tiny.glob(".part-*"), *tiny.glob("files/*/*"), *tiny.glob("files/*/.*")]


# --- Restoring ------------------------------------------------------------------------------------


def test_what_is_restored_into_an_empty_installation_is_what_was_there(target: Path) -> None:
    folder = made_at(target).folder
    name, told = a_submission(), list[str]()
    call_command("flush", interactive=False, verbosity=0)
    storages["submissions"].delete(name)
    restore(target, told.append)
    submission = Submission.objects.get()
    with submission.file.open() as content:
        assert hashlib.sha256(content.read()).hexdigest() == submission.sha256
    assert "1 of 3 files brought to the store." in told
    call_command("rebuild_standings", "--check", verbosity=0)
    # Nobody's rows are replaced, neither by this one nor any other.
    with pytest.raises(BackupProblem, match="3 accounts and 1 contests") as found:
        restore(folder, told.append)
    assert found.value.ending == ExitCode.NOT_EMPTY


def test_a_damaged_backup_writes_nothing(target: Path) -> None:
    folder = made_at(target).folder
    name = a_submission()
    damaged(target / "files" / "submissions" / name)
    call_command("flush", interactive=False, verbosity=0)
    for place in ("submissions", "golds", "default"):
        for file in list(storages[place].names()):
            storages[place].delete(file)
    with pytest.raises(CommandError, match=f"{name} is not what was written") as found:
        call_command("restore", str(folder))
    assert found.value.returncode == ExitCode.DAMAGED
    assert not Submission.objects.exists()
    assert not [*storages["golds"].names(), *storages["default"].names()]
    assert not Path(storages["submissions"].path(name)).exists()


HALF: list[dict[str, Any]] = [
    {"database": {"name": "../../elsewhere.sqlite3"}},
    {"database": {}},
    {"database": None},
    {"engine": "mysql"},
    {"engine": ["sqlite"]},
    {"tables": {"accounts_user": "three"}},
    {"tables": None},
    {"files": {"number": "3"}},
    {"migrations": ["accounts"]},
    {"migrations": [["accounts"]]},
    {"migrations": [[1, 2]]},
    {"missing": [7]},
    {"missing": None},
    {"missing": "abc"},
    {"made_at": 7},
    {"made_at": "\x1b[2J"},
    {"versions": {}},
    {"format": "1"},
    {"format": float("nan")},
    {"format": -5},
    {"format": True},
]


@pytest.mark.parametrize("other", HALF)
def test_a_manifest_that_somebody_wrote_is_refused_in_a_sentence(
    target: Path, other: dict[str, Any]
) -> None:
    folder = made_at(target).folder
    said = json.loads((folder / MANIFEST).read_bytes()) | other
    rewritten(folder, MANIFEST, json.dumps(said).encode())
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(BackupProblem, match=f"{MANIFEST} cannot be read") as found:
        restore(folder, print)
    assert found.value.ending == ExitCode.DAMAGED


def rewritten(folder: Path, name: str, content: bytes) -> None:
    """Another content of a backup's file, with the sum that goes with it."""
    (folder / name).write_bytes(content)
    listed = [line for line in (folder / SUMS).read_text().splitlines() if name not in line]
    listed.append(f"{sha256_of(folder / name)}  {name}")
    (folder / SUMS).write_text("\n".join(listed) + "\n")


def test_a_manifest_of_deep_lists_is_damaged(target: Path) -> None:
    folder = made_at(target).folder
    rewritten(folder, MANIFEST, b"[" * 200_000)
    with pytest.raises(BackupProblem, match=f"{MANIFEST} cannot be read"):
        restore(folder, print)


def test_a_dump_that_cannot_be_read_is_damaged_whatever_its_sum(target: Path) -> None:
    folder = made_at(target).folder
    name = json.loads((folder / MANIFEST).read_bytes())["database"]["name"]
    content = (folder / name).read_bytes()
    rewritten(folder, name, content[: len(content) // 2])
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(BackupProblem, match="says") as found:
        restore(folder, print)
    assert found.value.ending == ExitCode.DAMAGED


def test_a_pipe_in_a_backup_is_not_waited_for(target: Path) -> None:
    folder = made_at(target).folder
    (folder / MANIFEST).unlink()
    os.mkfifo(folder / MANIFEST)
    with pytest.raises(BackupProblem, match=f"{MANIFEST} is no file"):
        restore(folder, print)


def test_sums_that_leave_out_the_manifest_are_missed(target: Path) -> None:
    folder = made_at(target).folder
    (folder / "more.txt").write_text("more")
    listed = [line for line in (folder / SUMS).read_text().splitlines() if MANIFEST not in line]
    listed.append(f"{sha256_of(folder / 'more.txt')}  more.txt")
    (folder / SUMS).write_text("\n".join(listed) + "\n")
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(BackupProblem, match="lacks lines"):
        restore(folder, print)


def test_a_line_that_was_taken_out_of_the_sums_is_missed(target: Path) -> None:
    folder = made_at(target).folder
    listed = (folder / SUMS).read_text().splitlines(keepends=True)
    (folder / SUMS).write_text("".join(listed[1:]))
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(BackupProblem, match="lacks lines"):
        restore(folder, print)
    assert not Submission.objects.exists()


def test_a_backup_of_newer_code_is_refused(target: Path) -> None:
    ahead = {"app": "teams", "name": "0999_of_tomorrow"}
    MigrationRecorder(connection).record_applied(**ahead)
    try:
        made_at(target)
    finally:
        MigrationRecorder(connection).record_unapplied(**ahead)
    with pytest.raises(BackupProblem, match="such as teams 0999_of_tomorrow") as found:
        restore(target, print)
    assert found.value.ending == ExitCode.NEWER


def test_what_is_no_backup_is_said(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "not-there"):
        with pytest.raises(BackupProblem, match="is no backup") as found:
            restore(source, print)
        assert found.value.ending == ExitCode.DAMAGED

"""What a backup holds, what it finds to be wrong, and what it leaves as it was."""

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

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
from leaderboard.operations import backup
from leaderboard.operations.backup import (
    DUMPS,
    MANIFEST,
    NAMED_BY,
    SUMS,
    ExitCode,
    Manifest,
    back_up,
    check,
    kept,
    restore,
    sha256_of,
)
from leaderboard.references.models import ReferenceSet
from leaderboard.submissions.models import Submission
from tests.faults.test_full_disk import mounted
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


def made_at(target: Path, minutes: int = 0) -> tuple[Path, Manifest]:
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


def test_a_backup_holds_every_file_that_a_row_names_for_its_owner_only(target: Path) -> None:
    folder, manifest = made_at(target)
    (golds,) = ReferenceSet.objects.get().stored_as
    assert files_of(target) == {
        f"files/submissions/{a_submission()}",
        f"files/data/{DataFile.objects.get().file.name}",
        f"files/golds/{golds}",
    }
    assert manifest["files"]["new"] == manifest["files"]["number"] == 3
    assert kept(target) == [folder]
    # Without us too, as the page for operators says.
    subprocess.run(["sha256sum", "--check", "--strict", SUMS], cwd=folder, check=True)
    private = [file.stat().st_mode & 0o077 for file in target.rglob("*")]
    assert set(private) == {0}


def test_every_column_of_files_is_known() -> None:
    columns = {
        (model._meta.model_name, field.attname)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    }
    known = {(model._meta.model_name, column) for _, model, column, _ in NAMED_BY}
    assert known == columns | {("referenceset", "stored_as")}


def test_a_second_backup_copies_what_is_new(target: Path) -> None:
    first, _ = made_at(target)
    name = f"files/submissions/{a_submission()}"
    before = (target / name).stat().st_mtime_ns
    assert made_at(target, 1)[1]["files"]["new"] == 0
    builders.hand_in(Submission.objects.get().team, key="2")
    assert made_at(target, 2)[1]["files"]["new"] == 1
    assert (target / name).stat().st_mtime_ns == before
    assert len(kept(target)) == 3
    check(first)  # what came later did not touch it


def test_a_damaged_byte_and_a_missing_file_are_found_wherever_they_are(target: Path) -> None:
    folder, _ = made_at(target)
    files = [*folder.iterdir(), *target.glob("files/*/*")]
    assert len(files) == 6
    for file in files:
        check(folder)
        good = file.read_bytes()
        for harm in (damaged, Path.unlink):
            harm(file)
            with pytest.raises(CommandError) as found:
                check(folder)
            assert found.value.returncode == ExitCode.DAMAGED
            assert file.name in str(found.value) or file.name == SUMS
        file.write_bytes(good)


def test_a_file_that_the_store_lacks_is_named_and_the_rest_is_kept(
    target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = a_submission()
    storages["submissions"].delete(lost)
    with pytest.raises(CommandError, match=f"1 files are lost.*submissions/{lost}") as found:
        call_command("backup", str(target))
    assert found.value.returncode == ExitCode.STORE
    (folder,) = kept(target)
    assert check(folder)[0]["missing"] == [f"../files/submissions/{lost}"]
    assert f"{folder}: " in capsys.readouterr().out
    assert len(files_of(target)) == 2


def test_a_file_that_is_not_what_was_handed_in_is_no_backup_of_it(target: Path) -> None:
    stored = Path(storages["submissions"].path(a_submission()))
    damaged(stored)
    assert made_at(target)[1]["missing"] == [f"../files/submissions/{stored.name}"]
    assert len(files_of(target)) == 2


def test_a_copy_that_was_damaged_since_is_made_anew(target: Path) -> None:
    first, _ = made_at(target)
    for copy in target.glob("files/*/*"):
        damaged(copy)
    (first / SUMS).rename(first / "elsewhere")  # nor does a damaged backup stop the next one
    made_at(target, 1)
    (first / "elsewhere").rename(first / SUMS)
    check(first)


def test_what_is_taken_away_meanwhile_is_no_loss(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = DataFile.objects.get()
    stored = storages["default"].open

    def gone(name: str, *mode: str) -> object:
        if name == file.file.name:
            remove_data_file(data_file=file, user=builders.user("olivia"), at=NOON)
        return stored(name, *mode)

    monkeypatch.setattr(storages["default"], "open", gone)
    _, manifest = made_at(target)
    assert manifest["missing"] == []
    assert manifest["files"]["number"] == 2


def test_what_was_interrupted_is_no_backup(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path) -> None:
        file.write_bytes(b"half")
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(backup, "dump_database", full)
        with pytest.raises(MemoryError):
            made_at(target)
    (target / ".part").mkdir()
    (target / ".part" / "of-one-that-was-killed").touch()
    assert kept(target) == []
    made_at(target)
    assert not (target / ".part").exists()


def refused(target: Path) -> CommandError:
    with pytest.raises(CommandError) as found:
        made_at(target)
    return found.value


def test_one_backup_at_a_time_goes_into_a_target(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, inner = backup.dump_database, list[CommandError]()

    def meanwhile(file: Path) -> None:
        inner.append(refused(target))
        take(file)

    monkeypatch.setattr(backup, "dump_database", meanwhile)
    made_at(target)
    assert inner[0].returncode == ExitCode.REFUSED


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "file", tmp_path / "file" / "in", tmp_path / "not" / "there"):
        found = refused(target)
        assert found.returncode == ExitCode.NOT_WRITABLE
        assert str(target) in str(found)


@pytest.fixture
def tiny(tmp_path: Path) -> Iterator[Path]:
    """A disk of 200 KB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    disk = mounted(folder, 200 * 1024)
    yield folder
    disk.close()


def test_a_full_disk_is_said_and_leaves_nothing(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:  # there is room for the dump, and none for a file
        patched.setattr(backup, "read_dump", lambda file: file.write_bytes(b"\0" * 200 * 1024))
        patched.setattr(backup, "dump_database", Path.touch)
        assert refused(tiny).returncode == ExitCode.DISK_FULL
    assert refused(tiny).returncode == ExitCode.DISK_FULL
    assert kept(tiny) == []
    assert not [*tiny.glob(".part"), *tiny.glob("files/*/*")]


# --- Restoring ------------------------------------------------------------------------------------


def test_what_is_restored_into_an_empty_installation_is_what_was_there(target: Path) -> None:
    folder, _ = made_at(target)
    name, said = a_submission(), list[str]()
    call_command("flush", interactive=False, verbosity=0)
    storages["submissions"].delete(name)
    restore(target, said.append)
    submission = Submission.objects.get()
    with submission.file.open() as content:
        assert hashlib.sha256(content.read()).hexdigest() == submission.sha256
    assert "1 of 3 files brought to the store." in said
    call_command("rebuild_standings", "--check", verbosity=0)
    # Nobody's rows are replaced, neither by this one nor any other.
    with pytest.raises(CommandError) as found:
        restore(folder, said.append)
    assert found.value.returncode == ExitCode.NOT_EMPTY


def test_a_damaged_backup_writes_nothing(target: Path) -> None:
    folder, _ = made_at(target)
    name = a_submission()
    damaged(target / "files" / "submissions" / name)
    call_command("flush", interactive=False, verbosity=0)
    for place in ("submissions", "golds", "default"):
        for file in list(storages[place].names()):
            storages[place].delete(file)
    with pytest.raises(CommandError, match=name) as found:
        call_command("restore", str(folder))
    assert found.value.returncode == ExitCode.DAMAGED
    assert not Submission.objects.exists()
    assert not [*storages["golds"].names(), *storages["default"].names()]
    assert not Path(storages["submissions"].path(name)).exists()


def rewritten(folder: Path, name: str, content: bytes) -> None:
    """Another content of a backup's file, with the sum that goes with it."""
    (folder / name).write_bytes(content)
    listed = [line for line in (folder / SUMS).read_text().splitlines() if name not in line]
    listed.append(f"{sha256_of(folder / name)}  {name}")
    (folder / SUMS).write_text("\n".join(listed) + "\n")


def half(folder: Path) -> None:
    """A dump that ends in the middle."""
    name = DUMPS[connection.vendor]
    content = (folder / name).read_bytes()
    rewritten(folder, name, content[: len(content) // 2])


def without(word: str, folder: Path) -> None:
    """Sums without the line of a file."""
    listed = (folder / SUMS).read_text().splitlines(keepends=True)
    (folder / SUMS).write_text("".join(line for line in listed if word not in line))


@pytest.mark.parametrize(
    "harm",
    [
        half,
        lambda folder: without(MANIFEST, folder),
        lambda folder: without("submissions/", folder),
        lambda folder: rewritten(folder, MANIFEST, b"{}"),
        lambda folder: rewritten(folder, MANIFEST, b'{"database": {"name": "../../other"}}'),
        lambda folder: rewritten(folder, MANIFEST, b"half"),
    ],
    ids=["half a dump", "no manifest", "a line less", "empty", "elsewhere", "no JSON"],
)
def test_what_is_not_whole_is_damaged_whatever_its_sums_say(
    target: Path, harm: Callable[[Path], None]
) -> None:
    folder, _ = made_at(target)
    harm(folder)
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(CommandError) as found:
        restore(folder, print)
    assert found.value.returncode == ExitCode.DAMAGED
    assert not Submission.objects.exists()


def test_a_backup_of_newer_code_or_another_engine_is_refused(target: Path) -> None:
    ahead = {"app": "teams", "name": "0999_of_tomorrow"}
    MigrationRecorder(connection).record_applied(**ahead)
    try:
        folder, manifest = made_at(target)
    finally:
        MigrationRecorder(connection).record_unapplied(**ahead)
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(CommandError, match="teams 0999_of_tomorrow") as found:
        restore(target, print)
    assert found.value.returncode == ExitCode.NEWER
    rewritten(folder, MANIFEST, json.dumps(manifest | {"engine": "oracle"}).encode())
    with pytest.raises(CommandError, match="oracle") as found:
        restore(target, print)
    assert found.value.returncode == ExitCode.REFUSED


def test_what_is_no_backup_is_said(tmp_path: Path) -> None:
    call_command("flush", interactive=False, verbosity=0)
    for source in (tmp_path, tmp_path / "not-there"):
        with pytest.raises(CommandError) as found:
            restore(source, print)
        assert found.value.returncode == ExitCode.DAMAGED

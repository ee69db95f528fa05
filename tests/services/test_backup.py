"""A backup made under load is restored elsewhere, on the laptop's stack and on servers."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from leaderboard.operations.backup import ExitCode
from tests.drill import command, drill
from tests.faults.test_killed_workers import LAPTOP, SERVERS, Kind
from tests.servers import ROOT, Postgres
from tests.stack import Stack

pytestmark = [pytest.mark.services, pytest.mark.faults]
BEFORE_LAST = sorted((ROOT / "leaderboard/boards/migrations").glob("0*.py"))[-2].stem


@pytest.mark.parametrize(
    "kind", [pytest.param(LAPTOP, marks=pytest.mark.slow), SERVERS], ids="-".join
)
def test_what_is_restored_elsewhere_is_what_was_backed_up(kind: Kind, tmp_path: Path) -> None:
    target = tmp_path / "backups"
    size = {"files": 10, "rows": 20, "rescore": 10, "download": 10}
    done = drill(kind, target, **size, running=kind == LAPTOP, pause=0.2)
    assert done.backup.code == done.restore.code == done.again.code == 0, done
    assert set(done.uploads) == {302}
    assert done.boards_equal
    assert (done.rescored, done.downloaded) == (10, 10)
    assert done.audit["without_file"] == 0
    assert done.audit["submissions"] == done.audit["charges"] == done.audit["evaluations"] > 10
    assert "All was read back." in done.backup.out
    # Of the second one only what came in after the first is new.
    kept = len([*target.glob("files/*/*")])
    new = int(done.again.out.partition(" of them new")[0].rpartition(" ")[2])
    assert f" {kept} files" in done.again.out
    assert 0 < new < kept


def test_an_older_backup_is_migrated_and_one_of_another_engine_refused(
    postgres: Postgres, tmp_path: Path
) -> None:
    with ExitStack() as opened:
        older, other = (Stack(only=()) for _ in range(2))
        opened.callback(older.close)
        opened.callback(other.close)
        older.start()
        older.manage("migrate", "boards", BEFORE_LAST, "--verbosity=0")
        assert command(older, "backup", str(tmp_path / "kept")).code == 0
        there = {"DATABASE_URL": postgres.new_database("another_engine")}
        refused = command(other, "restore", str(tmp_path / "kept"), **there)
        assert refused.code == ExitCode.REFUSED
        assert "This backup is of sqlite" in refused.out
        done = command(other, "restore", str(tmp_path / "kept"))
        assert done.code == 0, done.out
        assert "No planned" in other.manage("migrate", "--plan")


@pytest.fixture(scope="module")
def laid_out(postgres: Postgres) -> Iterator[Stack]:
    """An installation on PostgreSQL of which no process runs."""
    stack = Stack(only=(), env={"DATABASE_URL": postgres.new_database("laid_out", migrated=True)})
    stack.start()
    yield stack
    stack.close()


def test_behind_a_pooler_nothing_is_dumped(laid_out: Stack, tmp_path: Path) -> None:
    refused = command(laid_out, "backup", str(tmp_path / "kept"), DATABASE_POOLED="1")
    assert refused.code == ExitCode.REFUSED
    assert "DATABASE_POOLED=0" in refused.out


def test_a_missing_program_is_named(laid_out: Stack, tmp_path: Path) -> None:
    refused = command(laid_out, "backup", str(tmp_path / "kept"), PATH="/nowhere")
    assert refused.code == ExitCode.REFUSED
    assert "pg_dump" in refused.out

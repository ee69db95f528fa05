"""Files whose row is missing: no database but their own can cost a participant a file."""

import os
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from leaderboard.competitions.storage import DurableFileSystemStorage, Mark
from leaderboard.submissions import orphans
from leaderboard.submissions.models import FileRound, Submission, submission_storage
from leaderboard.submissions.orphans import CHUNK, discard_orphans, last_round, with_row
from leaderboard.teams.models import Team
from leaderboard.worker import sweep as sweep_module
from leaderboard.worker.sweep import STEPS, steps_of_a_loop, sweep
from tests.leaderboard.builders import hand_in, open_competition, team, user
from tests.leaderboard.many import multiply, peak, uuid

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ORPHANS = tuple(step for step in STEPS if step[0] == "orphans")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder for the submissions' files: its mark is of this test's database alone."""
    monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "files"))
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


@pytest.fixture
def alice() -> Team:
    return team(open_competition(), "alice")


def aged(folder: Path, number: int, hours: float = 2) -> list[str]:
    """So many files that were written some hours ago, as participants' are; no rows."""
    names = [f"{uuid4()}.csv" for _ in range(number)]
    for name in names:
        (folder / name).write_bytes(b"id,summary\n")
    age(folder, names, hours)
    return names


def age(folder: Path, names: Iterable[str], hours: float = 2) -> None:
    then = time.time() - hours * 3600
    for name in names:
        os.utime(folder / name, (then, then))


def known(by: Team, names: Iterable[str]) -> None:
    """Rows that point at these files."""
    Submission.objects.bulk_create(
        Submission(
            team=by,
            origin=by,
            submitted_by=by.captain,
            received_at=datetime(2026, 11, 20, tzinfo=UTC),
            key=name,
            file=name,
            file_name="predictions.csv",
            size=11,
            sha256="0" * 64,
        )
        for name in names
    )


def there(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir() if one.is_file()}


def thrown(folder: Path) -> set[str]:
    return {one.name for one in (folder / ".sweeper" / "trash").glob("*/*")}


def begin(folder: Path, by: Team, number: int) -> list[str]:
    """An installation that has been swept: its files, their rows, its mark on both sides."""
    names = aged(folder, number)
    known(by, names)
    assert discard_orphans(at=timezone.now()) == 0
    assert stopped() == ""
    return names


def daily(since: datetime, first: int, last: int) -> None:
    """A round on each of these days after `since`, as of a sweeper that stays."""
    for day in range(first, last + 1):
        discard_orphans(at=since + day * DAY)


def stopped() -> str:
    found = last_round()
    assert found is not None
    return found.stopped


def swept() -> int:
    """The sweeper's step alone; the others would queue what the tests' rows stand for."""
    return sweep(timezone.now(), ORPHANS)["orphans"]


# --- What may go ----------------------------------------------------------------------------------


def test_after_an_hour_a_killed_uploads_file_is_in_the_trash_and_a_part_gone(
    folder: Path, alice: Team
) -> None:
    begin(folder, alice, 0)
    given = hand_in(alice)
    (old, older), (young,) = aged(folder, 2), aged(folder, 1, hours=0.9)
    part = ".0123456789abcdef.part"
    (folder / part).write_bytes(b"ha")
    age(folder, [part, given.file.name])
    assert swept() == 3
    assert there(folder) == {given.file.name, young}
    assert thrown(folder) == {old, older}, "no row ever pointed at the part"
    assert swept() == 0


def test_the_first_file_ever_may_be_a_killed_uploads(folder: Path) -> None:
    assert swept() == 0  # of an empty folder: from now on it is ours
    aged(folder, 1)
    assert swept() == 1


def test_many_killed_uploads_are_no_missing_rows(folder: Path, alice: Team) -> None:
    begin(folder, alice, 3)
    parts = [f".{number:032x}.part" for number in range(30)]
    for name in parts:
        (folder / name).touch()
    age(folder, parts)
    assert swept() == 30


def two_in_the_trash(folder: Path, alice: Team) -> tuple[set[str], datetime]:
    """Their names, and when they were thrown away; three files are somebody's."""
    begin(folder, alice, 3)
    names = set(aged(folder, 2))
    now = timezone.now()
    assert discard_orphans(at=now) == 2
    return names, now


def test_the_trash_keeps_a_file_for_fourteen_days(folder: Path, alice: Team) -> None:
    names, now = two_in_the_trash(folder, alice)
    daily(now, 1, 14)
    assert thrown(folder) == names
    found = last_round()
    assert found is not None
    assert found.trashed == 2
    discard_orphans(at=now + 15 * DAY)
    assert thrown(folder) == set()
    assert len(there(folder)) == 3


@pytest.mark.parametrize("rounds", [1, 30])
def test_a_clock_that_jumps_ahead_erases_nothing(
    folder: Path, alice: Team, rounds: int, caplog: pytest.LogCaptureFixture
) -> None:
    names, now = two_in_the_trash(folder, alice)
    for number in range(rounds):
        discard_orphans(at=now + 15 * DAY + number * HOUR)
    assert thrown(folder) == names
    assert [line.levelname for line in caplog.records if "trash_kept" in str(line.msg)] == [
        "WARNING"
    ]
    # It came back: the days are counted from now, however far ahead it was.
    discard_orphans(at=now + 2 * DAY)
    daily(now, 3, 15)
    assert thrown(folder) == names
    daily(now, 16, 16)
    assert thrown(folder) == set()


def test_a_server_that_stood_still_counts_the_days_from_its_return(
    folder: Path, alice: Team
) -> None:
    names, now = two_in_the_trash(folder, alice)
    daily(now, 20, 33)
    assert thrown(folder) == names
    daily(now, 34, 34)
    assert thrown(folder) == set()


def test_a_day_that_cannot_be_dropped_does_not_keep_later_ones(
    folder: Path, alice: Team, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begin(folder, alice, 3)
    aged(folder, 1)
    now = timezone.now()
    trash = folder / ".sweeper" / "trash"
    (trash / "2026-01-01" / "folder").mkdir(parents=True)
    (trash / "2026-01-02").mkdir()
    (trash / "2026-01-02" / "link").symlink_to(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "kept").touch()
    (trash / "2026-01-03").symlink_to(tmp_path / "elsewhere")
    (trash / "2026-01-04").touch()
    (trash / "20260105").mkdir()
    assert discard_orphans(at=now) == 1
    daily(now, 1, 14)
    assert "trash_days_not_empty" in str(caplog.records[-1].msg)
    caplog.clear()
    daily(now, 15, 15)
    (line,) = [line for line in caplog.records if "trash_days_not_empty" in str(line.msg)]
    assert line.levelname == "WARNING"
    assert "['2026-01-01', '2026-01-02']" in str(line.msg)
    assert sorted(one.name for one in trash.iterdir()) == [
        "2026-01-01",
        "2026-01-02",
        "2026-01-03",
        "2026-01-04",
        "20260105",
    ]
    assert (tmp_path / "elsewhere" / "kept").exists()
    assert sweep(now + 15 * DAY, ORPHANS) == {"orphans": 0}


# --- What may not ---------------------------------------------------------------------------------


def test_an_empty_database_beside_aged_files_takes_none(folder: Path) -> None:
    names = aged(folder, 1000)
    assert swept() == 0
    assert there(folder) == set(names)
    assert stopped() == "unknown"


def test_an_empty_database_beside_the_few_files_of_another_takes_none(
    folder: Path, alice: Team
) -> None:
    names = begin(folder, alice, 5)
    Submission.objects.all().delete()
    FileRound.objects.all().delete()
    assert swept() == 0
    assert there(folder) == set(names)
    assert stopped() == "unknown"


def test_the_database_of_another_installation_takes_none(folder: Path, alice: Team) -> None:
    names = begin(folder, alice, 30)
    Submission.objects.filter(key__in=names[:3]).delete()  # few enough to be moved otherwise
    FileRound.objects.update(installation=uuid4(), number=900)
    assert swept() == 0
    assert there(folder) == set(names)
    assert stopped() == "other"


def test_an_older_dump_takes_none(folder: Path, alice: Team) -> None:
    names = begin(folder, alice, 30)
    dumped = FileRound.objects.get()
    newer = aged(folder, 5)
    known(alice, newer)
    discard_orphans(at=timezone.now())
    Submission.objects.filter(key__in=newer).delete()
    dumped.save()
    for _ in range(3):
        assert swept() == 0
        assert stopped() == "older"
    assert there(folder) == {*names, *newer}


def test_an_older_dump_of_the_same_hour_costs_nothing_for_good(folder: Path, alice: Team) -> None:
    """No round came between the dump and its return: the trash is what saves the files."""
    names = begin(folder, alice, 30)
    newer = aged(folder, 5)
    assert swept() == 5
    known(alice, newer)  # the later dump
    assert swept() == 0
    assert there(folder) == {*names, *newer}
    assert thrown(folder) == set()


def test_five_per_cent_of_the_rows_missing_cost_no_file(folder: Path, alice: Team) -> None:
    names = begin(folder, alice, 1000)
    Submission.objects.filter(key__in=names[:50]).delete()
    assert swept() == 0
    assert there(folder) == set(names)
    found = last_round()
    assert found is not None
    assert (found.stopped, found.files, found.without_row) == ("many", 1000, 50)
    # The contest goes on: what was too much once does not become little beside more files.
    known(alice, aged(folder, 4500))
    assert swept() == 0
    Submission.objects.filter(key__in=names[50:60]).delete()
    known(alice, names[:50])
    assert swept() == 10
    assert stopped() == ""


def test_a_folder_of_an_older_release_is_believed_where_rows_know_it(
    folder: Path, alice: Team
) -> None:
    names = aged(folder, 40)
    known(alice, names[:30])
    assert swept() == 10
    (folder / ".sweeper" / "installation.json").unlink()  # the folder came back from a backup
    assert swept() == 0
    assert stopped() == ""
    Submission.objects.filter(key__in=names[:20]).delete()
    (folder / ".sweeper" / "installation.json").unlink()
    assert swept() == 0
    assert stopped() == "unknown"


def test_two_databases_that_begin_at_once_do_not_share_a_folder(folder: Path) -> None:
    assert swept() == 0
    FileRound.objects.all().delete()  # the other one: it saw no mark either
    storage = submission_storage()
    assert isinstance(storage, DurableFileSystemStorage)
    with pytest.raises(FileExistsError):
        storage.write_mark(Mark(uuid4(), 0), first=True)
    row = FileRound.objects.create(installation=uuid4())
    aged(folder, 1)
    assert swept() == 0
    row.refresh_from_db()
    assert row.stopped == "other"


UNREADABLE = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\xff",
    b'{"installation": "nobody", "round": 1}',
    b'{"installation": 5, "round": 1}',
    b'{"installation": "01234567-0123-4123-8123-0123456789ab", "round": "many"}',
    b'{"installation": "01234567-0123-4123-8123-0123456789ab", "round": Infinity}',
    b'{"installation": "01234567-0123-4123-8123-0123456789ab", "round": 9223372036854775807}',
    b'{"installation": "01234567-0123-4123-8123-0123456789ab", "round": -1}',
)


@pytest.mark.parametrize("said", UNREADABLE)
def test_a_mark_that_cannot_be_read_stops_until_adopted(
    folder: Path, alice: Team, client: Client, said: bytes
) -> None:
    begin(folder, alice, 3)
    names = aged(folder, 1)
    (folder / ".sweeper" / "installation.json").write_bytes(said)
    assert swept() == 0
    assert stopped() == "unknown"
    assert set(names) < there(folder)
    assert "orphans_stopped" in client.get("/readyz").json()["remarks"]
    call_command("files", "--adopt")
    assert stopped() == ""
    assert swept() == 1
    assert stopped() == ""


def test_a_mark_that_cannot_be_opened_stops_too(folder: Path, alice: Team) -> None:
    begin(folder, alice, 3)
    (folder / ".sweeper" / "installation.json").unlink()
    (folder / ".sweeper" / "installation.json").mkdir()
    swept()
    assert stopped() == "unknown"


# --- Who is told ----------------------------------------------------------------------------------


def test_the_log_readiness_and_administrators_are_told(
    folder: Path, alice: Team, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    names = begin(folder, alice, 1000)
    assert "orphans_stopped" not in client.get("/readyz").json()["remarks"]
    Submission.objects.filter(key__in=names[:50]).delete()
    swept()
    (line,) = [line for line in caplog.records if "orphans_stopped" in str(line.msg)]
    assert line.levelname == "ERROR"
    assert "'why': 'many'" in str(line.msg)
    assert "orphans_stopped" in client.get("/readyz").json()["remarks"]
    said = "1000개 가운데 50개에 제출이 없습니다"
    assert said not in client.get("/status").text
    root = user("root")
    client.force_login(root)
    assert said not in client.get("/status").text
    root.is_staff = True
    root.save()
    assert said in client.get("/status").text


def test_administrators_read_what_lies_in_the_trash(
    folder: Path, alice: Team, client: Client
) -> None:
    begin(folder, alice, 3)
    aged(folder, 2)
    swept()
    root = user("root")
    root.is_staff = True
    root.save()
    client.force_login(root)
    assert "파일 2개가 휴지통에 있습니다. 14일 뒤에" in client.get("/status").text


# --- Ways back ------------------------------------------------------------------------------------


def test_whoever_opens_a_file_takes_it_back(folder: Path, alice: Team) -> None:
    begin(folder, alice, 3)
    (name,) = aged(folder, 1)
    assert discard_orphans(at=timezone.now()) == 1
    known(alice, [name])
    with Submission.objects.get(key=name).file.open("rb") as found:
        assert found.read() == b"id,summary\n"
    assert (folder / name).exists()
    assert thrown(folder) == set()


def test_what_lies_nowhere_is_still_not_found(alice: Team) -> None:
    known(alice, ["nowhere.csv"])
    with pytest.raises(FileNotFoundError):
        Submission.objects.get().file.open("rb")


def test_an_administrator_reads_confirms_and_puts_back(
    folder: Path, alice: Team, capsys: pytest.CaptureFixture[str]
) -> None:
    names = begin(folder, alice, 30)
    FileRound.objects.all().delete()
    call_command("files", "--round")
    assert "other installation" not in capsys.readouterr().out
    assert stopped() == "unknown"
    Submission.objects.filter(key__in=names[:25]).delete()
    call_command("files", "--adopt")
    call_command("files", "--round")
    assert "25 without a row for over an hour" in capsys.readouterr().out
    assert stopped() == "many"
    assert there(folder) == set(names)
    with pytest.raises(CommandError, match="--round"):
        call_command("files", "--however-many")
    assert there(folder) == set(names)
    call_command("files", "--round", "--however-many")
    assert there(folder) == set(names[25:])
    assert "25 in the trash" in capsys.readouterr().out
    call_command("files", "--put-back")
    assert there(folder) == set(names)


# --- In parts -------------------------------------------------------------------------------------


def test_a_sweeper_that_stays_looks_at_some_of_the_folder_each_time(
    folder: Path, alice: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def counting(names: list[str]) -> set[str]:
        asked.append(len(names))
        return with_row(names)

    begin(folder, alice, 5)
    aged(folder, 2 * CHUNK + 1)
    monkeypatch.setattr(orphans, "with_row", counting)
    monkeypatch.setattr(sweep_module.Orphans, "PARTS", 1)
    at = timezone.now()
    steps = tuple(step for step in steps_of_a_loop() if step[0] == "orphans")
    for number in range(4):
        assert sweep(at + number * timedelta(seconds=15), steps) == {"orphans": 0}
        assert len(asked) <= number + 1
    assert asked == [CHUNK, CHUNK, 6]
    assert stopped() == "many"
    sweep(at + HOUR - timedelta(seconds=1), steps)
    assert len(asked) == 3
    sweep(at + HOUR, steps)
    assert len(asked) == 4


def test_seventy_thousand_files(
    folder: Path, alice: Team, capsys: pytest.CaptureFixture[str]
) -> None:
    """A round's memory does not grow with the folder, and no statement names all files."""
    number = 70_000
    then = time.time() - 7200
    for n in range(1, number + 1):
        (folder / f"file-{n}").touch()
        os.utime(folder / f"file-{n}", (then, then))
    known(alice, ["file-0"])
    one = Submission.objects.get()
    columns = {"id": uuid(10**9), "file": "'file-' || n", "key": "'file-' || n"}
    multiply(one, number - 100, **columns)
    before = peak(anew=True)
    assert swept() == 100
    assert len(there(folder)) == number - 100
    grown = peak() - before
    with capsys.disabled():
        print(f"\n{number} files on {connection.vendor}: memory grew by {grown:.0f} MB")
    assert grown < 20


def test_an_empty_folder_where_files_were_is_said_and_not_taken_for_ours(
    folder: Path, alice: Team, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = aged(folder, 3)
    known(alice, names)
    discard_orphans(at=timezone.now())
    assert not orphans.without_mark()
    before = FileRound.objects.values("installation", "number").get()
    (tmp_path / "unmounted").mkdir()
    monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "unmounted"))
    assert orphans.without_mark()
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["store not mounted"])
    discard_orphans(at=timezone.now() + DAY)
    row = FileRound.objects.get()
    assert row.stopped == FileRound.Stop.UNKNOWN
    assert (row.installation, row.number) == tuple(before.values())
    monkeypatch.setattr(submission_storage(), "location", str(folder))
    assert Client().get("/readyz").json()["problems"] == []

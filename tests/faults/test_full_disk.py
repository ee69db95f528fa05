"""The disk of the default stack fills up and is freed: no 500, nothing lost, no hand needed."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.person import Answer, Person
from tests.stack import DATABASE, Stack

pytestmark = pytest.mark.faults
SIZE = 96 * 1024 * 1024  # static files take 14 MB, and uploads stop 25 MB before the end
PASSWORD = "purple-otter-9"
DONE = {"sign in": 302, "sign up": 302, "hand in": 302, "large": 422, "save": 302}
FILE = "from tests.leaderboard import builders; print(builders.prediction_csv().decode())"
# What is kept: rows and the bytes behind them, whether they still fit, and what waits to be scored.
KEPT = """
import hashlib, json
from leaderboard.evaluation.models import Evaluation
from leaderboard.submissions.models import QuotaEntry, Submission
def whole(one):
    with one.file.open("rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == one.sha256
print(json.dumps({
    "submissions": Submission.objects.count(),
    "charged": QuotaEntry.objects.filter(kind="charge").count(),
    "whole": all(whole(one) for one in Submission.objects.all()),
    "unscored": Evaluation.objects.filter(
        submission__file_name="p.csv", state__in=("queued", "running")).count(),
}))
"""


class SmallDisk:
    """A file system of its own, in memory."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self.ballast = folder / "ballast"
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
        subprocess.run(mount, check=True, capture_output=True)

    def fill(self) -> None:
        with self.ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 4096)

    def free(self) -> None:
        self.ballast.unlink()

    def close(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)


def mounted(folder: Path, size: int = SIZE) -> SmallDisk:
    """Such a disk, where this user may mount one."""
    try:
        return SmallDisk(folder, size)
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("mounting needs root")


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    folder = Path(tempfile.mkdtemp(prefix="leaderboard-disk-"))
    made = mounted(folder)
    yield made
    made.close()
    shutil.rmtree(folder)


def some_pages(stack: Stack) -> dict[str, list[str]]:
    """Every third page by role, of a contest that is built now."""
    pages = stack.drive("browser.every_page")
    return {role: pages[role][::3] for role in ("visitor", "alice", "olivia")}


def kept(stack: Stack) -> dict[str, object]:
    return dict(json.loads(stack.manage("shell", "--no-imports", "-c", KEPT)))


class Visit:
    """Some people at a stack, and what they see and try."""

    def __init__(self, stack: Stack, pages: dict[str, list[str]], file: bytes) -> None:
        self.stack, self.pages, self.file = stack, pages, file
        self.people = {
            role: Person(stack.url, role)
            if role == "visitor"
            else Person.signed_in(stack.url, role)
            for role in pages
        }
        self.tokens = {
            page: self.people["alice"].token(page) for page in ("/c/talk/submit", "/settings")
        }

    def statuses(self) -> dict[str, int]:
        """Of every page; whether the server is ready is no page."""
        return {
            f"{role} {page}": person.get(page).status
            for role, person in self.people.items()
            for page in self.pages[role]
            if page != "/readyz"
        }

    def hand_in(self, file: bytes) -> Answer:
        alice, page = self.people["alice"], "/c/talk/submit"
        return alice.upload(page, self.tokens[page], file)

    def writes(self) -> dict[str, Answer]:
        """One try of everything that needs room; a large file lies on the disk while it comes."""
        bob, nina = Person(self.stack.url, "bob"), Person(self.stack.url, "nina")
        alice, large = self.people["alice"], b"x" * 4_000_000
        account = {"username": "nina", "password1": PASSWORD, "password2": PASSWORD}
        settings = {"language": "ko", "theme": ""}
        return {
            "sign in": bob.send("/accounts/login/", {"login": "bob", "password": "bob-secret"}),
            "sign up": nina.send("/accounts/signup/", account),
            "hand in": self.hand_in(self.file),
            "large": self.hand_in(large),
            "save": alice.send("/settings", settings, token=self.tokens["/settings"]),
        }


def test_a_full_disk_is_said_and_when_it_is_freed_all_goes_on(
    disk: SmallDisk,
) -> None:
    with Stack(disk=disk.folder, env={"TMPDIR": str(disk.folder)}) as stack:
        pages = some_pages(stack)
        file = stack.manage("shell", "--no-imports", "-c", FILE).encode()
        visit = Visit(stack, pages, file)
        stack.kill("worker", tree=True)
        before = visit.statuses()
        assert max(before.values()) < 500
        assert visit.hand_in(file).status == 302
        had = kept(stack)
        assert (had["unscored"], had["whole"]) == (1, True)

        with contextlib.closing(sqlite3.connect(stack.folder / DATABASE)) as database:
            # Small writes would still fit where the log was written before.
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        disk.fill()
        stack.restart("worker")
        during = visit.statuses()
        changed = {page: status for page, status in during.items() if status != before[page]}
        # It is packed on the disk before it is sent, if it still fits.
        assert changed.items() <= {"olivia /c/talk/desk/export.zip": 507}.items()
        disk.fill()  # what was deleted meanwhile, such as a message that was read
        tried = visit.writes()
        refused = {what for what, answer in tried.items() if answer.status == 507}
        # Where a last page was left, a small write is as good as ever.
        assert {what: tried[what].status for what in tried.keys() - refused} == {
            what: DONE[what] for what in tried.keys() - refused
        }
        assert {"hand in", "large"} <= refused
        for what in refused:
            assert tried[what].retry_after == 60
        services = {name: stack.pid(name) for name in stack.daemons}

        disk.free()
        assert visit.statuses() == before
        again = {what: answer.status for what, answer in visit.writes().items() if what in refused}
        assert again == {what: DONE[what] for what in refused}

        def all_scored() -> bool:
            # A worker that cannot even write that it begins ends; the launcher starts it again.
            if not stack.daemons["worker"].running():
                stack.restart("worker")
            return kept(stack)["unscored"] == 0

        stack.wait_for(all_scored, 60, "all scored")
        now = kept(stack)
        assert now["whole"] is True
        assert now["submissions"] == int(str(had["submissions"])) + 1
        assert now["charged"] == int(str(had["charged"])) + 1
        # The same processes as before: nobody had to start one of these again.
        for name in ("web", "sweeper"):
            assert services[name] == stack.pid(name)
            os.kill(services[name], 0)
    print(f"{len(before)} pages, refused {sorted(refused)}; {had} -> {now}")

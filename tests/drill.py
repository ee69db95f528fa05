"""A backup under load, restored elsewhere and compared: small in the tests, whole in a benchmark.

One contest stands still, so that its boards can be compared byte for byte; into another, files come
in as long as the backup takes. The other installation has a store, a database and a key of its own.
"""

import json
import re
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.faults.test_killed_workers import LAPTOP, Kind, states
from tests.person import Person
from tests.servers import ROOT, Bucket
from tests.stack import Stack

BOARDS = [f"/c/faults/leaderboard.csv?board={board}" for board in ("public", "private")]
FORM = "/c/load/submit"
PREPARE = """
from datetime import timedelta
from django.utils import timezone
from leaderboard.competitions.models import Competition
from tests.faults import drive
from tests.leaderboard import builders
drive.prepare("{files}", "{rows}")
now = timezone.now()
made = Competition.objects.get(slug="faults")
builders.data_file(made)
Competition.objects.filter(pk=made.pk).update(
    closes_at=now - timedelta(minutes=2), reveals_at=now - timedelta(minutes=1))
load = drive.contest("load", 20, daily_limit=100000, max_waiting=100000)
builders.team(load, "alice")
"""
# Three lines of JSON: what there is, how many files score the same, who handed what in.
LOOK = """
import json
from leaderboard.submissions.models import Submission
from tests.faults import drive
drive.audit()
drive.rescore("{rescore}")
rows = Submission.objects.filter(team__competition__slug="faults").order_by("-received_at")
print(json.dumps([[str(one.pk), one.submitted_by.username] for one in rows]))
"""
# The one line of a board as CSV that is not of the board.
ASKED_AT = re.compile(r"^# as_of,.*\n", re.MULTILINE)


class Done(NamedTuple):
    """How a command of `manage.py` ended; `out` holds both streams."""

    code: int
    out: str
    seconds: float


def command(stack: Stack, *words: str, **env: str) -> Done:
    """Run `manage.py` against a stack, whatever comes of it."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**stack.env, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, time.monotonic() - began)


def shell(stack: Stack, script: str) -> list[str]:
    """The lines that a script prints there."""
    return stack.manage("shell", "--no-imports", "-v0", "-c", script).splitlines()


class Uploads:
    """Alice hands in a file after the other, with a pause between, from `start` to `stop`."""

    def __init__(self, stack: Stack, pause: float) -> None:
        self.statuses: list[int] = []
        self._pause = pause
        self._person = Person.signed_in(stack.url, "alice")
        self._token = self._person.token(FORM)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._ends.wait(self._pause):
            rows = (f"test_{2 * n},{len(self.statuses)}번째 글 {n}." for n in range(20))
            data = "\n".join(["fname,summary", *rows]).encode()
            self.statuses.append(self._person.upload(FORM, self._token, data).status)

    def stop(self) -> None:
        self._ends.set()
        self._thread.join()


@dataclass(frozen=True)
class Drill:
    """What came of it; `backup` was made under load, `again` after it."""

    backup: Done
    again: Done
    restore: Done
    uploads: list[int]
    boards_equal: bool
    rescored: int
    downloaded: int
    audit: dict[str, Any]


@dataclass
class Installations:
    """One that is used, and an empty one."""

    one: Stack
    other: Stack

    @classmethod
    def of(cls, kind: Kind, opened: ExitStack) -> "Installations":
        stacks = []
        for letter, only in (("a", ("web", "worker")), ("b", ("web",))):
            env = {"SECRET_KEY": letter * 60}
            if kind != LAPTOP:
                bucket = Bucket()
                opened.callback(bucket.close)
                env["STORAGE_URL"] = bucket.url
            stacks.append(Stack(*kind, env=env, only=only))
            opened.callback(stacks[-1].close)
        return cls(*stacks)


def drill(
    kind: Kind,
    target: Path,
    *,
    files: int,
    rows: int,
    rescore: int,
    download: int,
    running: bool = True,
    pause: float = 0,
) -> Drill:
    """So many files are handed in, backed up into `target` and restored into another installation.

    That one runs already, or (not `running`) its database has no table yet. Files keep coming in,
    each so many seconds (`pause`) after the one before was taken.
    """
    with ExitStack() as opened:
        both = Installations.of(kind, opened)
        one, other = both.one, both.other
        one.start()
        shell(one, PREPARE.format(files=files, rows=rows))
        one.wait_for(lambda: states(one)["done"] == files, 900, "all scored")
        if running:
            other.start()
        uploads = Uploads(one, pause)
        one.wait_for(lambda: len(uploads.statuses) > 2, 30, "load")
        backup = command(one, "backup", str(target))
        uploads.stop()
        restore = command(other, "restore", str(target))
        again = command(one, "backup", str(target))
        if not running:
            other.start()
        audit, rescored, handed_in = map(json.loads, shell(other, LOOK.format(rescore=rescore)))
        names = sorted({name for _, name in handed_in})
        here, there = (
            {name: Person.signed_in(stack.url, name) for name in names} for stack in (one, other)
        )

        def same(name: str, path: str, lines: int) -> bool:
            """Whether both answer this with the same bytes, of so many lines at least."""
            answers = here[name].get(path), there[name].get(path)
            assert {each.status for each in answers} == {200}
            texts = [ASKED_AT.sub("", each.text) for each in answers]
            return texts[0] == texts[1] and texts[0].count("\n") >= lines

        return Drill(
            backup,
            again,
            restore,
            uploads.statuses,
            all(same(names[0], path, len(names)) for path in BOARDS),
            rescored,
            sum(
                same(name, f"/c/faults/submissions/{pk}/file", rows)
                for pk, name in handed_in[:download]
            ),
            audit,
        )

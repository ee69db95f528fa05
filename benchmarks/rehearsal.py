"""`python -m benchmarks.rehearsal`: new golds for 300 scored files, from the click to the preview.

Real parts over loopback: gunicorn, SQLite, the folder broker, one Celery worker with two children.
An organizer presses "rehearse" and reloads the page until nothing is left to score; meanwhile a
member uploads three files through the form, each of which must be taken up within two seconds.
`--check` runs it small, to see that it works.
"""

import argparse
import contextlib
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.latency import SHIPPED_TIMES
from tests.person import Person
from tests.servers import ROOT
from tests.stack import Stack

GOAL_SECONDS, GOAL_WAIT_SECONDS = 12.0, 2.0
UPLOADS_AFTER = (0.5, 2.5, 4.5)  # seconds from the click
NOTHING_LEFT = re.compile(r"남은 예행 채점</dt>\s*<dd>\s*0\s*</dd>")
_UNENDED = """
SELECT count(*) FROM evaluation_evaluation e
JOIN references_scoringversion v ON v.id = e.scoring_version_id
WHERE v.number = ? AND e.state NOT IN ('done', 'failed')
"""
_LIVE = """
SELECT e.started_at, e.finished_at FROM evaluation_evaluation e
JOIN references_scoringversion v ON v.id = e.scoring_version_id
WHERE v.state = 'live' AND e.submission_id = ?
"""


@dataclass(frozen=True)
class Upload:
    """A live upload during the rehearsal: seconds from its acceptance."""

    claimed: float
    done: float


@dataclass(frozen=True)
class Rehearsed:
    """One rehearsal, in seconds from the click."""

    answered: float
    complete: float
    processor: float
    uploads: list[Upload]


class Watch:
    """The database, read past the product, and the processor time of its services."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        url = f"file:{stack.folder}/db.sqlite3?mode=ro"
        self._database = sqlite3.connect(url, uri=True, timeout=20, check_same_thread=False)

    def unended(self, number: int) -> int:
        return int(self._database.execute(_UNENDED, (number,)).fetchone()[0])

    def live(self, submission: str) -> tuple[float | None, float | None]:
        """When the submission was taken up and done under the live version, as Unix times."""
        row = self._database.execute(_LIVE, (submission.replace("-", ""),)).fetchone()
        started, finished = (_unix(text) for text in row)
        return started, finished

    def processor(self) -> float:
        """Seconds of processor time that the running services have used so far."""
        ticks = 0
        for name in ("web", "worker", "sweeper"):
            for pid in (self._stack.pid(name), *self._stack.children(name)):
                with contextlib.suppress(FileNotFoundError):
                    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self._database.close()


def _unix(text: str | None) -> float | None:
    return datetime.fromisoformat(f"{text}+00:00").timestamp() if text else None


def rehearse(stack: Stack, watch: Watch, page: str, number: int, files: list[bytes]) -> Rehearsed:
    """Click, upload meanwhile, and wait until the preview is whole."""
    organizer = Person.signed_in(stack.url, "olivia")
    member = Person.signed_in(stack.url, "alice")
    token, form = organizer.token(page), member.token("/c/rehearsal/submit")
    before = watch.processor()
    clicked = time.time()
    answer = organizer.send(page, {"verb": "rehearse"}, token=token)
    if answer.status != 302:
        raise RuntimeError(f"the click was answered {answer.status}")
    answered = time.time() - clicked
    plan = list(zip(UPLOADS_AFTER, files, strict=True))
    sent: list[tuple[str, float]] = []
    # What was submitted meanwhile is rehearsed too: the page says when none is left.
    while watch.unended(number) or not sent or not NOTHING_LEFT.search(organizer.get(page).text):
        if plan and time.time() - clicked >= plan[0][0]:
            handed = member.upload("/c/rehearsal/submit", form, plan.pop(0)[1])
            if handed.location is None:
                raise RuntimeError(f"the upload was answered {handed.status}")
            sent.append((handed.location.rsplit("/", 1)[-1], time.time()))
        time.sleep(0.01)
    complete = time.time() - clicked
    return Rehearsed(
        answered, complete, watch.processor() - before, [_upload(watch, *one) for one in sent]
    )


def _upload(watch: Watch, submission: str, accepted: float) -> Upload:
    while True:
        started, finished = watch.live(submission)
        if started is not None and finished is not None:
            return Upload(max(started - accepted, 0.0), max(finished - accepted, 0.0))
        time.sleep(0.01)


def fill(stack: Stack, *words: str) -> list[str]:
    """Run `benchmarks.filled` against the stack; the words that it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.filled", *words],
        cwd=ROOT,
        env=stack.env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def _more_files(stack: Stack, rows: int) -> list[str]:
    return fill(stack, "files", str(rows), str(stack.folder))


def measure(teams: int, days: int, rows: int) -> Rehearsed:
    """Fill a stack, wait until everything is scored under v1, rehearse v2."""
    with Stack(env=SHIPPED_TIMES) as stack:
        watch = Watch(stack)
        began = time.time()
        fill(stack, "contest", str(teams), str(days), str(rows))
        stack.wait_for(lambda: watch.unended(1) == 0, 600, "all scored under v1")
        print(f"prepared: {teams * days} files of {rows} rows, {time.time() - began:.0f} s")
        (version,) = fill(stack, "golds", str(rows))
        files = [Path(name).read_bytes() for name in _more_files(stack, rows)]
        print(f"load average before the click: {os.getloadavg()[0]:.1f}")
        page = f"/c/rehearsal/desk/golds/{version}/rehearsal"
        found = rehearse(stack, watch, page, 2, files)
        stack.manage("rebuild_standings", "--check")
        watch.close()
    return found


def main() -> int:
    """Print the times of one rehearsal; 1 if a goal is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    small = parser.parse_args().check
    teams, days, rows = (5, 4, 40) if small else (30, 10, 499)
    found = measure(teams, days, rows)
    waits = [upload.claimed for upload in found.uploads]
    print(f"rehearsing {teams * days} files of {rows} rows ({teams} teams, {days} days), SQLite")
    print(f"  click answered       {found.answered:6.2f} s")
    print(f"  preview complete     {found.complete:6.2f} s   goal <= {GOAL_SECONDS:.0f} s")
    print(f"  processor time       {found.processor:6.2f} s   on {os.cpu_count()} cores")
    print(
        f"  live upload taken up {max(waits):6.2f} s   goal <= {GOAL_WAIT_SECONDS:.0f} s (longest)"
    )
    done = statistics.median(upload.done for upload in found.uploads)
    print(f"  live upload ranked   {done:6.2f} s   median of {len(waits)}")
    met = found.complete <= GOAL_SECONDS and max(waits) <= GOAL_WAIT_SECONDS
    print(json.dumps({"complete_s": round(found.complete, 2), "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

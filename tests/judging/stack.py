"""A stack with a fake judge and a judge worker, and pairs of uploads with and without them.

with JudgeStack() as stack:
    stack.judged("prepare", "talk:12:4")
    stack.control(faults=[{"fault": "500", "times": None}])
"""

import contextlib
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings

from leaderboard.operations import up
from tests.judging import server
from tests.person import Person
from tests.servers import ROOT, free_port, wait_for
from tests.stack import Stack

# A judge whose faults pass in moments instead of minutes.
FAST = {
    "JUDGE": "fake",
    "JUDGE_LEASE_SECONDS": "2",
    "JUDGE_HEARTBEAT_SECONDS": "0.4",
    "JUDGE_CHUNK_SECONDS": "2",
    "JUDGE_ATTEMPTS": "3",
    "JUDGE_BACKOFF_SECONDS": "0.05",
    "JUDGE_CALL_SECONDS": "4",
    "JUDGE_CONNECT_SECONDS": "1",
    "JUDGE_READ_SECONDS": "1",
    "JUDGE_REQUEUE_SECONDS": "1",
    "JUDGE_CIRCUIT_FAILURES": "10",
    "JUDGE_CIRCUIT_SECONDS": "1",
    "JUDGE_CIRCUIT_LONGEST_SECONDS": "2",
}
WORDS = "민수 는 내일 도서관 에서 지우 를 만나 책 을 돌려주 고 점심 을 먹 기로 했 다".split()  # noqa: SIM905
JUDGE, SERVER = "judge", "fake-judge"


class JudgeStack(Stack):
    """Web, worker and sweeper as usual, a judge worker, and the fake judge they ask."""

    def __init__(self, *, env: Mapping[str, str] | None = None) -> None:
        self.judge_port = free_port()
        self.daemons = {}
        super().__init__(env={**FAST, "FAKE_JUDGE_PORT": str(self.judge_port), **(env or {})})
        commands = {
            SERVER: [sys.executable, "manage.py", "fake_judge", "--port", str(self.judge_port)],
            JUDGE: [sys.executable, *settings.JUDGE_WORKER],
        }
        for name, command in commands.items():
            self.daemons[name] = up.Daemon(
                name, command, self.folder / "log" / f"{name}.log", self.env, ROOT
            )

    def start(self) -> None:
        super().start()
        wait_for(self.judge_answers, 20, "the fake judge")
        wait_for(lambda: self.children(JUDGE), 60, "the judge worker")

    def close(self) -> None:
        for name in {JUDGE, SERVER} & self.daemons.keys():
            if self.daemons[name].running():
                self.kill(name, tree=True)  # nothing of theirs is worth waiting for
        super().close()

    def judge_answers(self) -> bool:
        """Whether the fake judge can be reached."""
        try:
            return server.send(self.judge_port, "GET", "/", timeout=2).status == 200
        except OSError:
            return False

    def control(self, **wish: Any) -> None:
        """Change what the fake judge does; see its `/control`."""
        assert server.control(self.judge_port, **wish).status == 200

    def judge_log(self) -> Any:
        """What the fake judge was asked so far."""
        return server.log(self.judge_port)

    def judged(self, *words: str) -> Any:
        """Run `tests.faults.judging.made` against the stack; its JSON answer, if it prints one."""
        return self.drive("faults.judging.made", *words)

    @contextlib.contextmanager
    def without_judge(self) -> Iterator[None]:
        """Nothing of the judge takes the processor: as if it were switched off."""
        names = [name for name in (JUDGE, SERVER) if self.daemons[name].running()]
        with contextlib.closing(sqlite3.connect(self.folder / "db.sqlite3", timeout=20)) as held:
            held.isolation_level = None
            held.execute("BEGIN IMMEDIATE")  # a process that stands still must not hold this
            for name in names:
                self.kill(name, signal.SIGSTOP, tree=True)
            held.execute("ROLLBACK")
        try:
            yield
        finally:
            for name in names:
                self.kill(name, signal.SIGCONT, tree=True)

    def rows(self, question: str, *values: Any) -> list[Any]:
        """Read the database past Django: a new process each time would cost a second."""
        url = f"file:{self.folder}/db.sqlite3?mode=ro"
        with contextlib.closing(sqlite3.connect(url, uri=True, timeout=20)) as database:
            return database.execute(question, values).fetchall()

    def complete(self, slug: str) -> bool:
        """Whether every scored submission of a contest is judged to its last row."""
        ((judged, open_ones),) = self.rows(_JUDGINGS, slug)
        ((teams,),) = self.rows(_TEAMS, slug)
        return bool(judged == teams and not open_ones)

    def tables(self, slug: str) -> dict[str, Any]:
        """What the judge's tables hold of a contest: counts by state, and sums."""
        found: dict[str, Any] = {
            name: dict(self.rows(question, slug)) for name, question in _COUNTS.items()
        }
        ((found["stored"],),) = self.rows(_STORED, slug)
        return found

    def board(self, slug: str) -> list[tuple[Any, ...]]:
        """The board as anybody reads it, in its order, without judge columns."""
        shown = Person(self.url, "anybody").json(f"/c/{slug}/leaderboard.json")["rows"]
        return [
            (row["rank"], row["team"], row["total"], tuple(row["metrics"].items())) for row in shown
        ]

    def columns(self, slug: str) -> list[Any]:
        """The judge's cells of the board's rows, in the board's order."""
        shown = Person(self.url, "anybody").json(f"/c/{slug}/leaderboard.json")["rows"]
        return [row.get("judge") for row in shown]


_JUDGINGS = """
SELECT count(*), coalesce(sum(j.state != 'complete'), 0) FROM judging_judging j
JOIN judging_judgeconfig k ON k.id = j.config_id
JOIN competitions_competition c ON c.id = k.competition_id WHERE c.slug = ?
"""
_OF_SLUG = """
JOIN judging_judgeconfig k ON k.id = x.config_id
JOIN competitions_competition c ON c.id = k.competition_id WHERE c.slug = ?
"""
_COUNTS = {
    "boards": f"SELECT board, count(*) FROM judging_judging x {_OF_SLUG} GROUP BY board",
    "ledger": f"SELECT x.state, count(*) FROM judging_reservation x {_OF_SLUG} GROUP BY x.state",
    "outcomes": f"SELECT outcome, count(*) FROM judging_reservation x {_OF_SLUG} GROUP BY outcome",
    "statuses": f"""
        SELECT status, count(*) FROM judging_judgment m
        JOIN judging_judging x ON x.id = m.judging_id {_OF_SLUG} GROUP BY status
    """,
}
_STORED = """
SELECT count(*) FROM judging_storedcall x
JOIN competitions_competition c ON c.id = x.competition_id WHERE c.slug = ?
"""
_TEAMS = """
SELECT count(DISTINCT s.team_id) FROM submissions_submission s
JOIN teams_team t ON t.id = s.team_id
JOIN competitions_competition c ON c.id = t.competition_id WHERE c.slug = ?
"""
_ENDED = "SELECT finished_at FROM evaluation_evaluation WHERE submission_id = ?"


def file(seed: str, rows: int) -> bytes:
    """Predictions for the contests of `tests.faults.judging.made`; each seed another text a row."""
    draw = random.Random(seed)
    lines = [f"test_{2 * n},{' '.join(draw.choices(WORDS, k=12))}." for n in range(rows)]
    return "\n".join(["fname,summary", *lines]).encode()


def ranked(stack: JudgeStack, person: Person, slug: str, content: bytes) -> float:
    """Upload a file; seconds from the POST until it is ranked."""
    token = person.token(f"/c/{slug}/submit")
    began = time.monotonic()
    answer = person.upload(f"/c/{slug}/submit", token, content)
    assert answer.location is not None, answer.status
    submission = answer.location.rsplit("/", 1)[-1].replace("-", "")
    while True:
        found = stack.rows(_ENDED, submission)
        if found and found[0][0] is not None:
            return time.monotonic() - began
        assert time.monotonic() - began < 60, "not ranked within a minute"
        time.sleep(0.002)

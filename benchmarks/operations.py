"""`python -m benchmarks.operations`: pages and periodic work with 100,000 teams, a million files.

On PostgreSQL. Every page that makes sense on these data is asked 20 times after 3 for warming up,
by a visitor, a member on page 73 of the board, the organizer and the administrator; then every step
of the sweeper and of the task behind it, with nothing due. Of whatever is slower than it may be
the slowest statement's plan is printed. `--keep FOLDER`: the data stay there for another time;
`--only PATTERN` asks the pages whose line it finds. A loop of pure arithmetic is timed between the
pages: where it took longer than its best, the machine was not this process's alone.
"""

import argparse
import contextlib
import gc
import math
import os
import re
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

from benchmarks.big_board import loop
from benchmarks.operations_data import SLUG, asked_place, check, make
from benchmarks.operations_pages import BAR, POLLED, pages
from tests.servers import Postgres

TEAMS, FILES = 100_000, 10
TIMES, WARM_UP = 20, 3
ENOUGH = 8.0  # seconds for one page, which is then asked at least FEWEST times
FEWEST = 5
SWEEP = 200.0  # ms
PLAN_LINES = 14


class Statements:
    """Counts the statements of one look, and remembers the slowest."""

    def __init__(self) -> None:
        self.number = 0
        self.slowest: tuple[float, str, Any] = (0.0, "", None)

    def __call__(self, run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        began = time.perf_counter()
        try:
            return run(sql, params, many, context)
        finally:
            self.number += 1
            self.slowest = max(
                self.slowest, (time.perf_counter() - began, sql, params), key=lambda one: one[0]
            )


class Table:
    """Asks, prints a line for each thing asked, and keeps the plans of what was slow."""

    def __init__(self, only: str) -> None:
        self.only = only
        self.plans: list[str] = []
        self.loops: list[float] = []
        self.missed: list[str] = []
        print("| who | asked | statements | best ms | median ms | p95 ms | bar |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")

    def line(self, who: str, name: str, ask: Callable[[], object], bar: float = BAR) -> None:
        """Ask many times; `bar` in ms is what p95 may be."""
        from django.db import connection

        if not re.search(self.only, f"{who} {name}"):
            return
        took: list[float] = []
        looked = Statements()
        began = time.perf_counter()
        for number in range(WARM_UP + TIMES):
            looked = Statements()
            started = time.perf_counter()
            with connection.execute_wrapper(looked):
                ask()
            if number >= WARM_UP:
                took.append((time.perf_counter() - started) * 1000)
            if len(took) >= FEWEST and time.perf_counter() - began > ENOUGH:
                break
        self.loops.append(loop() * 1000)
        p95 = sorted(took)[math.ceil(0.95 * len(took)) - 1]
        missed = " **above**" if p95 > bar else ""
        print(
            f"| {who} | {name} | {looked.number} | {min(took):.1f} | {statistics.median(took):.1f} "
            f"| {p95:.1f}{missed} | {bar:.0f} |",
            flush=True,
        )
        if missed:
            self.missed.append(name)
            self.plans.append(f"{who}, {name}\n{plan(looked)}")

    def close(self) -> None:
        """Print the moods of the machine, the size of the database and the plans."""
        from django.db import connection

        if not self.loops:
            raise SystemExit(f"No line holds {self.only}.")
        best, median = min(self.loops), statistics.median(self.loops)
        print(f"(the loop: best {best:.1f} ms, median {median:.1f}, most {max(self.loops):.1f})\n")
        for name, megabytes in _sizes(connection):
            print(f"{name:34} {megabytes:>7,} MB")
        for found in self.plans:
            print(f"\n{found}")


def plan(looked: Statements) -> str:
    """The plan of the slowest statement, shortened."""
    from django.db import connection

    seconds, sql, params = looked.slowest
    if not sql.startswith(("SELECT", "\n        WITH")):
        return f"  {seconds * 1000:.0f} ms: {sql[:200]}"
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) {sql}", params)
        lines = [line.rstrip() for (line,) in cursor.fetchall()]
    kept = [line for line in lines if not re.search(r"^\s*(Planning:|I/O|Output)", line)]
    said = [f"  {line[:150]}" for line in kept[:PLAN_LINES]]
    said += [f"  {kept[-1]}"] if len(kept) > PLAN_LINES else []
    return "\n".join([f"  {seconds * 1000:.0f} ms: {_short(sql)}", *said])


def _short(sql: str) -> str:
    """Of the columns nothing."""
    plain = re.sub(r"\s+", " ", sql).replace('"', "").strip()
    return re.sub(r"^SELECT .*? FROM ", "SELECT … FROM ", plain)[:400]


def _sizes(connection: Any) -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        whole = cursor.fetchone()[0]
        cursor.execute(
            "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' "
            "ORDER BY 2 DESC LIMIT 10"
        )
        rows = [("the database", whole), *cursor.fetchall()]
        cursor.execute("SELECT count(*), avg(octet_length(blob)) FROM evaluation_examplescores")
        number, octets = cursor.fetchone()
    rows.append((f"row values of a million ({number:,} made)", int(octets * 1_000_000)))
    return [(name, size // 2**20) for name, size in rows]


def measure(table: Table) -> None:
    """Everything, in this process."""
    from django.core.management import call_command
    from django.test import Client
    from django.utils import timezone

    from leaderboard.accounts.models import User
    from leaderboard.boards.counting import make_next_figures
    from leaderboard.boards.listing import standings_of
    from leaderboard.competitions.models import Competition
    from leaderboard.references.queries import live_version
    from tests.leaderboard import builders

    call_command("migrate", verbosity=0)
    make_next_figures(timezone.now())  # as a worker does every few minutes
    gc.collect()
    gc.freeze()  # as gunicorn.conf.py does
    now = timezone.now()
    contest = Competition.objects.get(slug=SLUG)
    version = live_version(contest)
    assert version is not None
    print(f"\n(standings of {check(version)} teams are those that the product makes)", flush=True)
    rows = standings_of(version, "public", None)
    people = {
        "member": rows[asked_place(rows.count())].team.captain,
        "organizer": builders.user("olivia"),
        "superuser": User.objects.get_or_create(
            username="root", defaults={"is_superuser": True, "is_staff": True}
        )[0],
    }
    clients = {"visitor": Client(headers={"host": "localhost"})}
    for name, user in people.items():
        clients[name] = Client(headers={"host": "localhost"})
        clients[name].force_login(user)
    revealed = False
    for who, address, bar in pages(now):
        if "revealed" in who and not revealed:
            periodic(table)  # before the private board asks for bands of its own
            times = {"closes_at": now - timedelta(hours=2), "reveals_at": now - timedelta(hours=1)}
            before = {name: getattr(contest, name) for name in times}
            Competition.objects.update(**times)
            revealed = True
        client = clients[who.partition(",")[0]]
        name = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "…", address)
        try:
            # As an open page asks for what it keeps asking.
            headers = {"HX-Request": "true"} if bar == POLLED else {}
            name += ", polled" if headers else ""
            with _under_way(address):
                table.line(who, name, lambda c=client, a=address, h=headers: _get(c, a, h), bar)
        except Exception as error:
            print(f"| {who} | {name} | {type(error).__name__}: {str(error)[:150]} |", flush=True)
    Competition.objects.update(**before)


@contextlib.contextmanager
def _under_way(address: str) -> Iterator[None]:
    """The file whose progress is asked is being scored meanwhile: of an ended one no page asks."""
    from leaderboard.evaluation.models import Evaluation

    asked = re.search("submissions/([0-9a-f-]{36})/progress", address)
    rows = Evaluation.objects.filter(submission=asked[1] if asked else None)
    rows.update(state=Evaluation.State.RUNNING)
    yield
    rows.update(state=Evaluation.State.DONE)


def _get(client: Any, address: str, headers: dict[str, str]) -> None:
    answer = client.get(address, headers=headers)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert answer.status_code == 200, f"{answer.status_code} {content[:80]!r}"


def periodic(table: Table) -> None:
    """The sweeper's steps and the task's, when nothing is due."""
    from django.utils import timezone

    from leaderboard.boards.counting import make_next_figures
    from leaderboard.worker import sweep
    from leaderboard.worker.derived import DERIVED
    from leaderboard.worker.polling import waits_since

    make_next_figures(timezone.now())  # so that nothing is due
    steps = [(name, step) for name, step in sweep.steps_of_a_loop() if name != "outbox"]
    for name, step in steps:
        table.line("sweeper", name, lambda one=step: one(timezone.now()), SWEEP)
    table.line(
        "sweeper", "all of a round", lambda: sweep.sweep(timezone.now(), tuple(steps)), SWEEP
    )
    table.line("sweeper, at its start", "derived", lambda: sweep.wake_for_derived(timezone.now()))
    for name, step in sweep.STEPS:
        if name == "missing":
            table.line("sweeper, at its start", name, lambda one=step: one(timezone.now()))
    for derived in DERIVED:
        make_next = derived.make
        table.line("task", make_next.__name__, lambda one=make_next: one(timezone.now()))
    table.line("worker", "waits_since", lambda: waits_since(timezone.now()))


@contextlib.contextmanager
def _server(keep: Path | None) -> Iterator[Postgres]:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(Postgres(keep)) as server:
        yield server


def main() -> int:
    """Make what is not there yet, then measure; 0 if every bar is kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="folder of data that stay")
    parser.add_argument("--teams", type=int, default=TEAMS)
    parser.add_argument("--files", type=int, default=FILES, help="of each team")
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    with _server(asked.keep) as server:
        fresh = not asked.keep or not (asked.keep / "files").exists()
        if fresh:
            server.new_database(SLUG)
        os.environ["TEST_DATABASE_URL"] = f"postgres://app@127.0.0.1:{server.port}/{SLUG}"
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
        os.environ["LOG_LEVEL"] = "ERROR"
        django.setup()
        from django.conf import settings
        from django.core.management import call_command
        from django.utils import timezone

        if fresh:
            began = time.perf_counter()
            call_command("migrate", verbosity=0)
            make(asked.teams, asked.files, timezone.now())
            print(f"made in {time.perf_counter() - began:.0f} s")
            if asked.keep:
                shutil.copytree(settings.DATA_DIR, asked.keep / "files")
        else:
            shutil.copytree(asked.keep / "files", settings.DATA_DIR, dirs_exist_ok=True)
        table = Table(asked.only)
        measure(table)
        table.close()
        return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())

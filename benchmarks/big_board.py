"""`python -m benchmarks.big_board`: what a board page costs with 100 and with 10,000 teams.

Generated: 10,000 teams of one with 20 scored submissions each (200,000 evaluations, 400,000 split
scores) over 14 days; the standings, also those of each midnight, are computed by the product's own
code. Then a signed-in member whose row stands on page 73 asks through the whole stack of
middleware, view and template for the board, for its own page, for the board of a past midnight, and
for the board as the first one after it changed, when the process reads the totals again.
Each size has a process and a database of its own, and they are asked in turns, so that both meet
the same moods of the machine; each is timed 60 times. A loop of pure arithmetic is timed
between them: as far as its p95 lies above its median, the machine was not this process's alone. On
SQLite, and on PostgreSQL where it is installed.
"""

import argparse
import contextlib
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

import django

from benchmarks.big_board_data import DAYS, EACH, OWN_PAGE, make
from tests.servers import ROOT, Postgres

ASKED = 60
WARM_UP = 5
SIZES = (100, 10_000)
CHANGED = "changed"
ASKS = ("page", "own page", "as of", CHANGED)
LOOP = "(a loop)"
GOALS = {"queries": 12, "p95_ms": 50.0, "as_of_p95_ms": 250.0, "growth": 1.5}


def answer(size: int, wanted: Iterable[str]) -> None:
    """Inside a process whose settings name an empty database: make the board, then serve.

    One line of JSON is printed when the board stands, and for each wanted line, which names one of
    `ASKS`: the seconds that it took, and its number of queries where that was asked for.
    """
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from leaderboard.boards.changes import note
    from leaderboard.references.models import ScoringVersion

    call_command("migrate", verbosity=0)
    gc.collect()
    gc.freeze()  # as gunicorn.conf.py does
    ask, filled = _board(size, timezone.now())
    version = ScoringVersion.objects.get()
    gc.collect()
    print(json.dumps({"filled_s": round(filled, 1)}), flush=True)
    for line in wanted:
        name, _, counts = line.strip().partition(":")
        if name == CHANGED:
            note(version.pk, since=None)
        began = time.perf_counter()
        with CaptureQueriesContext(connection) if counts else contextlib.nullcontext() as queries:
            ask(name)
        took = time.perf_counter() - began
        print(json.dumps(len(queries) if queries is not None else took), flush=True)


def _board(size: int, now: datetime) -> tuple[Callable[[str], None], float]:
    """Make a board; answers how to do one of `ASKS`, and the seconds of filling."""
    from django.test import Client

    from leaderboard.accounts.models import User

    own, filled = make("board", size, now)
    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.get(pk=own))
    date = (now - timedelta(days=DAYS // 2)).date()
    address = dict(zip(ASKS, ("", f"?page={OWN_PAGE}", f"?at={date}", ""), strict=True))

    def ask(name: str) -> None:
        assert client.get(f"/c/board/leaderboard{address[name]}").status_code == 200

    return ask, filled


class Apart:
    """`answer` in a process of its own."""

    def __init__(self, database: str | None, size: int) -> None:
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "LOG_LEVEL": "ERROR",
        }
        if database is not None:
            env["TEST_DATABASE_URL"] = database
        words = [sys.executable, "-m", "benchmarks.big_board", "--answer", str(size)]
        self.process = subprocess.Popen(
            words, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.filled_s = self._read()["filled_s"]

    def ask(self, what: str) -> Any:
        """Seconds of one of `ASKS`, or with `:queries` behind it how many queries it takes."""
        assert self.process.stdin is not None
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)


def measure(databases: dict[int, str | None]) -> dict[str, Any]:
    """By size, then by what was asked: queries, median and p95; the sizes are asked in turns."""
    with contextlib.ExitStack() as stack:
        boards = {
            size: stack.enter_context(contextlib.closing(Apart(database, size)))
            for size, database in databases.items()
        }
        times: dict[tuple[int, str], list[float]] = defaultdict(list)
        for number in range(WARM_UP + ASKED):
            for name in ASKS:
                for size, board in boards.items():
                    took = board.ask(name)
                    if number >= WARM_UP:
                        times[size, name].append(took)
            times[0, LOOP].append(_loop())
        found: dict[str, Any] = {LOOP: _figures(times[0, LOOP])}
        return found | {
            str(size): {"filled_s": board.filled_s}
            | {
                name: _figures(times[size, name]) | {"queries": board.ask(f"{name}:queries")}
                for name in ASKS
            }
            for size, board in boards.items()
        }


def _loop() -> float:
    """Seconds of the same arithmetic each time: about as long as a page, without any waiting."""
    began = time.perf_counter()
    sum(number * number for number in range(900_000))
    return time.perf_counter() - began


def _figures(times: list[float]) -> dict[str, Any]:
    ordered = sorted(times)
    return {
        "median_ms": round(statistics.median(ordered) * 1000, 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1000, 1),
    }


def show(engine: str, sizes: tuple[int, ...], found: dict[str, Any]) -> bool:
    """Print one engine's table; True if every goal is met."""
    print(f"{engine}: {max(sizes):,} teams, {max(sizes) * EACH:,} evaluations")
    print(f"  {'asked':10} {'teams':>7} {'queries':>8} {'median ms':>10} {'p95 ms':>8}")
    for name in ASKS:
        for size in sizes:
            row = found[str(size)][name]
            numbers = f"{row['queries']:>8} {row['median_ms']:>10} {row['p95_ms']:>8}"
            print(f"  {name:10} {size:>7,} {numbers}")
    loop = found[LOOP]
    print(f"  {LOOP:26} {loop['median_ms']:>10} {loop['p95_ms']:>8}")
    small, big = found[str(min(sizes))], found[str(max(sizes))]
    growth = big["page"]["median_ms"] / small["page"]["median_ms"]
    print(
        f"  median of the page grows × {growth:.2f}; newest midnights filled in {big['filled_s']} s"
    )
    return (
        max(big["page"]["queries"], big["own page"]["queries"]) <= GOALS["queries"]
        and max(big["page"]["p95_ms"], big["own page"]["p95_ms"]) < GOALS["p95_ms"]
        and big["as of"]["p95_ms"] < GOALS["as_of_p95_ms"]
        and growth <= GOALS["growth"]
    )


def main() -> int:
    """Print the tables; 0 if every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answer", type=int, help="inside: make this board and answer")
    parser.add_argument("--teams", nargs="+", type=int, default=list(SIZES))
    asked = parser.parse_args()
    if asked.answer:
        answer(asked.answer, sys.stdin)
        return 0
    sizes = tuple(asked.teams)
    met = show("SQLite", sizes, measure(dict.fromkeys(sizes)))
    if shutil.which("pg_config") or shutil.which("psql"):
        with contextlib.closing(Postgres()) as server:
            databases = {size: server.new_database(f"board-{size}") for size in sizes}
            met &= show("PostgreSQL", sizes, measure({**databases}))
    else:
        print("PostgreSQL: not measured, it is not installed")
    print(json.dumps({"goals": GOALS, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""The last minute, and a crowd that watches: real processes over PostgreSQL and Redis.

python -m benchmarks.rush deadline            # 2,000 teams hand in 499 rows within 60 s
python -m benchmarks.rush watching            # 200 people, a board of 500 teams, 30 files a minute
python -m benchmarks.rush watching --stack sqlite-folder

The crowd runs on the same processors as what it asks; its own time is printed.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import resource
import statistics
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks.filled import predictions
from benchmarks.latency import SHIPPED_TIMES
from benchmarks.rehearsal import fill
from tests.faults.test_killed_workers import LAPTOP, SERVERS, states
from tests.person import upload_form
from tests.stack import Stack

STACKS = {"-".join(kind): kind for kind in (LAPTOP, SERVERS)}
BOARD = "/c/rush/leaderboard"
FORM = "/c/rush/submit"
TOKEN = "t" * 32  # of forms: the cookie and the field need only agree
ROWS = 499


@dataclass
class Seen:
    """Statuses and seconds of one kind of request, from all threads."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def ask(
        self, stack: Stack, method: str, path: str, session: str, body: bytes = b"", kind: str = ""
    ) -> int:
        """One request over a connection of its own; 0 where no answer came."""
        headers = {"Cookie": f"sessionid={session}; csrftoken={TOKEN}", "Referer": stack.url}
        if body:
            headers["Content-Type"] = kind
        began = time.monotonic()
        status = 0
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=60)
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
            connection.close()
        self.statuses[status] += 1
        self.seconds.append(time.monotonic() - began)
        return status

    def line(self, name: str) -> str:
        """Counts by status; median and 95 % in milliseconds."""
        cuts = statistics.quantiles(self.seconds, n=20)
        median = statistics.median(self.seconds)
        counts = dict(sorted(self.statuses.items()))
        return f"{name}: {counts}, median {median * 1000:.0f} ms, p95 {cuts[-1] * 1000:.0f} ms"


def form(data: bytes) -> tuple[bytes, str]:
    """The upload form with this file and a key of its own, and its Content-Type."""
    return upload_form(TOKEN, data, uuid.uuid4().hex)


def files(number: int) -> list[bytes]:
    """So many different files of 499 rows: the lines of eight, mixed."""
    made = [predictions(ROWS, seed).decode().splitlines() for seed in range(8)]
    mixed = []
    for seed in range(number):
        draw = random.Random(seed)
        rows = [draw.choice(made)[n] for n in range(1, ROWS + 1)]
        mixed.append("\n".join(["fname,summary", *rows, ""]).encode())
    return mixed


def at_times(moments: Sequence[float], work: Callable[[int], object], threads: int) -> None:
    """Call `work(n)` at each of these seconds from now, at most so many at a time."""
    began = time.monotonic()

    def one(n: int) -> None:
        time.sleep(max(0.0, began + moments[n] - time.monotonic()))
        work(n)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(len(moments))))


def own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def cpu_seconds(stack: Stack) -> float:
    """What the worker's children have used so far; read once, at rest."""
    ticks = 0
    for pid in stack.children("worker"):
        parts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(parts[11]) + int(parts[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def order_is_fair(stack: Stack) -> float:
    """The share of files that began before one received 5 s or more earlier: teams had one each."""
    question = "SELECT received_at, started_at FROM evaluation_evaluation ORDER BY started_at"
    with psycopg.connect(stack.env["DATABASE_URL"]) as server:
        rows = server.execute(question).fetchall()
    newest, late = rows[0][0], 0
    for received, _ in rows:
        late += (newest - received).total_seconds() > 5
        newest = max(newest, received)
    return late / len(rows)


def deadline(name: str, number: int, seconds: float) -> int:
    """All of them within so many seconds; the time until the last is scored."""
    with Stack(*STACKS[name], env=SHIPPED_TIMES) as stack:
        sessions = fill(stack, "rush", str(number), str(ROWS))
        bodies = [form(data) for data in files(number)]
        posts, looks = Seen(), Seen()
        # What one file costs, alone.
        before = cpu_seconds(stack)
        for n in range(20):
            posts.ask(stack, "POST", FORM, sessions[n], *bodies[n])
        stack.wait_for(lambda: states(stack)["done"] == 20, 60, "the first are scored")
        each = (cpu_seconds(stack) - before) / 20
        posts = Seen()
        draw = random.Random(1)
        ends = threading.Event()

        def look() -> None:
            while not ends.wait(0.5):
                looks.ask(stack, "GET", BOARD, sessions[0])

        watcher = threading.Thread(target=look)
        watcher.start()
        used, began = own_seconds(), time.monotonic()
        moments = sorted(draw.uniform(0, seconds) for _ in range(20, number))
        at_times(
            moments,
            lambda n: posts.ask(stack, "POST", FORM, sessions[n + 20], *bodies[n + 20]),
            256,
        )
        last = time.monotonic()
        used = own_seconds() - used
        done_then = states(stack)["done"]
        stack.wait_for(lambda: states(stack)["done"] >= number, 900, "all scored")
        took = time.monotonic() - last
        ends.set()
        watcher.join()
        cores = os.cpu_count() or 1
        bar = 1.3 * number * each / cores
        print(
            f"{name}: {number} files of {ROWS} rows ({len(bodies[0][0]) // 1000} KB) "
            f"in {last - began:.0f} s"
        )
        print(posts.line("POST"))
        print(looks.line("board meanwhile"))
        print(f"a file costs the worker {each * 1000:.0f} ms; the crowd used {used:.0f} s")
        print(f"{done_then} were scored at the last POST, all {took:.0f} s later; bar {bar:.0f} s")
        print(f"overtaken by a file received 5 s later: {order_is_fair(stack):.1%}")
        p95 = statistics.quantiles(posts.seconds, n=20)[-1]
        board = statistics.quantiles(looks.seconds, n=20)[-1]
        met = {
            "refused": posts.statuses.total() - posts.statuses[302],
            "post": p95 <= 3,
            "scored": took <= bar,
            "board": board <= 0.3,
        }
        print(json.dumps(met))
        return int(met["refused"] != 0 or not all(list(met.values())[1:]))


def watching(name: str, minutes: float) -> int:
    """200 people with 10 to 20 s between clicks, 30 files a minute, a board of 500 teams."""
    with Stack(*STACKS[name], env=SHIPPED_TIMES) as stack:
        sessions = fill(stack, "rush", "500", str(ROWS))
        made = files(500 + int(31 * minutes) + 1)
        uploads, looks = Seen(), Seen()
        for n in range(500):
            uploads.ask(stack, "POST", FORM, sessions[n], *form(made[n]))
        stack.wait_for(lambda: states(stack)["done"] == 500, 300, "a board of 500")
        uploads = Seen()
        waits: list[float] = []
        ends = time.monotonic() + minutes * 60
        numbers = itertools.count(500)

        def watch(n: int) -> None:
            draw = random.Random(n)
            time.sleep(draw.uniform(0, 15))
            while time.monotonic() < ends:
                looks.ask(stack, "GET", BOARD, sessions[n])
                time.sleep(draw.uniform(10, 20))

        def hand_in() -> None:
            while time.monotonic() < ends:
                n = next(numbers)
                uploads.ask(stack, "POST", FORM, sessions[n % 500], *form(made[n]))
                sent = time.monotonic()
                stack.wait_for(lambda goal=n: states(stack)["done"] > goal, 60, "scored")  # type: ignore[misc]
                waits.append(time.monotonic() - sent)
                time.sleep(max(0.0, 2 - (time.monotonic() - sent)))

        threads = [threading.Thread(target=watch, args=(n,)) for n in range(200)]
        threads.append(threading.Thread(target=hand_in))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{name}, {minutes:g} minutes")
        print(looks.line("board of 500 teams, 200 people"))
        print(uploads.line("POST"))
        print(f"longest wait for a score {max(waits):.1f} s")
        errors = looks.statuses.total() - looks.statuses[200]
        errors += uploads.statuses.total() - uploads.statuses[302]
        board = statistics.quantiles(looks.seconds, n=20)[-1]
        print(json.dumps({"errors": errors, "board": board <= 0.3, "scored": max(waits) <= 60}))
        return int(errors > 0 or board > 0.3 or max(waits) > 60)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rush")
    parser.add_argument("what", choices=("deadline", "watching"))
    parser.add_argument("--stack", choices=tuple(STACKS), default="postgres-redis")
    parser.add_argument("--people", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=3)
    options = parser.parse_args()
    if options.what == "deadline":
        return deadline(options.stack, options.people, 60)
    return watching(options.stack, options.minutes)


if __name__ == "__main__":
    sys.exit(main())

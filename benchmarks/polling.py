"""`python -m benchmarks.polling`: 200 programs that follow 20 submissions, on the default stack.

Each asks again after `Retry-After`, with the tag it was given; ten follow one submission. Printed:
how long after a submission's end its programs know of it, how many answers were 304, and what a
board page takes meanwhile. All on the same processors.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from benchmarks.latency import SHIPPED_TIMES
from tests.servers import ROOT
from tests.stack import Stack

FILES, EACH, ROWS = 20, 10, 499
TOLD, BOARD = 5.0, 0.100  # goals, in seconds


def fill() -> None:
    """A contest with a team for each file; prints their tokens, and the files, as JSON."""
    import django

    django.setup()
    from django.utils import timezone

    from leaderboard.accounts import tokens
    from tests.faults import drive
    from tests.leaderboard import builders

    made, at = drive.contest("talk", ROWS), timezone.now()
    found = []
    for number in range(FILES):
        name = f"person{number}"
        builders.team(made, name)
        user = builders.user(name)
        secret = tokens.make(user=user, name="x", scope="submit", days=1, at=at)[1]
        found.append([secret, drive.upload(ROWS, number).data.decode()])
    print(json.dumps(found))


@dataclass
class Seen:
    """What all clients saw: statuses of the state, delays and board pages in seconds."""

    statuses: Counter[int] = field(default_factory=Counter)
    delays: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)


def ask(where: str, data: bytes | None = None, **headers: str) -> tuple[int, Any, bytes]:
    """Status, headers and body, over a connection of its own."""
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(where, data, said)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def follow(where: str, secret: str, seen: Seen) -> None:
    """Until it is over, as the answers ask."""
    tag = {}
    while True:
        status, headers, body = ask(where, Authorization=f"Bearer {secret}", **tag)
        now = time.time()
        seen.statuses[status] += 1
        if status == 200 and (state := json.loads(body))["is_over"]:
            seen.delays.append(now - datetime.fromisoformat(state["finished_at"]).timestamp())
            return
        assert status in (200, 304), body
        tag = {"If_None_Match": headers["ETag"]}
        time.sleep(float(headers["Retry-After"]))


def watch(where: str, seen: Seen, over: threading.Event) -> None:
    """A board page four times a second."""
    while not over.wait(0.25):
        began = time.monotonic()
        assert ask(where)[0] == 200
        seen.pages.append(time.monotonic() - began)


def main() -> int:
    """Print the figures; 1 if a goal is missed."""
    seen, over = Seen(), threading.Event()
    with Stack(env=SHIPPED_TIMES) as stack, ThreadPoolExecutor(FILES * EACH + 1) as clients:
        command = [sys.executable, "-m", "benchmarks.polling", "fill"]
        filled = subprocess.run(
            command, cwd=ROOT, env=stack.env, stdout=subprocess.PIPE, check=True
        )
        board = clients.submit(watch, f"{stack.url}/c/talk/leaderboard", seen, over)
        files = f"{stack.url}/api/v1/competitions/talk/submissions"
        following = []
        for secret, text in json.loads(filled.stdout):
            said = {"Authorization": f"Bearer {secret}", "Content_Type": "text/csv"}
            status, _, body = ask(files, text.encode(), **said)
            assert status == 201, body
            where = f"{files}/{json.loads(body)['id']}/state"
            following += [clients.submit(follow, where, secret, seen) for _ in range(EACH)]
        for one in following:
            one.result()
        over.set()
        board.result()
    last, p95 = max(seen.delays), statistics.quantiles(seen.pages, n=20)[-1]
    print(f"told after        median {statistics.median(seen.delays):.2f} s, last {last:.2f} s")
    print(f"answers           {dict(seen.statuses)}")
    print(f"board             p95 {p95 * 1000:.0f} ms of {len(seen.pages)}")
    print(f"goals             {TOLD} s, {BOARD * 1000:.0f} ms")
    return int(last > TOLD or p95 > BOARD)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    sys.exit(fill() if sys.argv[1:] == ["fill"] else main())

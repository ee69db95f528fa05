"""`python -m benchmarks.polling`: 200 programs that follow 20 submissions, on the default stack.

Each asks again after `Retry-After`, with the tag it was given; ten follow one submission, and begin
one after the other within that time. The files are long, so that most of them wait. Printed: how
long after a submission's end its programs know of it, how many answers were 304, and what a board
page takes meanwhile. All on the same processors.
"""

import json
import os
import select
import statistics
import subprocess
import sys
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

FILES, EACH, ROWS = 20, 10, 10_000
ASK_AGAIN = 3.0  # seconds, as the answers say
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
    """What all clients saw: statuses of the state, and delays in seconds."""

    statuses: Counter[int] = field(default_factory=Counter)
    delays: list[float] = field(default_factory=list)


def ask(where: str, data: bytes | None = None, **headers: str) -> tuple[int, Any, bytes]:
    """Status, headers and body, over a connection of its own."""
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(where, data, said)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def follow(where: str, secret: str, seen: Seen, begin: float) -> None:
    """Until it is over, as the answers ask, after `begin` seconds."""
    time.sleep(begin)
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


def watch(where: str) -> None:
    """A board page four times a second, until standard input ends; prints the seconds as JSON.

    A process of its own: beside 200 threads it would wait for its own interpreter.
    """
    pages = []
    while not select.select([sys.stdin], [], [], 0.25)[0]:
        began = time.monotonic()
        assert ask(where)[0] == 200
        pages.append(time.monotonic() - began)
    print(json.dumps(pages))


def main() -> int:
    """Print the figures; 1 if a goal is missed."""
    seen = Seen()
    again = [sys.executable, "-m", "benchmarks.polling"]
    with Stack(env=SHIPPED_TIMES) as stack, ThreadPoolExecutor(FILES * EACH) as clients:
        way: Any = {"cwd": ROOT, "env": stack.env, "stdout": subprocess.PIPE, "text": True}
        filled = subprocess.run([*again, "fill"], **way, check=True)
        board = f"{stack.url}/c/talk/leaderboard"
        watching = subprocess.Popen([*again, "watch", board], **way, stdin=subprocess.PIPE)
        files = f"{stack.url}/api/v1/competitions/talk/submissions"
        following = []
        for secret, text in json.loads(filled.stdout):
            said = {"Authorization": f"Bearer {secret}", "Content_Type": "text/csv"}
            status, _, body = ask(files, text.encode(), **said)
            assert status == 201, body
            where = f"{files}/{json.loads(body)['id']}/state"
            for number in range(EACH):
                begin = ASK_AGAIN * number / EACH
                following.append(clients.submit(follow, where, secret, seen, begin))
        for one in following:
            one.result()
        pages = json.loads(watching.communicate("over\n")[0])
    last, p95 = max(seen.delays), statistics.quantiles(pages, n=20)[-1]
    print(f"told after        median {statistics.median(seen.delays):.2f} s, last {last:.2f} s")
    print(f"answers           {dict(seen.statuses)}")
    middle = statistics.median(pages)
    print(f"board             p95 {p95 * 1000:.0f} ms, median {middle * 1000:.0f}, of {len(pages)}")
    print(f"goals             {TOLD} s, {BOARD * 1000:.0f} ms")
    return int(last > TOLD or p95 > BOARD)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    match sys.argv[1:]:
        case ["fill"]:
            fill()
        case ["watch", where]:
            watch(where)
        case _:
            sys.exit(main())

"""`python -m benchmarks.first_view`: what a first visit to a board of 25 teams costs, in a browser.

A new window each time, nothing cached, the processor four times slower (Chromium's own brake), over
loopback. Printed: bytes received by kind, headers included, and when the largest part was painted.
"""

import json
import statistics
import subprocess
import sys
import urllib.request
from collections import Counter
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS
from tests.servers import ROOT, wait_for
from tests.stack import Stack

TEAMS, VIEWS, SLOWER = 25, 9, 4
LIMIT = 150_000  # bytes
GOAL = 1_000  # milliseconds
_PAINTED = """() => new Promise((told) => new PerformanceObserver((list) =>
    told(list.getEntries().at(-1).startTime)).observe(
        {type: "largest-contentful-paint", buffered: true}))"""


@dataclass(frozen=True)
class View:
    """One cold view: bytes by kind of file, and milliseconds until the largest part was painted."""

    received: Counter[str]
    painted: float


def look(browser: Browser, address: str) -> View:
    """Open the address in a window of its own and wait until nothing more is asked for."""
    page = browser.new_page(locale="ko-KR", viewport={"width": 1440, "height": 900})
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    kinds: dict[str, str] = {}
    received: Counter[str] = Counter()

    def ended(event: dict[str, Any]) -> None:
        received[kinds.get(event["requestId"], "Other")] += int(event["encodedDataLength"])

    network.on(
        "Network.responseReceived",
        lambda event: kinds.update({event["requestId"]: event["type"]}),
    )
    network.on("Network.loadingFinished", ended)
    page.goto(address, wait_until="networkidle")
    painted = float(page.evaluate(_PAINTED))
    page.close()
    return View(received, painted)


def _ranked(address: str) -> int:
    """How many teams the board has ranked so far."""
    with urllib.request.urlopen(address) as answer:
        return str(answer.read(), "utf-8").count('class="ranked')


def main() -> int:
    """Print both; the goals: 150 KB for everything, one second for the median."""
    with Stack() as stack:
        subprocess.run(
            [sys.executable, "-m", "benchmarks.filled", "contest", str(TEAMS), "1", "20"],
            cwd=ROOT,
            env=stack.env,
            check=True,
        )
        address = f"{stack.url}/c/rehearsal/leaderboard"
        wait_for(lambda: _ranked(address) == TEAMS, 120, "every team ranked")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            views = [look(browser, address) for _ in range(VIEWS + 1)][1:]  # the first one warms up
            browser.close()
    print(f"cold board, {TEAMS} teams, signed out, {VIEWS} views, processor {SLOWER} times slower")
    for kind, size in views[0].received.most_common():
        print(f"  {kind:12} {size:8,} bytes")
    heaviest = max(sum(view.received.values()) for view in views)
    painted = [view.painted for view in views]
    middle = statistics.median(painted)
    print(f"  {'everything':12} {heaviest:8,} bytes   goal <= {LIMIT:,}")
    print(f"  largest part painted: median {middle:.0f} ms, max {max(painted):.0f} ms")
    met = heaviest <= LIMIT and middle < GOAL
    print(json.dumps({"bytes": heaviest, "painted_ms": round(middle), "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

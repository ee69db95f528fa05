"""A stranger holds 120 connections open; whoever else asks for a page is answered as ever."""

import statistics
import time
import urllib.request

import pytest

from tests.faults.slow_clients import LARGE_FILE, SlowClients
from tests.stack import Stack

pytestmark = pytest.mark.faults
PAGES = ("/livez", "/c/faults/leaderboard")


def seconds_of(url: str) -> float:
    """How long a new visitor waits for the whole page."""
    began = time.monotonic()
    with urllib.request.urlopen(url, timeout=30) as answer:
        assert answer.status == 200
        answer.read()
    return time.monotonic() - began


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


@pytest.mark.parametrize("seconds", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_slow_connections_hold_nobody_up(seconds: int) -> None:
    with Stack() as stack:
        stack.drive("faults.drive", "prepare", "3", "20")
        for _ in range(10):  # what each process loads for its first page is no slow client's work
            for page in PAGES:
                seconds_of(stack.url + page)
        seconds_of(stack.url + LARGE_FILE)  # it is there
        waited: dict[str, list[float]] = {page: [] for page in PAGES}
        with SlowClients(stack.port, bodies=40, heads=40, readers=40) as slow:
            ends = time.monotonic() + seconds
            while time.monotonic() < ends:
                for page, found in waited.items():
                    found.append(seconds_of(stack.url + page))
                time.sleep(0.1)
    for page, found in waited.items():
        print(f"  {page:<24} asked {len(found):>4}  p95 {p95(found):.3f} s  max {max(found):.3f} s")
    print(f"  slow connections were opened again {slow.reconnected} times")
    assert {page: p95(found) < 1 for page, found in waited.items()} == dict.fromkeys(PAGES, True)

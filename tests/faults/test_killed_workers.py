"""Workers that are killed in the middle of their work, on real stacks."""

import contextlib
import sqlite3
import time
from collections import Counter
from typing import Any, Literal

import psycopg
import pytest

from tests.faults.drive import CANARY
from tests.stack import Stack

pytestmark = pytest.mark.faults
Kind = tuple[Literal["sqlite", "postgres"], Literal["folder", "redis"]]
LAPTOP: Kind = ("sqlite", "folder")
SERVERS: Kind = ("postgres", "redis")
SHIPPED = {
    "SCORING_LEASE_SECONDS": "60",
    "SCORING_HEARTBEAT_SECONDS": "10",
    "SWEEP_SECONDS": "15",
    "SWEEP_WAKE_AFTER_SECONDS": "20",
}


def drive(stack: Stack, *words: str) -> Any:
    """Run `tests.faults.drive` against the stack; its JSON answer, if it prints one."""
    return stack.drive("faults.drive", *words)


def states(stack: Stack) -> Counter[str]:
    """Evaluations by state, read past Django: a new process each time would miss the moment."""
    question = "SELECT state, count(*) FROM evaluation_evaluation GROUP BY state"
    url = stack.env["DATABASE_URL"]
    if url.startswith("sqlite"):
        with contextlib.closing(sqlite3.connect(stack.folder / "db.sqlite3", timeout=20)) as file:
            return Counter(dict(file.execute(question).fetchall()))
    with psycopg.connect(url) as server:
        return Counter({str(state): int(n) for state, n in server.execute(question).fetchall()})


def hidden_text_in(stack: Stack) -> list[str]:
    """Logs and queue files that hold a word of the golds."""
    places = [*stack.folder.glob("log/*"), *stack.folder.glob("queue/**/*")]
    return [
        str(place) for place in places if place.is_file() and CANARY.encode() in place.read_bytes()
    ]


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        pytest.param(LAPTOP, 40, id="laptop"),
        pytest.param(LAPTOP, 100, id="laptop-100", marks=pytest.mark.slow),
        pytest.param(
            SERVERS, 100, id="servers-100", marks=[pytest.mark.services, pytest.mark.slow]
        ),
    ],
)
def test_many_uploads_survive_three_kills_of_the_worker(kind: Kind, number: int) -> None:
    with Stack(*kind) as stack:
        stack.kill("worker", tree=True)
        drive(stack, "prepare", str(number), "400")
        stack.restart("worker")
        recoveries = []
        for enough in (number // 7, number * 2 // 5, number * 2 // 3):
            stack.wait_for(
                lambda goal=enough: (now := states(stack))["done"] >= goal and now["running"],  # type: ignore[misc]
                120,
                f"{enough} scored and one running",
            )
            stack.kill("worker", tree=True)
            killed = time.monotonic()
            done_then = states(stack)["done"]
            stack.restart("worker")
            stack.wait_for(lambda then=done_then: states(stack)["done"] > then, 60, "scoring again")  # type: ignore[misc]
            recoveries.append(time.monotonic() - killed)
        stack.wait_for(lambda: states(stack)["done"] == number, 120, "all scored")
        last = time.monotonic() - killed
        print(
            "scoring again after a kill:", ", ".join(f"{seconds:.1f} s" for seconds in recoveries)
        )
        print(f"all {number} scored {last:.1f} s after the last kill")
        after = drive(stack, "audit")
        assert after["states"] == ["done"]
        assert after["evaluations"] == after["submissions"] == after["charges"] == number
        assert after["scores"] == 2 * number  # public and private, each once
        assert after["refunds"] == after["without_file"] == 0
        # One that was hit by two kills was begun a third time.
        assert max(after["attempts"]) >= 2, "no kill ever hit a running evaluation"
        assert hidden_text_in(stack) == []


@pytest.mark.slow
def test_with_the_shipped_times_a_killed_worker_costs_less_than_ninety_seconds() -> None:
    with Stack(env=SHIPPED) as stack:
        stack.kill("worker", tree=True)
        drive(stack, "prepare", "4", "4000")
        stack.restart("worker")
        stack.wait_for(lambda: states(stack)["running"], 60, "one running")
        stack.kill("worker", tree=True)
        killed = time.monotonic()
        stack.restart("worker")
        stack.wait_for(lambda: states(stack)["done"] == 4, 120, "all scored")
        took = time.monotonic() - killed
        print(f"shipped times: all scored {took:.1f} s after the kill")
        assert drive(stack, "audit")["refunds"] == 0
        assert took <= 90

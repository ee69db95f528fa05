"""A worker that is stopped with a file waiting: whoever looks reads it, and that it is over."""

import signal
import time
from typing import Any

import pytest

from leaderboard.operations.processes import Daemon, stop
from tests.faults.drive import upload
from tests.faults.test_killed_workers import LAPTOP, SERVERS, SHIPPED, Kind, states
from tests.person import Person
from tests.servers import ROOT
from tests.stack import Stack

pytestmark = pytest.mark.faults
BANNER = "채점이 멈춘 것 같습니다"
# Both hang on the product's own clocks (30 s without a sign, a message that waits), not on speed.
TOLD_WITHIN, OVER_WITHIN = 35, 15  # seconds


def scoring(ready: Any) -> list[bool]:
    """Whether the workers that score live."""
    return [one["lives"] for one in ready["workers"] if one["queue"] == "score"]


# What each page, the remarks and the alarms say of rows that such a worker leaves: test_stall,
# test_status_page, test_submission_pages, test_health, test_alarms.
@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [LAPTOP, pytest.param(SERVERS, marks=pytest.mark.services)], ids="-".join
)
def test_a_stopped_worker_is_seen_where_people_look(kind: Kind) -> None:
    with Stack(*kind, env=SHIPPED) as stack:
        stack.drive("faults.drive", "prepare", "0", "40")
        olivia = Person.signed_in(stack.url, "olivia")
        person = Person.signed_in(stack.url, "person0")
        visitor = Person(stack.url, "nobody")
        token = person.token("/c/faults/submit")
        stack.kill("worker", signal.SIGSTOP, tree=True)
        began = time.monotonic()
        taken = person.upload("/c/faults/submit", token, upload(40, 0).data)
        assert taken.location, taken.text
        looks = [
            (olivia, "/c/faults/desk/"),
            (visitor, "/status"),
            (visitor, "/c/faults/status"),
            (person, taken.location),
        ]

        def telling() -> list[str]:
            return [path for who, path in looks if BANNER in who.get(path).text]

        assert telling() == []
        everywhere = [path for _, path in looks]
        stack.wait_for(lambda: telling() == everywhere, 60, "told on each page")
        told = time.monotonic() - began
        assert "예상 대기" not in person.get(taken.location).text
        seen = visitor.json("/readyz?verbose")
        assert seen["remarks"] == ["waiting_without_worker"]
        assert scoring(seen) == [False]
        stack.wait_for(lambda: '"alarm": "waiting"' in stack.log("sweeper"), 60, "an alarm")
        began = time.monotonic()
        stack.kill("worker", signal.SIGCONT, tree=True)
        stack.wait_for(lambda: not telling(), 60, "told nowhere any more")
        over = time.monotonic() - began
        stack.wait_for(
            lambda: scoring(visitor.json("/readyz?verbose")) == [True], 60, "a sign of life"
        )
        stack.wait_for(lambda: "alarm_ends" in stack.log("sweeper"), 60, "its end")
        print(f"told on {len(looks)} pages after {told:.1f} s, over after {over:.1f} s")
        assert 30 <= told <= TOLD_WITHIN
        assert over <= OVER_WITHIN


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [LAPTOP, pytest.param(SERVERS, marks=pytest.mark.services)], ids="-".join
)
def test_what_a_worker_says_after_ninety_seconds_of_sleep_is_refused(kind: Kind) -> None:
    with Stack(*kind, env=SHIPPED) as stack:
        stack.kill("worker", tree=True)
        stack.drive("faults.drive", "prepare", "1", "4000")
        stack.restart("worker")
        stack.wait_for(lambda: states(stack)["running"], 60, "one running")
        stack.kill("worker", signal.SIGSTOP, tree=True)
        stopped = time.monotonic()
        sleeper = stack.daemons["worker"]
        assert states(stack)["running"] == 1, "it was stopped in the middle of the file"
        other = Daemon(
            "other", sleeper.command, sleeper.log.with_name("other.log"), stack.env, ROOT
        )
        other.start()
        try:
            stack.wait_for(lambda: states(stack)["done"] == 1, 100, "scored by the other")
            print(f"scored by the other after {time.monotonic() - stopped:.1f} s")
            before = stack.drive("faults.drive", "audit")
            time.sleep(max(0.0, 90 - (time.monotonic() - stopped)))
            stack.kill("worker", signal.SIGCONT, tree=True)
            stack.wait_for(
                lambda: "lease_lost" in stack.log("worker"), 60, "the late result refused"
            )
            time.sleep(2)
            assert stack.drive("faults.drive", "audit") == before
            assert (before["scores"], before["charges"], before["refunds"]) == (2, 1, 0)
            assert before["attempts"] == [2]
        finally:
            stop([other], patience=5)

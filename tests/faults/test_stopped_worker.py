"""A worker that sleeps over its lease: what it says afterwards is refused.

What pages, remarks and alarms say of rows that such a worker leaves: test_stall, test_status_page,
test_submission_pages, test_health, test_alarms.
"""

import signal
import time

import pytest

from leaderboard.operations.up import Daemon, stop
from tests.faults.test_killed_workers import LAPTOP, SERVERS, SHIPPED, Kind, states
from tests.servers import ROOT
from tests.stack import Stack

pytestmark = pytest.mark.faults


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

"""Files that end whoever scores them, and a message that comes ten times."""

import json
from pathlib import Path

import pytest

from tests.faults.points import DEATHS
from tests.faults.test_killed_workers import LAPTOP, SERVERS, Kind, drive, states
from tests.stack import Stack

pytestmark = pytest.mark.faults
# Two workers' children, a broker that keeps messages by itself: on a laptop there is less to lose.
KINDS = [
    pytest.param(LAPTOP, marks=pytest.mark.slow),
    pytest.param(SERVERS, marks=pytest.mark.services),
]
NAMED = f"""
from leaderboard.submissions.models import Submission
for row, name in zip(Submission.objects.order_by("received_at"), {list(DEATHS)}):
    Submission.objects.filter(pk=row.pk).update(file_name=name)
"""
ENDS = """
import json
from leaderboard.evaluation.models import Evaluation
rows = Evaluation.objects.values_list("submission__file_name", "state", "attempt", "failure")
print(json.dumps({name: found for name, *found in rows}))
"""
TEN_TIMES = """
from django.utils import timezone
from leaderboard.actions.submissions import submit
from leaderboard.teams.models import Team
from leaderboard.worker.tasks import evaluate_next
from tests.faults.drive import upload
team = Team.objects.first()
submit(team=team, user=team.captain, upload=upload(40, 99), key="99", at=timezone.now())
for _ in range(10):
    evaluate_next.apply_async(task_id="one-message")
"""
MESSAGE = "Task leaderboard.evaluate_next[one-message] succeeded"


@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_files_that_end_each_child_are_given_back_and_the_others_are_scored(
    kind: Kind, tmp_path: Path
) -> None:
    held = {"DJANGO_SETTINGS_MODULE": "tests.faults.settings", "FAULT_POINTS": str(tmp_path)}
    with Stack(*kind, env={**held, "WORKER_CONCURRENCY": "2"}) as stack:
        stack.kill("worker", tree=True)
        drive(stack, "prepare", "8", "40")
        stack.manage("shell", "--no-imports", "-c", NAMED)
        stack.restart("worker")
        parent = stack.pid("worker")
        stack.wait_for(lambda: states(stack) == {"done": 6, "failed": 2}, 120, "an end of each")
        assert (stack.pid("worker"), stack.daemons["worker"].running()) == (parent, True)
        ends = json.loads(stack.manage("shell", "--no-imports", "-c", ENDS))
        for name in DEATHS:
            assert ends.pop(name) == ["failed", 3, "worker_lost"]
        assert list(ends.values()) == [["done", 1, ""]] * 6
        after = drive(stack, "audit")
        assert (after["charges"], after["refunds"], after["scores"]) == (8, 2, 12)
        assert after["without_file"] == 0
        a_message_that_comes_ten_times_scores_once(stack)


def a_message_that_comes_ten_times_scores_once(stack: Stack) -> None:
    """Both children hear of one more file at the same time, again and again."""
    stack.manage("shell", "--no-imports", "-c", TEN_TIMES)
    stack.wait_for(lambda: stack.log("worker").count(MESSAGE) == 10, 60, "all ten heard")
    stack.wait_for(lambda: states(stack) == {"done": 7, "failed": 2}, 60, "scored")
    after = drive(stack, "audit")
    assert sorted(after["attempts"]) == [1] * 7 + [3] * 2
    assert (after["scores"], after["charges"], after["refunds"]) == (14, 9, 2)
    assert stack.log("worker").count('"event": "scored"') == 7

"""A text that an analyzer does not get through, and golds that it fails at: nobody else waits."""

import json
from typing import Any

import pytest

from tests.faults.test_killed_workers import states
from tests.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.java]

# Kkma takes twice the time for each further pair: hours for this one. No analyzer takes a NUL,
# which no upload may hold; the references with one are live before the other's.
PREPARE = """
from django.utils import timezone
from leaderboard.references.models import ScoringVersion
from tests.faults.drive import contest, texts
from tests.leaderboard import builders
def hand_in(slug, **odd):
    given = texts(4, 9)
    given |= {next(iter(given)): text for text in odd.values()}
    made = Competition.objects.get(slug=slug)
    builders.hand_in(builders.team(made, f"of-{slug}"), at=timezone.now(), key=slug,
                     data=builders.texts_csv(given))
from leaderboard.competitions.models import Competition
contest("poisoned", 4)
bad = ScoringVersion.objects.get(competition__slug="poisoned")
bad.reference_set.examples.update(references=["앞" + chr(0) + "뒤"])
ScoringVersion.objects.update(self_check=None)
contest("slow", 4, "kkma")
contest("other", 4)
hand_in("slow", text="영화가 정말 " + "굿웃" * 24)
hand_in("other")
"""
LOOK = """
import json
from leaderboard.evaluation.models import Evaluation, KeptFailure
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import QuotaEntry
slug = "scoring_version__competition__slug"
lined = ScoringVersion.objects.filter(self_check__has_key="lines")
print(json.dumps({
    "files": {name: found for name, *found in
              Evaluation.objects.values_list(slug, "state", "attempt", "failure")},
    "lines": sorted(lined.values_list("competition__slug", flat=True)),
    "kept": list(KeptFailure.objects.values_list(slug, "work")),
    "refunds": QuotaEntry.objects.filter(kind="refund").count(),
}))
"""


def look(stack: Stack) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(stack.manage("shell", "--no-imports", "-c", LOOK))
    return found


def test_a_hanging_text_and_poisoned_golds_stop_nobody_else() -> None:
    env = {
        "SCORING_TEXT_SECONDS": "3",
        "SCORING_LEASE_SECONDS": "60",  # what ends the text is not the lease
        "WORKER_CONCURRENCY": "1",
        "WORKER_MAX_MEMORY_KB": "3000000",
    }
    with Stack(env=env) as stack:
        stack.kill("worker", tree=True)
        stack.manage("shell", "--no-imports", "-c", PREPARE)
        stack.restart("worker")
        parent = stack.pid("worker")
        stack.wait_for(lambda: states(stack) == {"done": 1, "failed": 1}, 180, "an end of each")
        files = {"slow": ["failed", 1, "text_time_limit"], "other": ["done", 1, ""]}
        assert look(stack)["files"] == files
        assert (stack.pid("worker"), stack.daemons["worker"].running()) == (parent, True)
        stack.wait_for(lambda: "other" in look(stack)["lines"], 90, "lines of the other")
        found = look(stack)
        assert found["kept"] == [["poisoned", "golds"]]
        assert "poisoned" not in found["lines"]
        assert found["refunds"] == 1

"""A contest of many files is deleted while workers are at them; nothing of it is left anywhere."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.person import Person
from tests.servers import Bucket
from tests.stack import Stack

pytestmark = pytest.mark.faults
FILES = 40

OTHER = """
from tests.faults import drive
from tests.leaderboard import builders
made = drive.contest("other", 20, daily_limit=1000, max_waiting=1000)
team = builders.team(made, "person0", "nora")
from django.utils import timezone
for n in range(3):
    builders.hand_in(team, data=drive.upload(20, n).data, at=timezone.now())
"""
# Every key that the contest's rows have, and every name of its files.
KEYS = """
import json
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ReferenceSet
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
made = Competition.objects.get(slug="faults")
files = Submission.objects.filter(team__competition=made)
sets = ReferenceSet.objects.filter(competition=made)
names = [name for one in sets for name in one.stored_as]
keys = [made.pk, *files.values_list("pk", flat=True), *sets.values_list("pk", flat=True)]
keys += [*Team.objects.filter(competition=made).values_list("pk", flat=True)]
names += files.values_list("file", flat=True)
print("found", json.dumps([str(one) for one in keys] + [name.split(".")[0] for name in names]))
"""
# Rows and files in which one of the keys stands, by table or place; and how the others fare.
LEFT = """
import json, sys
from django.apps import apps
from django.core.files.storage import storages
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
keys = set(json.loads(sys.stdin.read()))
left = {}
for model in apps.get_models(include_auto_created=True):
    for row in model._base_manager.values().iterator():
        said = repr(row)
        if any(key in said for key in keys):
            left.setdefault(model._meta.label, []).append(row.get("kind", ""))
for place in ("default", "submissions", "golds", "tokens"):
    for name in storages[place].names():
        if name.split(".")[0] in keys:
            left.setdefault(place, []).append(name)
print("found", json.dumps({
    "left": left,
    "contests": list(Competition.every.values_list("slug", flat=True)),
    "states": sorted(Evaluation.objects.values_list("state", flat=True)),
}))
"""
DONE = """
from leaderboard.evaluation.models import Evaluation
mine = Evaluation.objects.filter(submission__team__competition__slug="faults")
print("found", mine.filter(state="done").count())
"""
GONE = """
from leaderboard.competitions.models import Competition
print("found", Competition.every.count())
"""


def asked(stack: Stack, code: str, text: str | None = None) -> Any:
    lines = stack.manage("shell", "--no-imports", "-c", code, text=text).splitlines()
    return json.loads(next(one for one in lines if one.startswith("found ")).removeprefix("found "))


@pytest.fixture(
    params=[
        pytest.param("folder", marks=pytest.mark.slow),
        pytest.param("bucket", marks=pytest.mark.services),
    ],
)
def stack(request: pytest.FixtureRequest) -> Iterator[Stack]:
    with ExitStack() as opened:
        if request.param == "folder":
            yield opened.enter_context(Stack())
        else:
            bucket = Bucket()
            opened.callback(bucket.close)
            env = {"STORAGE_URL": bucket.url}
            yield opened.enter_context(Stack("postgres", "redis", env=env))


def test_a_contest_deleted_while_its_files_are_scored(stack: Stack) -> None:
    stack.kill("worker", tree=True)
    stack.drive("faults.drive", "prepare", str(FILES), "60")
    stack.manage("shell", "--no-imports", "-c", OTHER)
    keys = asked(stack, KEYS)
    assert len(keys) > 2 * FILES
    olivia = Person.signed_in(stack.url, "olivia")
    member = Person.signed_in(stack.url, "person0")
    token = olivia.token("/c/faults/desk/ending")
    stack.restart("worker")
    stack.wait_for(lambda: asked(stack, DONE) >= 3, 60, "some files scored")
    form = {"verb": "delete", "address": "faults"}
    answer = olivia.send("/c/faults/desk/ending", form, token=token)
    assert answer.status == 302

    # At once, for everybody, and with a worker that is killed while it clears away.
    for person in (olivia, member, Person(stack.url, "nobody")):
        assert person.get("/c/faults/").status == 404
        assert "/c/faults/" not in person.get("/").text
    stack.kill("worker", tree=True)
    stack.restart("worker")

    stack.wait_for(lambda: asked(stack, GONE) == 1, 150, "the contest gone")
    stack.wait_for(
        lambda: asked(stack, LEFT, json.dumps(keys))["states"] == ["done"] * 3, 60, "others scored"
    )
    found = asked(stack, LEFT, json.dumps(keys))
    assert found["left"] == {"audit.AuditEvent": ["competition.deleted"]}
    assert found["contests"] == ["other"]
    assert member.get("/c/other/").status == 200
    for name in ("worker", "sweeper", "web"):
        assert '"where"' not in stack.log(name)  # an error that nobody foresaw
    assert "scoring_failed" not in stack.log("worker")

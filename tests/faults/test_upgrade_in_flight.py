"""An upgrade with files waiting and half scored, and the way back to the version before.

That version is checked out of the history: `./run long` runs this, CI's clone may have no history.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.test_killed_workers import LAPTOP, SERVERS, Kind, states
from tests.servers import ROOT
from tests.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.slow]
BEFORE = "14ec4cfe"  # texts and tokens lay in the database, files in one machine's folder
FILES = 60
MORE = """
from django.utils import timezone
from leaderboard.actions.submissions import submit
from leaderboard.teams.models import Team
from tests.faults.drive import upload
teams = list(Team.objects.order_by("pk"))
for n in range(1000, 1020):
    by = teams[n % len(teams)]
    submit(team=by, user=by.captain, upload=upload(400, n), key=str(n), at=timezone.now())
"""


@pytest.fixture
def before(tmp_path: Path) -> Iterator[Path]:
    """The tree of the version before."""
    tree = tmp_path / "before"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--detach", str(tree), BEFORE], check=True, capture_output=True)
    yield tree
    subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def last_migrations(tree: Path) -> set[tuple[str, str]]:
    """The last one of each app of that tree."""
    files = sorted(tree.glob("leaderboard/*/migrations/0*.py"))
    return set({file.parent.parent.name: file.stem for file in files}.items())


def stop_in_the_middle(stack: Stack, done: int) -> None:
    """SIGKILL for all as soon as so many files are scored: one is being scored, others wait."""
    stack.wait_for(lambda: states(stack)["done"] >= done, 120, f"{done} scored")
    for name in stack.daemons:
        stack.kill(name, tree=True)
    now = states(stack)
    assert now["queued"] + now["running"] > 5, now


def scored(stack: Stack, number: int) -> None:
    """All are scored, each once, and every board equals its scores."""
    stack.wait_for(lambda: states(stack)["done"] == number, 180, "all are scored")
    found = stack.drive("faults.drive", "audit")
    assert found["states"] == ["done"]
    assert found["submissions"] == found["charges"] == found["evaluations"] == number
    assert (found["scores"], found["refunds"], found["without_file"]) == (2 * number, 0, 0)


@pytest.mark.parametrize("kind", [LAPTOP, SERVERS], ids="-".join)
def test_nothing_is_lost_on_the_way_up_and_back(kind: Kind, before: Path) -> None:
    with Stack(*kind, tree=before) as stack:
        stack.kill("worker", tree=True)
        stack.drive("faults.drive", "prepare", str(FILES), "400")
        stack.restart("worker")
        stop_in_the_middle(stack, 10)

        stack.use(ROOT)
        scored(stack, FILES)

        stack.kill("worker", tree=True)
        stack.manage("shell", "-v0", "-c", MORE)
        stack.restart("worker")
        stop_in_the_middle(stack, FILES + 5)
        for app, name in last_migrations(before) - last_migrations(ROOT):
            stack.manage("migrate", app, name, "--no-input", "--verbosity=0")
        stack.use(before)
        scored(stack, FILES + 20)

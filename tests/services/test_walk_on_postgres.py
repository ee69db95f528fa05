"""Four processes do whatever a contest allows at the same time; the boards stay what scores say."""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from tests.servers import ROOT
from tests.stack import Stack

pytestmark = pytest.mark.services
PROCESSES = 4


def start(stack: Stack, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.services.walk", *words],
        cwd=ROOT,
        env=stack.env | {"LOG_LEVEL": "ERROR"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> Any:
    out, errors = process.communicate(timeout=900)
    assert process.returncode == 0, errors[-3000:]
    return json.loads(out) if out.strip() else None


@pytest.mark.parametrize(
    ("seed", "steps"),
    [
        pytest.param(1, 120, id="short"),
        *(pytest.param(10 * n, 500, marks=pytest.mark.slow, id=f"long{n}") for n in range(1, 4)),
    ],
)
def test_standings_equal_their_scores_after_four_random_walks_at_once(
    seed: int, steps: int
) -> None:
    with Stack("postgres", only=()) as stack:
        ended(start(stack, "prepare"))
        walkers = [
            start(stack, "walk", str(seed + number), str(steps)) for number in range(PROCESSES)
        ]
        done: Counter[str] = Counter()
        for walker in walkers:
            done.update(ended(walker))
        print(dict(done))
        stack.manage("rebuild_standings", "--check")
        ended(start(stack, "finish"))
        stack.manage("rebuild_standings", "--check")
    for step in (
        "submit",
        "evaluate",
        "finals",
        "exclude",
        "restore",
        "rehearse",
        "make_live",
        "look",
    ):
        assert done[step] > 0, f"{step} never happened: {done}"

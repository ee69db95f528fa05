"""Processes do whatever the product allows at the same time: no deadlock, no error, right sums."""

import json
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from typing import Any

import pytest

from tests.leaderboard.verbs import verbs
from tests.servers import ROOT
from tests.services.walker import LEFT_OUT, VERBS
from tests.stack import Stack

OTHERS = sorted(path.parent.name for path in (ROOT / "tests/services").glob("*/walk.py"))
# What has to happen at least once in a short walk.
SHORT = (
    *("submit", "evaluate_next", "choose_finals", "exclude", "restore", "rehearse", "make_live"),
    *("look", "join", "put_in_team", "close_account", "export"),
    *("invite_person", "accept", "leave", "accept_merge"),
    *(name for app in OTHERS for name in import_module(f"tests.services.{app}.walk").CERTAIN),
)


def test_every_verb_is_walked_or_left_out_for_a_reason() -> None:
    assert "submit" in VERBS
    assert LEFT_OUT.keys() - verbs().keys() == set(), "no such verb any more"
    for app in OTHERS:
        left_out = import_module(f"tests.services.{app}.walk").LEFT_OUT.keys()
        assert left_out - verbs(f"leaderboard.{app}.actions").keys() == set(), "no such verb"


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


@pytest.mark.services
@pytest.mark.parametrize(
    ("processes", "seconds", "certain"),
    [
        pytest.param(3, 8, SHORT, id="short"),
        pytest.param(8, 180, SHORT, marks=pytest.mark.slow, id="long"),
    ],
)
def test_nothing_stands_in_anothers_way_for_good(
    processes: int, seconds: int, certain: tuple[str, ...]
) -> None:
    with Stack("postgres", only=()) as stack:
        ended(start(stack, "prepare"))
        walkers = [  # one of them goes on until all that is certain was done
            start(stack, "walk", str(seed), str(seconds), *(certain if seed == 0 else ()))
            for seed in range(processes)
        ]
        done: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        traces: list[str] = []
        for walker in walkers:
            said = ended(walker)
            done.update(said["done"])
            errors.update(said["errors"])
            traces += said["traces"]
        server = stack.log("postgres")
        refused = {name: number for name, number in done.items() if name.startswith("refused")}
        print("steps:", sum(done.values()), "refused:", sum(refused.values()), dict(done))
        print("deadlocks:", server.count("deadlock detected"), "waited too long:", done["busy"])
        print("errors:", dict(errors), *traces[:5], sep="\n")
        assert server.count("deadlock detected") == 0, deadlocks(server)
        assert not errors, (errors, traces[:3])
        stack.manage("rebuild_standings", "--check")
        assert ended(start(stack, "finish"))["sums"] == []
        stack.manage("rebuild_standings", "--check")
    assert [step for step in certain if not done[step]] == []


def deadlocks(log: str) -> str:
    """What the server said about the first of them, with both statements."""
    return "\n".join(re.findall(r"deadlock detected(?:.*\n){1,12}", log)[:2])

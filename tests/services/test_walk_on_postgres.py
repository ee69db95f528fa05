"""Processes do whatever the product allows at the same time: no deadlock, no error, right sums."""

import ast
import inspect
import json
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from typing import Any

import pytest

from tests.servers import ROOT
from tests.services.steps import OTHERS, WEIGHTS
from tests.stack import Stack

STEPS = sorted((ROOT / "tests/services").rglob("walk*.py"))
# Verbs that no process of the walk does by itself, and why.
LEFT_OUT = {
    "deciding": "the transaction of the others",
    "deciding_in_team": "the transaction of the others",
    "rule_among": "part of the others",
    "delete_competition": "nothing would be left to walk in: test_deleted_contest",
    "member_of": "reads",
    "finish": "part of evaluate_next",
    "tell_scored": "part of finish and make_live",
    "choose_how_often": "as ask_for_mail",
    "plain": "reads",
    "look_for_team": "changes one own row under the team's lock",
    "ask_for_mail": "the person's own rows, behind the lock of the person: refused without mail",
    "confirm_mail": "as ask_for_mail",
    "stop_mail": "as ask_for_mail",
    "fail_exhausted": "a step of the sweep",
    "announce_reveals": "a step of the sweep",
    "check_references": "part of check_next_references",
    "check_references_at_once": "as check_next_references, in a request",
    "clean_team_name": "reads",
    "check_registration": "part of join",
    "found_team": "part of join and decide_request",
    "preview_appointment": "reads",
    "make_token": "adds rows of the person's own, behind the lock of the person",
    "end_token": "deletes one row of the person's own, and locks nothing else",
    "end_session": "deletes one row of the sign-in package, and locks nothing else",
    "accept_terms_due": "part of join and accept_terms",
    "look": "writes nothing but a count of looks",
    "check": "writes nothing but a count of looks",
    "repair": "writes nothing but a count of looks",
    "practise": "writes nothing but a count of looks",
    "practise_row": "writes nothing but a count of looks",
    "upload_dev_set": "releases are for ever: a walk would do each once, before the others begin",
    "release_dev_set": "as upload_dev_set",
    **{name: why for other in OTHERS for name, why in other.LEFT_OUT.items()},
    "upload_dialogues": "as upload_dev_set",
    "release_dialogues": "as upload_dev_set",
}

WALKED = tuple(WEIGHTS)
# What has to happen at least once in a short walk; in a long one each step.
SHORT = (
    *("submit", "evaluate", "choose_finals", "exclude", "restore", "rehearse", "make_live"),
    *("look", "join", "put_in_team", "close_account", "export"),
    *("invite", "accept", "leave", "accept_merge"),
    *(name for other in OTHERS for name in other.CERTAIN),
)


def verbs() -> set[str]:
    """The functions of `actions` that write: those that insist on names of their arguments.

    An optional app has a package `actions` of its own.
    """
    found = set()
    for file in sorted((ROOT / "leaderboard").rglob("actions/*.py")):
        module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        for name, function in inspect.getmembers(module, inspect.isfunction):
            kinds = {one.kind for one in inspect.signature(function).parameters.values()}
            is_own = function.__module__ == module.__name__ and not name.startswith("_")
            if is_own and inspect.Parameter.KEYWORD_ONLY in kinds:
                found.add(name)
    return found


def test_every_verb_is_walked_or_left_out_for_a_reason() -> None:
    called = {
        node.func.id
        for file in STEPS
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    known = verbs()
    assert "submit" in known & called
    assert known - called - LEFT_OUT.keys() == set(), "neither walked nor left out"
    assert LEFT_OUT.keys() & called == set(), "walked after all"
    assert LEFT_OUT.keys() - known == set(), "no such verb any more"


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
        pytest.param(8, 180, WALKED, marks=pytest.mark.slow, id="long"),
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

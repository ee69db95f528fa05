"""A judge that is dead, slow or lying, and a judge worker that is killed. Ranks know nothing of it.

`python -m benchmarks.judging.faults` does the same with every fault, 20 files each, and 20 kills.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.judging.kills import kill_in_the_middle
from tests.faults.judging.uploads import ROWS, hand_in, people, repeated, unknown_ends
from tests.judging.stack import JUDGE, SERVER, JudgeStack
from tests.person import Person

pytestmark = pytest.mark.faults
TEAMS = 3
PUBLIC = ROWS // 2
CONCURRENCY = 8  # JUDGE_CONCURRENCY as shipped
LIES = 2  # of one call at worst: its third answer is honest
FAULTS = {
    "dead": None,
    "lying": {"fault": "two-objects", "times": LIES},
}


@pytest.fixture(scope="module")
def stack() -> Iterator[JudgeStack]:
    with JudgeStack() as running:
        running.judged("prepare", *(f"{slug}:{ROWS}:{TEAMS}" for slug in FAULTS), "killed:40:2")
        yield running


@pytest.fixture(scope="module")
def members(stack: JudgeStack) -> list[Person]:
    return people(stack, TEAMS)


def priority(process: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, process)


def disturb(stack: JudgeStack, fault: dict[str, Any] | None) -> None:
    stack.control(faults=[fault] if fault else [], slow=3, forget=True)
    if fault is None:
        stack.kill(SERVER)


def mend(stack: JudgeStack) -> None:
    if not stack.daemons[SERVER].running():
        stack.restart(SERVER)
        stack.wait_for(stack.judge_answers, 20, "the fake judge again")
    stack.control(faults=[])


def test_judging_lets_scoring_go_first(stack: JudgeStack) -> None:
    usual = priority(stack.pid(JUDGE))
    later = min(usual + 10, 19)
    stack.wait_for(lambda: priority(stack.children(JUDGE)[0]) == later, 20, "judging behind")
    assert priority(stack.pid(SERVER)) == later  # of the fake alone: a real one is elsewhere
    assert {priority(child) for child in stack.children("worker")} == {usual}


@pytest.mark.parametrize("slug", FAULTS)
def test_a_disturbed_judge_changes_no_rank_and_answers_later(
    stack: JudgeStack, members: list[Person], slug: str
) -> None:
    disturb(stack, FAULTS[slug])
    hand_in(stack, members, slug)
    board = stack.board(slug)
    assert len(board) == TEAMS
    assert board == stack.board(f"{slug}-off")
    if slug == "dead":
        assert [cell for row in stack.columns(slug) for cell in row if cell["mean"]] == []
    else:
        stack.wait_for(lambda: stack.judge_log()["faults"] == {"two-objects": LIES}, 20, "lies")
    mend(stack)
    stack.wait_for(lambda: stack.complete(slug), 40, "everything judged")
    assert stack.board(slug) == board
    after = stack.tables(slug)
    assert after["boards"] == {"public": TEAMS}
    assert after["statuses"] == {"scored": TEAMS * PUBLIC}
    assert after["stored"] == after["ledger"]["answered"] == TEAMS * PUBLIC * 3
    assert repeated(stack.judge_log()) <= unknown_ends(after)


def test_a_worker_killed_three_times_asks_again_only_what_was_under_way(
    stack: JudgeStack, members: list[Person]
) -> None:
    found = kill_in_the_middle(stack, members[:2], "killed", rows=40, kills=3)
    assert found.repeats <= found.unsettled <= CONCURRENCY * found.kills
    assert found.stored == found.settled == 2 * 20 * 3
    assert 0 <= found.ledger - found.asked <= found.unsettled

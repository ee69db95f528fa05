"""Ten cells of the fault matrix on each kind of stack that CI has; `./run faults` runs them all."""

import pytest

from tests.faults.matrix import Held
from tests.faults.test_killed_workers import LAPTOP, SERVERS, Kind

pytestmark = pytest.mark.faults

CELLS = {
    LAPTOP: [
        ("after_file_before_row", "web"),
        ("after_commit_before_publish", "broker"),
        ("after_claim", "child"),
        ("before_result", "parent"),
        ("after_result_before_commit", "child"),
    ],
    SERVERS: [
        ("after_file_before_row", "database"),
        ("after_commit_before_publish", "web"),
        ("after_claim", "store"),
        ("before_result", "database"),
        ("after_result_before_commit", "parent"),
    ],
}


@pytest.mark.parametrize(
    "kind", [LAPTOP, pytest.param(SERVERS, marks=pytest.mark.services)], ids="-".join
)
def test_a_fault_in_the_worst_moment_loses_nothing_and_doubles_nothing(kind: Kind) -> None:
    held = Held(kind)
    try:
        found = [held.run(place, fault, 1) for place, fault in CELLS[kind]]
    except BaseException:
        print(held.stack.logs())
        raise
    finally:
        held.close()
    print(*found, sep="\n")
    assert [(cell.place, cell.fault, cell.lost, cell.twice) for cell in found] == [
        (place, fault, 0, 0) for place, fault in CELLS[kind]
    ]

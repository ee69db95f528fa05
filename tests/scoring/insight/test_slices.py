"""Totals by kind of dialogue: every row in one group, none too small, errors by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.insight.slices import FEWEST, OTHERS, DialogueSize, RowGroup, groups, slices

HALVES = {"public": np.arange(0, 200, 2), "private": np.arange(1, 200, 2)}
SIZES = [DialogueSize(row % 20 + 1, 100 + row) for row in range(200)]


def names(found: list[RowGroup]) -> list[str]:
    return [" + ".join(group.names) for group in found]


def test_thirds_and_turns() -> None:
    found = groups([None] * 200, SIZES, HALVES)
    assert names(found["turns"]) == ["1–8", "9–14", "15+"]
    assert [len(group.rows) for group in found["turns"]] == [80, 60, 60]
    assert names(found["length"]) == ["short", "medium", "long"]
    assert [len(group.rows) for group in found["length"]] == [66, 67, 67]
    assert "topic" not in found


def test_a_small_group_is_joined_to_its_neighbour() -> None:
    small = [DialogueSize(5 if row < 50 else 10 if row < 120 else 20, row) for row in range(200)]
    assert names(groups([None] * 200, small, HALVES)["turns"]) == ["1–8 + 9–14", "15+"]
    last = [DialogueSize(5 if row < 80 else 10 if row < 150 else 20, row) for row in range(200)]
    assert names(groups([None] * 200, last, HALVES)["turns"]) == ["1–8", "9–14 + 15+"]
    # One group left is the board itself.
    assert "turns" not in groups([None] * 200, [DialogueSize(5, row) for row in range(200)], HALVES)


def test_topics_of_few_rows_stand_together() -> None:
    topics = ["날씨"] * 70 + ["여행"] * 61 + [f"주제 {row}" for row in range(69)]
    found = groups(topics, None, HALVES)
    assert list(found) == ["topic"]
    assert names(found["topic"]) == ["날씨", "여행", OTHERS]
    # Too few others to stand alone: they would follow from the total.
    topics = ["날씨"] * 90 + ["여행"] * 90 + [None] * 20
    assert names(groups(topics, None, HALVES)["topic"]) == ["날씨", f"여행 + {OTHERS}"]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 999)), min_size=1, max_size=300),
    st.sampled_from([1, 2, 3]),
)
def test_every_row_stands_in_one_group_of_thirty(sizes: list[tuple[int, int]], step: int) -> None:
    every = [DialogueSize(*size) for size in sizes]
    splits = {f"{start}": np.arange(start, len(every), step) for start in range(step)}
    topics = [f"{turns % 3}" for turns, _ in sizes]
    for found in groups(topics, every, splits).values():
        assert sorted(row for group in found for row in group.rows) == list(range(len(every)))
        for group in found:
            assert all(len(np.intersect1d(rows, group.rows)) >= FEWEST for rows in splits.values())


def test_total_and_error_of_a_group() -> None:
    totals = np.array([1.0, 9.0, 2.0, 9.0, 6.0])
    [found] = slices(totals, RowGroup(("a",), (0, 2, 4)), {"all": np.arange(5)})
    # 1, 2, 6: mean 3, variance (4 + 1 + 9) / 2 = 7.
    assert (found.rows, found.total) == (3, 3.0)
    assert found.error == pytest.approx((7 / 3) ** 0.5)

"""What an organizer is told about a set of golds, counted by hand."""

import json
from typing import Any

import pytest

from scoring.references import ReferenceRow, References
from scoring.references.oddities import SHOWN, oddities

USUAL = "두 사람은 내일 만나기로 했다."  # 17 characters


def of(*rows: tuple[str, ...]) -> dict[str, Any]:
    return oddities(
        References.from_examples(
            ReferenceRow(f"t_{n}", golds) for n, golds in enumerate(rows, start=1)
        )
    )


def numbered(count: int) -> list[tuple[str, ...]]:
    return [(f"{USUAL}{n:02}",) for n in range(count)]


def test_nothing_odd() -> None:
    found = of(*numbered(4))
    assert (found["golds"], found["shortest"], found["middle"], found["longest"]) == (4, 19, 19, 19)
    for name in ("repeated", "shared", "duplicates", "long", "short"):
        assert found[name] == {"count": 0, "shown": []}


def test_rows_with_fewer_golds_than_the_rest() -> None:
    two, three, four = (tuple(f"{USUAL}{n}" for n in range(size)) for size in (2, 3, 4))
    found = of(three, two, three, four)
    assert (found["usual"], found["fewer"]["shown"]) == (3, ["t_2"])
    found = of(four, three, four, two)
    assert (found["usual"], found["fewer"]["shown"]) == (4, ["t_2", "t_4"])
    found = of(three, four)  # as many of each: the larger number is meant
    assert (found["usual"], found["fewer"]["shown"]) == (4, ["t_1"])


def test_repeated_within_a_row_and_shared_across_rows_are_told_apart() -> None:
    found = of((USUAL, USUAL), ("가을이 왔다 벌써.", "둘째 글이다."), ("둘째 글이다.", "셋째 글."))
    assert found["repeated"]["shown"] == ["t_1"]
    assert found["shared"]["shown"] == ["t_2 = t_3"]
    assert found["duplicates"]["count"] == 0


def test_rows_with_the_same_golds_in_any_order() -> None:
    found = of(("하나다.", "둘이다."), ("둘이다.", "하나다."), ("셋이다.",))
    assert found["duplicates"]["shown"] == ["t_1 = t_2"]


def test_lengths_far_from_the_usual() -> None:
    found = of(*numbered(8), (USUAL * 9,), ("네.",))
    assert found["long"]["shown"] == ["t_9"]
    assert found["short"]["shown"] == ["t_10"]


def test_many_are_counted_and_some_are_named_and_it_survives_json() -> None:
    found = of(*[(f"{n}{USUAL}", f"{n}{USUAL}") for n in range(30)])
    assert found["repeated"]["count"] == 30
    assert len(found["repeated"]["shown"]) == SHOWN
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("columns", [2, 3])
def test_a_missing_line_in_one_column_shows_as_a_shifted_stretch(columns: int) -> None:
    texts = [
        [f"{row}번이 {row}시에 말{column}한다" for column in range(columns)]
        for row in range(10, 50)
    ]
    aligned = [ReferenceRow(f"row_{at}", tuple(golds)) for at, golds in enumerate(texts)]
    assert oddities(References.from_examples(aligned))["shifted"]["count"] == 0
    last = [golds[-1] for golds in texts]
    del last[10]
    moved = [
        ReferenceRow(row.example_id, (*row.references[:-1], gold))
        for row, gold in zip(aligned, [*last, "끝"], strict=True)
    ]
    found = oddities(References.from_examples(moved))["shifted"]["shown"]
    assert found in (["row_10 – row_38"], ["row_10 – row_39"])

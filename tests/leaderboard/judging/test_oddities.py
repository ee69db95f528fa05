"""What a judge left out."""

from typing import Any

import pytest

from leaderboard.judging import signs

SUMMARY = "민수는 내일 도서관에 간다. 지우는 빵을 굽는다."
ALL = [{"point": "민수가 내일 도서관에 간다."}, {"point": "지우가 빵을 굽는다."}]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"P1.claims": ALL}, []),
        ({"P1.claims": ALL[:1]}, ["unclaimed"]),
        ({"P1.claims": []}, ["unclaimed"]),
        ({}, []),  # a published system: its claims are its own affair
    ],
)
def test_signs(values: dict[str, Any], expected: list[str]) -> None:
    assert signs.row_flags({"summary": SUMMARY, **values}) == expected

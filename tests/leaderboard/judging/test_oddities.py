"""What a judge left out, and what it cited for something else."""

from typing import Any

import pytest

from leaderboard.judging import signs

SUMMARY = "민수는 내일 도서관에 간다. 지우는 빵을 굽는다."
ALL = [{"point": "민수가 내일 도서관에 간다."}, {"point": "지우가 빵을 굽는다."}]


def answers(*pairs: tuple[str, str | None]) -> list[dict[str, Any]]:
    return [
        {"question": asked, "related_content_from_summary": span, "answered": True}
        for asked, span in pairs
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"P1.claims": ALL}, []),
        ({"P1.claims": ALL[:1]}, ["unclaimed"]),
        ({"P1.claims": []}, ["unclaimed"]),
        ({}, []),  # a published system: its claims are its own affair
        (
            {"P3.answers": answers(("지우가 빵을 굽는가?", "지우는 빵을 굽는다."))},
            [],
        ),
        # Once may be an honest mistake.
        ({"P3.answers": answers(("차가 고장 났는가?", "지우는 빵을 굽는다."))}, []),
        (
            {
                "P3.answers": answers(
                    ("차가 고장 났는가?", "지우는 빵을 굽는다."),
                    ("비가 오는가?", "지우는 빵을 굽는다."),
                )
            },
            ["unrelated_spans"],
        ),
        (
            {
                "P2.decomposition": [
                    {"point": "차가 고장 났다.", "evidence": "나: 빵 굽자.", "verdict": "Yes "},
                    {"point": "비가 온다.", "evidence": "나: 빵 굽자.", "verdict": "yes"},
                    {"point": "눈이 온다.", "evidence": None, "verdict": "yes"},
                    {"point": "해가 뜬다.", "evidence": "나: 빵 굽자.", "verdict": "no"},
                ]
            },
            ["unrelated_spans"],
        ),
    ],
)
def test_signs(values: dict[str, Any], expected: list[str]) -> None:
    assert signs.answer_flags({"summary": SUMMARY, **values}) == expected

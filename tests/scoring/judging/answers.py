"""Scripted answers for `native`: labels in, records with honest evidence out."""

from collections.abc import Mapping, Sequence
from typing import Any

SUMMARY = "두 사람은 토요일 오후 세 시에 도서관 앞에서 만나 함께 영화를 보기로 한다."
DIALOGUE = (
    "#Person1#: 이번 주 토요일에 뭐 해?\n#Person2#: 별일 없어. 같이 영화 볼까?\n"
    "#Person1#: 좋아, 세 시에 도서관 앞에서 보자."
)
IN_SUMMARY, IN_DIALOGUE = "도서관 앞에서 만나", "세 시에 도서관 앞에서 보자"
ELSEWHERE = "두 사람은 저녁에 식당에서 만난다"

LABELS = {"Y": "yes", "N": "no", "U": "unsure"}


def claims(count: int) -> list[dict[str, Any]]:
    return [{"id": f"c{n}", "point": f"주장 {n}"} for n in range(1, count + 1)]


def verdicts(labels: str | Sequence[str]) -> list[dict[str, Any]]:
    """`"YNU"`, or labels written out; a yes cites the dialogue."""
    written = [LABELS.get(label, label) for label in labels]
    return [
        {
            "id": f"c{n}",
            "point": f"주장 {n}",
            "evidence": IN_DIALOGUE if label == "yes" else None,
            "accuracy": "근거",
            "verdict": label,
        }
        for n, label in enumerate(written, 1)
    ]


def answers(labels: str) -> list[dict[str, Any]]:
    return _cited("q", "질문", "answered", [label == "Y" for label in labels])


def _cited(prefix: str, asked: str, verdict: str, said: Sequence[bool]) -> list[dict[str, Any]]:
    """Items that cite the summary where they say yes."""
    return [
        {
            "id": f"{prefix}{n}",
            "question": f"{asked} {n}?",
            "related_content_from_summary": IN_SUMMARY if yes else None,
            "reasoning": "근거",
            verdict: yes,
        }
        for n, yes in enumerate(said, 1)
    ]


def contents(rubrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """`{"r1": "TF"}`: contents s1, s2 of rubric r1."""
    return [
        {
            "id": rubric,
            "question": f"{rubric}?",
            "content_list": [
                {
                    "id": f"s{n}",
                    "transcript_content": f"내용 {n}",
                    "related_content_from_summary": IN_SUMMARY if label == "T" else "",
                    "is_covered": label == "T",
                }
                for n, label in enumerate(labels, 1)
            ],
        }
        for rubric, labels in rubrics.items()
    ]


def rubrics(labels: str) -> list[dict[str, Any]]:
    return _cited("a", "지침", "is_addressed", [label == "T" for label in labels])


def ids(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{n}" for n in range(1, count + 1)]


def native(
    alignment: str | Sequence[str] | None = None,
    coverage: str | None = None,
    completeness: Mapping[str, str] | None = None,
    adherence: str | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """records.json of `native`: everything that was asked is answered, in order."""
    records: dict[str, Any] = {"summary": SUMMARY, "dialogue": DIALOGUE, "asked": {}}
    if alignment is not None:
        records |= {"claims": claims(len(alignment)), "decomposition": verdicts(alignment)}
    if coverage is not None:
        records["asked"]["questions"] = ids("q", len(coverage))
        records["answers"] = answers(coverage)
    if completeness is not None:
        records["asked"]["completeness"] = {
            rubric: ids("s", len(labels)) for rubric, labels in completeness.items()
        }
        records["completeness"] = contents(completeness)
    if adherence is not None:
        records["asked"]["adherence"] = ids("a", len(adherence))
        records["adherence"] = rubrics(adherence)
    return records | changed

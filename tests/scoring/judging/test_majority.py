"""Three askings of each verdict: item by item the majority, after the check of evidence."""

from typing import Any

from scoring.judges import walking
from scoring.judges.majority import merged, sampled
from scoring.judges.pipelines import PIPELINES, SHARED
from scoring.judges.records import Question, Rubric, SourceContent

SUMMARY = "민수는 도서관에 간다."
DIALOGUE = "민수: 나는 내일 도서관에 가."
THREE = PIPELINES["shared:3"]
CLAIMS = [{"id": "c1", "point": SUMMARY}, {"id": "c2", "point": "민수는 바쁘다."}]


def verdicts(*labels: str, evidence: str = "도서관에 가") -> list[dict[str, Any]]:
    return [
        {
            "id": claim["id"],
            "point": claim["point"],
            "evidence": evidence,
            "accuracy": "",
            "verdict": label,
        }
        for claim, label in zip(CLAIMS, labels, strict=True)
    ]


def answer(said: bool, span: str | None = "도서관에 간다") -> list[dict[str, Any]]:
    return [
        {
            "id": "q1",
            "question": "도서관에 가는가?",
            "related_content_from_summary": span,
            "reasoning": "",
            "answered": said,
        }
    ]


def contents(**covered: bool) -> list[dict[str, Any]]:
    """In the order of the words: a judge may list them as it likes."""
    return [
        {
            "id": "r1",
            "question": "무엇을 하나?",
            "content_list": [
                {
                    "id": each,
                    "transcript_content": each,
                    "related_content_from_summary": "도서관에 간다" if said else "",
                    "is_covered": said,
                }
                for each, said in covered.items()
            ],
        }
    ]


def given(**answers: Any) -> dict[str, Any]:
    """Values of a walked row; `P2_3` is the third asking of P2."""
    start = walking.given(
        summary=SUMMARY,
        dialogue=DIALOGUE,
        questions=[Question("q1", "도서관에 가는가?")],
        rubrics=[Rubric("r1", "요약", "한 문장으로", "무엇을 하나?")],
        contents=[SourceContent("k1", "r1", "간다"), SourceContent("k2", "r1", "온다")],
    )
    fields = {"P2": "decomposition", "P3": "answers"}
    said = {
        f"{name.replace('_', '/')}.{fields.get(name[:2], '')}": value
        for name, value in answers.items()
    }
    return {**start, "P1.claims": CLAIMS, **said}


def labels(values: dict[str, Any]) -> list[str]:
    return [item["verdict"] for item in values["P2.decomposition"]]


def test_items_are_made_once_and_verdicts_three_times() -> None:
    ids = ["P1", "P2", "P2/2", "P2/3", "P3", "P3/2", "P3/3", "P4", "P4/2", "P4/3"]
    assert [call.id for call in sampled(SHARED).calls] == ids
    assert (THREE.name, THREE.family, THREE.systems) == ("shared:3", "shared", SHARED.systems)
    assert [(call.kind, call.sample) for call in THREE.calls[1:4]] == [
        ("P2", 0),
        ("P2", 1),
        ("P2", 2),
    ]
    first, second = THREE.calls[1:3]
    assert (second.prompt, second.inputs, second.after) == (first.prompt, first.inputs, ("P1",))


def test_each_item_follows_its_own_majority() -> None:
    values = given(
        P2=verdicts("yes", "no"), P2_2=verdicts("no", "unsure"), P2_3=verdicts("yes", "yes")
    )
    found = merged(THREE, values)
    assert labels(found) == ["yes", "no"]
    assert merged(THREE, found) == found


def test_a_yes_without_evidence_is_a_vote_for_no() -> None:
    invented = verdicts("yes", "yes", evidence="아무 데도 없는 말")
    values = given(P2=invented, P2_2=verdicts("yes", "no"), P2_3=invented)
    found = merged(THREE, values)
    # Two of three cite nothing that was said; the first of them stands for the item.
    assert [item["evidence"] for item in found["P2.decomposition"]] == ["아무 데도 없는 말"] * 2
    values = given(P3=answer(True, None), P3_2=answer(True), P3_3=answer(True))
    [said] = merged(THREE, values)["P3.answers"]
    assert (said["answered"], said["related_content_from_summary"]) == (True, "도서관에 간다")


def test_contents_are_joined_by_their_ids_and_not_by_their_place() -> None:
    values = given() | {
        "P3.completeness": contents(k1=True, k2=True),
        "P3/2.completeness": contents(k2=False, k1=True),
        "P3/3.completeness": contents(k2=False, k1=False),
    }
    [rubric] = merged(THREE, values)["P3.completeness"]
    found = {item["id"]: item["is_covered"] for item in rubric["content_list"]}
    assert found == {"k1": True, "k2": False}


def test_a_lost_sample_has_no_vote_and_one_asking_has_no_majority() -> None:
    values = given(P2=verdicts("yes", "no"), P2_2=verdicts("yes", "yes"))
    assert labels(merged(THREE, values)) == ["yes", "no"]  # a tie goes to the first
    assert merged(SHARED, given(P2=verdicts("no", "no")))["P2.decomposition"] == verdicts(
        "no", "no"
    )
    assert "P2.decomposition" not in merged(THREE, given())

"""Laws of `native` on random rows.

A row is a set of honest answers; then one thing about it is changed. "Never raises" reads None
(not applicable) as below every number.
"""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scoring.judges import systems
from tests.scoring.judging import answers

METRICS = ("alignment", "coverage", "summarization", "completeness", "completeness_micro",
           "adherence", "conciseness")  # fmt: skip
# Each list of answers, and the field that holds its verdict with the two ends of the scale.
VERDICTS = {
    "decomposition": ("verdict", "no", "yes"),
    "answers": ("answered", False, True),
    "adherence": ("is_addressed", False, True),
}

Records = dict[str, Any]


def score(records: Records) -> Records:
    return systems.score("native", records)


def numbers(records: Records) -> dict[str, float]:
    judged = score(records)
    return {name: -1.0 if judged[name] is None else judged[name] for name in METRICS}


def letters(of: str, low: int = 1, high: int = 6) -> st.SearchStrategy[str]:
    return st.text(of, min_size=low, max_size=high)


@st.composite
def rows(draw: st.DrawFn) -> Records:
    return answers.native(
        draw(letters("YNU")),
        draw(letters("YN")),
        draw(st.dictionaries(st.sampled_from(["r1", "r2", "r3"]), letters("TF", 0, 4), min_size=1)),
        draw(letters("TF")),
    )


def items(records: Records) -> list[tuple[list[Records], int, tuple[str, Any, Any]]]:
    """Every verdict of a row: its list, its place there, and its field."""
    found = [
        (records[name], place, field)
        for name, field in VERDICTS.items()
        for place in range(len(records[name]))
    ]
    return found + [
        (rubric["content_list"], place, ("is_covered", False, True))
        for rubric in records["completeness"]
        for place in range(len(rubric["content_list"]))
    ]


@given(rows())
def test_bounded_and_the_minimum_of_its_parts(records: Records) -> None:
    judged = score(records)
    for name in METRICS:
        assert judged[name] is None or 0 <= judged[name] <= 1
    assert judged["score"] == min(judged["alignment"], judged["coverage"])


@given(rows(), st.data())
def test_monotone_in_each_verdict(records: Records, data: st.DataObject) -> None:
    listed, place, (field, low, high) = data.draw(st.sampled_from(items(records)))
    evidence = {"verdict": {"evidence": answers.IN_DIALOGUE}}.get(
        field, {"related_content_from_summary": answers.IN_SUMMARY}
    )
    listed[place] |= {**evidence, field: low}
    below = numbers(records)
    if field == "verdict":
        listed[place][field] = "unsure"
        assert numbers(records) == below
    listed[place][field] = high
    above = numbers(records)
    assert all(above[name] >= below[name] for name in METRICS)
    assert above != below


@given(rows(), st.randoms(use_true_random=False))
def test_the_order_of_answers_changes_nothing(records: Records, random: Any) -> None:
    before = score(records)
    for name in ("claims", *VERDICTS, "completeness"):
        random.shuffle(records[name])
    for rubric in records["completeness"]:
        random.shuffle(rubric["content_list"])
    after = score(records)
    assert {name: after[name] for name in METRICS} == {name: before[name] for name in METRICS}


@given(rows(), st.data())
def test_deleting_a_verdict_never_raises(records: Records, data: st.DataObject) -> None:
    before = numbers(records)
    listed, place, _ = data.draw(st.sampled_from(items(records)))
    del listed[place]
    after = numbers(records)
    assert all(after[name] <= before[name] for name in METRICS)


@given(rows(), st.data(), st.sampled_from(["again", "foreign"]))
def test_an_extra_verdict_never_raises(records: Records, data: st.DataObject, kind: str) -> None:
    before = numbers(records)
    listed, place, (field, _, high) = data.draw(st.sampled_from(items(records)))
    span = {"evidence": answers.IN_DIALOGUE, "related_content_from_summary": answers.IN_SUMMARY}
    extra = deepcopy(listed[place]) | span | {field: high}
    extra["id"] = listed[place]["id"] if kind == "again" else "planted"
    listed.insert(data.draw(st.integers(0, len(listed))), extra)
    after = numbers(records)
    assert all(after[name] <= before[name] for name in METRICS)
    assert "content_failed" in {each["status"] for each in score(records)["metrics"].values()}


@given(rows())
def test_without_evidence_nothing_counts(records: Records) -> None:
    """Everything marked true, nothing cited."""
    for listed, place, (field, _, high) in items(records):
        spans = {
            key: None
            for key in listed[place]
            if key in ("evidence", "related_content_from_summary")
        }
        listed[place] |= {**spans, field: high}
    judged = score(records)
    assert not any(judged[name] for name in METRICS)
    assert judged["flags"] == ["evidence_missing"]


def test_copying_the_dialogue_is_barred_by_length_only() -> None:
    """A full copy would reach 1 everywhere; the gate is what stands against it."""
    dialogue = answers.DIALOGUE * 30
    records = answers.native("YY", "YY", {"r1": "TT"}, "T") | {
        "summary": dialogue + answers.SUMMARY,
        "dialogue": dialogue,
    }
    judged = score(records)
    assert judged["flags"] == ["too_long"]
    assert {each["status"] for each in judged["metrics"].values()} == {"content_failed"}
    assert not any(judged[name] for name in METRICS)

"""From texts to a report, and the laws that every number keeps."""

import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import pipeline
from scoring.pipeline import Report, check_references, prepare, read_example_blob, score
from scoring.profile import PRESETS, Profile
from scoring.references import ReferenceRow, References
from scoring.verify import verify

CHARS = Profile(tokenizer="chars")
ALL_METRICS = replace(CHARS, metrics=("rouge1", "rouge2", "rouge3", "rougeL"))

golds = st.text("가나다", min_size=1, max_size=8)
example = st.tuples(st.lists(golds, min_size=1, max_size=3), st.sampled_from(["public", "private"]))
contests = st.lists(example, min_size=1, max_size=6)
predictions = st.lists(st.text("가나다라 ", max_size=8), min_size=6, max_size=6)


def build(contest: list[tuple[list[str], str]]) -> References:
    return References.from_examples(
        ReferenceRow(f"test_{n}", tuple(texts), split) for n, (texts, split) in enumerate(contest)
    )


def run(references: References, texts: list[str], profile: Profile = ALL_METRICS) -> Report:
    by_id = dict(zip(references.ids, texts, strict=False))
    return score(by_id, prepare(references, profile))


def numbers(report: Report) -> dict[str, tuple[Mapping[str, float], float]]:
    return {name: (dict(split.metrics), split.total) for name, split in report.splits.items()}


SET = References.from_examples(
    [
        ReferenceRow("test_0", ("나는 밥을 먹었다", "밥을 먹었다"), "public"),
        ReferenceRow("test_1", ("내일 만나요",), "private"),
        ReferenceRow("test_2", ("고마워요", "감사합니다"), "public"),
    ]
)
TEXTS = {"test_0": "나는 빵을 먹었다", "test_1": "내일 만나요", "test_2": " "}


def test_a_report() -> None:
    report = score(TEXTS, prepare(SET, Profile(tokenizer="whitespace")))
    assert report.example_ids == ("test_0", "test_1", "test_2")
    # test_0: best unigram gold shares 2 of 3 and 3 (1-gram), 0 pairs, 2 in order.
    assert report.examples.tolist() == [[2 / 3, 0.0, 2 / 3], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    assert report.blank_ids == ("test_2",)
    assert {name: split.rows for name, split in report.splits.items()} == {
        "all": 3,
        "public": 2,
        "private": 1,
    }
    assert report.splits["public"].metrics["rouge1"] == 1 / 3
    assert report.splits["private"].total == 3.0
    assert report.splits["private"].signature == report.signature.replace(
        "|v:1", "|split:private|v:1"
    )


def test_the_total_carries_the_scale_and_metrics_are_fractions() -> None:
    stages = replace(PRESETS["stages"], tokenizer="chars")
    report = score(dict.fromkeys(SET.ids, "내일 만나요"), prepare(SET, stages))
    assert report.splits["private"].metrics["rouge1"] == 1.0
    assert report.splits["private"].total == stages.full_mark == 100.0


def test_without_splits_there_is_only_the_whole() -> None:
    whole = References.from_examples(replace(one, split=None) for one in SET.examples)
    assert list(score(TEXTS, prepare(whole, CHARS)).splits) == ["all"]


def test_ids_must_be_those_of_the_set() -> None:
    prepared = prepare(SET, CHARS)
    for texts in ({}, {**TEXTS, "test_9": "가"}, {"test_0": "가"}):
        with pytest.raises(ValueError, match="ids"):
            score(texts, prepared)


def test_progress_comes_every_few_dozen_rows() -> None:
    many = References.from_examples(ReferenceRow(f"test_{n}", ("가나",)) for n in range(300))
    told: list[tuple[str, int, int]] = []

    def progress(*now: str | int) -> None:
        told.append(now)

    prepared = prepare(many, CHARS, progress)
    score(dict.fromkeys(many.ids, "가"), prepared, progress)
    for stage in ("prepare", "cut", "score"):
        done = [0, *(count for name, count, total in told if name == stage and total == 300)]
        assert done[-1] == 300
        assert max(after - before for before, after in pairwise(done)) <= 36


def test_a_blob_keeps_every_bit() -> None:
    report = score(TEXTS, prepare(SET, CHARS))
    kept = read_example_blob(report.example_blob())
    assert kept.tobytes() == report.examples.tobytes()
    assert kept.shape == report.examples.shape
    with pytest.raises(ValueError, match="blob"):
        read_example_blob(b"something else")


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    many = References.from_examples(
        ReferenceRow(f"t{n}", ("가나다" * (n % 4 + 1),)) for n in range(50)
    )
    texts = {id_: "나다가"[: len(id_)] * 2 for id_ in many.ids}
    whole = score(texts, prepare(many, CHARS)).examples
    monkeypatch.setattr(pipeline, "BLOCK_ROWS", 7)
    assert (score(texts, prepare(many, CHARS)).examples == whole).all()


@given(contests, predictions)
def test_rouge_score_agrees(contest: list[tuple[list[str], str]], texts: list[str]) -> None:
    references = build(contest)
    for profile in (ALL_METRICS, replace(ALL_METRICS, gold_aggregation="mean")):
        report = run(references, texts, profile)
        by_id = dict(zip(references.ids, texts, strict=False))
        assert verify(by_id, references, profile, report).failed == ()


def test_verify_notices_the_smallest_difference() -> None:
    report = score(TEXTS, prepare(SET, CHARS))
    report.examples[0, 0] = np.nextafter(report.examples[0, 0], 1)
    found = verify(TEXTS, SET, CHARS, report)
    checks = {check.name: check for check in found.checks}
    assert "metrics" in found.failed
    assert checks["metrics"].different == ("test_0 rouge1",)
    assert checks["metrics"].largest > 0


@given(contests, predictions, st.randoms(), st.sampled_from(["max", "mean"]))
def test_order_of_golds_and_rows_changes_nothing(
    contest: list[tuple[list[str], str]], texts: list[str], dice: object, how: str
) -> None:
    profile = replace(ALL_METRICS, gold_aggregation=how)
    references = build(contest)
    shuffled = list(references.examples)
    dice.shuffle(shuffled)
    turned = References.from_examples(
        replace(one, references=one.references[::-1]) for one in shuffled
    )
    first, second = run(references, texts, profile), run(turned, texts, profile)
    assert numbers(first) == numbers(second)
    assert first.signature == second.signature


@given(contests, predictions)
def test_nfc_and_nfd_score_the_same(contest: list[tuple[list[str], str]], texts: list[str]) -> None:
    decomposed = [unicodedata.normalize("NFD", text) for text in texts]
    turned = [
        ([unicodedata.normalize("NFD", gold) for gold in own], split) for own, split in contest
    ]
    first, second = run(build(contest), texts), run(build(turned), decomposed)
    assert numbers(first) == numbers(second)
    assert first.signature == second.signature


def test_every_gold_as_a_prediction_earns_the_full_mark_under_max() -> None:
    """The organizer's check: under `max` each gold is a perfect answer, under `mean` not."""
    best = check_references(prepare(SET, CHARS))
    assert best.totals == (best.full_mark, best.full_mark)
    mean = check_references(prepare(SET, replace(CHARS, gold_aggregation="mean")))
    assert mean.full_mark == best.full_mark
    assert all(total < mean.full_mark for total in mean.totals)
    # test_1 has one gold, which is its own mean; of test_0 and test_2 each gold is half right
    assert mean.mean > mean.full_mark / 2

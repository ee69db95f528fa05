"""Precision and recall are those of the package over the same tokens."""

import math

import pytest
from rouge_score.rouge_scorer import RougeScorer

from scoring.insight.precision_recall import sides_by_split, sides_profile
from scoring.pipeline import prepare, score
from scoring.profile import PRESETS
from scoring.references import ReferenceRow, References

GOLDS = References.from_examples(
    [
        ReferenceRow("a", ("가 나 다 라", "가 다"), "public"),
        ReferenceRow("b", ("마 바 사", "마 바 사 아 자"), "public"),
        ReferenceRow("c", ("차 카", "파 하 차"), "private"),
        ReferenceRow("d", ("가 나", "다 라"), "private"),
    ]
)
TEXTS = {"a": "가 나 라", "b": "바 사 가", "c": "차", "d": "다 라 가 나 마"}
METRICS = ("rouge1", "rouge2", "rougeL")


class Given:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


SCORER = RougeScorer(list(METRICS), tokenizer=Given())


@pytest.mark.parametrize("preset", PRESETS)
def test_they_are_those_of_the_package(preset: str) -> None:
    profile = PRESETS[preset].with_tokenizer("whitespace").with_beside(["length"])
    report = score(TEXTS, prepare(GOLDS, sides_profile(profile)))
    found = sides_by_split(profile, report.splits)
    assert set(found) == {"all", "public", "private"}
    for split, sides in found.items():
        rows = [row for row in GOLDS.examples if split in ("all", row.split)]
        for metric, side in zip(METRICS, sides, strict=True):
            assert side.label == metric.upper().replace("ROUGE", "ROUGE-")
            for name in ("precision", "recall"):
                of_rows = []
                for row in rows:
                    given = [
                        getattr(SCORER.score(gold, TEXTS[row.example_id])[metric], name)
                        for gold in row.references
                    ]
                    is_best = profile.gold_aggregation == "max"
                    of_rows.append(max(given) if is_best else math.fsum(given) / len(given))
                assert getattr(side, name) == math.fsum(of_rows) / len(of_rows)

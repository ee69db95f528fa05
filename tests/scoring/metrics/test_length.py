"""The length of a file stands beside the total, the same number on every board."""

import pytest

from scoring.metrics.length import Length
from scoring.pipeline import check_references, prepare, score
from scoring.profile import PRESETS, Profile, preset_of
from scoring.references import ReferenceRow, References

PROFILE = Profile(tokenizer="whitespace", metrics=("length", "rouge1"))
GOLDS = References.from_examples(
    [
        ReferenceRow("a", ("가 나 다", "가"), "public"),
        ReferenceRow("b", ("라 마",), "private"),
        ReferenceRow("c", ("바 사",), "private"),
    ]
)


def test_every_split_has_the_mean_of_the_whole_file() -> None:
    report = score({"a": "가 나 다 라 마 바", "b": "", "c": "가"}, prepare(GOLDS, PROFILE))
    assert [split.metrics["length"] for split in report.splits.values()] == [7 / 3] * 3
    assert report.examples[:, 1].tolist() == [6, 0, 1]


def test_it_stands_behind_the_metrics_of_the_total_and_enters_none() -> None:
    assert PROFILE.metrics == ("rouge1", "length")
    assert PROFILE.full_mark == 1.0
    texts = {"a": "가 나", "b": "라", "c": "바 사"}
    alone = Profile(tokenizer="whitespace", metrics=("rouge1",))
    found, without = (score(texts, prepare(GOLDS, one)) for one in (PROFILE, alone))
    assert found.splits["public"].total == without.splits["public"].total
    assert found.signature.replace("length:tokens|", "") == without.signature


def test_the_constant_is_of_all_references_in_whole_tokens() -> None:
    """3 + 1 + 2 + 2 tokens in four references."""
    check = check_references(prepare(GOLDS, PROFILE))
    assert check.constants == {"length": 2}
    assert Length("length").heading("ko", 2) == "길이 (정답 2)"
    assert Length("length").heading("en", 2) == "Length (references 2)"


def test_a_preset_is_known_by_its_total() -> None:
    assert preset_of(PRESETS["stages"].with_beside(["length"])) == "stages"
    with pytest.raises(ValueError, match="no metric of the total"):
        Profile(metrics=("length",))

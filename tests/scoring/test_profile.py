"""Settings, the signature they print, rounding and ranks."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.rouge import Rouge
from scoring.profile import PRESETS, Profile
from scoring.ranking import printed, printed_text, ranks
from scoring.signature import for_split, version_signature

SHA = "3f9a0c12d5e67b80" + "0" * 48


def test_the_defaults_are_the_page_s_formula() -> None:
    assert Profile() == PRESETS["max-sum"]
    assert Profile().to_dict() == {
        "tokenizer": "mecab-ko",
        "gold_aggregation": "max",
        "metric_aggregation": "sum",
        "scale": 1,
        "metrics": ["rouge1", "rouge2", "rougeL"],
    }


@pytest.mark.parametrize("profile", PRESETS.values())
def test_a_profile_survives_json(profile: Profile) -> None:
    assert Profile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile


@pytest.mark.parametrize(
    "settings",
    [
        {"tokenizer": "mecab"},
        {"gold_aggregation": "min"},
        {"scale": 10},
        {"metrics": []},
        {"metrics": ["rouge4"]},
        {"metrics": ["rouge1", "rouge1.f1"]},
        {"colour": "red"},
    ],
)
def test_what_is_no_profile_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Profile.from_dict(settings)


def test_a_metric_may_count_recall_or_precision() -> None:
    profile = Profile(metrics=("rouge1.recall", "rouge2.f1", "rougeL.precision"))
    assert profile.metrics == ("rouge1.recall", "rouge2", "rougeL.precision")
    assert profile.parsed_metrics[0] == Rouge("rouge1.recall")


@pytest.mark.parametrize(("name", "full"), [("max-sum", 3.0), ("mean-sum", 3.0), ("stages", 100.0)])
def test_full_marks(name: str, full: float) -> None:
    assert PRESETS[name].full_mark == full


def test_the_published_total_of_a_real_entry() -> None:
    """Parts 0.4495, 0.2459, 0.3936 and total 36.2973: the mean, times 100 (parts are rounded)."""
    total = PRESETS["stages"].total((0.4495, 0.2459, 0.3936))
    assert total == pytest.approx(36.2973, abs=0.005)


def test_the_signature_line() -> None:
    line = version_signature(Profile(), references_sha256=SHA, ngolds=(3, 3))
    head, tail = line.split("|tok:")
    assert head == "rouge:r1+r2+rL.f1|golds:max|ngolds:3|total:sum|scale:1"
    norm = f"norm:nfc/{unicodedata.unidata_version}"
    assert tail.split("|", 1)[1] == f"{norm}|rows:mean|gold:3f9a0c12d5e67b80|v:1"
    assert for_split(line, "public").endswith("|gold:3f9a0c12d5e67b80|split:public|v:1")


def test_another_unicode_version_is_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    here = version_signature(Profile(), references_sha256=SHA, ngolds=(3, 3))
    monkeypatch.setattr(unicodedata, "unidata_version", "99.0.0")
    there = version_signature(Profile(), references_sha256=SHA, ngolds=(3, 3))
    assert "|norm:nfc/99.0.0|" in there
    assert here != there


def test_every_setting_moves_the_signature() -> None:
    lines = {
        version_signature(profile, references_sha256=sha, ngolds=ngolds)
        for profile in (
            *PRESETS.values(),
            Profile(tokenizer="chars"),
            Profile(metrics=("rouge1",)),
            Profile(metrics=("rouge1.recall",)),
            Profile(metrics=("rouge1.recall", "rouge2")),
        )
        for sha in (SHA, "0" * 64)
        for ngolds in ((3, 3), (1, 3))
    }
    assert len(lines) == 7 * 2 * 2
    for line in lines:
        keys = [part.split(":")[0] for part in for_split(line, "all").split("|")]
        assert len(set(keys)) == len(keys)
        assert keys[-1] == "v"


def test_mixed_measures_are_named_one_by_one() -> None:
    profile = Profile(metrics=("rouge1.recall", "rougeL"))
    line = version_signature(profile, references_sha256=SHA, ngolds=(1, 3))
    assert line.startswith("rouge:r1.recall+rL.f1|golds:max|ngolds:1-3|")


@given(st.floats(0, 300))
def test_order_ties_and_print_agree(value: float) -> None:
    assert printed_text(printed(value)) == format(value, ".4f")


@pytest.mark.parametrize(
    ("value", "integer"), [(0, 0), (1.02585, 10258), (2.99995, 30000), (36.29734, 362973)]
)
def test_rounding_is_that_of_the_printed_text(value: float, integer: int) -> None:
    assert printed(value) == integer


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_only_finite_numbers_are_ranked(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        printed(value)


@given(st.lists(st.integers(0, 5)))
def test_a_rank_counts_those_before(scores: list[int]) -> None:
    assert ranks(scores) == [1 + sum(other > score for other in scores) for score in scores]

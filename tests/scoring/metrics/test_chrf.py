"""chrF equals sacrebleu's sentence score, and stands beside the total without touching it."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from konlpy.corpus import kolaw
from sacrebleu.metrics.chrf import CHRF

from scoring.cli import main
from scoring.pipeline import Report, prepare, score
from scoring.profile import Profile
from scoring.references import ReferenceRow, References

PROFILE = Profile(tokenizer="whitespace", metrics=("rouge1", "chrf"))
Rows = list[tuple[str, list[str]]]


def scored(rows: Rows, profile: Profile = PROFILE) -> Report:
    golds = [ReferenceRow(f"r{at:04}", tuple(golds)) for at, (_, golds) in enumerate(rows)]
    references = References.from_examples(golds)
    texts = {f"r{at:04}": text for at, (text, _) in enumerate(rows)}
    return score(texts, prepare(references, profile))


def by_sacrebleu(rows: Rows) -> list[float]:
    theirs = CHRF()
    return [theirs.sentence_score(text, golds).score / 100 for text, golds in rows]


texts = st.text("가나다 ab", max_size=14)
golds = st.lists(st.text("가나다ab", min_size=1, max_size=14), min_size=1, max_size=3)


@given(st.lists(st.tuples(texts, golds), min_size=1, max_size=6))
def test_equal_to_sacrebleu(rows: Rows) -> None:
    assert scored(rows).examples[:, 1].tolist() == by_sacrebleu(rows)


def test_equal_to_sacrebleu_on_real_korean_over_several_blocks() -> None:
    lines = [line for line in kolaw.open("constitution.txt").read().split("\n") if line.strip()]
    lines = (lines * 2)[:300]
    rows = [(lines[at - 1], lines[at : at + 2] or lines[:1]) for at in range(len(lines))]
    found = scored(rows).examples[:, 1]
    assert np.abs(found - np.array(by_sacrebleu(rows))).max() == 0.0
    assert 0 < found.mean() < 1


def test_by_hand() -> None:
    """p `ab`, g `abc`: precision 1 and 1, recall 2/3 and 1/2, no third character in p."""
    precision, recall = 1.0, (2 / 3 + 1 / 2) / 2
    expected = 5 * precision * recall / (4 * precision + recall)
    assert scored([("ab", ["abc"])]).examples[0, 1] == pytest.approx(expected, abs=1e-15)


def test_nfd_scores_as_nfc() -> None:
    assert scored([("\u1100\u1161 나", ["가나"])]).examples[0, 1] == 1.0


def test_the_best_reference_counts_whatever_the_profile_says_of_rouge() -> None:
    rows: Rows = [("가나다", ["가나다", "라마바"])]
    mean = Profile(tokenizer="whitespace", metrics=PROFILE.metrics, gold_aggregation="mean")
    assert scored(rows, mean).examples.tolist() == [[0.5, 1.0]]


def test_total_and_the_other_parts_of_the_signature_stay() -> None:
    rows: Rows = [("가 나", ["가 다"]), ("", ["라"])]
    beside, alone = scored(rows), scored(rows, Profile(tokenizer="whitespace", metrics=("rouge1",)))
    assert beside.splits["all"].total == alone.splits["all"].total
    assert beside.signature.replace("chrf:nc6.nw0.b2.max|", "") == alone.signature


def test_the_command_line_scores_explains_and_verifies_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "golds.csv").write_text("fname,summary1,summary2\na,집에 간다,집으로 간다\n")
    (tmp_path / "mine.csv").write_text("fname,summary\na,집에 갔다\n")
    (tmp_path / "profile.json").write_text(json.dumps(PROFILE.to_dict()))
    both = [str(tmp_path / "golds.csv"), str(tmp_path / "mine.csv")]
    options = ["--profile", str(tmp_path / "profile.json")]
    expected = by_sacrebleu([("집에 갔다", ["집에 간다", "집으로 간다"])])[0]
    assert main(["verify", *both, *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checks"]["metrics"]["largest"] == 0.0
    assert main(["explain", *both, *options, "--id", "a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["beside"] == {"chrF": expected}
    assert main(["profile", *options]) == 0
    assert "chrF: max F2[char 1–6](p, g)" in capsys.readouterr().out

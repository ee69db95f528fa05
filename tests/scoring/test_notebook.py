"""Why a notebook's number differs: the PyPI package rouge itself over our tokens, beside ours."""

import json
import sys
from pathlib import Path

import pytest

from scoring.cli import main
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.references import ReferenceRow, References
from scoring.verify.notebook import by_rouge_package

ROOT = Path(__file__).resolve().parents[2]
GOLDS = ROOT / "leaderboard" / "demo" / "finished_golds.csv"
TWO = [ROOT / "docs" / "notebook" / name for name in ("cleaned.csv", "retelling.csv")]
WORDS = Profile(tokenizer="whitespace")


def both(prediction: str, *golds: str, profile: Profile = WORDS) -> tuple[list[float], list[float]]:
    """Ours and the package's metrics of one row."""
    references = References.from_examples([ReferenceRow("a", golds)])
    ours = score({"a": prediction}, prepare(references, profile)).splits["all"].metrics
    theirs = by_rouge_package({"a": prediction}, references, profile)
    assert theirs.failed == ()
    return list(ours.values()), list(theirs.metrics.values())


def test_two_files_change_places_and_the_docs_print_both(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["notebook", str(GOLDS), *map(str, TWO)]) == 0
    lines = capsys.readouterr().out.splitlines()
    cleaned, cleaned_there, retelling, retelling_there = (
        float(line.split()[0]) for line in lines[1:5]
    )
    assert cleaned > retelling
    assert cleaned_there < retelling_there
    docs = (ROOT / "docs" / "scoring.md").read_text("utf-8")
    for line in lines[:-1]:
        assert f"    {line}\n" in docs


def test_what_is_said_twice_counts_once_there() -> None:
    ours, theirs = both("그 는 그 는 그 는", "그 는 갔다")
    # Shared 2 of 6 and 3 here, 2 of 2 and 3 there.
    assert ours[0] == 2 * (2 / 6) * (2 / 3) / (2 / 6 + 2 / 3)
    assert theirs[0] == pytest.approx(2 * 1 * (2 / 3) / (1 + 2 / 3), abs=1e-7)


def test_a_full_stop_is_no_token_there() -> None:
    ours, theirs = both("갔다 .", "왔다 .")
    assert ours[0] == 1 / 2
    assert theirs == [0.0, 0.0, 0.0]


def test_sentences_in_another_order_cost_nothing_of_rouge_l_there() -> None:
    ours, theirs = both("나 다 . 가 라", "가 라 . 나 다")
    assert ours[2] == pytest.approx(2 / 5)
    assert theirs[2] == pytest.approx(1.0, abs=1e-7)


def test_a_row_that_the_package_cannot_score_is_named_and_counts_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, predicted = tmp_path / "gold.csv", tmp_path / "predicted.csv"
    gold.write_text("fname,summary1\na,가 나\nb,가 나\n", "utf-8")
    predicted.write_text("fname,summary\na,.\nb,가 나\n", "utf-8")
    command = ["notebook", str(gold), str(predicted), "--tokenizer", "whitespace"]
    assert main(command) == 0
    assert "    패키지가 계산하지 못해 0점인 행: 1 (a)\n" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["files"][0]["failed"] == ["a"]
    assert said["files"][0]["theirs"]["total"] == pytest.approx(1.5, abs=1e-7)


def test_without_the_package_the_line_to_install_it_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rouge", None)
    assert main(["notebook", str(GOLDS), str(TWO[0])]) == 1
    assert capsys.readouterr().err == "notebook needs: pip install rouge\n"

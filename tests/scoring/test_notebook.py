"""Why a notebook's number differs: the PyPI package rouge itself over our tokens, beside ours."""

import json
import sys
from pathlib import Path

import pytest

from scoring.cli import main

ROOT = Path(__file__).resolve().parents[2]
GOLDS = ROOT / "leaderboard" / "demo" / "finished_golds.csv"
TWO = [ROOT / "docs" / "notebook" / name for name in ("cleaned.csv", "retelling.csv")]


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

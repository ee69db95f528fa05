"""Two files row by row: the second minus the first, with an interval."""

import json
from pathlib import Path

import pytest

from scoring.cli import main

ROWS = 40


def written(path: Path, texts: list[str], column: str = "summary") -> str:
    split = [",public" if n % 2 else ",private" for n in range(ROWS)] if column != "summary" else []
    rows = [f"r{n},{text}{split[n] if split else ''}" for n, text in enumerate(texts)]
    head = f"fname,{column}" + (",split" if split else "")
    path.write_text("\n".join([head, *rows, ""]), "utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Golds of four characters; a file with two of them in each row, one with three in most."""
    better = ["가나라다" if n % 5 else "마바사아" for n in range(ROWS)]
    return {
        "gold": written(tmp_path / "gold.csv", ["가나다라"] * ROWS, "summary1"),
        "plain": written(tmp_path / "plain.csv", ["가나마바"] * ROWS),
        "better": written(tmp_path / "better.csv", better),
    }


def compared(capsys: pytest.CaptureFixture[str], *names: str) -> dict[str, object]:
    assert main(["compare", *names, "--tokenizer", "chars", "--json"]) == 0
    said: dict[str, object] = json.loads(capsys.readouterr().out)
    return said


def test_it_works(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    said = compared(capsys, files["gold"], files["plain"], files["better"])
    assert said["files"] == ["plain.csv", "better.csv"]
    assert str(said["test"]).startswith("pair:sign-flip|B:10000|seed:")
    assert f"seed:{str(said['gold_sha256'])[:8]}|" in str(said["test"])
    splits = said["splits"]
    assert isinstance(splits, dict)
    assert {name: split["rows"] for name, split in splits.items()} == {
        "all": 40,
        "public": 20,
        "private": 20,
    }
    for name, split in splits.items():
        assert f"|split:{name}|" in split["signature"]
    found = splits["all"]["rouge1"]
    # 2 of 4 in every row against 4 of 4 in four rows of five.
    assert (found["first"], found["second"]) == (0.5, 0.8)
    assert found["difference"] == pytest.approx(0.3)
    assert 0 < found["low"] < 0.3 < found["high"] < 0.5
    assert found["distinguishable"] is True
    # The answer begins with the totals of all rows.
    total = splits["all"]["total"]
    assert found["differing"] == 40
    for name in ("difference", "low", "high", "p", "differing", "distinguishable"):
        assert said[name] == total[name]
    assert said["rows"] == 40


def test_it_says_which_file_is_better(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for one, other, said in (
        ("plain", "better", "The second file is better."),
        ("better", "plain", "The first file is better."),
    ):
        command = ["compare", files["gold"], files[one], files[other], "--tokenizer", "chars"]
        assert main([*command, "--language", "en"]) == 0
        assert said in capsys.readouterr().out.splitlines()


def test_a_file_cannot_be_told_from_itself(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["compare", files["gold"], files["plain"], files["plain"], "--tokenizer", "chars"]
    assert main([*command, "--language", "en"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["A = plain.csv", "B = plain.csv"]
    assert "+0.0000  –  all total (40)" in lines[3], "no row differs, so no interval is claimed"
    assert "The two files cannot be told apart." in lines
    assert lines[-1].startswith("rouge:")

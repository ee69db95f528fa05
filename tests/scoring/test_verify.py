"""`verify` believes nothing of ours: each kind of fault fails it, and is named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scoring import pipeline, signature, tokenizers
from scoring.cli import main
from scoring.metrics import kernel, rouge
from scoring.pipeline import SplitReport
from scoring.profile import PRESETS, Profile

GOLD = (
    "fname,summary1,summary2,split\n"
    "test_0,#Person1#은 영화를 보기로 합니다.,둘은 주말에 영화를 봅니다.,public\n"
    "test_1,의사는 검사를 권합니다.,환자는 검사를 받기로 합니다.,private\n"
    'test_2,"비가 와서, 경기는 미룹니다.",경기가 내일로 밀렸습니다.,public\n'
)
PREDICTED = (
    "fname,summary\n"
    "test_0,#Person1#은 주말에 영화를 봅니다.\n"
    "test_1,의사는 약을 권합니다.\n"
    'test_2,"비가 와서, 경기를 합니다."\n'
)


def drop_punctuation(patch: pytest.MonkeyPatch) -> None:
    engine = tokenizers._ENGINES["mecab-ko"]

    def cut(text: str) -> list[str]:
        return [token for token in engine.cut()(text) if token not in ("#", ".", ",")]

    patch.setitem(tokenizers._ENGINES, "mecab-ko", engine._replace(cut=lambda: cut))


def divide_otherwise(patch: pytest.MonkeyPatch) -> None:
    """As the PyPI package rouge does."""

    def measured(overlap: kernel.Overlaps, _: object) -> Any:
        precision = overlap.shared / np.maximum(overlap.candidate, 1)[:, None]
        recall = overlap.shared / np.maximum(overlap.reference, 1)
        return 2 * precision * recall / (precision + recall + 1e-8)

    patch.setattr(rouge, "measured", measured)


def clip_nothing(patch: pytest.MonkeyPatch) -> None:
    right = kernel._common_lengths
    patch.setattr(kernel, "_common_lengths", lambda *given: right(*given) - 1)


def add_a_half(patch: pytest.MonkeyPatch) -> None:
    right = Profile.total
    patch.setattr(Profile, "total", lambda self, values: right(self, values) + 0.5)


def lose_a_row(patch: pytest.MonkeyPatch) -> None:
    right = pipeline.split_reports

    def fewer(*given: Any) -> dict[str, SplitReport]:
        found = right(*given)
        return found | {"public": replace(found["public"], rows=found["public"].rows - 1)}

    patch.setattr(pipeline, "split_reports", fewer)


def sign_shorter(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(signature, "REFERENCE_HEX_DIGITS", 8)


@pytest.fixture
def both(tmp_path: Path) -> list[str]:
    for name, text in (("gold", GOLD), ("predictions", PREDICTED)):
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    return [str(tmp_path / "gold.csv"), str(tmp_path / "predictions.csv")]


@pytest.mark.parametrize(
    ("plant", "name", "place"),
    [
        (drop_punctuation, "tokenizer", "test_0 prediction"),
        (divide_otherwise, "metrics", "test_0 rouge1"),
        (clip_nothing, "metrics", "test_1 rougeL"),
        (add_a_half, "totals", "private"),
        (lose_a_row, "splits", "public rows"),
        (sign_shorter, "signature", "version: rouge:"),
    ],
)
def test_a_planted_fault_fails_and_is_named(
    plant: Callable[[pytest.MonkeyPatch], None],
    name: str,
    place: str,
    both: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", *both]) == 0
    assert f"✓ {name} (" in capsys.readouterr().out
    plant(monkeypatch)
    assert main(["verify", *both, "--language", "en"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("✗")] == [name]
    assert any(line.startswith(f"    {place}") for line in lines)
    assert lines[-2] == f"Differs: {name}."
    assert main(["verify", *both, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["equal"], said["failed"]) == (False, [name])
    assert said["checks"][name]["different"] == len(said["checks"][name]["places"]) > 0


@pytest.mark.parametrize("profile", PRESETS)
def test_what_is_right_is_said_with_what_was_compared(
    profile: str, both: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", *both, "--profile", profile, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["equal"], said["failed"], said["rows"]) == (True, [], 3)
    assert {name: check["compared"] for name, check in said["checks"].items()} == {
        "tokenizer": 3 * (1 + 2),
        "metrics": 3 * 3,
        "splits": 3 * (1 + 3),  # rows and metrics of all, public, private
        "totals": 3,
        "signature": 1 + 3,
    }
    assert len(said["gold_sha256"]) == 64
    assert f"|gold:{said['gold_sha256'][:16]}|" in said["signature"]

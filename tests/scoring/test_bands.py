"""Rank bands: by hand, against the definition written out, by simulation, and by the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.cli import main
from scoring.statistics.bands import UNITS, bands

Numbers = NDArray[np.float64]


def field(seed: int, files: int, rows: int, apart: float = 0.0) -> Numbers:
    """Files x rows: rows share how hard they are; each file is better than the next by so much."""
    dice = np.random.default_rng(seed)
    shared = dice.gamma(4, size=rows) / 6
    own = dice.gamma(4, size=(files, rows)) / 8
    return shared + own - apart * np.arange(files)[:, None]


def slowly(values: Numbers, draws: int, seed: int) -> float:
    """The method, one draw and one pair at a time."""
    dice = np.random.default_rng(seed)
    rows = values.shape[1]
    means = values.mean(axis=1)
    largest = []
    for _ in range(draws):
        moved = values[:, dice.integers(rows, size=rows)].mean(axis=1) - means
        largest.append(max(abs(one - other) for one in moved for other in moved))
    exceeded = sorted(largest)[int(np.ceil(0.95 * (draws - 1)))]
    few = np.sqrt(rows / (rows - 1)) * (1 + 1.21 / (rows - 1))  # Student's t, about
    return float(np.ceil(exceeded * few * 1000) / 1000)


def test_the_threshold_is_the_range_that_draws_seldom_exceed() -> None:
    values = field(1, files=5, rows=30)
    found = bands(values, seed=4, resamples=400)
    assert found.threshold == slowly(values, 400, seed=4)
    assert (found.best_ranks, found.worst_ranks) == ((1,) * 5, (5,) * 5)
    assert found.signature == "band:range|B:400|seed:00000004|alpha:0.05|rows:30|v:2"


def test_ranks_lie_between_those_above_and_those_below() -> None:
    found = bands(field(2, files=12, rows=200, apart=0.06), seed=1, resamples=1000)
    for place, total in enumerate(found.totals):
        width = round(found.threshold * UNITS)
        assert found.best_ranks[place] == 1 + sum(other - total > width for other in found.totals)
        assert found.worst_ranks[place] == 12 - sum(total - other > width for other in found.totals)
    assert 1 < found.best_ranks.count(1) < 12
    assert found.groups()[0] == 1
    assert list(found.groups()) == sorted(found.groups())
    assert len(set(found.groups())) > 2


def test_near_duplicates_are_not_the_noise_of_the_others() -> None:
    """Six files, the last two nearly the same: noise of one pair of them, whatever the seed."""
    values = field(8, files=5, rows=250, apart=0.06)
    values = np.vstack([values, values[-1]])
    values[-1, ::30] += 0.05
    found = [bands(values, seed=seed, resamples=500).threshold for seed in range(10)]
    for threshold in found:
        # One pair: 1.96 x sqrt(2) x sqrt(4) / 8 / sqrt(250), of gammas of four over eight.
        assert 0.0438 < threshold < 2 * 0.0438
    assert max(map(float, filter(None, found))) - min(map(float, filter(None, found))) <= 0.006


def test_a_group_goes_on_until_a_file_is_below_its_first() -> None:
    steps = np.repeat([0.9, 0.88, 0.6, 0.58, 0.3], 40).reshape(5, 40)
    wobble = np.random.default_rng(0).normal(0, 0.1, size=(5, 40))
    wobble -= wobble.mean(axis=1)[:, None]
    found = bands((steps + wobble)[[2, 0, 4, 1, 3]], seed=1)
    assert 0.02 < found.threshold < 0.28
    assert found.groups() == (2, 1, 3, 1, 2)


def test_the_same_seed_gives_the_same_and_float32_nearly() -> None:
    values = field(4, files=20, rows=100, apart=0.01)
    one = bands(values, seed=9, resamples=1000)
    assert one == bands(values, seed=9, resamples=1000)
    other = bands(values, seed=10, resamples=1000)
    assert one.threshold is not None
    assert other.threshold == pytest.approx(one.threshold, abs=0.01)
    assert bands(values.astype(np.float32), seed=9, resamples=1000).threshold == one.threshold


def test_a_threshold_is_of_files_that_differ() -> None:
    """Of a file and its copy, both far from a third, no noise can be learnt."""
    values = field(5, files=2, rows=100, apart=0.5)
    two = bands(values, seed=1, resamples=1000)
    assert (two.best_ranks, two.worst_ranks) == ((1, 2), (1, 2))
    assert two.threshold > 0
    assert bands(values[[0, 0, 1]], seed=1, resamples=1000).threshold == two.threshold


def test_no_order_over_fewer_than_twenty_rows() -> None:
    values = np.array([[1.0] * 20, [0.0] * 20])
    assert bands(values, seed=1).best_ranks == (1, 2)
    few = bands(values[:, :19], seed=1)
    assert (few.threshold, few.best_ranks, few.worst_ranks) == (None, (1, 1), (2, 2))
    assert few.groups() == (1, 1)


ROWS = 40


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Golds of four characters; a file that has two of them, one that has all in most, one bad."""
    written = {
        "gold.csv": [f"r{n},가나다라,{('public', 'private')[n % 2]}" for n in range(ROWS)],
        "plain.csv": [f"r{n},가나마바" for n in range(ROWS)],
        "better.csv": [f"r{n},{'가나다라' if n % 5 else '마바사아'}" for n in range(ROWS)],
        "bad.csv": ["r0,가나다라"],
    }
    for name, lines in written.items():
        head = "fname,summary1,split" if name == "gold.csv" else "fname,summary"
        (tmp_path / name).write_text("\n".join([head, *lines, ""]), "utf-8")
    return [str(tmp_path / name) for name in written]


def test_the_command_says_which_ranks_hold(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["bands", *files[:3], "--tokenizer", "chars", "--json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    # rouge 1 and L are 0.5 each, rouge 2 one of three pairs; four rows of five have all three.
    assert said["files"] == [
        {"file": "plain.csv", "total": pytest.approx(4 / 3), "best_rank": 2, "worst_rank": 2},
        {"file": "better.csv", "total": pytest.approx(2.4), "best_rank": 1, "worst_rank": 1},
    ]
    assert 0 < said["threshold"] < 1
    digits = said["gold_sha256"][:8]
    assert said["signature"] == f"band:range|B:10000|seed:{digits}|alpha:0.05|rows:40|v:2"
    assert "|split:all|" in said["totals_signature"]
    assert main([*command, "--split", "public"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["rows"], said["split"]) == (20, "public")


def test_golds_without_a_split_have_no_public_rows(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    gold = Path(files[0])
    lines = gold.read_text("utf-8").splitlines()
    gold.write_text("\n".join(line.rpartition(",")[0] for line in lines), "utf-8")
    assert main(["bands", *files[:3], "--split", "public", "--language", "en"]) == 2
    assert "gold.csv: no row is public." in capsys.readouterr().err

"""How far a team's best file is flattered: by hand and by simulation."""

import math

import numpy as np
import pytest

from scoring.statistics.luck import gap_in_errors, luck


def test_by_hand() -> None:
    """Residuals of +-0.1 in four cells: deviation sqrt(4 x 0.01 / 1) = 0.2, over two rows."""
    found = luck(np.array([[0.6, 0.4], [0.4, 0.6]]))
    assert found is not None
    assert found.deviation == pytest.approx(0.2)
    assert found.luck == pytest.approx(0.2 / math.sqrt(2) * math.sqrt(2 * math.log(2)))
    assert found.climbing == pytest.approx(0.75 * 0.2 / math.sqrt(2) * math.sqrt(2))
    assert (found.files, found.rows) == (2, 2)


@pytest.mark.parametrize("shape", [(1, 30), (0, 30), (3, 1), (3, 0)])
def test_nothing_to_choose_from(shape: tuple[int, int]) -> None:
    assert luck(np.ones(shape)) is None


def test_what_all_rows_or_all_files_share_is_no_luck() -> None:
    values = np.linspace(0, 1, 40) + np.array([[0.0], [0.3], [0.1]])
    found = luck(values)
    assert found is not None
    assert (found.deviation, found.luck) == (0.0, 0.0)


def test_the_line_lies_a_little_above_what_choosing_flatters() -> None:
    """150 teams of 12 equal tries; `benchmarks.believable` has more."""
    dice = np.random.default_rng(1)
    gaps, lines = [], []
    for _ in range(150):
        values = dice.normal(1, 0.4, size=100) + dice.normal(0, 0.3, size=(12, 100))
        gaps.append(values.mean(axis=1).max() - values.mean())
        found = luck(values)
        assert found is not None
        lines.append(found.luck)
    assert 1.0 <= np.mean(lines) / np.mean(gaps) <= 1.5


def test_a_gap_is_told_in_standard_errors() -> None:
    # sqrt(0.04 / 50 + 0.04 / 50) = 0.04
    assert gap_in_errors(0.2, 0.04, 0.2, rows=50, other_rows=50) == 4
    assert gap_in_errors(0.2, 0.04, 0.0, rows=50, other_rows=50) is None

"""How far a team's best file is flattered: by hand and by simulation."""

import math

import numpy as np
import pytest

from scoring.insight.tuning_gap import best_of, deviation_of, expected_largest, gap_in_errors


def test_by_hand() -> None:
    """Residuals of +-0.1 in four cells: deviation sqrt(4 x 0.01 / 1) = 0.2, over two rows.

    The larger of two standard normal numbers is 1 / sqrt(pi) on the mean.
    """
    deviation = deviation_of(np.array([[0.6, 0.4], [0.4, 0.6]]))
    assert deviation == pytest.approx(0.2)
    flattered = best_of(deviation, files=2, rows=2)
    assert flattered == pytest.approx(0.2 / math.sqrt(2) / math.sqrt(math.pi))


@pytest.mark.parametrize("shape", [(1, 30), (3, 1)])
def test_nothing_to_choose_from(shape: tuple[int, int]) -> None:
    assert deviation_of(np.ones(shape)) is None


def test_what_all_rows_or_all_files_share_is_no_luck() -> None:
    values = np.linspace(0, 1, 40) + np.array([[0.0], [0.3], [0.1]])
    assert deviation_of(values) == 0.0


def test_the_largest_of_many_is_that_of_the_tables() -> None:
    """Harter (1961), "Expected values of normal order statistics", table 1."""
    known = {2: 0.56419, 3: 0.84628, 5: 1.16296, 10: 1.53875, 50: 2.24907, 100: 2.50759}
    for number, mean in known.items():
        assert expected_largest(number) == pytest.approx(mean, abs=1e-5)


@pytest.mark.parametrize(("files", "teams"), [(5, 300)])
def test_the_line_is_what_choosing_flatters(files: int, teams: int) -> None:
    """Teams of equal tries; `benchmarks.believable` has more."""
    dice = np.random.default_rng(1)
    gaps, lines = [], []
    for _ in range(teams):
        values = dice.normal(1, 0.4, size=100) + dice.normal(0, 0.3, size=(files, 100))
        # Every file is worth 1; what its rows share with the others flatters none of them.
        gaps.append(values.mean(axis=1).max() - values.mean())
        lines.append(best_of(deviation_of(values), files=files, rows=100))
    assert np.mean(lines) / np.mean(gaps) == pytest.approx(1, abs=0.1)


def test_a_gap_is_told_in_standard_errors() -> None:
    # sqrt(0.04 / 50 + 0.04 / 50) = 0.04
    assert gap_in_errors(0.2, 0.04, 0.2, rows=50, other_rows=50) == 4
    assert gap_in_errors(0.2, 0.04, 0.0, rows=50, other_rows=50) is None

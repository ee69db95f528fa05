"""Flipped signs: by hand, against all flips there are, and by simulation."""

from itertools import product

import numpy as np
import pytest

from scoring.statistics import ERROR_RATE, RESAMPLES
from scoring.statistics.pairs import Difference, MeanSpread, paired, spread


def of(values: list[float], seed: int = 0) -> MeanSpread:
    found = spread(values, seed)
    assert found is not None
    return found


def test_the_share_of_flips_is_that_of_all_there_are() -> None:
    values = [0.4, 0.1, -0.2, 0.3, 0.3, -0.1, 0.2, 0.25, 0.0, -0.05]
    flips = np.array(list(product((1, -1), repeat=len(values))))
    far = np.abs(flips @ values) >= abs(sum(values)) - 1e-12
    assert of(values).p == pytest.approx(far.mean(), abs=0.01)


@pytest.mark.parametrize("rows", range(2, 9))
def test_all_signs_flipped_at_once_count(rows: int) -> None:
    """Differences of one sign: of the 2^rows flips two, none and all, move the mean as far."""
    found = of([0.1 + row / 100 for row in range(rows)])
    share = 2 / 2**rows
    assert found.p == pytest.approx(share, abs=4 * (share / RESAMPLES) ** 0.5)
    if rows < 6:  # 2/2^5 is more than 5 %: no value can be rejected
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low > 0


def compared(differences: list[float], seed: int = 0) -> Difference:
    rows = range(len(differences))
    return paired(dict(zip(rows, differences, strict=True)), dict.fromkeys(rows, 0.0), seed=seed)


@pytest.mark.parametrize("differing", range(8))
@pytest.mark.parametrize("rows", [20, 250])
def test_over_few_rows_that_differ_no_interval_is_claimed(rows: int, differing: int) -> None:
    """Else 0 would be its end: as if one file were never better on other rows."""
    differences = [0.0] * (rows - differing) + [-0.3 - row / 100 for row in range(differing)]
    found = compared(differences, seed=1)
    assert (found.rows, found.differing) == (rows, differing)
    if differing < 6:
        assert (found.low, found.high, found.distinguishable) == (None, None, False)
        assert found.p > ERROR_RATE
    else:
        assert found.low is not None
        assert (found.high < 0) == found.distinguishable is True


def test_what_differs_by_rounding_alone_is_equal() -> None:
    found = compared([1e-16] * 30)
    assert (found.differing, found.low, found.high, found.p) == (0, None, None, 1.0)
    assert not found.distinguishable


def rejected(values: list[float], at: float) -> bool:
    """The test itself, at another value than 0."""
    return of([value - at for value in values]).p <= ERROR_RATE


def test_the_interval_holds_just_what_the_test_does_not_reject() -> None:
    values = (np.random.default_rng(5).gamma(2, size=40) / 10 - 0.15).tolist()
    found = of(values)
    for end, outwards in ((found.low, -1e-9), (found.high, 1e-9)):
        assert not rejected(values, end - outwards)
        assert rejected(values, end + outwards)


@pytest.mark.parametrize("seed", range(20))
def test_p_and_interval_agree(seed: int) -> None:
    """Whole thousandths, of which many flips give the very same mean."""
    dice = np.random.default_rng(seed)
    found = of((dice.integers(-3, 5, size=25) / 10).tolist())
    assert (found.p <= ERROR_RATE) == (found.low > 0 or found.high < 0)


def test_equal_files_are_not_different_and_steady_gains_are() -> None:
    assert of([0.0] * 30) == MeanSpread(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    steady = of([0.3] * 30)
    assert (steady.low, steady.high) == (pytest.approx(0.3), pytest.approx(0.3))
    assert steady.p == 1 / (RESAMPLES + 1)


def test_order_and_direction_do_not_matter() -> None:
    values = np.random.default_rng(1).normal(0.1, 0.3, size=31).tolist()
    found, turned = of(values), of([-value for value in values[::-1]])
    assert turned.mean == -found.mean
    assert [turned.low, turned.high] == [-(end or 0) for end in (found.high, found.low)]
    assert turned.p == found.p
    assert of(values[::-1]) == found

"""How far a team's best total is flattered by choosing it among several.

All of it in points, from the rows of one split. The lines guide, they do not bound: a team that
learns from each answer can climb past them.
"""

import math
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_NORMAL = NormalDist()
_WIDTH, _POINTS = 1 / 16, 160  # of the integral, and how many to each side of 0


def deviation_of(values: NDArray[np.floating]) -> float | None:
    """How far a row's total differs between the files of one team (files x rows, in points).

    Less what rows and files share. None with fewer than two files or two rows: there was nothing
    to choose from.

    >>> deviation_of(np.array([[0.5, 0.7, 0.6], [0.6, 0.8, 0.7]]))  # better by the same in each row
    0.0
    """
    files, rows = values.shape
    if files < 2 or rows < 2:
        return None
    known = values.astype(np.float64)
    rest = known - known.mean(axis=0) - known.mean(axis=1)[:, None] + known.mean()
    deviation = math.sqrt(float((rest**2).sum()) / ((files - 1) * (rows - 1)))
    return 0.0 if deviation < 1e-12 * float(np.abs(known).max(initial=0.0)) else deviation


def best_of(deviation: float, *, files: int, rows: int) -> float:
    """By how much the best of so many independent tries is expected to be flattered, in points.

    >>> round(best_of(0.3, files=12, rows=250), 4)
    0.0309
    """
    return deviation * expected_largest(files) / math.sqrt(rows)


@cache
def expected_largest(number: int) -> float:
    """The mean of the largest of so many independent standard normal numbers.

    The trapezoid rule over its density: exact to 1e-9 up to a million of them. The values of 2 and
    5 are those of Harter (1961), "Expected values of normal order statistics".

    >>> round(expected_largest(1), 4), round(expected_largest(2), 4), round(expected_largest(5), 4)
    (0.0, 0.5642, 1.163)
    """
    points = (place * _WIDTH for place in range(-_POINTS, _POINTS + 1))
    return _WIDTH * math.fsum(
        x * number * _NORMAL.pdf(x) * _NORMAL.cdf(x) ** (number - 1) for x in points
    )


def gap_in_errors(
    gap: float, usual_gap: float, deviation: float, *, rows: int, other_rows: int
) -> float | None:
    """How unusual the gap between a file's totals of two splits is, in standard errors.

    gap, usual_gap: of this file and the median of the field. deviation: as `deviation_of`
    has it. None if the files of the team do not differ.

    >>> gap_in_errors(0.13, 0.05, 0.2, rows=200, other_rows=200)
    4.0
    """
    if deviation == 0:
        return None
    error = deviation * math.sqrt(1 / rows + 1 / other_rows)
    return round((gap - usual_gap) / error, 12)

"""Rounding as JavaScript writes it, which is not Python's."""

import math

_EPSILON = 2.0**-52


def round2(value: float) -> float:
    """Two decimals, halves up: `Math.round((x + Number.EPSILON) * 100) / 100` of Mastra.

    >>> round2(1 / 8), round(1 / 8, 2)
    (0.13, 0.12)
    >>> round2(0.285), round(0.285, 2)
    (0.29, 0.28)
    """
    return math.floor((value + _EPSILON) * 100 + 0.5) / 100

"""How often the first of a contest would be first on half of its rows, drawn at random."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.ranking import printed

DRAWS = 50


@dataclass(frozen=True)
class Halves:
    """times: of these draws, how often each file had the best printed total of all."""

    draws: int
    times: tuple[int, ...]
    signature: str


def first_in_halves(values: NDArray[np.floating], *, seed: int, draws: int = DRAWS) -> Halves:
    """Each time half of the rows are drawn, the same ones for all files. Who shares the best total
    is first, too.

    values: files x rows, the totals of rows in points of the board, none missing. ValueError
    without a file or with fewer than two rows.

    >>> first_in_halves(np.array([[0.9] * 4, [0.1] * 4]), seed=1).times
    (50, 0)
    """
    files, rows = values.shape
    if not files or rows < 2:
        raise ValueError("halves need at least one file and two rows")
    dice = np.random.default_rng(seed)
    times = np.zeros(files, dtype=np.int64)
    for _ in range(draws):
        half = np.sort(dice.permutation(rows)[: rows // 2])
        # Row by row, so that the sum does not depend on the processor or its library.
        means = np.zeros(files)
        for row in half:
            means += values[:, row]
        totals = np.array([printed(total) for total in (means / len(half)).tolist()])
        times += totals == totals.max()
    signature = f"halves:first|B:{draws}|seed:{seed:08x}|rows:{rows}|v:1"
    return Halves(draws, tuple(times.tolist()), signature)

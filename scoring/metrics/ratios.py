"""Row values as the fractions that they are: half the bytes of what a compressor makes of floats.

An F1 is 2·matches / (tokens of both), so numerator and denominator are small; how it was computed
may leave it some units in the last place beside their quotient, which is kept as well.
"""

import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

MOST = 0xFFFF  # of a numerator or denominator
_STEPS = 24  # of a continued fraction; the longest of denominators up to MOST
_BESIDE = 8  # units in the last place between a value and its fraction

Floats = NDArray[np.float64]


def packed(values: Floats) -> bytes | None:
    """Values 0..1 of any shape as bytes to keep; None where one of them is no such fraction.

    >>> unpacked(packed(np.array([0.0, 2 / 3, 0.25, 1.0])), 4)
    array([0.        , 0.66666667, 0.25      , 1.        ])
    >>> packed(np.array([0.5 ** 0.5])) is None
    True
    """
    values = values.astype(np.float64).reshape(-1)
    if not np.all((values >= 0) & (values <= 1)):
        return None
    found = np.zeros_like(values), np.ones_like(values), np.zeros(values.shape, dtype=np.int64)
    top, bottom, missing = found  # units in the last place
    wanted = values > 0
    for numerator, denominator in _convergents(np.where(wanted, values, 1.0)):
        with np.errstate(all="ignore"):
            off = values.view(np.int64) - (numerator / denominator).view(np.int64)
        fits = (numerator <= MOST) & (denominator <= MOST)
        hit = wanted & fits & (np.abs(off) <= _BESIDE)
        for kept, new in zip(found, (numerator, denominator, off), strict=True):
            kept[hit] = new[hit]
        wanted &= ~hit
        if not wanted.any():
            break
    if not np.array_equal((top / bottom).view(np.int64) + missing, values.view(np.int64)):
        return None
    numbers = np.concatenate([top, bottom]).astype(np.uint16)
    # Each half of each column by itself: what is alike stands together.
    halves = [(numbers >> 8).astype("u1"), (numbers & 0xFF).astype("u1")]
    parts = (*halves, missing.astype("i1"))
    return zlib.compress(b"".join(part.tobytes() for part in parts), 9)


def unpacked(data: bytes, count: int) -> Floats:
    """The values of `packed`, one after the other. ValueError for other bytes."""
    try:
        parts = np.frombuffer(zlib.decompress(data), dtype="u1")
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(parts) != 5 * count:
        raise ValueError("another number of values")
    numbers = parts[: 2 * count].astype(np.uint16) << 8 | parts[2 * count : 4 * count]
    quotients: Floats = numbers[:count] / np.maximum(numbers[count:], 1).astype(np.float64)
    beside = parts[4 * count :].view("i1").astype(np.int64)
    values: Floats = (quotients.view(np.int64) + beside).view(np.float64)
    return values


def _convergents(values: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Numerators and denominators of the continued fraction of each value, the next nearer each.

    The first that is as near as a value's last places is the value's: no other fraction of
    denominators up to MOST is.
    """
    rest = values
    last, before = (
        (np.ones_like(rest), np.zeros_like(rest)),
        (np.zeros_like(rest), np.ones_like(rest)),
    )
    for _ in range(_STEPS):
        whole = np.floor(rest)
        numerator, denominator = (
            whole * now + then for now, then in zip(last, before, strict=True)
        )
        yield numerator, denominator
        before, last = last, (numerator, denominator)
        with np.errstate(all="ignore"):
            rest = 1.0 / (rest - whole)
        rest = np.where(np.isfinite(rest), rest, 1.0)  # of one that has come to its end

"""Positions of many 64-bit keys at once: a table of guesses before a binary search.

Most keys are settled by the guess, which is several times faster: no processor predicts the
branches of a binary search.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

UNKNOWN = -1

# 2**64 divided by the golden ratio: Knuth's multiplicative hashing, the top bits are the place.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Lookup:
    """Sorted distinct keys and where each stands.

    guesses: a power of two of them, four to eight per key. Where a key hashes to stands its
    position, or that of another key that hashes there too; UNKNOWN says that none does.
    """

    keys: Ints
    guesses: NDArray[Any]

    @classmethod
    def of(cls, keys: Ints) -> Self:
        """Index sorted distinct keys.

        >>> Lookup.of(np.array([10, 20])).find(np.array([20, 30, 10])).tolist()
        [1, -1, 0]
        """
        size = 1 << (4 * len(keys)).bit_length()
        guesses = np.full(size, UNKNOWN, dtype=np.int16 if len(keys) < 2**15 else np.int32)
        guesses[_place(keys, size)] = np.arange(len(keys))
        return cls(keys, guesses)

    def find(self, wanted: Ints) -> Ints:
        """Position of each wanted key, UNKNOWN where it is no key."""
        if not len(self.keys):
            return np.full(len(wanted), UNKNOWN)
        found = self.guesses.take(_place(wanted, len(self.guesses))).astype(np.int64)
        wrong = np.flatnonzero(self.keys.take(found) != wanted)
        unsettled = wrong.compress(found.take(wrong) != UNKNOWN)
        found[wrong] = UNKNOWN
        rest = wanted.take(unsettled)
        place = np.searchsorted(self.keys, rest).clip(max=len(self.keys) - 1)
        found[unsettled] = np.where(self.keys.take(place) == rest, place, UNKNOWN)
        return found


def _place(keys: Ints, size: int) -> Ints:
    """Where a key hashes to, of `size` places."""
    shift = np.uint64(65 - size.bit_length())
    hashed: Ints = ((keys.view(np.uint64) * _MULTIPLIER) >> shift).view(np.int64)
    return hashed

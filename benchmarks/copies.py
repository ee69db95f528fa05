"""Copies among ten thousand files: what is found, and what that costs.

Families of files share a quarter of their rows, as teams that started from one checkpoint may; a
copy takes 60 % of another file. All copies are to be found, and nothing else.
"""

import time
from collections.abc import Sequence

import numpy as np

from scoring.insight.copies import Pair, hash_rows, similar

SEED = 20260101
SHARED, COPIED = 0.25, 0.60


def planted_copies(
    files: int, rows: int, families: int, copies: int, seed: int = SEED
) -> tuple[Sequence[Pair], set[tuple[int, int]]]:
    """The pairs that are found, and those that were planted."""
    dice = np.random.default_rng(seed)
    every = dice.integers(1, 2**63, size=(files, rows), dtype=np.uint64)
    for family in np.array_split(np.arange(files), families):
        places = dice.choice(rows, int(SHARED * rows), replace=False)
        every[np.ix_(family, places)] = every[family[0], places]
    planted = set()
    for source, copy in dice.choice(files, (copies, 2), replace=False).tolist():
        places = dice.choice(rows, int(COPIED * rows), replace=False)
        every[copy, places] = every[source, places]
        planted.add((min(source, copy), max(source, copy)))
    return similar(range(files), list(every)), planted


def main() -> None:
    """Three seeds of the full size, and what hashing a file costs."""
    for seed in range(SEED, SEED + 3):
        began = time.process_time()
        found, planted = planted_copies(10_000, 500, 200, 20, seed)
        seconds = time.process_time() - began
        right = {(pair.first, pair.second) for pair in found}
        print(
            f"10,000 files x 500 rows: planted {len(planted)}, found {len(right & planted)}, "
            f"else {len(right - planted)}, smallest share {min(pair.share for pair in found):.2f}, "
            f"{seconds:.1f} s of a processor with the making of the files"
        )
    texts = {f"row_{number}": f"민수는 {number}시에 지우를 만나기로 한다." for number in range(500)}
    began = time.process_time()
    for _ in range(20):
        hash_rows(texts, list(texts))
    print(f"hashes of 500 rows: {1000 * (time.process_time() - began) / 20:.1f} ms")


if __name__ == "__main__":
    main()

"""Which rows are judged where judging all costs too much: drawn once, the same for everybody."""

import itertools
import random
from collections.abc import Mapping


def draw(lengths: Mapping[str, int], size: int, *, seed: int) -> frozenset[str]:
    """`size` ids out of these, short and long dialogues alike. lengths: characters by id.

    The ids are sorted by length and cut into as many equal stretches as rows are wanted; one row
    is drawn of each. The seed stays secret: who knows the rows could write for them alone.

    >>> sorted(draw({"a": 1, "b": 2, "c": 30, "d": 40}, 2, seed=1) & {"a", "b"}) in (["a"], ["b"])
    True
    """
    ordered = sorted(lengths, key=lambda each: (lengths[each], each))
    if size >= len(ordered):
        return frozenset(ordered)
    chance = random.Random(seed)  # noqa: S311  (a stored seed, so that it can be drawn again)
    ends = [place * len(ordered) // size for place in range(size + 1)]
    return frozenset(
        ordered[chance.randrange(start, end)] for start, end in itertools.pairwise(ends)
    )


def share(size: int, rows: int, of: int) -> int:
    """How many of a sample of `size` fall on one board with `rows` of all `of` rows; at least one.

    >>> share(100, 250, 500), share(100, 1, 500)
    (50, 1)
    """
    return min(rows, max(1, round(size * rows / max(1, of)))) if rows else 0

"""Totals by kind of dialogue: by its turns, its length and its topic, one at a time.

A small group tells of single rows, and a hidden one follows from the total; so a group below the
minimum is joined to its neighbour. A total of few rows is never told without its standard error.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FEWEST = 30  # rows of a group on each split
OTHERS = "others"  # topics with fewer rows, together
LENGTHS = ("short", "medium", "long")  # thirds, by characters without spaces
_TURNS = (("1–8", 8), ("9–14", 14))
_MORE_TURNS = "15+"

Splits = Mapping[str, NDArray[np.intp]]
"""The rows of each split by their places in the set."""


class DialogueSize(NamedTuple):
    """Of one row: turns are lines that say something, length is characters without spaces."""

    turns: int
    length: int


class RowGroup(NamedTuple):
    """Rows that are alike. `names`: of the groups that were joined to it, in their order."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


class Slice(NamedTuple):
    """What a file reaches on the rows of a group in one split."""

    split: str
    rows: int
    total: float
    error: float


def size_of(text: str) -> DialogueSize:
    """How large a dialogue is.

    >>> size_of("가: 안녕\\n나: 응\\n")
    DialogueSize(turns=2, length=7)
    """
    turns = sum(bool(line.strip()) for line in text.splitlines())
    return DialogueSize(turns, len("".join(text.split())))


def groups(
    topics: Sequence[str | None], sizes: Sequence[DialogueSize] | None, splits: Splits
) -> dict[str, list[RowGroup]]:
    """The groups of each dimension that has two or more. sizes: None where dialogues are missing.

    >>> found = groups(["날씨"] * 40 + ["여행"] * 35, None, {"all": np.arange(75)})
    >>> [(group.names, len(group.rows)) for group in found["topic"]]
    [(('날씨',), 40), (('여행',), 35)]
    """
    places = [frozenset(rows.tolist()) for rows in splits.values() if len(rows)]
    kinds = {"topic": _by_topic(topics, places)}
    if sizes:
        kinds = {"turns": _by_turns(sizes), "length": _by_length(sizes)} | kinds
    joined = {by: _joined(found, places) for by, found in kinds.items()}
    return {by: found for by, found in joined.items() if len(found) > 1}


def slices(totals: NDArray[np.float64], group: RowGroup, splits: Splits) -> list[Slice]:
    """A file's totals of rows on this group, in each split.

    >>> slices(np.array([1.0, 2.0, 3.0]), RowGroup(("a",), (0, 2)), {"all": np.arange(3)})
    [Slice(split='all', rows=2, total=2.0, error=1.0)]
    """
    found = []
    for split, places in splits.items():
        own = totals[np.intersect1d(places, group.rows)]
        if len(own) > 1:
            error = float(own.std(ddof=1)) / math.sqrt(len(own))
            found.append(Slice(split, len(own), float(own.mean()), error))
    return found


def _by_turns(sizes: Sequence[DialogueSize]) -> list[RowGroup]:
    names = [*(name for name, _ in _TURNS), _MORE_TURNS]
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, size in enumerate(sizes):
        fits = (name for name, most in _TURNS if size.turns <= most)
        rows[next(fits, _MORE_TURNS)].append(row)
    return _named(rows)


def _by_length(sizes: Sequence[DialogueSize]) -> list[RowGroup]:
    ascending = sorted(size.length for size in sizes)
    medium, long = (ascending[len(ascending) * third // 3] for third in (1, 2))
    rows: dict[str, list[int]] = {name: [] for name in LENGTHS}
    for row, size in enumerate(sizes):
        rows[LENGTHS[(size.length >= medium) + (size.length >= long)]].append(row)
    return _named(rows)


def _by_topic(topics: Sequence[str | None], splits: Sequence[frozenset[int]]) -> list[RowGroup]:
    """Topics have no order, so the small ones are each other's neighbours."""
    known = {topic for topic in topics if topic}
    for split in splits:
        counted = Counter(topics[row] for row in split)
        known = {topic for topic in known if counted[topic] >= FEWEST}
    rows: dict[str, list[int]] = {topic: [] for topic in [*sorted(known), OTHERS]}
    for row, topic in enumerate(topics):
        rows[topic if topic in known and topic else OTHERS].append(row)
    return _named(rows)


def _named(rows: Mapping[str, Sequence[int]]) -> list[RowGroup]:
    return [RowGroup((name,), tuple(own)) for name, own in rows.items() if own]


def _joined(found: Sequence[RowGroup], splits: Sequence[frozenset[int]]) -> list[RowGroup]:
    """The same groups, each too small one joined to the next, the last one to the one before."""

    def is_small(group: RowGroup) -> bool:
        return any(len(split.intersection(group.rows)) < FEWEST for split in splits)

    joined: list[RowGroup] = []
    for group in found:
        joined.append(group)
        if len(joined) > 1 and is_small(joined[-2]):
            joined[-2:] = [_both(*joined[-2:])]
    if len(joined) > 1 and is_small(joined[-1]):
        joined[-2:] = [_both(*joined[-2:])]
    return joined


def _both(one: RowGroup, other: RowGroup) -> RowGroup:
    return RowGroup(one.names + other.names, one.rows + other.rows)

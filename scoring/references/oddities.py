"""What an organizer should look at in a set of golds before using it. Holds ids, never a text."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from scoring.references import ReferenceRow, References

# Of each finding so many are named; the count tells how many there are.
SHOWN = 20
SHIFTED = 8  # so many more rows of a stretch fit a neighbor than fit their own place


def oddities(references: References) -> dict[str, Any]:
    """Look at a whole set: lengths in characters, and what may be a mistake.

    usual: how many golds most rows have. fewer: rows with fewer. shifted: see `shifted`.
    repeated: rows that hold one gold twice. shared: rows that have a gold in common.
    duplicates: rows whose golds are all the same. long, short: rows with a gold far from the usual
    length. Each with how often it was found, and the first places: an id, or ids joined by ` = `.

    >>> both = [ReferenceRow(name, ("가",)) for name in "ab"]
    >>> oddities(References.from_examples(both))["shared"]
    {'count': 1, 'shown': ['a = b']}
    """
    rows = references.examples
    lengths = np.array([len(gold) for row in rows for gold in row.references])
    low, middle, high = np.quantile(lengths, [0.25, 0.5, 0.75])
    counts = Counter(len(row.references) for row in rows)
    usual = max(counts, key=lambda size: (counts[size], size))
    far = max(high + 3 * (high - low), 2 * middle)
    return {
        "golds": len(lengths),
        "shortest": int(lengths.min()),
        "middle": round(float(middle)),
        "longest": int(lengths.max()),
        "usual": usual,
        "fewer": _odd(row.example_id for row in rows if len(row.references) < usual),
        "shifted": _odd(shifted(rows)),
        "repeated": _odd(
            row.example_id for row in rows if len({*row.references}) < len(row.references)
        ),
        "shared": _odd(_groups(rows, whole=False)),
        "duplicates": _odd(_groups(rows, whole=True)),
        "long": _odd(row.example_id for row in rows if max(map(len, row.references)) > far),
        "short": _odd(row.example_id for row in rows if min(map(len, row.references)) < middle / 4),
    }


def _groups(rows: Sequence[ReferenceRow], *, whole: bool) -> list[str]:
    """Rows that hold the same gold, or all the same golds, in the order of the set."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        golds = sorted(set(row.references))
        for key in [tuple(golds)] if whole else [(gold,) for gold in golds]:
            found[key].append(row.example_id)
    return list(dict.fromkeys(" = ".join(ids) for ids in found.values() if len(ids) > 1))


def shifted(rows: Sequence[ReferenceRow]) -> list[str]:
    """Stretches of rows where one gold fits the golds of a neighboring row better than its own.

    A file of several that lacks a line has one from there to its end. Words are compared by their
    first two characters, which Korean particles leave alone.
    """
    columns = range(max(len(row.references) for row in rows))
    leans: dict[tuple[int, int], list[int]] = defaultdict(list)
    words = ([{word[:2] for word in gold.split()} for gold in row.references] for row in rows)
    for (earlier, here), (_, later) in pairwise(pairwise(chain([[]], words, [[]]))):
        for column in columns:
            own = _fit(here, column, here)
            for step, other in ((-1, earlier), (1, later)):
                leans[column, step].append(1 if _fit(here, column, other) > own else -1)
    found: list[tuple[int, int]] = []
    for first, last in sorted(chain.from_iterable(map(_stretches, leans.values()))):
        if found and first <= found[-1][1]:  # what its golds fit instead is shifted as well
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return [f"{rows[first].example_id} – {rows[last].example_id}" for first, last in found]


def _fit(here: list[set[str]], column: int, other: list[set[str]]) -> float:
    """How alike this row's gold in the column and the other golds of a row are, from 0 to 1."""
    if column >= len(here):
        return 0.0
    gold = here[column]
    rest = set[str]().union(*other[:column], *other[column + 1 :])
    return len(gold & rest) / (len(gold) + len(rest) or 1)


def _stretches(leans: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last places of runs in which +1 outnumbers -1 by `SHIFTED` or more."""
    first = last = total = most = 0
    for at, lean in enumerate([*leans, -len(leans) - 1]):
        total += lean
        if total > most:
            most, last = total, at
        if total <= 0:
            if most >= SHIFTED:
                yield first, last
            first, total, most = at + 1, 0, 0


def _odd(found: Iterable[str]) -> dict[str, Any]:
    listed = list(found)
    return {"count": len(listed), "shown": listed[:SHOWN]}

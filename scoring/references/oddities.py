"""What an organizer should look at in a set of golds before using it. Holds ids, never a text."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scoring.references import ReferenceRow, References

# Of each finding so many are named; the count tells how many there are.
SHOWN = 20
ENOUGH = 3  # golds of a row: fewer make the best of them more a matter of luck


def oddities(references: References) -> dict[str, Any]:
    """Look at a whole set: lengths in characters, and what may be a mistake.

    usual: how many golds most rows have. fewer: rows with fewer. few: rows with fewer than ENOUGH.
    repeated: rows that hold one gold twice. shared: rows that have a gold in common. duplicates:
    rows whose golds are all the same. long, short: rows with a gold far from the usual length.
    Each with how often it was found, and the first places: an id, or ids joined by ` = `.

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
        "few": _odd(row.example_id for row in rows if len(row.references) < ENOUGH),
        "repeated": _odd(row.example_id for row in rows if _repeats(row)),
        "shared": _odd(_groups(rows, whole=False)),
        "duplicates": _odd(_groups(rows, whole=True)),
        "long": _odd(row.example_id for row in rows if max(map(len, row.references)) > far),
        "short": _odd(row.example_id for row in rows if min(map(len, row.references)) < middle / 4),
    }


def _repeats(row: ReferenceRow) -> bool:
    return len(set(row.references)) < len(row.references)


def _groups(rows: Sequence[ReferenceRow], *, whole: bool) -> list[str]:
    """Rows that hold the same gold, or all the same golds, in the order of the set."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in rows:
        golds = sorted(set(row.references))
        for key in [tuple(golds)] if whole else [(gold,) for gold in golds]:
            found[key].append(row.example_id)
    return list(dict.fromkeys(" = ".join(ids) for ids in found.values() if len(ids) > 1))


def _odd(found: Iterable[str]) -> dict[str, Any]:
    listed = list(found)
    return {"count": len(listed), "shown": listed[:SHOWN]}

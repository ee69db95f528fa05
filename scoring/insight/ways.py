"""Files of a contest scored in other ways: does the order hang on one choice?

By each reference alone, and by analyzers that every machine has. And the noise of the board where
references are drawn anew as well as rows: other people might have written them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.comparison import row_totals
from scoring.pipeline import PreparedReferences, only_total, prepare, score
from scoring.ranking import printed, ranks
from scoring.statistics.agreement import kendall_tau_b

FIRST = 100  # files, from the best one down
ANALYZERS = ("mecab-ko", "chars", "whitespace")  # those that need no Java
DRAWS = 2_000
_LINES = 50  # draws at a time

Values = NDArray[np.float64]
Texts = Callable[[str], Mapping[str, str]]
Tokens = Callable[[str], dict[str, tuple[str, ...]]]


def _nothing(_name: str) -> dict[str, tuple[str, ...]]:
    return {}


def by_references(
    names: Sequence[str], texts_of: Texts, prepared: PreparedReferences, known_of: Tokens = _nothing
) -> list[Values]:
    """For each reference alone the values of the files: files x rows x metrics of the total.

    A row with fewer references lends its last. known_of: tokens of a file's texts that were kept.
    """
    counted = only_total(prepared)
    alone = [_alone(counted, slot) for slot in range(prepared.references.ngolds[1])]
    found: list[list[Values]] = [[] for _ in alone]
    for name in names:
        known, given = known_of(name), texts_of(name)
        for values, one in zip(found, alone, strict=True):
            values.append(score(given, one, known=known).examples)
    return [np.stack(values) for values in found]


def by_analyzer(
    names: Sequence[str], texts_of: Texts, prepared: PreparedReferences, analyzer: str
) -> Values:
    """The same of all references under another analyzer."""
    other = prepare(prepared.references, prepared.profile.with_tokenizer(analyzer).with_beside(()))
    return np.stack([score(texts_of(name), other).examples for name in names])


def _alone(prepared: PreparedReferences, slot: int) -> PreparedReferences:
    blocks = []
    for kinds in prepared.blocks:
        [block] = kinds  # of the metrics of the total, which are of one class
        last = block.present.sum(axis=1) - 1
        present = np.zeros_like(block.present)
        present[np.arange(len(present)), np.minimum(slot, last)] = True
        blocks.append((replace(block, present=present),))
    return replace(prepared, blocks=tuple(blocks))


def noise_of_both(alone: Sequence[Values], prepared: PreparedReferences, *, seed: int) -> float:
    """What the largest difference of two files exceeds by chance in 5 % of the draws, in points.

    alone: as `by_references` has it, of the rows that count. In each draw every drawn row has as
    many references as there are, drawn from them with repetition.
    """
    slots = range(len(alone))
    kinds = list(combinations_with_replacement(slots, len(alone)))
    # How many orders of drawing give the same references.
    often = np.array([_orders(kind) for kind in kinds], dtype=float)
    often /= often.sum()
    totals = np.stack([_drawn_totals(kind, alone, prepared) for kind in kinds])
    files, rows = totals.shape[1:]
    flat = totals.transpose(1, 2, 0).reshape(files, rows * len(kinds))
    usual = (totals * often[:, None, None]).sum(axis=0).mean(axis=1)
    dice = np.random.default_rng(seed)
    largest = np.empty(DRAWS)
    for start in range(0, DRAWS, _LINES):
        lines = min(_LINES, DRAWS - start)
        places = dice.integers(rows, size=(lines, rows)) * len(kinds)
        places += dice.choice(len(kinds), size=(lines, rows), p=often)
        for line, chosen in enumerate(places):
            moved = flat[:, chosen].mean(axis=1) - usual
            largest[start + line] = moved.max() - moved.min()
    quantile = float(np.quantile(largest, 0.95, method="higher"))
    return math.ceil(round(quantile * 1000, 3)) / 1000


def _orders(kind: Sequence[int]) -> int:
    found = math.factorial(len(kind))
    for slot in set(kind):
        found //= math.factorial(kind.count(slot))
    return found


def _drawn_totals(
    kind: Sequence[int], alone: Sequence[Values], prepared: PreparedReferences
) -> Values:
    """Totals of rows (files x rows) where a row's references are these."""
    given = np.stack([alone[slot] for slot in kind])
    chosen = given.max(axis=0) if prepared.profile.gold_aggregation == "max" else given.mean(axis=0)
    return np.stack([row_totals(file, prepared.profile) for file in chosen])


def order_of(values: Values, prepared: PreparedReferences, rows: NDArray[np.intp]) -> list[int]:
    """The printed total of each file over these rows."""
    profile = prepared.profile
    found = []
    for file in values:
        means = [math.fsum(column[rows].tolist()) / len(rows) for column in file.T]
        found.append(printed(profile.total(means)))
    return found


def tau(ours: Sequence[int], theirs: Sequence[int]) -> float | None:
    """Kendall's τ-b of two lists of totals; None where one of them has no order.

    >>> tau([3, 2, 1], [3, 2, 1]), tau([3, 2, 1], [1, 2, 3]), tau([3, 2, 1], [1, 1, 1])
    (1.0, -1.0, None)
    """
    found = float(kendall_tau_b(ours, theirs, np.ones((1, len(ours))))[0])
    return None if math.isnan(found) else found


class OrderChange(NamedTuple):
    """first_stays: whether a first file is a first one, too. most: ranks gained or lost by one.

    tau: 1 where the order is the same; None where one side has no order.
    """

    first_stays: bool
    most: int
    tau: float | None


def moves(ours: Sequence[int], theirs: Sequence[int]) -> OrderChange:
    """From one list of totals to another of the same files.

    >>> moves([30, 20, 10], [20, 30, 10])
    OrderChange(first_stays=False, most=1, tau=0.3333333333333333)
    """
    pairs = list(zip(ranks(ours), ranks(theirs), strict=True))
    first_stays = any(before == after == 1 for before, after in pairs)
    most = max(abs(before - after) for before, after in pairs)
    return OrderChange(first_stays, most, tau(ours, theirs))

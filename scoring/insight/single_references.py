"""Does the order of files hang on one of several references? They are scored by each one alone."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.pipeline import PreparedReferences, only_total, score
from scoring.ranking import printed, ranks
from scoring.statistics.agreement import kendall_tau_b

Values = NDArray[np.float64]
File = tuple[Mapping[str, str], dict[str, tuple[str, ...]]]
"""Texts by row, and the tokens of those that were kept."""


class OrderChange(NamedTuple):
    """first_stays: whether a first file is a first one, too. most: ranks gained or lost by one.

    tau: 1 where the order is the same; None where one side has no order.
    """

    first_stays: bool
    most: int
    tau: float | None


def order_changes(
    files: Iterable[File], values: Values, prepared: PreparedReferences, rows: NDArray[np.intp]
) -> list[OrderChange]:
    """What becomes of the files' order over these rows under each reference alone.

    values: as all references gave them, files x rows x metrics of the total.
    """
    ours = _order(values, prepared, rows)
    alone = by_references(files, prepared)
    return [changes(ours, _order(each, prepared, rows)) for each in alone]


def by_references(files: Iterable[File], prepared: PreparedReferences) -> list[Values]:
    """For each reference alone the values of the files: files x rows x metrics of the total.

    A row with fewer references lends its last.
    """
    counted = only_total(prepared)
    alone = [_alone(counted, slot) for slot in range(prepared.references.ngolds[1])]
    found: list[list[Values]] = [[] for _ in alone]
    for texts, known in files:
        for values, one in zip(found, alone, strict=True):
            values.append(score(texts, one, known=known).examples)
    return [np.stack(values) for values in found]


def _alone(prepared: PreparedReferences, slot: int) -> PreparedReferences:
    blocks = []
    for kinds in prepared.blocks:
        [block] = kinds  # of the metrics of the total, which are of one class
        last = block.present.sum(axis=1) - 1
        present = np.zeros_like(block.present)
        present[np.arange(len(present)), np.minimum(slot, last)] = True
        blocks.append((replace(block, present=present),))
    return replace(prepared, blocks=tuple(blocks))


def _order(values: Values, prepared: PreparedReferences, rows: NDArray[np.intp]) -> list[int]:
    """The printed total of each file over these rows."""
    means = ([math.fsum(column[rows].tolist()) / len(rows) for column in file.T] for file in values)
    return [printed(prepared.profile.total(of_file)) for of_file in means]


def changes(ours: Sequence[int], theirs: Sequence[int]) -> OrderChange:
    """From one list of totals to another of the same files.

    >>> changes([30, 20, 10], [20, 30, 10])
    OrderChange(first_stays=False, most=1, tau=0.3333333333333333)
    >>> changes([3, 2, 1], [1, 1, 1]).tau
    """
    pairs = list(zip(ranks(ours), ranks(theirs), strict=True))
    first_stays = any(before == after == 1 for before, after in pairs)
    most = max(abs(before - after) for before, after in pairs)
    tau = float(kendall_tau_b(ours, theirs, np.ones((1, len(ours))))[0])
    return OrderChange(first_stays, most, None if math.isnan(tau) else tau)

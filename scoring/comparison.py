"""Files against each other, row by row: the only way to say that one is better."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.pipeline import PreparedReferences, Report
from scoring.profile import Profile
from scoring.statistics.method import seed_of
from scoring.statistics.pairs import Difference, pair_signature, paired


class ComparedNumber(NamedTuple):
    """One number of both files on one split; `difference` is the second minus the first."""

    split: str
    name: str
    first: float
    second: float
    difference: Difference


class Comparison(NamedTuple):
    """The totals of every split, that of all rows first, then each metric over all rows.

    signature: how the intervals were made; the numbers have that of the reports.
    """

    numbers: tuple[ComparedNumber, ...]
    signature: str


def row_totals(examples: NDArray[np.floating], profile: Profile) -> NDArray[np.float64]:
    """The total of each row, in points, from its metrics (rows x metrics) in the profile's order.

    >>> row_totals(np.array([[0.5, 0.25, 0.5]]), Profile())
    array([1.25])
    """
    counted = len(profile.counting)
    divisor = counted if profile.metric_aggregation == "mean" else 1
    added: NDArray[np.float64] = examples[:, :counted].sum(axis=1, dtype=np.float64)
    return added / divisor * profile.scale


def compare(first: Report, second: Report, prepared: PreparedReferences) -> Comparison:
    """Two files on the rows of every split.

    Both reports are of these references and their profile; otherwise ValueError.
    """
    _check([first, second], prepared)
    profile, seed = prepared.profile, seed_of(prepared.references.sha256)
    before, after = (
        np.column_stack([row_totals(report.examples, profile), report.examples])
        for report in (first, second)
    )

    def difference(column: int, rows: NDArray[np.intp]) -> Difference:
        one, other = (dict(zip(rows, side[rows, column], strict=True)) for side in (before, after))
        return paired(other, one, seed=seed)

    numbers = []
    for split, (_, rows) in prepared.splits.items():
        one, other = (report.splits[split].total for report in (first, second))
        numbers.append(ComparedNumber(split, "total", one, other, difference(0, rows)))
    _, every = prepared.splits["all"]
    for column, metric in enumerate(profile.metrics, start=1):
        one, other = (report.splits["all"].metrics[metric] for report in (first, second))
        numbers.append(ComparedNumber("all", metric, one, other, difference(column, every)))
    return Comparison(tuple(numbers), pair_signature(seed, len(every)))


def _check(reports: Sequence[Report], prepared: PreparedReferences) -> None:
    if any(report.signature != prepared.signature for report in reports):
        raise ValueError("reports of different golds or profiles cannot be compared")

"""Files against each other, row by row: the only way to say that one is better."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.command_line.output import line
from scoring.messages import Language, _, say
from scoring.pipeline import PreparedReferences, Report, row_totals
from scoring.ranking import as_printed
from scoring.statistics import seed_of
from scoring.statistics.pairs import Difference, pair_signature, paired

# By the sign of the second minus the first.
VERDICTS = {
    -1: _("The first file is better."),
    0: _("The two files cannot be told apart."),
    1: _("The second file is better."),
}
_OF_TOTAL = ("difference", "low", "high", "p", "differing", "distinguishable")


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


def compare(first: Report, second: Report, prepared: PreparedReferences) -> Comparison:
    """Two files on the rows of every split.

    Both reports are of these references and their profile; otherwise ValueError.
    """
    if any(report.signature != prepared.signature for report in (first, second)):
        raise ValueError("reports of different golds or profiles cannot be compared")
    profile, seed = prepared.profile, seed_of(prepared.references.sha256)
    before, after = (
        np.column_stack([row_totals(report.examples, profile), report.examples])
        for report in (first, second)
    )

    def difference(column: int, rows: NDArray[np.intp]) -> Difference:
        one, other = (dict(zip(rows, side[rows, column], strict=True)) for side in (before, after))
        return paired(other, one, seed=seed)

    numbers = []
    for split, (_signature, rows) in prepared.splits.items():
        one, other = (report.splits[split].total for report in (first, second))
        numbers.append(ComparedNumber(split, "total", one, other, difference(0, rows)))
    every = prepared.splits["all"][1]
    for column, metric in enumerate(profile.metrics, start=1):
        one, other = (report.splits["all"].metrics[metric] for report in (first, second))
        numbers.append(ComparedNumber("all", metric, one, other, difference(column, every)))
    return Comparison(tuple(numbers), pair_signature(seed, len(every)))


def text(names: Sequence[str], found: Comparison, signature: str, language: Language) -> str:
    """Both files' numbers, the second minus the first, and the interval of that difference."""
    first, second = names
    lines = [f"A = {first}", f"B = {second}", line(["A", "B", "B - A"], "")]
    for one in found.numbers:
        label = f"{one.split} {one.name} ({one.difference.rows:,})"
        cells = [as_printed(one.first), as_printed(one.second), f"{one.second - one.first:+.4f}"]
        low, high = one.difference.low, one.difference.high
        interval = "–" if low is None or high is None else f"[{low:+.4f}, {high:+.4f}]"
        lines.append(line(cells, f"{interval}  {label}"))
    said = say(language, VERDICTS[found.numbers[0].difference.sign])
    return "\n".join([*lines, said, found.signature, signature])


def described(
    names: Sequence[str], found: Comparison, first: Report, gold_sha256: str
) -> dict[str, Any]:
    """The object of `compare --json`, unrounded; low, high and p are null with too few rows,
    low and high also where too few of them differ.

    The first lines are of the totals over all rows, which stand in `splits` again.
    """
    splits: dict[str, Any] = {
        name: {"rows": split.rows, "signature": split.signature}
        for name, split in first.splits.items()
    }
    for one in found.numbers:
        splits[one.split][one.name] = {
            "first": one.first,
            "second": one.second,
            "difference": one.second - one.first,
            "low": one.difference.low,
            "high": one.difference.high,
            "p": one.difference.p,
            "differing": one.difference.differing,
            "distinguishable": one.difference.distinguishable,
        }
    total = splits["all"]["total"]
    return {
        **{name: total[name] for name in _OF_TOTAL},
        "rows": first.rows,
        "signature": first.signature,
        "test": found.signature,
        "gold_sha256": gold_sha256,
        "files": names,
        "splits": splits,
    }

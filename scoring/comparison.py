"""Two files against each other, row by row: the only way to say that one is better."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.pipeline import Report
from scoring.profile import Profile
from scoring.references import References
from scoring.statistics import CONFIDENCE, RESAMPLES, Difference, paired

SEED = 0
# Stands beside the signature of the numbers: how their interval was made.
METHOD = f"paired bootstrap over rows, percentiles, {RESAMPLES} resamples, seed {SEED}"
PERCENT = round(100 * CONFIDENCE)


@dataclass(frozen=True)
class ComparedNumber:
    """One number of both files on one split; `difference` is the second minus the first."""

    split: str
    name: str
    first: float
    second: float
    difference: Difference


def compare(
    first: Report, second: Report, references: References, profile: Profile
) -> tuple[ComparedNumber, ...]:
    """The totals of every split, then each metric over all rows.

    Both reports are of these golds under this profile; otherwise ValueError.
    """
    if first.signature != second.signature:
        raise ValueError("reports of different golds or profiles cannot be compared")
    ours, theirs = (
        {
            example_id: [profile.total(tuple(values)), *values]
            for example_id, values in zip(report.example_ids, report.examples.tolist(), strict=True)
        }
        for report in (first, second)
    )

    def difference(place: int, ids: Sequence[str]) -> Difference:
        one, other = ({row: values[row][place] for row in ids} for values in (ours, theirs))
        return paired(other, one, seed=SEED)

    compared = []
    for split, report in first.splits.items():
        ids = [row.example_id for row in references.examples if split in ("all", row.split)]
        total = second.splits[split].total
        compared.append(ComparedNumber(split, "total", report.total, total, difference(0, ids)))
    before, after = (report.splits["all"].metrics for report in (first, second))
    for place, metric in enumerate(profile.metrics, start=1):
        found = difference(place, references.ids)
        compared.append(ComparedNumber("all", metric, before[metric], after[metric], found))
    return tuple(compared)

"""Does the profile say what the rules say? Every gold, submitted as a prediction."""

from dataclasses import dataclass

from scoring.pipeline import PreparedReferences, Progress, score


@dataclass(frozen=True)
class GoldCheck:
    """What a contest's golds would score themselves, for the organizer.

    totals: over all rows, with each row's first gold as the prediction, then its second, …; a row
    with fewer golds lends its last. Under `max` each is the full mark (short of it only where a
    gold is too short for an n-gram), under `mean` the distance tells how much golds differ.
    """

    totals: tuple[float, ...]
    mean: float
    full_mark: float


def check_golds(prepared: PreparedReferences, progress: Progress | None = None) -> GoldCheck:
    """Score every gold as a prediction against the whole set."""
    rows = prepared.references.examples
    totals = []
    for slot in range(prepared.references.ngolds[1]):
        texts = {row.example_id: row.references[min(slot, len(row.references) - 1)] for row in rows}
        totals.append(score(texts, prepared, progress).splits["all"].total)
    return GoldCheck(tuple(totals), sum(totals) / len(totals), prepared.profile.full_mark)

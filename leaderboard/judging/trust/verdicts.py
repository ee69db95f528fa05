"""What the judge said of single items and rows, by the names that people's labels use."""

from collections.abc import Iterator, Mapping
from typing import Any

from leaderboard.judging.models import JudgeConfig, Judgment
from leaderboard.judging.trust.agreement_report import JudgedItems
from scoring.judges.labels import METRICS

# Which metric's items hold the verdicts of a kind of label.
ITEMS_OF = {
    "claim": "alignment",
    "question": "coverage",
    "content": "completeness",
    "adherence": "adherence",
}
COUNTED = ("scored", "content_failed")


def judged(config: JudgeConfig) -> JudgedItems:
    """Every verdict and score under this config, after the check of evidence. One query."""
    verdicts: dict[tuple[str, str, str, str], bool] = {}
    scores: dict[str, dict[tuple[str, str], float]] = {metric: {} for metric in METRICS}
    rows = Judgment.objects.filter(judging__config=config)
    for submission, example_id, results in rows.values_list(
        "judging__submission", "example_id", "results"
    ).iterator():
        place = (str(submission), example_id)
        for kind, item_id, verdict in items_of(results):
            verdicts[(*place, kind, item_id)] = verdict
        for metric in METRICS:
            score = score_of(results, metric)
            if score is not None:
                scores[metric][place] = score
    return JudgedItems(verdicts, scores)


def items_of(results: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """(kind, item, verdict) of everything that one row was asked, from its kept results."""
    for kind, metric in ITEMS_OF.items():
        items = (results.get(metric) or {}).get("items")
        if isinstance(items, dict):
            for item_id, verdict in items.items():
                # Contents stand under their rubric: "r0-1/k2"; their own ids are enough.
                yield kind, str(item_id).rpartition("/")[2], bool(verdict)


def score_of(results: Mapping[str, Any], metric: str) -> float | None:
    """The row's score of a metric, as a column's mean counts it; None: it is in no mean."""
    found = results.get(metric) or {}
    score = found.get("score")
    return float(score) if found.get("status") in COUNTED and score is not None else None


def judged_places(config: JudgeConfig) -> tuple[list[str], list[str]]:
    """The ids of the judged submissions, and of the examples that were judged."""
    rows = Judgment.objects.filter(judging__config=config).order_by()
    submissions = rows.values_list("judging__submission", flat=True).distinct()
    return [str(one) for one in submissions], list(
        rows.values_list("example_id", flat=True).distinct()
    )

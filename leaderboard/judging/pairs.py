"""Two submissions under one config, row by row: the only way to say that one is better.

Two intervals that overlap say nothing; the differences of the rows that both have do.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import Any
from uuid import UUID

from django.db.models.fields.json import KT

from leaderboard.judging.columns import METRICS
from leaderboard.judging.models import JudgeConfig, Judging, Judgment
from leaderboard.judging.plan import planned_ids
from scoring import statistics
from scoring.judges.records import Status
from scoring.statistics import Difference

# Statuses with which a row is in a mean.
COUNTED = (Status.SCORED, Status.CONTENT_FAILED)


@dataclass(frozen=True)
class PairedMetric:
    """One metric on the rows where both have a score: both means there, the second minus the first.

    `difference.rows` says how many rows those are.
    """

    metric: str
    before: float
    after: float
    difference: Difference


@dataclass(frozen=True)
class Paired:
    """What two submissions have in common on one board. `is_partial`: one is still judged."""

    is_partial: bool
    metrics: tuple[PairedMetric, ...]


def paired(config: JudgeConfig, board: str, before: UUID, after: UUID) -> Paired | None:
    """Both under this config on this board; None unless they have a score of one row in common.

    Only rows that are judged under the live golds count, as in the columns.
    """
    found = Judgment.objects.filter(
        judging__config=config, judging__board=board, judging__submission__in=(before, after)
    )
    results: dict[UUID, dict[str, dict[str, Any]]] = {before: {}, after: {}}
    is_partial = False
    for submission, state, example_id, result in found.values_list(
        "judging__submission", "judging__state", "example_id", "results"
    ):
        results[submission][example_id] = result
        is_partial |= state != Judging.State.COMPLETE
    if not results[before] or not results[after]:
        return None
    ids = planned_ids(config, board)
    first, second = (_scores(results[side], ids) for side in (before, after))
    metrics = [_metric(name, first[name], second[name]) for name in _names(first, second)]
    kept = tuple(metric for metric in metrics if metric is not None)
    return Paired(is_partial, kept) if kept else None


def row_scores(
    config: JudgeConfig, board: str, metric: str, submissions: Collection[UUID]
) -> dict[UUID, dict[str, float]]:
    """Each submission's score of one metric by row, of the rows that are in its mean."""
    found = Judgment.objects.filter(
        judging__config=config, judging__board=board, judging__submission__in=submissions
    ).values_list(
        "judging__submission",
        "example_id",
        KT(f"results__{metric}__status"),
        KT(f"results__{metric}__score"),
    )
    planned = set(planned_ids(config, board))
    scores: dict[UUID, dict[str, float]] = {each: {} for each in submissions}
    for submission, example_id, status, score in found:
        if example_id in planned and status in COUNTED and score is not None:
            scores[submission][example_id] = float(score)
    return scores


def difference(before: Mapping[str, float], after: Mapping[str, float]) -> Difference:
    """The second minus the first on the rows that both have."""
    return _difference(_common(before, after))


def _scores(results: Mapping[str, dict[str, Any]], ids: list[str]) -> dict[str, dict[str, float]]:
    """Scores by metric and row, of the rows that are in its mean."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for example_id in ids:
        for name, result in results.get(example_id, {}).items():
            if result["status"] in COUNTED and result["score"] is not None:
                found[name][example_id] = result["score"]
    return found


def _names(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """The columns' metrics that both have; without any, those of the one system that was run.

    The same answers counted as published systems count them would repeat what the columns say, and
    each further comparison is one more chance of a difference that is none.
    """
    both = first.keys() & second.keys()
    return [name for name in METRICS if name in both] or sorted(both)


def _metric(
    name: str, first: Mapping[str, float], second: Mapping[str, float]
) -> PairedMetric | None:
    common = _common(first, second)
    if not common:
        return None
    return PairedMetric(
        metric=name,
        before=fsum(one for one, _ in common) / len(common),
        after=fsum(other for _, other in common) / len(common),
        difference=_difference(common),
    )


def _common(
    first: Mapping[str, float], second: Mapping[str, float]
) -> tuple[tuple[float, float], ...]:
    return tuple((first[row], second[row]) for row in first if row in second)


@lru_cache(maxsize=64)
def _difference(common: tuple[tuple[float, float], ...]) -> Difference:
    """The resampling takes some time, and a page's other pages ask for the same again."""
    first = {str(place): one for place, (one, _) in enumerate(common)}
    second = {str(place): other for place, (_, other) in enumerate(common)}
    return statistics.paired(second, first)

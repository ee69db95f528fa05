"""Column values: derived from the rows, recomputed with each chunk, read by boards."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from leaderboard.judging.board import UNSURE
from leaderboard.judging.models import ColumnValue, Judging, Judgment
from leaderboard.judging.plan import Items, board_ids, items, rows_of
from scoring.judges import rows
from scoring.judges.records import RowResult, Status

ALIGNMENT = "alignment"
# The native metric that has a value for the same dialogues as a system has.
_LIKE = {
    "google-accuracy": ALIGNMENT,
    "google-adherence": "adherence",
    "google-completeness": "completeness",
}


def of(judging: Judging) -> list[ColumnValue]:
    """The values of every metric of the rows as they are now, unsaved.

    A planned row that is not judged yet is waited for, unless nothing is asked about its dialogue
    under that metric.
    """
    found = Judgment.objects.filter(judging=judging).values_list("example_id", "results")
    results: dict[str, dict[str, Any]] = dict(found)
    ids, asked = rows_of(judging), items(judging.config)
    config = judging.config
    population = len(board_ids(config, judging.board)) if config.sample_rows else None
    names = sorted({name for each in results.values() for name in each})
    found_rows = {name: _rows(name, results, ids, asked) for name in names}
    if ALIGNMENT in found_rows:
        found_rows[UNSURE] = _unsure(results, ids)
    values = []
    for name, each in found_rows.items():
        column = rows.column(each, population=population)
        values.append(
            ColumnValue(
                judging=judging,
                metric=name,
                mean=column.mean,
                scored=column.rows,
                rows=column.expected,
                low=column.low,
                high=column.high,
            )
        )
    return values


def _unsure(results: Mapping[str, Mapping[str, Any]], ids: Collection[str]) -> Iterable[RowResult]:
    """Of each row's claims, the share that the judge could not settle; none without a claim."""
    for example_id in ids:
        found = results.get(example_id, {}).get(ALIGNMENT)
        if found is None:
            yield RowResult(UNSURE, Status.PENDING, None)
        elif found["status"] not in (Status.SCORED, Status.CONTENT_FAILED):
            yield RowResult(UNSURE, Status(found["status"]), None)
        elif found["denominator"] and found["status"] == Status.SCORED:
            yield RowResult(UNSURE, Status.SCORED, found["unsure"] / found["denominator"])
        else:
            yield RowResult(UNSURE, Status.NOT_APPLICABLE, None)


def _rows(
    name: str,
    results: Mapping[str, Mapping[str, Any]],
    ids: Collection[str],
    asked: Mapping[str, Items],
) -> Iterable[RowResult]:
    for example_id in ids:
        found = results.get(example_id, {}).get(name)
        if found is not None:
            yield RowResult(name, Status(found["status"]), found["score"])
            continue
        applies = _LIKE.get(name, name) in asked[example_id].metrics or name in _ALWAYS
        yield RowResult(name, Status.PENDING if applies else Status.NOT_APPLICABLE, None)


# Published systems give a number, 0 at worst, where we say that nothing was asked.
_ALWAYS = frozenset({"mastra", "mastra-legacy", "mastra-2026", "deepeval"})


def replace(judging: Judging, values: Collection[ColumnValue]) -> None:
    """Write them over the ones before, in the caller's transaction."""
    ColumnValue.objects.filter(judging=judging).exclude(
        metric__in=[value.metric for value in values]
    ).delete()
    ColumnValue.objects.bulk_create(
        values,
        update_conflicts=True,
        unique_fields=["judging", "metric"],
        update_fields=["mean", "scored", "rows", "low", "high"],
        batch_size=500,
    )

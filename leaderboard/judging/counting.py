"""From a walked row to its results: our own metrics, and the systems' beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from leaderboard.judging.asking.replies import UnusableAnswer
from leaderboard.judging.asking.walk import Walk
from leaderboard.judging.models import JudgeConfig
from scoring.judges import derived, evidence, majority, native, systems
from scoring.judges.evidence import LengthLimit
from scoring.judges.failures import Refusal
from scoring.judges.records import Asked, RowResult, Status
from scoring.judges.rows import RowScores

# The metrics that a lost call takes along; see `scoring.judges.records.Returned.stopped`.
_METRICS_OF = {
    "P1": ("alignment",),
    "P2": ("alignment",),
    "P3": ("coverage", "completeness"),
    "P4": ("adherence",),
}
# The row's own status: the first of these that any metric has.
_WORST = (
    Status.INFRA_ERROR,
    Status.PENDING,
    Status.SKIPPED_BUDGET,
    Status.SOURCE_BLOCKED,
    Status.CONTENT_FAILED,
    Status.SCORED,
    Status.NOT_SAMPLED,
    Status.NOT_APPLICABLE,
)
# Statuses with which a row is in a mean.
COUNTED = (Status.SCORED, Status.CONTENT_FAILED)
# What a model does when it will not speak, rather than speaks badly.
DECLINED = "declined"


@dataclass(frozen=True)
class CountedRow:
    """What is kept of a row: results by metric or system, the row's status, flags."""

    status: str
    results: dict[str, Any]
    flags: list[str]


def length_limit(config: JudgeConfig) -> LengthLimit:
    """The gate of this config."""
    return LengthLimit(config.longest_summary, config.longest_share)


def count(config: JudgeConfig, walk: Walk) -> CountedRow:
    """Count a row whose calls are over, or that no call is made for."""
    if walk.pipeline.family == "shared":
        walk.values = majority.merged(walk.pipeline, walk.values)
        scores = _native(config, walk)
        results = {name: result.to_dict() for name, result in scores.metrics.items()}
        results |= _systems(config, walk, scores)
        flags = list(scores.flags)
    else:
        results, flags = _systems(config, walk), []
    flags += [code for _, code in walk.stopped.values()]
    if UnusableAnswer.DECLINED & set(flags):
        flags.append(DECLINED)
    statuses = {each["status"] for each in results.values()}
    status = next(each for each in _WORST if each in statuses)
    return CountedRow(status.value, results, list(dict.fromkeys(flags)))


def blocked(results: Mapping[str, Any]) -> dict[str, Any]:
    """The results of a row whose dialogue judges will not speak about: nobody's score."""
    return {
        name: RowResult(name, Status.SOURCE_BLOCKED, None).to_dict()
        if each["status"] != Status.NOT_APPLICABLE
        else each
        for name, each in results.items()
    }


def _native(config: JudgeConfig, walk: Walk) -> RowScores:
    values = walk.values
    returned = native.returned(
        {field: values.get(name) for field, name in derived.NATIVE_LISTS.items()}
    )
    stopped = _asked_only(dict(returned.stopped) | _stopped(walk), values["asked"])
    return native.score(
        values["summary"],
        values["dialogue"],
        values["asked"],
        replace(returned, stopped=stopped),
        length_limit(config),
    )


def _stopped(walk: Walk) -> dict[str, Status]:
    """Of each metric that a call was lost for, the worst that happened to any of its samples."""
    found: dict[str, list[Status]] = {}
    for call in walk.pipeline.calls:
        if call.id in walk.stopped:
            for metric in _METRICS_OF.get(call.kind, ()):
                found.setdefault(metric, []).append(walk.stopped[call.id][0])
    return {metric: min(those, key=_WORST.index) for metric, those in found.items()}


def _asked_only(stopped: Mapping[str, Status], asked: Asked) -> dict[str, Status]:
    """A lost call is no loss to a metric that it asked nothing for."""
    applies = {
        "alignment": True,
        "coverage": bool(asked.questions),
        "completeness": any(asked.completeness.values()),
        "adherence": bool(asked.adherence),
    }
    return {metric: status for metric, status in stopped.items() if applies[metric]}


def _systems(config: JudgeConfig, walk: Walk, scores: RowScores | None = None) -> dict[str, Any]:
    """The published systems' numbers; where their code would fail, the row scores 0.

    From the answers of `shared` evidence is checked as in our own scores.
    """
    lost = _barred(config, walk) or _lost(walk)
    if lost is not None:
        return {name: _system(lost) for name in walk.pipeline.systems}
    values = derived.proved(walk.values, scores.metrics) if scores else walk.values
    records = derived.records(walk.pipeline, values)
    return {name: _scored(name, each, config.language) for name, each in records.items()}


def _barred(config: JudgeConfig, walk: Walk) -> Status | None:
    gate = evidence.gate(walk.values["summary"], walk.values["dialogue"], length_limit(config))
    if gate is None:
        return None
    return Status.CONTENT_FAILED if gate == evidence.TOO_LONG else Status.SCORED


def _lost(walk: Walk) -> Status | None:
    statuses = {status for status, _ in walk.stopped.values()}
    return next((each for each in _WORST if each in statuses), None)


def mean_score(result: Mapping[str, Any] | None) -> float | None:
    """The score of a kept result as a column's mean counts it; None: it is in no mean."""
    if result is None or result["status"] not in COUNTED or result["score"] is None:
        return None
    return float(result["score"])


def _system(status: Status, score: float | None = 0.0, **parts: Any) -> dict[str, Any]:
    return {"status": status.value, "score": score if status in COUNTED else None, "parts": parts}


def _scored(name: str, records: Any, language: str) -> dict[str, Any]:
    try:
        result = systems.score(name, records, "en" if language == "en" else "ko")
    except Refusal:
        return _system(Status.CONTENT_FAILED)
    score = result.pop("score")
    # Lists repeat the answers, which are stored once for all.
    parts = {key: value for key, value in result.items() if not isinstance(value, list)}
    if score is None:
        return _system(Status.NOT_APPLICABLE, **parts)
    return _system(Status.SCORED, score, **parts)

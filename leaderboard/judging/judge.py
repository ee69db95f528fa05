"""The rows of one judging: which are open, what is asked, how it is counted, their means."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from leaderboard.judging import signs
from leaderboard.judging.asking import claim as claims
from leaderboard.judging.asking.budget import Payer
from leaderboard.judging.asking.claim import Claimed
from leaderboard.judging.asking.replies import UnusableAnswer
from leaderboard.judging.asking.walk import Walk
from leaderboard.judging.board import UNSURE
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judging, Judgment
from leaderboard.judging.plan import Items, board_ids, dialogues, items, rows_of
from scoring.judges import derived, evidence, majority, native, rows, systems
from scoring.judges.evidence import LengthLimit
from scoring.judges.parsing import Refusal
from scoring.judges.pipelines import PIPELINES
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


def length_limit(config: JudgeConfig) -> LengthLimit:
    return LengthLimit(config.longest_summary, config.longest_share)


def count(config: JudgeConfig, walk: Walk) -> Judgment:
    """Count a row whose calls are over, or that no call is made for; unsaved, of no judging yet."""
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
    status = min((Status(each["status"]) for each in results.values()), key=_WORST.index)
    return Judgment(
        example_id=walk.example_id,
        status=status.value,
        results=results,
        flags=list(dict.fromkeys(flags)),
        call_keys={call: each.key for call, each in walk.answers.items()},
    )


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
    """The published systems' numbers; where their code would fail, the row scores 0."""
    lost = {status for status, _ in walk.stopped.values()}
    gate = evidence.gate(walk.values["summary"], walk.values["dialogue"], length_limit(config))
    if gate is not None:
        lost = {Status.CONTENT_FAILED if gate == evidence.TOO_LONG else Status.SCORED}
    if lost:
        status = min(lost, key=_WORST.index)
        return {name: _system(status) for name in walk.pipeline.systems}
    values = derived.proved(walk.values, scores.metrics) if scores else walk.values
    records = derived.records(walk.pipeline, values)
    return {name: _scored(name, each) for name, each in records.items()}


def mean_score(result: Mapping[str, Any] | None) -> float | None:
    """The score of a kept result as a column's mean counts it; None: it is in no mean."""
    if result is None or result["status"] not in COUNTED or result["score"] is None:
        return None
    return float(result["score"])


def _system(status: Status, score: float | None = 0.0, **parts: Any) -> dict[str, Any]:
    return {"status": status.value, "score": score if status in COUNTED else None, "parts": parts}


def _scored(name: str, records: Any) -> dict[str, Any]:
    try:
        result = systems.score(name, records)
    except Refusal:
        return _system(Status.CONTENT_FAILED)
    score = result.pop("score")
    # Lists repeat the answers, which are stored once for all.
    parts = {key: value for key, value in result.items() if not isinstance(value, list)}
    if score is None:
        return _system(Status.NOT_APPLICABLE, **parts)
    return _system(Status.SCORED, score, **parts)


# Statuses with which a row will be taken up again.
OPEN = (Status.PENDING, Status.INFRA_ERROR, Status.SKIPPED_BUDGET)


class JudgingWork:
    """See `chunk.Work`. Reads everything that the rows need once."""

    def __init__(self, claim: Claimed) -> None:
        rows = Judging.objects.select_related(
            "config__competition", "config__dialogue_set", "submission__team"
        )
        self.judging = rows.get(pk=claim.pk)
        self.claim, self.config = claim, self.judging.config
        self.payer = Payer(self.config, claim.owner, self.judging, self.judging.submission.team_id)
        self.texts = rows_of(self.judging)
        self.dialogues = dialogues(self.config, self.texts.keys())
        self.items = items(self.config)
        self.affected: set[UUID] = set()  # other judgings whose rows changed
        self._blocked = set(
            Judgment.objects.filter(
                judging__config=self.config, status=Status.SOURCE_BLOCKED
            ).values_list("example_id", flat=True)
        )

    def walks(self) -> Iterator[Walk]:
        known = dict(self.judging.judgments.values_list("example_id", "status"))
        fresh = [each for each in self.texts if each not in known]
        unanswered = [each for each in self.texts if known.get(each) in OPEN]
        for example_id in (*fresh, *unanswered):
            yield self._walk(example_id)

    def _walk(self, example_id: str) -> Walk:
        summary, dialogue = self.texts[example_id], self.dialogues[example_id]
        scope = ""
        if not self.config.is_shared:
            scope = f"{self.judging.pk}:{self.judging.round}:{example_id}"
        walk = Walk(
            example_id,
            PIPELINES[self.config.pipeline],
            self.items[example_id].given(summary=summary, dialogue=dialogue, **self._options),
            scope,
        )
        is_barred = evidence.gate(summary, dialogue, length_limit(self.config)) is not None
        if is_barred or example_id in self._blocked:
            walk.over.update(call.id for call in walk.pipeline.calls)
        return walk

    @property
    def _options(self) -> dict[str, str]:
        """What Google's own graph is told of the section; a text has one there."""
        section = self.config.sections.exclude(kind="prebuilt").first()
        if section is None or self.config.is_shared:
            return {}
        return {"section": section.name, "instruction": section.instruction, "kind": section.kind}

    def prepare(self, walks: Sequence[Walk]) -> list[Judgment]:
        return [self._counted(walk) for walk in walks]

    def _counted(self, walk: Walk) -> Judgment:
        is_blocked = walk.example_id in self._blocked
        if is_blocked:
            for call in walk.pipeline.calls:
                walk.stop(call, Status.SOURCE_BLOCKED, Status.SOURCE_BLOCKED.value)
        found = count(self.config, walk)
        found.judging = self.judging
        found.flags += signs.row_flags(walk.values)
        if is_blocked:
            found.status, found.results = Status.SOURCE_BLOCKED.value, blocked(found.results)
        return found

    def save(self, prepared: Sequence[Judgment]) -> None:
        """Keep rows and progress in the chunk's transaction. Raises JudgingLost."""
        Judgment.objects.bulk_create(
            prepared,
            update_conflicts=True,
            unique_fields=["judging", "example_id"],
            update_fields=["status", "results", "flags", "call_keys"],
            batch_size=500,
        )
        for each in prepared:
            if DECLINED in each.flags:
                self._block_if_others_met_it(each.example_id)
        claims.write(self.claim, rows=len(self.texts), rows_done=self.done())

    def done(self) -> int:
        rows = self.judging.judgments.filter(example_id__in=self.texts)
        return rows.exclude(status__in=OPEN).count()

    def _block_if_others_met_it(self, example_id: str) -> None:
        """A dialogue that most judged teams, two at least, got a refusal for counts for nobody."""
        rows = list(
            Judgment.objects.filter(
                judging__config=self.config, example_id=example_id
            ).select_related("judging__submission")
        )
        asked = [row for row in rows if row.call_keys or DECLINED in row.flags]
        teams = {row.judging.submission.team_id for row in asked}
        declined = {row.judging.submission.team_id for row in asked if DECLINED in row.flags}
        if len(declined) < 2 or 2 * len(declined) <= len(teams):
            return
        for row in rows:
            row.status, row.results = Status.SOURCE_BLOCKED.value, blocked(row.results)
            self.affected.add(row.judging_id)
        Judgment.objects.bulk_update(rows, ["status", "results"], batch_size=500)
        self._blocked.add(example_id)


ALIGNMENT = "alignment"
# The native metric that has a value for the same dialogues as a system has.
_LIKE = {
    "google-accuracy": ALIGNMENT,
    "google-adherence": "adherence",
    "google-completeness": "completeness",
}


def column_values(judging: Judging) -> list[ColumnValue]:
    """The unsaved values of every metric; a row that can have one is waited for."""
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


def replace_values(judging: Judging, values: Collection[ColumnValue]) -> None:
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

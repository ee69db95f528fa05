"""What a judge said, item by item, and what of it people are given to label."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.judging import plan
from leaderboard.judging.asking import store
from leaderboard.judging.models import JudgeConfig, Judging, Judgment
from leaderboard.judging.plan import Items, dialogues, items, planned_ids
from leaderboard.judging.trust.agreement_report import JudgedItems
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.judges import walking
from scoring.judges.labels import METRICS, ROW, is_name
from scoring.judges.pipelines import PIPELINES

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


CLAIMS = next(call for call in PIPELINES["shared"].calls if call.id == "P1")


@dataclass(frozen=True)
class ToLabel:
    """One line for a person: an item or a whole row, what it says, and what to hold it against."""

    example_id: str
    submission: str
    kind: str
    item_id: str
    text: str
    summary: str
    dialogue: str


def judged_submissions(config: JudgeConfig, boards: Collection[str]) -> QuerySet[Submission]:
    """Those with judged rows on these boards, complete or not, newest first."""
    judgings = Judging.objects.filter(config=config, board__in=boards, rows_done__gt=0)
    found = Submission.objects.filter(pk__in=judgings.values("submission"))
    return found.select_related("team").order_by("-received_at", "pk")


def drawn(
    config: JudgeConfig, *, submissions: Collection[UUID], boards: Collection[str], number: int
) -> list[str]:
    """The ids of `number` dialogues of these boards, in the order of the golds.

    Drawn over the dialogues' lengths by the config's seed, out of those judged for one of the
    submissions at least: the same ones as long as no other row is judged.
    """
    planned = [example_id for board in boards for example_id in planned_ids(config, board)]
    rows = _judgments(config, submissions, boards).filter(status__in=COUNTED)
    there = set(rows.values_list("example_id", flat=True).distinct())
    spoken = dialogues(config, there & set(planned))
    lengths = {each: len(spoken[each]) for each in planned if each in spoken}
    chosen = plan.draw(lengths, number, seed=config.sample_seed)
    return [each for each in lengths if each in chosen]


def to_label(
    config: JudgeConfig,
    *,
    submissions: Collection[UUID],
    boards: Collection[str],
    example_ids: Sequence[str],
) -> list[ToLabel]:
    """Everything of these rows that labels could be compared with.

    Dialogue by dialogue, then submission by submission, the row itself last.
    """
    rows = _judgments(config, submissions, boards).filter(example_id__in=example_ids)
    spoken, asked = dialogues(config, example_ids), items(config)
    summaries = {str(each): texts(each) for each in submissions}
    found: dict[tuple[str, str], list[ToLabel]] = {}
    for row in _read(rows):
        example_id, submission = row.example_id, str(row.submission)
        summary = summaries[submission].get(example_id, "")
        # Where golds moved a row to the other board it was judged twice: the same answers.
        found[example_id, submission] = [
            ToLabel(example_id, submission, *item, summary, spoken[example_id])
            for item in _items(row, asked[example_id])
        ]
    order = [(example_id, each) for example_id in example_ids for each in sorted(summaries)]
    return [line for place in order for line in found.get(place, ())]


def _judgments(
    config: JudgeConfig, submissions: Collection[UUID], boards: Collection[str]
) -> QuerySet[Judgment]:
    rows = Judgment.objects.filter(judging__config=config, judging__board__in=boards)
    return rows.filter(judging__submission__in=submissions)


@dataclass(frozen=True)
class _Row:
    submission: UUID
    example_id: str
    results: Mapping[str, Any]
    claims: Mapping[str, str]


def _read(rows: QuerySet[Judgment]) -> Iterator[_Row]:
    """The rows with their claims by id. Two queries."""
    wanted = ("judging__submission", "example_id", "results", "call_keys")
    kept = list(rows.order_by("judging__board", "pk").values_list(*wanted))
    stored = store.found(keys[CLAIMS.id] for *_, keys in kept if CLAIMS.id in keys)
    for submission, example_id, results, keys in kept:
        answer = stored.get(keys.get(CLAIMS.id, ""))
        yield _Row(submission, example_id, results, _claims(answer.answer) if answer else {})


def _claims(answer: Mapping[str, Any]) -> dict[str, str]:
    """The claims under the ids that we gave them, not those that the model made up."""
    claims = walking.with_answer({}, CLAIMS, answer)[f"{CLAIMS.id}.claims"]
    return {claim["id"]: claim["point"] for claim in claims}


def _items(row: _Row, asked: Items) -> Iterator[tuple[str, str, str]]:
    """(kind, item, text) of what has a verdict and a text; the row, where it has a score."""
    written = {
        "claim": row.claims,
        "question": {each.id: each.question for each in asked.questions},
        "content": {each.id: each.transcript_content for each in asked.contents},
        "adherence": {
            each.id: each.question or _allowed(each.allowed_values) for each in asked.rubrics
        },
    }
    for kind, item_id, _ in items_of(row.results):
        text = written[kind].get(item_id, "")
        if text and is_name(item_id):
            yield kind, item_id, text
    if score_of(row.results, METRICS[0]) is not None:
        yield ROW, METRICS[0], ""


def _allowed(values: Sequence[str]) -> str:
    """What a section with fixed values asks: to be one of them.

    >>> _allowed(["맑음", "흐림"])
    '맑음 / 흐림'
    """
    return " / ".join(values)

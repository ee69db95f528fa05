"""What a judge said, item by item, and the file in which people label it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.exports import csv_file
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import Viewer, may_see_other_columns
from leaderboard.contest_file.everything import plain
from leaderboard.judging import plan
from leaderboard.judging.agreement_report import JudgedItems
from leaderboard.judging.asking.walk import stored_calls
from leaderboard.judging.judge import COUNTED, mean_score
from leaderboard.judging.models import JudgeConfig, Judging, Judgment, StoredCall
from leaderboard.judging.plan import Items, dialogues, items, planned_ids
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts_by_submission
from scoring.characters import nfc
from scoring.judges import walking
from scoring.judges.labels import LIMITS, LONGEST, METRICS, MOST_ROWS, ROW, is_name
from scoring.judges.pipelines import PIPELINES

# Which metric's items hold the verdicts of a kind of label.
ITEMS_OF = {
    "claim": "alignment",
    "question": "coverage",
    "content": "completeness",
    "adherence": "adherence",
}
CLAIMS = next(call for call in PIPELINES["shared"].calls if call.id == "P1")
COLUMNS = ("example_id", "submission", "kind", "item_id", "rater", "label")
TO_READ = ("text", "summary", "dialogue")  # the upload does not look at them
# Of what the upload takes; the rest is for labels and for how spreadsheets write.
ROOM = 0.9


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
            score = mean_score(results.get(metric))
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


def judged_places(config: JudgeConfig) -> tuple[list[str], list[str]]:
    rows = Judgment.objects.filter(judging__config=config).order_by()
    submissions = rows.values_list("judging__submission", flat=True).distinct()
    return [str(one) for one in submissions], list(
        rows.values_list("example_id", flat=True).distinct()
    )


def judged_submissions(config: JudgeConfig, boards: Collection[str]) -> QuerySet[Submission]:
    judgings = Judging.objects.filter(config=config, board__in=boards, rows_done__gt=0)
    found = Submission.objects.filter(pk__in=judgings.values("submission"))
    return found.select_related("team").order_by("-received_at", "pk")


def drawn(
    config: JudgeConfig, *, submissions: Collection[UUID], boards: Collection[str], number: int
) -> list[str]:
    """`number` judged dialogues of these boards, drawn over their lengths by the config's seed."""
    planned = [example_id for board in boards for example_id in planned_ids(config, board)]
    rows = _judgments(config, submissions, boards).filter(status__in=COUNTED)
    there = set(rows.values_list("example_id", flat=True).distinct())
    spoken = dialogues(config, there & set(planned))
    lengths = {each: len(spoken[each]) for each in planned if each in spoken}
    chosen = plan.draw(lengths, number, seed=config.sample_seed)
    return [each for each in lengths if each in chosen]


def label_boards(viewer: Viewer) -> tuple[str, ...]:
    """The boards whose judged rows may be labelled now: the private one after the reveal."""
    return tuple(board for board in Placement.Board.values if may_see_other_columns(viewer, board))


def label_file(
    viewer: Viewer, config: JudgeConfig, *, submissions: Collection[UUID], number: int, rater: str
) -> bytes:
    """The items of these submissions on `number` dialogues as CSV. Raises Refused.

    `rater`: who will fill in the whole file; empty: each writes their own name.
    """
    rater = nfc(rater.strip())
    if rater and not is_name(rater):
        raise Invalid(
            "bad_rater",
            _("A rater's name has at most {longest} visible characters."),
            longest=LONGEST,
        )
    boards = label_boards(viewer)
    example_ids = drawn(config, submissions=submissions, boards=boards, number=number)
    summaries = len(example_ids) * len(submissions)
    if summaries > MOST_ROWS:
        raise _too_much(summaries)
    rows = _judgments(config, submissions, boards).filter(example_id__in=example_ids)
    found = _lines(config, rows, example_ids, rater)
    # Dialogue by dialogue, then submission by submission.
    places = [(each, one) for each in example_ids for one in sorted(map(str, submissions))]
    lines = [line for place in places for line in found.get(place, ())]
    if not lines:
        raise Refused(
            "nothing_to_label",
            _(
                "There is nothing to label. No row of these submissions has been judged, or the "
                "pipeline has no items."
            ),
            _("Come back once they are judged."),
        )
    data = csv_file({}, (*COLUMNS, *TO_READ), lines)
    if len(data) > ROOM * (LIMITS.max_bytes or 0) or len(lines) > (LIMITS.max_rows or 0):
        raise _too_much(summaries)
    return data


def _too_much(summaries: int) -> Refused:
    """For a file that could not be uploaded again."""
    return Invalid(
        "too_much_to_label",
        _("The items of {summaries:,} summaries are too many for one file."),
        _("Choose fewer submissions or dialogues."),
        summaries=summaries,
    )


def _judgments(
    config: JudgeConfig, submissions: Collection[UUID], boards: Collection[str]
) -> QuerySet[Judgment]:
    rows = Judgment.objects.filter(judging__config=config, judging__board__in=boards)
    return rows.filter(judging__submission__in=submissions)


def _lines(
    config: JudgeConfig, rows: QuerySet[Judgment], example_ids: Sequence[str], rater: str
) -> dict[tuple[str, str], list[tuple[str, ...]]]:
    """Of each row its items and then itself; what is only read, on one line each."""
    wanted = ("judging__submission", "example_id", "results", "call_keys")
    kept = list(rows.order_by("judging__board", "pk").values_list(*wanted))
    stored = stored_calls(keys[CLAIMS.id] for *_values, keys in kept if CLAIMS.id in keys)
    spoken, asked = dialogues(config, example_ids), items(config)
    summaries = texts_by_submission({submission for submission, *_ in kept})
    found: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for submission, example_id, results, keys in kept:
        place = example_id, str(submission)
        claims = _claims(stored.get(keys.get(CLAIMS.id, "")))
        read = (
            plain(summaries[submission].get(example_id, "")),
            plain(" / ".join(spoken[example_id].splitlines())),
        )
        # Where a row was moved to the other board it was judged twice: the same answers.
        found[place] = [
            (*place, kind, item_id, rater, "", plain(text), *read)
            for kind, item_id, text in _items(results, claims, asked[example_id])
        ]
    return found


def _claims(stored: StoredCall | None) -> dict[str, str]:
    """The claims under the ids that we gave them, not those that the model made up."""
    if stored is None:
        return {}
    claims = walking.with_answer({}, CLAIMS, stored.answer)[f"{CLAIMS.id}.claims"]
    return {claim["id"]: claim["point"] for claim in claims}


def _items(
    results: Mapping[str, Any], claims: Mapping[str, str], asked: Items
) -> Iterator[tuple[str, str, str]]:
    """(kind, item, text) of what has a verdict and a text; the row, where it has a score."""
    written = {
        "claim": claims,
        "question": {each.id: each.question for each in asked.questions},
        "content": {each.id: each.transcript_content for each in asked.contents},
        # A section with fixed values asks to be one of them.
        "adherence": {
            each.id: each.question or " / ".join(each.allowed_values) for each in asked.rubrics
        },
    }
    for kind, item_id, _value in items_of(results):
        text = written[kind].get(item_id, "")
        if text and is_name(item_id):
            yield kind, item_id, text
    if mean_score(results.get(METRICS[0])) is not None:
        yield ROW, METRICS[0], ""

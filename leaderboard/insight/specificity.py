"""The dialogue-specific share and the length of each file of a board: made by a task.

Made of the boards that everybody sees: of private rows nothing before the reveal. Numbers and
method are `scoring.insight.specificity`'s.
"""

import heapq
import math
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from leaderboard.boards.columns import MINUS, number
from leaderboard.boards.listing import Rows, standings_of
from leaderboard.boards.visibility import boards_of_everybody
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.run import (
    VersionFailed,
    Work,
    keeping,
    kept_tokens,
    prepared_references,
    workable,
)
from leaderboard.insight.models import FileLift
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.queries import texts
from scoring.insight.specificity import METHOD, lifts
from scoring.pipeline import score
from scoring.signature import with_part


def thousandths(printed: int) -> Decimal:
    """A board's noise for programs and pages: finer digits of it say nothing.

    >>> thousandths(1284)
    Decimal('0.128')
    """
    return number(printed).quantize(Decimal("0.001"))


def in_percent(share: float) -> int:
    """Whole percent, half up.

    >>> in_percent(0.125), in_percent(-0.004)
    (13, 0)
    """
    return math.floor(100 * share + 0.5)


def percent_text(value: int | None) -> str:
    """Whole percent as a cell has it.

    >>> percent_text(-3).split(), percent_text(None)
    (['−3', '%'], '')
    """
    return "" if value is None else f"{value}\N{NO-BREAK SPACE}%".replace("-", MINUS)


LATELY = timedelta(minutes=15)  # what was scored since is looked through first
AT_ONCE = 20  # files; of 500 rows about 50 ms each, and a file that comes in waits for them


def without_lift(
    at: datetime, since: datetime | None = None
) -> tuple[ScoringVersion, str, list[Evaluation]] | None:
    """Some files that stand on a live board without their lift; None: all have it.

    `since`: looks only among those scored from then on, which is soon done.
    """
    live = workable(Work.LIFTS).filter(state=ScoringVersion.State.LIVE)
    for version in live.select_related("competition", "reference_set").order_by("pk"):
        if not is_supported(version):
            continue
        for board, instant in boards_of_everybody(version.competition, at):
            kept = FileLift.objects.filter(board=board)
            standing = standings_of(version, board, instant)
            if found := standing_without(kept, version, standing, since):
                return version, board, found
    return None


def standing_without(
    kept: QuerySet[Any], version: ScoringVersion, standing: Rows, since: datetime | None
) -> list[Evaluation]:
    """The first AT_ONCE evaluations of standing files of which none of `kept` is, oldest first.

    Through the lines of the board: along the evaluations, which the order would suggest, every file
    that ever came is passed before it is known that none lacks anything.
    """
    if since is not None:
        lately = version.evaluations.filter(state=Evaluation.State.DONE, finished_at__gte=since)
        standing = standing.filter(submission__in=lately.values("submission"))
    of_file = kept.filter(
        evaluation__submission=OuterRef("submission"), evaluation__scoring_version=version
    )
    # All of them, and cut here: for the first few the database would go along the order of the
    # board and look each line up, where nothing lacks anything the whole board.
    lacking = standing.filter(~Exists(of_file)).order_by().values_list("received_at", "submission")
    first = heapq.nsmallest(AT_ONCE, lacking.iterator())
    done = version.evaluations.filter(state=Evaluation.State.DONE)
    found = done.filter(submission__in=[submission for _, submission in first])
    return list(found.order_by("received_at", "pk"))


def make_next_lifts(at: datetime) -> bool:
    """Of some files that lack it; False when none does. Safe to run twice, and beside itself."""
    found = without_lift(at, since=at - LATELY) or without_lift(at)
    if found is not None:
        with suppress(VersionFailed), keeping(found[0], Work.LIFTS):
            make_lifts(*found)
    return found is not None


def make_lifts(version: ScoringVersion, board: str, evaluations: Iterable[Evaluation]) -> None:
    """Compute and keep them."""
    made = [_made(version, board, evaluation) for evaluation in evaluations]
    FileLift.objects.bulk_create(made, ignore_conflicts=True, batch_size=500)


def _made(version: ScoringVersion, board: str, evaluation: Evaluation) -> FileLift:
    prepared = prepared_references(version.reference_set_id, version.profile())
    given = texts(evaluation.submission_id)
    known = kept_tokens(evaluation.submission_id, prepared.tokenizer, given)
    used = {name: given[name] for name in prepared.references.ids}
    report = score(used, prepared, known=known)
    found = lifts(used, report, prepared, known=known).get(board)
    whole = with_part(version.signature, "lift", METHOD)
    lengths = [len(known.get(text, ())) for text in used.values()]
    return FileLift(
        evaluation=evaluation,
        board=board,
        ratio=None if found is None else found.ratio,
        length=math.fsum(lengths) / len(lengths),
        signature=whole if found is None else found.signature,
    )


def lift_of(version: ScoringVersion, board: str, submission: UUID) -> FileLift:
    """That of one file, made now where it is not kept; it must be scored."""
    done = version.evaluations.filter(state=Evaluation.State.DONE, submission=submission)
    make_lifts(version, board, done.exclude(lifts__board=board))
    return FileLift.objects.get(
        evaluation__scoring_version=version, board=board, evaluation__submission=submission
    )


def lifts_of(
    version: ScoringVersion, board: str, submissions: Collection[UUID] | QuerySet[Any, Any]
) -> dict[UUID, FileLift]:
    """Those that are kept, by submission. One query, for what a board shows of them alone."""
    wanted: Any = submissions
    rows = FileLift.objects.filter(
        board=board,
        evaluation__scoring_version=version,
        evaluation__submission__in=wanted,
    ).annotate(submission=F("evaluation__submission"))
    return {row.submission: row for row in rows.only("ratio", "length")}

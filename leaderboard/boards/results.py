"""What submissions scored: numbers, the result card, earlier versions, two files side by side."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import F, QuerySet

from leaderboard.boards.columns import PrintedChange, change, decimals, label, signed
from leaderboard.boards.listing import Listing, listing, rank_in
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import Viewer, may_see, may_see_other_columns, visible_boards
from leaderboard.evaluation.health import upload_to_score
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.evaluation.queries import row_values, rows_in_order
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import counted
from scoring.pipeline import row_totals
from scoring.ranking import printed


@dataclass(frozen=True)
class SplitResult:
    """The numbers of one submission on one board, and the signature that made them.

    `printed`: as integers (× 10⁴), the total first; `keys`: of the others, the metrics, as the
    version's profile names them.
    """

    board: str
    keys: tuple[str, ...]
    printed: tuple[int, ...]
    signature: str

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(map(label, self.keys))

    @property
    def total(self) -> str:
        return decimals(self.printed[0])

    @property
    def metrics(self) -> tuple[tuple[str, str], ...]:
        """Each with its name."""
        return tuple(zip(self.labels, map(decimals, self.printed[1:]), strict=True))


def submission_scores(
    submissions: Iterable[Submission], viewer: Viewer
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The live version's numbers of these submissions, on the boards this viewer may see.

    They are the viewer's own team's, or the viewer runs the contest: a freeze hides none of them.
    """
    wanted = [submission.pk for submission in submissions]
    if viewer.version is None or not wanted:
        return {}
    rows = SplitScore.objects.filter(
        evaluation__scoring_version=viewer.version, evaluation__submission__in=wanted
    )
    return {
        evaluation.submission_id: found for evaluation, found in by_evaluation(rows, viewer).items()
    }


def evaluation_scores(
    evaluations: Iterable[Evaluation], viewer: Viewer
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The numbers of these evaluations on the boards that this editor may see; for others none."""
    if not viewer.edits:
        return {}
    rows = SplitScore.objects.filter(
        evaluation__in=[evaluation.pk for evaluation in evaluations],
        evaluation__scoring_version__competition=viewer.competition,
    )
    return {evaluation.pk: found for evaluation, found in by_evaluation(rows, viewer).items()}


def by_evaluation(
    rows: QuerySet[SplitScore], viewer: Viewer
) -> dict[Evaluation, tuple[SplitResult, ...]]:
    """The printed numbers of these scores in one query, only of boards that this viewer may see.

    Boards stand in their usual order, metrics in that of the version's profile. Each evaluation
    comes with its version.
    """
    boards = visible_boards(viewer)
    seen = rows.filter(split__in=boards).select_related("evaluation__scoring_version")
    found: dict[Evaluation, list[SplitResult]] = {}
    for row in sorted(seen, key=lambda row: boards.index(row.split)):  # else in their order
        order = row.evaluation.scoring_version.profile().metrics
        values = (row.printed, *(printed(row.metrics[key]) for key in order))
        result = SplitResult(row.split, order, values, row.signature)
        found.setdefault(row.evaluation, []).append(result)
    return {evaluation: tuple(results) for evaluation, results in found.items()}


def best_submission(viewer: Viewer) -> UUID | None:
    """The submission that gives the viewer's team its place on the public board."""
    seen = listing(viewer, Placement.Board.PUBLIC)
    return seen.own.submission_id if seen is not None and seen.own is not None else None


Board = Placement.Board


@dataclass(frozen=True)
class Final:
    """Of a file, what the revealed board says. `rank`: its team's, where this is the file that it
    stands by; `stands_by`: the file that it stands by, where that is another one.
    """

    rank: int | None = None
    stands_by: UUID | None = None


def _final(submission: Submission, viewer: Viewer) -> Final | None:
    """None until the reveal. At most three queries more."""
    if not may_see_other_columns(viewer, Board.PRIVATE):
        return None
    seen = listing(viewer, Board.PRIVATE)
    own = None if seen is None else seen.own
    if seen is None or own is None or not own.ranked:
        return Final()
    if own.submission_id != submission.pk:
        return Final(stands_by=own.submission_id)
    return Final(rank_in(seen.tally.ascending, own.printed))


@dataclass(frozen=True)
class ResultCard:
    """What one scored submission means, in the numbers its viewer may see.

    Ranks and distances are those of this file's public total among the other teams, whether the
    team's row is made of it (`is_best`) or not; None for a disqualified team, which has no place.
    `to_best`: against the team's best file received before this one. `rank_before`: the rank of
    that best one, where this file replaced it. `teams`: the other teams and this file.
    What is `to_` another total is a printed integer.
    `seconds`: from received to scored; None for a file that was scored anew by a later version.
    `final`: its team's place on the private board, once revealed.
    """

    splits: tuple[SplitResult, ...]
    is_best: bool
    to_best: int | None
    teams: int
    seconds: float | None
    signature: str
    version_number: int | None
    final: Final | None
    rank_now: int | None = None
    rank_before: int | None = None
    next_team: str | None = None
    to_next: int | None = None
    to_first: int | None = None

    @property
    def shown(self) -> SplitResult:
        """The score that the page is about: the private one, once revealed."""
        return self.splits[-1 if self.final else 0]

    @property
    def difference(self) -> str | None:
        return None if self.to_best is None else signed(self.to_best)

    @property
    def gap_to_next(self) -> str | None:
        return None if self.to_next is None else decimals(self.to_next)

    @property
    def gap_to_first(self) -> str | None:
        return None if self.to_first is None else decimals(self.to_first)


def result(submission: Submission, viewer: Viewer) -> ResultCard | None:
    """The card of a submission of the viewer's team, or None until the live version scored it."""
    seen = listing(viewer, Board.PUBLIC)
    if seen is None:
        return None
    of_team = SplitScore.objects.filter(
        evaluation__submission__team=submission.team_id,
        evaluation__scoring_version=seen.version,
        evaluation__state=Evaluation.State.DONE,
        split=Board.PUBLIC,
    ).select_related("evaluation")
    score = of_team.filter(evaluation__submission=submission).first()
    if score is None:
        return None
    total = score.printed
    is_best = seen.own is not None and seen.own.submission_id == submission.pk
    earlier = of_team.filter(
        evaluation__received_at__lt=submission.received_at, **counted("evaluation__submission__")
    )
    before = earlier.order_by("-printed").values_list("printed", flat=True).first()
    waited = upload_to_score(Evaluation.objects.filter(pk=score.evaluation_id))
    card = ResultCard(
        splits=submission_scores([submission], viewer).get(submission.pk, ()),
        is_best=is_best,
        to_best=None if before is None else total - before,
        teams=len(seen.tally.ascending),
        seconds=waited[0] if waited else None,
        signature=score.signature,
        version_number=seen.version.number,
        final=_final(submission, viewer),
    )
    if submission.team.disqualified_at is not None:
        return card
    others = _others(seen)
    better = seen.others.filter(printed__gt=total, ranked=True).exclude(team=submission.team_id)
    above = better.values_list("team__name", "printed").last()
    return replace(
        card,
        rank_now=rank_in(others, total),
        rank_before=rank_in(others, before) if is_best and before is not None else None,
        next_team=above[0] if above else None,
        to_next=above[1] - total if above else None,
        to_first=max([*others[-1:], total]) - total,
        teams=len(others) + 1,
    )


def levels(viewer: Viewer) -> tuple[str | None, ...]:
    """The public totals of first place and of the best baseline, as printed."""
    seen = listing(viewer, Board.PUBLIC)
    if seen is None:
        return None, None
    unranked = seen.others.filter(ranked=False).values_list("printed", flat=True)
    found = seen.tally.ascending[-1:], unranked[:1]
    return tuple(next(map(decimals, one), None) for one in found)


def _others(seen: Listing) -> list[int]:
    """The totals of all teams with a rank but the viewer's own."""
    others = list(seen.tally.ascending)
    if seen.own is not None and seen.own.ranked:
        others.remove(seen.own.printed)
    return others


State = ScoringVersion.State


def earlier_results(
    submission: Submission, viewer: Viewer
) -> list[tuple[ScoringVersion, tuple[SplitResult, ...]]]:
    """What it scored with earlier versions, newest first, on the boards that this viewer may see.

    Only what was on the board once: a version that was live, and a submission received before it
    was retired. What a rehearsal alone computed is seen by nobody but editors, on its own page.
    """
    rows = SplitScore.objects.filter(
        evaluation__submission=submission,
        evaluation__state=Evaluation.State.DONE,
        evaluation__received_at__lt=F("evaluation__scoring_version__retired_at"),
        evaluation__scoring_version__made_live_at__isnull=False,
        evaluation__scoring_version__state__in=(State.RETIRED, State.REHEARSING),
    )
    rows = rows.order_by("-evaluation__scoring_version__number")
    found = by_evaluation(rows, viewer).items()
    return [(evaluation.scoring_version, scores) for evaluation, scores in found]


Compared = list[tuple[str, PrintedChange]]


def compared(before: Submission, after: Submission, viewer: Viewer) -> dict[str, Compared]:
    """Total and parts of both, by their labels, on every board that the viewer may see; nothing
    until both are scored. The submissions are of the viewer's own team, or the viewer edits.
    """
    scores = submission_scores([before, after], viewer)
    if len(scores) < 2:
        return {}
    return {
        one.board: [
            (label, change(*both))
            for label, *both in zip(("", *one.labels), one.printed, other.printed, strict=True)
        ]
        for one, other in zip(scores[before.pk], scores[after.pk], strict=True)
    }


def compared_rows(
    before: Submission, after: Submission, viewer: Viewer
) -> dict[str, tuple[int, int]] | None:
    """Both totals of each row by its id, as printed (× 10⁴). None before the reveal, but for who
    runs the contest, and until both are scored.
    """
    version = viewer.version
    if version is None or not may_see(viewer, Board.PRIVATE):
        return None
    values = row_values([before.pk, after.pk], [version.pk])
    keys = [(one.pk, version.pk) for one in (before, after)]
    if not all(key in values for key in keys):
        return None
    first, second = (row_totals(values[key], version.profile()).tolist() for key in keys)
    names = [name for name, _ in rows_in_order(version.reference_set_id)]
    return {
        name: (printed(one), printed(other))
        for name, one, other in zip(names, first, second, strict=True)
    }

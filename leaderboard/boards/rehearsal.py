"""What making a version live would change, or changed: who moves, from where, on which board."""

from dataclasses import dataclass
from uuid import UUID

from leaderboard.boards.columns import PrintedChange, change, decimals
from leaderboard.boards.models import Standing
from leaderboard.boards.moves import Against, Cause, Causes, TeamMove, against, moves_against
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.evaluation.queries import SHOWN
from leaderboard.references.changes import Changes, changes
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

Board = Standing.Board
NAMED_ROWS = 3  # of a team, beside its difference
LISTED_ROWS = 20  # of one submission, on its own page


@dataclass(frozen=True)
class BoardPreview:
    """The effect of a version on one board, and its cause."""

    board: str
    against: Against
    moves: tuple[TeamMove, ...]
    changes: Changes
    profile_changed: bool
    causes: Causes

    @property
    def moving(self) -> int:
        return sum(move.moves for move in self.moves)

    @property
    def ranked(self) -> int:
        """How many teams have a rank on either board. Baselines have none."""
        return sum((move.rank_before, move.rank_after) != (None, None) for move in self.moves)

    @property
    def furthest(self) -> TeamMove | None:
        """The team that moves the most ranks, if any moves."""
        moving = [move for move in self.moves if move.steps]
        return max(moving, key=lambda move: move.distance, default=None)

    def causes_of(self, moves: list[TeamMove]) -> dict[UUID, Cause]:
        """The rows behind these teams' differences, by team. Asked for the shown ones only."""
        found = self.causes.of([move.shown.pk for move in moves], NAMED_ROWS)
        return {move.team_id: found[move.shown.pk] for move in moves if move.shown.pk in found}


def preview(version: ScoringVersion, board: str, viewer: Viewer) -> BoardPreview | None:
    """The live board beside this version's, in the order it would have. None for non-editors.

    Of a version that was made live: that board and the one before, as they were then.
    """
    other = against(version, viewer)
    if other is None or not may_see(viewer, board):
        return None
    live = other.version
    return BoardPreview(
        board=board,
        against=other,
        moves=moves_against(other, version, board),
        changes=changes(live.reference_set_id, version.reference_set_id),
        profile_changed=live.profile() != version.profile(),
        causes=Causes(live, version, board),
    )


@dataclass(frozen=True)
class Rehearsed:
    """One submission under both versions. `state` is that of its rehearsal."""

    submission: Submission
    team: Team
    state: str
    ids_changed: bool
    totals: PrintedChange
    distance: int


def rehearsed(version: ScoringVersion, board: str, viewer: Viewer) -> list[Rehearsed] | None:
    """Every submission, those without a score first, then by how far the total moves.

    After a switch, those that were there before it.
    """
    other = against(version, viewer)
    if other is None or not may_see(viewer, board):
        return None
    before, after = _totals(other.version, board), _totals(version, board)
    states = _states(version)
    submissions = Submission.objects.filter(
        team__competition=version.competition_id, cancellation=None
    ).select_related("team")
    if other.switched_at is not None:
        submissions = submissions.filter(received_at__lt=other.switched_at)
    found = [
        _rehearsed(submission, states, before.get(submission.pk), after.get(submission.pk))
        for submission in submissions.order_by("received_at", "pk")
    ]
    return sorted(found, key=lambda one: (one.totals.after is not None, -one.distance))


def _rehearsed(
    submission: Submission,
    states: dict[UUID, tuple[str, str]],
    before: int | None,
    after: int | None,
) -> Rehearsed:
    state, failure = states.get(submission.pk, (Evaluation.State.QUEUED, ""))
    return Rehearsed(
        submission=submission,
        team=submission.team,
        state=SHOWN[Evaluation.State(state)],
        ids_changed=failure == Evaluation.IDS_CHANGED,
        totals=change(before, after),
        distance=0 if before is None or after is None else abs(after - before),
    )


def _totals(version: ScoringVersion, board: str) -> dict[UUID, int]:
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version,
        evaluation__state=Evaluation.State.DONE,
        split=board,
    )
    return dict(scores.values_list("evaluation__submission", "printed"))


def _states(version: ScoringVersion) -> dict[UUID, tuple[str, str]]:
    rows = Evaluation.objects.filter(scoring_version=version)
    return {
        submission_id: (state, failure)
        for submission_id, state, failure in rows.values_list("submission", "state", "failure")
    }


@dataclass(frozen=True)
class BoardChange:
    """One submission's total of one board under both versions, and the rows behind it."""

    board: str
    totals: PrintedChange
    cause: Cause | None


def board_changes(
    version: ScoringVersion, submission: Submission, viewer: Viewer
) -> list[BoardChange] | None:
    """One submission in detail, for the boards that this editor may see. None for others."""
    other = against(version, viewer)
    if other is None:
        return None
    found, key = [], submission.pk
    for board in Board.values:
        if may_see(viewer, board):
            before, after = _totals(other.version, board), _totals(version, board)
            causes = Causes(other.version, version, board).of([key], LISTED_ROWS)
            totals = change(before.get(key), after.get(key))
            found.append(BoardChange(board, totals, causes.get(key)))
    return found


@dataclass(frozen=True)
class BaselineTotal:
    """A baseline's best public total under one version."""

    team_name: str
    total: str


def baselines(versions: list[ScoringVersion], viewer: Viewer) -> dict[UUID, list[BaselineTotal]]:
    """What the baselines score under each version; the second self-check of golds. Editors only."""
    if not viewer.edits:
        return {}
    rows = Standing.objects.filter(
        scoring_version__in=versions, board=Board.PUBLIC, team__kind=Team.Kind.BASELINE
    ).order_by("-printed", "team__sort_key")
    found: dict[UUID, list[BaselineTotal]] = {}
    for row in rows.select_related("team"):
        total = BaselineTotal(row.team.name, decimals(row.printed))
        found.setdefault(row.scoring_version_id, []).append(total)
    return found

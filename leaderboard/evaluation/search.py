"""Looking through everything that was handed in, as an organizer does."""

import re
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import teams_of

State = Evaluation.State
PAGE = 50
SCORED = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
KINDS = ("waiting", "running", "done", "failed", "cancelled", "excluded", "late", "baseline")
HEX = re.compile(r"[0-9a-f]{4,64}")
SHORTEST_ID = 8  # as many as a failure tells its team to quote


@dataclass(frozen=True)
class Found:
    """One page of the submissions that match, newest first."""

    submissions: tuple[Submission, ...]
    page: int
    pages: int
    total: int


def search(competition: Competition, *, query: str = "", kind: str = "", page: int = 1) -> Found:
    """Submissions by team, person, file name, hash or id; a page that is none is the nearest.

    `kind` is one of KINDS: a state under the live version (`failed`: under a rehearsing one too),
    or what was decided about it. An unknown one finds nothing.
    """
    matching = of_competition(competition)
    if query.strip():
        matching = matching.filter(_words(competition, query.strip()))
    if kind:
        matching = matching.filter(_kind(kind))
    total = matching.count()
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    return Found(tuple(matching[(page - 1) * PAGE : page * PAGE]), page, pages, total)


def of_competition(competition: Competition) -> QuerySet[Submission]:
    """Everything that was handed in, baselines too, newest first."""
    return Submission.objects.filter(team__competition=competition).select_related(
        "team__competition", "submitted_by", "exclusion", "cancellation", "final_choice"
    )


def evaluations_of(submissions: list[UUID]) -> dict[UUID, list[Evaluation]]:
    """The evaluations of these submissions, newest version first, in one query."""
    rows = Evaluation.objects.filter(submission__in=submissions)
    found: dict[UUID, list[Evaluation]] = {}
    for row in rows.select_related("scoring_version").order_by("-scoring_version__draft_number"):
        found.setdefault(row.submission_id, []).append(row)
    return found


def retriable(competition: Competition) -> QuerySet[Evaluation]:
    """What failed on our side under a version that is scored now; cancelled ones never."""
    failed = Evaluation.objects.filter(
        state=State.FAILED,
        scoring_version__competition=competition,
        scoring_version__state__in=SCORED,
        submission__cancellation=None,
    ).exclude(failure=Evaluation.IDS_CHANGED)
    return failed.select_related("scoring_version", "submission__team__competition")


def _words(competition: Competition, query: str) -> Q:
    wanted = Q(team__name__icontains=query) | Q(file_name__icontains=query)
    wanted |= Q(team__in=teams_of(competition, query))
    digits = query.lower().replace("-", "")
    if HEX.fullmatch(digits):
        wanted |= Q(sha256__startswith=digits)
        if SHORTEST_ID <= len(digits) <= 32:
            # An id by its beginning. A range, because databases write ids in different ways.
            ids = (UUID(hex=digits.ljust(32, "0")), UUID(hex=digits.ljust(32, "f")))
            named = Evaluation.objects.filter(submission=OuterRef("pk"), pk__range=ids)
            wanted |= Q(pk__range=ids) | Q(Exists(named))
    return wanted


def _kind(kind: str) -> Q:
    live = _under(ScoringVersion.State.LIVE)
    match kind:
        case "waiting":
            ended = live.exclude(state=State.QUEUED)
            return Q(cancellation=None) & ~Q(Exists(ended))
        case "running" | "done":
            return Q(Exists(live.filter(state=kind)))
        case "failed":
            return Q(Exists(_under(*SCORED).filter(state=State.FAILED)))
        case "cancelled":
            return Q(cancellation__isnull=False)
        case "excluded":
            return Q(exclusion__isnull=False)
        case "late":
            return Q(is_late=True)
        case "baseline":
            return Q(team__kind=Team.Kind.BASELINE)
        case _:
            return Q(pk=None)


def _under(*states: str) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(submission=OuterRef("pk"), scoring_version__state__in=states)

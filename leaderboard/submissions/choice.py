"""Which submissions a team put forward, and which it took back."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.submissions.models import Cancellation, FinalChoice, Submission
from leaderboard.teams.models import Team


def chosen(team_id: UUID) -> frozenset[UUID]:
    """The ids of the team's final submissions; empty means: the best public one counts."""
    rows = FinalChoice.objects.filter(submission__team=team_id)
    return frozenset(rows.values_list("submission", flat=True))


def replace(*, team: Team, submissions: Collection[Submission], user: User, at: datetime) -> None:
    """Make exactly these the team's finals. The caller has locked the team and checked them."""
    FinalChoice.objects.filter(submission__team=team).exclude(submission__in=submissions).delete()
    FinalChoice.objects.bulk_create(
        [FinalChoice(submission=one, chosen_by=user, at=at) for one in submissions],
        ignore_conflicts=True,
        batch_size=500,
    )


def mark_cancelled(*, submission: Submission, user: User, at: datetime) -> None:
    """Note for ever that this submission was taken back."""
    Cancellation.objects.get_or_create(
        submission=submission, defaults={"cancelled_by": user, "at": at}
    )

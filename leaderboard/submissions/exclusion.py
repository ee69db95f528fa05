"""Submissions that an organizer took off the boards."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.submissions.models import Exclusion, Submission


def exclusion_of(submission_id: UUID) -> Exclusion | None:
    """Why and since when this submission is off the boards, or None."""
    rows = Exclusion.objects.filter(submission=submission_id)
    return rows.select_related("excluded_by").first()


def exclusions(submissions: Iterable[UUID]) -> dict[UUID, Exclusion]:
    """The exclusions among these submissions, in one query."""
    rows = Exclusion.objects.filter(submission__in=list(submissions)).select_related("excluded_by")
    return {row.submission_id: row for row in rows}


def mark_excluded(
    *, submission: Submission, user: User, reason: str, reason_shown: bool, at: datetime
) -> bool:
    """Take it off the boards; False if it was off already, and then nothing changes."""
    _, made = Exclusion.objects.get_or_create(
        submission=submission,
        defaults={
            "excluded_by": user,
            "at": at,
            "reason": reason,
            "reason_shown": reason_shown,
        },
    )
    return made


def mark_restored(*, submission: Submission) -> bool:
    """Put it back; False if it was not off."""
    return Exclusion.objects.filter(submission=submission).delete()[0] > 0

"""Reads of submissions; every look-up by id begins at `for_user`."""

from uuid import UUID

from django.db.models import QuerySet

from leaderboard.accounts.models import User
from leaderboard.competitions.roles import Viewer
from leaderboard.submissions.intake import unpack
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.teams.models import Team


def for_user(user: Viewer) -> QuerySet[Submission]:
    """The submissions of this person's own teams, and nothing else."""
    if not isinstance(user, User):
        return Submission.objects.none()
    return Submission.objects.filter(team__memberships__user=user).select_related(
        "team__competition", "submitted_by"
    )


def of_team(team: Team) -> QuerySet[Submission]:
    """A team's submissions, newest first."""
    return Submission.objects.filter(team=team).select_related("submitted_by")


def counted(path: str = "") -> dict[str, object]:
    """The filter of what may stand on a board, be a team's best or its final, or draw its history.

    Not what an organizer took off, nor what came after the close: late files are scored for their
    team alone. `path` leads to the submission, as in `evaluation__submission__`.
    """
    return {f"{path}exclusion": None, f"{path}is_late": False}


def by_key(team: Team, key: str) -> Submission | None:
    """The submission that this team made with this idempotency key."""
    return Submission.objects.filter(team=team, key=key).first()


def same_bytes(team: Team, sha256: str) -> Submission | None:
    """The team's newest submission of exactly these bytes."""
    return Submission.objects.filter(team=team, sha256=sha256).first()


def texts(submission_id: UUID) -> dict[str, str]:
    """The predictions by id, NFC, as the validator read them."""
    return unpack(bytes(SubmissionText.objects.get(pk=submission_id).blob))

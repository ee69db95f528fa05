"""Changing a submission's note and method name; its file never changes."""

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.own_team import locked_own_team
from leaderboard.submissions.intake import describe
from leaderboard.submissions.models import Submission


def edit_note(*, submission: Submission, user: User, note: str, method_name: str) -> None:
    """Only the team's own people may. Raises Refused."""
    with transaction.atomic():
        locked_own_team(submission.team_id, user)
        describe(submission=submission, note=note, method_name=method_name)

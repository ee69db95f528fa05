"""Changing a submission's note and method name; its file never changes."""

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.submissions.intake import describe
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import for_user


def edit_note(*, submission: Submission, user: User, note: str, method_name: str) -> None:
    """Only the team's own people may. Raises Refused."""
    if not for_user(user).filter(pk=submission.pk).exists():
        raise Refused(
            "not_a_member",
            ko="이 팀의 팀원이 아닙니다.",
            en="You are not a member of this team.",
            status=403,
        )
    describe(submission=submission, note=note, method_name=method_name)

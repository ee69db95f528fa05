"""A person signs out where they are not."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts import sessions
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record


def end_session(*, user: User, pk: int) -> None:
    """End one session of the person's own. Raises Refused."""
    if not sessions.end(user=user, pk=pk):
        raise Refused(
            "unknown_session",
            ko="그 로그인은 이미 끝났습니다.",
            en="That session has ended already.",
            status=404,
        )


def end_all_sessions(*, user: User, at: datetime) -> None:
    """End every session of the person; the entry point lets the one in use begin again."""
    with transaction.atomic():
        sessions.end_all(user=user)
        record(kind="account.sessions_ended", actor=user, at=at, after={"user": user.pk})

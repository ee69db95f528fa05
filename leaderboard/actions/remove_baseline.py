"""An organizer takes a baseline off the boards, and puts it back."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.actions.rename_baseline import locked_baseline
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.submissions.exclusion import mark_excluded, mark_restored
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Team

REASON = "기준선을 뺌"


def remove_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Exclude everything it has; its name and its scores stay. Raises Refused."""
    with transaction.atomic():
        locked = locked_baseline(team, user)
        marked = [
            mark_excluded(submission=one, user=user, reason=REASON, reason_shown=True, at=at)
            for one in of_team(locked)
        ]
        if not any(marked):
            raise Refused(
                "already_excluded",
                ko="이미 순위표에서 뺀 기준선입니다.",
                en="This baseline is off the boards already.",
            )
        _decided(locked, user, "baseline.removed", at)


def restore_baseline(*, team: Team, user: User, at: datetime) -> None:
    """Put everything it has back on the boards. Raises Refused."""
    with transaction.atomic():
        locked = locked_baseline(team, user)
        restored = [mark_restored(submission=one) for one in of_team(locked)]
        if not any(restored):
            raise Refused(
                "not_excluded",
                ko="순위표에서 뺀 기준선이 아닙니다.",
                en="This baseline is not off the boards.",
            )
        _decided(locked, user, "baseline.restored", at)


def _decided(team: Team, user: User, kind: str, at: datetime) -> None:
    place_everywhere(team=team)
    record(
        kind=kind,
        actor=user,
        at=at,
        competition=team.competition_id,
        subject=team.pk,
        after={"name": team.name},
    )

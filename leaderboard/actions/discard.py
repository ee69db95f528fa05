"""Ending a rehearsal without making its version live."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.evaluation.claim import forget_waiting
from leaderboard.references.intake import leave_rehearsal
from leaderboard.references.models import ScoringVersion


def discard(*, version: ScoringVersion, user: User, at: datetime) -> None:
    """Rehearsing to retired: it stays readable and may rehearse again. Raises Refused."""
    with transaction.atomic():
        locked_for_editing(version.competition, user)
        if not leave_rehearsal(version=version):
            raise Refused(
                "not_rehearsing",
                ko="예행 중인 기준이 아닙니다.",
                en="This version is not rehearsing.",
            )
        forget_waiting(version.pk)
        record(
            kind="version.discarded",
            actor=user,
            at=at,
            competition=version.competition_id,
            subject=version.pk,
            after={"version": version.number},
        )

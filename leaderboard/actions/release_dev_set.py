"""Handing out a dev set: participants may read its golds and score against them."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.actions.upload_dev_set import refuse_scored
from leaderboard.audit.log import record
from leaderboard.references.models import ReferenceSet, Release
from leaderboard.references.released import rows_of
from leaderboard.references.releasing import release


def release_dev_set(*, reference_set: ReferenceSet, user: User, at: datetime) -> Release:
    """From now on the newest release is what the dev lab scores against. Raises Refused.

    What was handed out cannot be taken back, so everything is compared once more under the lock;
    the database itself refuses a set whose golds score.
    """
    with transaction.atomic():
        competition = locked_for_editing(reference_set.competition, user)
        if Release.objects.filter(reference_set=reference_set).exists():
            raise Refused(
                "already_released",
                ko="이미 공개한 묶음입니다.",
                en="This set is already released.",
            )
        refuse_scored(competition, rows_of(reference_set.pk))
        released = release(reference_set=reference_set, user=user, at=at)
        record(
            kind="dev_set.released",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=reference_set.pk,
            after={"sha256": reference_set.sha256, "rows": reference_set.rows},
        )
    return released

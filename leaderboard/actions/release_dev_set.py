"""Handing out a dev set: participants may read its golds and score against them."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, refuse_all_but_editors
from leaderboard.actions.refusals import Refused
from leaderboard.actions.second_step import Preview, digest_of, refuse_unseen
from leaderboard.actions.upload_dev_set import refuse_scored
from leaderboard.audit.log import record
from leaderboard.community.announcements import people_of
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ReferenceSet, Release
from leaderboard.references.released import rows_of
from leaderboard.references.releasing import release


def preview_release(*, reference_set: ReferenceSet, user: User) -> Preview:
    """Who could read these golds. Raises Refused as `release_dev_set` would."""
    competition = reference_set.competition
    refuse_all_but_editors(competition, user)
    _check(competition, reference_set)
    return Preview(
        digest=digest_of("dev_set.released", reference_set.pk),
        people=people_of(competition).count(),
    )


def release_dev_set(
    *, reference_set: ReferenceSet, user: User, seen: str | None = None, at: datetime
) -> Release:
    """From now on the newest release is what the dev lab scores against. Raises Refused.

    What was handed out cannot be taken back, so everything is compared once more under the lock;
    the database itself refuses a set whose golds score.
    """
    with transaction.atomic():
        competition = locked_for_editing(reference_set.competition, user)
        found = preview_release(reference_set=reference_set, user=user)
        refuse_unseen(found.digest, seen)
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


def _check(competition: Competition, reference_set: ReferenceSet) -> None:
    if Release.objects.filter(reference_set=reference_set).exists():
        raise Refused(
            "already_released",
            ko="이미 공개한 묶음입니다.",
            en="This set is already released.",
        )
    refuse_scored(competition, rows_of(reference_set.pk))

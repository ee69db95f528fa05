"""Giving up a version that was never made live: a draft, or a rehearsal."""

from datetime import datetime
from functools import partial

from django.core.files.storage import storages
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.evaluation.claim import forget_waiting
from leaderboard.references.intake import leave_rehearsal, remove_draft
from leaderboard.references.models import ScoringVersion


def discard(*, version: ScoringVersion, user: User, at: datetime) -> None:
    """A draft goes for good, with golds that no other version has: it scored nothing.

    Rehearsing to retired: it stays readable and may rehearse again. Raises Refused.
    """
    with transaction.atomic():
        locked_for_editing(version.competition, user)
        files = remove_draft(version=version)
        if files is None:
            if not leave_rehearsal(version=version):
                raise Refused(
                    "not_to_discard",
                    ko="초안이나 예행 중인 기준만 버릴 수 있습니다.",
                    en="Only a draft or a rehearsing version can be discarded.",
                )
            forget_waiting(version.pk)
        record(
            kind="version.discarded",
            actor=user,
            at=at,
            competition=version.competition_id,
            subject=version.pk,
            after=version.signed,
        )
        for name in files or ():
            transaction.on_commit(partial(storages["golds"].delete, name))

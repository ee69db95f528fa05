"""Scoring every submission under a new version beside the live one, unseen by participants."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.actions.repair import ask_under
from leaderboard.audit.log import record
from leaderboard.boards.instants import begin
from leaderboard.references.intake import enter_rehearsal
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version


def rehearse(*, version: ScoringVersion, user: User, at: datetime) -> int:
    """Draft or retired to rehearsing; answers how many evaluations were queued. Raises Refused.

    Nothing that a participant sees changes: no refund, no inbox row, no public number. From now on
    every new submission is scored under the live version and under this one. A file that lacks ids
    of this version's golds ends as failed, `ids_changed`: the preview lists it, and `make_live`
    asks the organizer to accept that.
    """
    with transaction.atomic():
        competition = locked_for_editing(version.competition, user)
        live = live_version(competition)
        if live is None:
            raise Refused(
                "nothing_live",
                ko="아직 사용 중인 기준이 없으니 예행 없이 바로 적용할 수 있습니다.",
                en="No version is live yet, so this one can be made live directly.",
            )
        if not enter_rehearsal(version=version):
            raise Refused(
                "not_to_rehearse",
                ko="초안이나 물러난 기준만 예행할 수 있습니다.",
                en="Only a draft or a retired version can rehearse.",
            )
        queued = ask_under(version, at=at)
        begin(version=version, at=at)
        record(
            kind="version.rehearsing",
            actor=user,
            at=at,
            competition=version.competition_id,
            subject=version.pk,
            after=version.signed,
        )
    return queued

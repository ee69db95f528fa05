"""Making a contest's first scoring version the one that the board shows."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.references.intake import promote
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version


def make_live(*, version: ScoringVersion, user: User, at: datetime) -> ScoringVersion:
    """Draft to live. Refused while another version is live: a change needs a rehearsal."""
    if not may_edit(user, version.competition):
        raise not_an_editor()
    with transaction.atomic():
        competition = Competition.objects.select_for_update().get(pk=version.competition_id)
        if (live := live_version(competition)) is not None:
            raise Refused(
                "live_exists",
                ko=f"이미 v{live.number} 기준으로 채점하고 있어 바로 바꿀 수 없습니다.",
                en=f"v{live.number} is live and cannot be replaced directly.",
                next_ko="제출된 점수가 바뀌는 일이라 예행이 먼저입니다. 이 판에는 아직 없습니다.",
                next_en="Scores would move, so a rehearsal comes first; this release has none yet.",
            )
        if not promote(version=version, at=at):
            raise Refused(
                "not_a_draft",
                ko="초안만 사용할 수 있습니다.",
                en="Only a draft can be made live.",
            )
        record(
            kind="version.made_live",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=version.pk,
            after={"version": version.number, "signature": version.signature},
        )
    version.refresh_from_db()
    return version

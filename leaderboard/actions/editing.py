"""Steps that the verbs of the organizer's desk share."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.actions.second_step import Preview, announcing, refuse_unseen
from leaderboard.audit.log import record
from leaderboard.community.announcements import announce
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team


def locked_for_editing(competition: Competition, user: User) -> Competition:
    """The contest's row, locked in this transaction. Raises Refused for all but its editors.

    The role is read under the lock: who waited for it may have lost the role meanwhile.
    """
    locked = lock_one(Competition.objects.filter(pk=competition.pk))
    if not may_edit(user, locked):
        raise not_an_editor()
    return locked


def refuse_all_but_editors(competition: Competition, user: User) -> None:
    """For what only looks and locks nothing. Raises Refused."""
    if not may_edit(user, competition):
        raise not_an_editor()


def locked_team_for_editing(team_id: UUID, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but its editors."""
    try:
        team = locked(team_id)
    except Team.DoesNotExist:
        raise no_such_team() from None
    if not may_edit(user, team.competition):
        raise not_an_editor()
    return team


def no_such_team() -> Refused:
    """For a team of another contest, and for one whose last person has just left it."""
    return Refused(
        "unknown_team", ko="그런 팀이 없습니다.", en="There is no such team.", status=404
    )


def version_now(version: ScoringVersion) -> ScoringVersion:
    """The version as it is under the contest's lock. Raises Refused for a draft that somebody
    discarded after this request had found it."""
    found = ScoringVersion.objects.filter(pk=version.pk).select_related("reference_set").first()
    if found is None:
        raise Refused(
            "version_gone",
            ko="이 초안은 방금 버려져 이제 없습니다.",
            en="This draft has just been discarded and is gone.",
            next_ko="채점 기준 목록을 새로 열어 주세요.",
            next_en="Open the list of scoring versions anew.",
        )
    return found


@dataclass(frozen=True)
class Decision:
    """A decision about the whole contest, in the words that everybody reads."""

    kind: str
    ko: str
    en: str
    reason: str = ""

    def preview(self, competition: Competition) -> Preview:
        return announcing(competition, self.kind, self.ko, self.en)


def announce_decision(
    competition: Competition, user: User, decision: Decision, *, seen: str | None, at: datetime
) -> None:
    """Announce to all what an organizer decided, and log it. Raises Refused if it was not seen."""
    refuse_unseen(decision.preview(competition).digest, seen)
    announce(competition=competition, author=user, text=decision.ko, text_en=decision.en, at=at)
    record(
        kind=f"competition.{decision.kind}",
        actor=user,
        at=at,
        competition=competition.pk,
        subject=competition.pk,
        reason=decision.reason,
    )

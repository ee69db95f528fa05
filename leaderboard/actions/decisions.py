"""What decisions share: who may decide, under which lock, what was looked at first, who is told."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.audit.models import AuditEvent
from leaderboard.community.announcements import announce, people_of
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import may_edit, number_of_owners, role_of
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team
from leaderboard.teams.queries import people


@dataclass(frozen=True)
class Preview:
    """What a decision would do.

    `announced` in Korean and English, empty where nobody is told; `people` would find it in their
    inbox. The digest is another one as soon as anything would be decided differently.
    """

    digest: str
    announced: tuple[str, str] | None = None
    people: int = 0


def digest_of(*facts: object) -> str:
    """Of what is to be decided, and from which state on. Facts are plain values."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def announcing(competition: Competition, kind: str, ko: str, en: str, *facts: object) -> Preview:
    """Of a decision whose announcement to all says what it is; `facts` are what it leaves out."""
    return Preview(
        digest=digest_of(kind, competition.pk, ko, en, *facts),
        announced=(ko, en),
        people=people_of(competition).count(),
    )


def refuse_unseen(digest: str, seen: str | None) -> None:
    """Raises Refused unless this is what was seen, or nobody was to look."""
    if seen is not None and seen != digest:
        raise Refused(
            "look_first",
            ko="바뀌는 것을 먼저 확인해 주세요. 보신 것과 다릅니다.",
            en="Look first at what would change: it is not what you saw.",
        )


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


def locked_for_owning(competition: Competition, user: User) -> Competition:
    """The contest's row, locked in this transaction. Raises Refused for all but its owners.

    The role is read under the lock: two owners who dismiss each other do not both succeed.
    """
    locked = lock_one(Competition.objects.filter(pk=competition.pk))
    refuse_all_but_owners(locked, user)
    return locked


def refuse_all_but_owners(competition: Competition, user: User) -> None:
    """Raises Refused for a person who is no owner of the contest."""
    if role_of(user, competition) != Organizer.Role.OWNER:
        raise Refused(
            "not_an_owner",
            ko="이 대회의 소유자만 할 수 있습니다.",
            en="Only owners of this competition may do this.",
            status=403,
        )


def refuse_losing_the_last_owner(competition: Competition, person: User) -> None:
    """Raises Refused if this person is the only owner. The competition's row is locked."""
    if role_of(person, competition) == Organizer.Role.OWNER and number_of_owners(competition) == 1:
        raise Refused(
            "last_owner",
            ko="마지막 소유자의 역할은 바꾸거나 뺄 수 없습니다.",
            en="The last owner keeps the role.",
            next_ko="먼저 다른 사람을 소유자로 올려 주세요.",
            next_en="Make somebody else an owner first.",
        )


def locked_own_team(team_id: UUID, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but its members.

    Read under the lock: an organizer may have moved the person while they waited, and then their
    team of one is gone.
    """
    try:
        team = locked(team_id)
    except Team.DoesNotExist:
        raise not_a_member() from None
    if not team.memberships.filter(user=user).exists():
        raise not_a_member()
    return team


def not_a_member() -> Refused:
    """For somebody who does something for a team that they are not in, or no longer."""
    return Refused(
        "not_a_member",
        ko="이 팀의 팀원이 아닙니다.",
        en="You are not a member of this team.",
        status=403,
    )


def locked_team(team: Team, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but editors.

    A baseline is the organizer's own and no participant, so nothing is granted or said to it.
    """
    locked = locked_team_for_editing(team.pk, user)
    if locked.kind == Team.Kind.BASELINE:
        raise Refused(
            "baseline",
            ko="기준선은 참가 팀이 아닙니다.",
            en="A baseline is not a participating team.",
        )
    return locked


def reason_within(reason: str, length: int) -> str:
    """The reason as it is kept. Raises Refused for none, and for one that is too long."""
    reason = reason.strip()
    if not reason or len(reason) > length:
        raise Refused(
            "reason_length",
            ko=f"까닭을 1자부터 {length}자까지 적어 주세요.",
            en=f"Give a reason of 1 to {length} characters.",
            status=422,
        )
    return reason


def tell_team(
    team: Team, kind: Notification.Kind, event: AuditEvent, *, ko: str, en: str, **data: str
) -> None:
    """One inbox row for each member and decision; a second decision is told a second time.

    `data` is kept beside the two texts for the inbox to show or to link.
    """
    tell(
        users=people(team),
        kind=kind,
        subject=event.pk,
        competition=team.competition_id,
        competition_slug=team.competition.slug,
        data={"ko": ko, "en": en, **data},
        at=event.at,
    )

"""Steps that the organizer's decisions about one team share."""

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_team_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.models import AuditEvent
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.teams.models import Team
from leaderboard.teams.queries import people


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

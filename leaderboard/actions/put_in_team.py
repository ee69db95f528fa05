"""An organizer puts a participant into a team."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing, no_such_team
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import of_team
from leaderboard.teams.membership import disband, enter, hand_over, move
from leaderboard.teams.models import Membership, Team


@dataclass(frozen=True)
class Put:
    """Where the person is now. `left_empty`: their team of one, if its ledger keeps it."""

    team: Team
    left_empty: Team | None = None


def put_in_team(
    *, competition: Competition, user: User, username: str, team: Team, at: datetime
) -> Put:
    """Move the person with this username into `team`. Raises Refused.

    Someone whose own submissions would be left without a person stays where they are: nobody
    leaves with, or from under, a team's submissions. A team of one that was granted attempts but
    never used any stays behind, empty: the ledger loses no line, and a grant is the team's. Putting
    somebody where they are changes nothing.
    """
    with transaction.atomic():
        locked = locked_for_editing(competition, user)  # so nobody else joins, moves or leaves now
        membership = _membership(locked, username)
        before = membership.team if membership else None
        before_id = before.pk if before else None  # a team that is then empty loses its own
        ids = {team.pk, *([before_id] if before_id else [])}
        teams = {row.pk: row for row in lock(Team.objects.filter(competition=locked, pk__in=ids))}
        target = teams.get(team.pk)
        if target is None or target.kind != Team.Kind.PARTICIPANT:
            raise no_such_team()
        if before_id == target.pk:
            return Put(target)
        stays = False
        if membership is None:
            membership = _newcomer(locked, username, target, at)
        else:
            assert before_id is not None
            stays = _leave(teams[before_id], membership, target, at)
        if not target.memberships.exclude(pk=membership.pk).exists():
            hand_over(team=target, captain=membership.user)
        record(
            kind="team.member_put",
            actor=user,
            at=at,
            competition=locked.pk,
            subject=target.pk,
            before={"team": str(before_id) if before_id else None},
            after={"team": str(target.pk), "username": membership.user.username},
        )
    return Put(target, before if stays else None)


def _membership(competition: Competition, username: str) -> Membership | None:
    rows = Membership.objects.filter(competition=competition, user__username=username)
    return rows.select_related("team", "user").first()


def _newcomer(competition: Competition, username: str, team: Team, at: datetime) -> Membership:
    # Locked: who is just closing the account gets no team after it.
    found = lock(User.objects.filter(username=username, is_active=True))
    if not found or is_organizer(found[0], competition):
        raise Refused(
            "unknown_person",
            ko="그 이름의 참가자가 없습니다.",
            en="There is no participant of that name.",
            status=404,
        )
    return enter(team=team, user=found[0], at=at)


def _leave(before: Team, membership: Membership, team: Team, at: datetime) -> bool:
    """Out of the team before and into `team`; True if an empty one stays behind."""
    others = before.memberships.exclude(pk=membership.pk).select_related("user")
    first = others.first()
    if first is None and of_team(before).exists():
        raise Refused(
            "has_submissions",
            ko="혼자 있는 팀에 제출이 있어 옮길 수 없습니다.",
            en="This person's team of one has submissions, so they cannot be moved.",
            next_ko="다른 팀원을 이 팀으로 옮겨 주세요.",
            next_en="Move the other people into this person's team instead.",
        )
    move(membership=membership, team=team, at=at)
    if first is not None:
        if before.captain_id == membership.user_id:
            hand_over(team=before, captain=first.user)
        return False
    if QuotaEntry.objects.filter(team=before).exists():
        hand_over(team=before, captain=None)
        return True
    disband(team=before)
    return False

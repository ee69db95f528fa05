"""An organizer puts a participant into a team."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer, may_edit
from leaderboard.submissions.queries import of_team
from leaderboard.teams.membership import move
from leaderboard.teams.models import Membership, Team


def put_in_team(
    *, competition: Competition, user: User, username: str, team: Team, at: datetime
) -> Team:
    """Move the person with this username into `team`. Raises Refused.

    Someone whose own submissions would be left without a person stays where they are: nobody
    leaves with, or from under, a team's submissions.
    """
    if not may_edit(user, competition):
        raise not_an_editor()
    with transaction.atomic():
        membership = _membership(competition, username)
        before = membership.team if membership else None
        before_id = before.pk if before else None  # a team that is then empty loses its own
        ids = {team.pk, *([before_id] if before_id else [])}
        locked = list(Team.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
        known = {row.pk for row in locked if row.kind == Team.Kind.PARTICIPANT}
        if team.competition_id != competition.pk or team.pk not in known:
            raise _unknown("team", ko="그런 팀이 없습니다.", en="There is no such team.")
        if membership is None:
            membership = _newcomer(competition, username, team, at)
        elif before is not None and before.pk != team.pk:
            _leave(before, membership, team, at)
        record(
            kind="team.member_put",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=team.pk,
            before={"team": str(before_id) if before_id else None},
            after={"team": str(team.pk), "username": membership.user.username},
        )
    return team


def _membership(competition: Competition, username: str) -> Membership | None:
    rows = Membership.objects.filter(competition=competition, user__username=username)
    return rows.select_related("team", "user").first()


def _newcomer(competition: Competition, username: str, team: Team, at: datetime) -> Membership:
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None or is_organizer(person, competition):
        raise _unknown(
            "person",
            ko="그 이름의 참가자가 없습니다.",
            en="There is no participant of that name.",
        )
    return Membership.objects.create(team=team, competition=competition, user=person, joined_at=at)


def _leave(before: Team, membership: Membership, team: Team, at: datetime) -> None:
    others = before.memberships.exclude(pk=membership.pk)
    alone = not others.exists()
    if alone and of_team(before).exists():
        raise Refused(
            "has_submissions",
            ko="혼자 있는 팀에 제출이 있어 옮길 수 없습니다.",
            en="This person's team of one has submissions, so they cannot be moved.",
            next_ko="다른 팀원을 이 팀으로 옮겨 주세요.",
            next_en="Move the other people into this person's team instead.",
        )
    move(membership=membership, team=team, at=at)
    if alone:
        before.delete()
    elif before.captain_id == membership.user_id:
        first = others.first()
        assert first is not None
        before.captain = first.user
        before.save(update_fields=["captain"])


def _unknown(code: str, *, ko: str, en: str) -> Refused:
    return Refused(f"unknown_{code}", ko=ko, en=en, status=404)

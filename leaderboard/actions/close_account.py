"""A person leaves for good: name and texts go, scores stay."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from leaderboard.accounts.closing import close
from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import owned_alone
from leaderboard.inbox.tell import forget
from leaderboard.submissions.intake import forget_words
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import of_team
from leaderboard.teams.membership import (
    disband,
    free_name,
    hand_over,
    lead_no_more,
    leave,
    rename,
)
from leaderboard.teams.models import JoinRequest, Membership, Team

# Nobody is meant to find the team by a name that a person chose.
TEAM_NAME = "탈퇴한 팀"


def close_account(*, user: User, password: str, at: datetime) -> None:
    """Close the person's own account. It cannot be undone. Raises Refused.

    Teams that were theirs alone keep their scores under another name, or go if they handed in
    nothing; of other teams the member who came next leads. The log of decisions keeps what it
    says, and announcements stay, both without this person's name.
    """
    if not user.check_password(password):
        raise _wrong_password()
    with transaction.atomic():
        # Of two last owners only one can go; two teams that lose their names get other ones.
        contests = lock(_contests(user))
        own = Q(pk__in=Membership.objects.filter(user=user).values("team")) | Q(captain=user)
        locked = lock(Team.objects.filter(own).select_related("competition"))
        teams = {team.pk: team for team in locked}
        user = _locked_person(user, password)
        if set(contests) != set(_contests(user)):  # let in elsewhere, while we waited
            raise Refused(
                "teams_changed",
                ko="방금 팀이 바뀌었습니다.",
                en="Your team has just changed.",
                next_ko="다시 해 주세요.",
                next_en="Try again.",
            )
        _check(user)
        for membership in Membership.objects.filter(user=user):
            _leave(user, membership, teams[membership.team_id], at)
        Organizer.objects.filter(user=user).delete()
        JoinRequest.objects.filter(user=user).delete()
        lead_no_more(user=user)
        forget_words(user=user)
        forget(user=user)
        close(user=user, at=at)
        record(kind="account.closed", actor=user, at=at, after={"user": user.pk})


def _contests(user: User) -> QuerySet[Competition]:
    """Every contest that the person takes part in, asked to join, or helps to run."""
    tables = (Organizer, Membership, JoinRequest)
    mine = [table._default_manager.filter(user=user).values("competition") for table in tables]
    return Competition.objects.filter(Q(pk__in=mine[0]) | Q(pk__in=mine[1]) | Q(pk__in=mine[2]))


def _locked_person(user: User, password: str) -> User:
    """The account as it is now: its password may have changed while we waited, or it be closed."""
    locked = lock_one(User.objects.filter(pk=user.pk))
    if locked.password != user.password and not locked.check_password(password):
        raise _wrong_password()
    return locked


def _wrong_password() -> Refused:
    return Refused(
        "wrong_password",
        ko="비밀번호가 맞지 않습니다.",
        en="The password is not right.",
        status=422,
    )


def _check(user: User) -> None:
    left_behind = [competition.title for competition in owned_alone(user)]
    if left_behind:
        names = ", ".join(left_behind)
        raise Refused(
            "last_owner",
            ko=f"소유자가 혼자인 대회가 있습니다: {names}.",
            en=f"You are the only owner of: {names}.",
            next_ko="먼저 다른 사람을 그 대회의 소유자로 정해 주세요.",
            next_en="Make somebody else an owner of it first.",
        )
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if user.is_superuser and not others.exists():
        raise Refused(
            "last_administrator",
            ko="이 서버의 하나뿐인 관리자입니다.",
            en="You are this server's only administrator.",
            next_ko="먼저 다른 관리자를 정해 주세요.",
            next_en="Appoint another administrator first.",
        )


def _leave(user: User, membership: Membership, team: Team, at: datetime) -> None:
    others = team.memberships.exclude(user=user).select_related("user")
    first = others.order_by("-user__is_active", "joined_at", "pk").first()
    leave(membership=membership)
    after: dict[str, str] = {}
    if first is not None:
        if team.captain_id == user.pk:
            hand_over(team=team, captain=first.user)
            after = {"captain": first.user.username}
    elif of_team(team).exists() or QuotaEntry.objects.filter(team=team).exists():
        rename(team=team, name=free_name(competition=team.competition, wanted=TEAM_NAME))
        hand_over(team=team, captain=None)
        after = {"name": team.name}
    record(
        kind="team.member_closed",
        actor=user,
        at=at,
        competition=team.competition_id,
        subject=team.pk,
        after=after,
    )
    if first is None and not after:
        disband(team=team)

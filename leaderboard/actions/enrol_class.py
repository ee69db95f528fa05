"""Accounts, one-time passwords and teams for a class, from a list."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from leaderboard.accounts import passwords
from leaderboard.accounts.enrolment import known, open_accounts
from leaderboard.accounts.models import User
from leaderboard.actions.class_plan import ClassPlan, Outcome, PlannedLine, plan, team_ids
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.naming import NOT_NAMED
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.competitions.schedule import lets_join
from leaderboard.teams.membership import enter, found, free_name
from leaderboard.teams.models import Team


@dataclass(frozen=True)
class Slip:
    """What one new person is handed on paper. The password is nowhere else."""

    username: str
    name: str
    team: str
    password: str


@dataclass(frozen=True)
class Enrolment:
    """What was done: slips of new accounts, and how many existing ones joined."""

    slips: tuple[Slip, ...]
    joined: int
    teams_made: int


def preview_class(*, competition: Competition, user: User, data: bytes, at: datetime) -> ClassPlan:
    """What `enrol_class` would do with this list. Changes nothing. Raises Refused."""
    if not may_edit(user, competition):
        raise not_an_editor()
    if not lets_join(competition, at):
        raise Refused(
            "closed",
            ko="마감된 대회에는 참가시킬 수 없습니다.",
            en="This competition has closed; nobody can join any more.",
            next_ko="일정에서 마감을 미루면 등록할 수 있습니다.",
            next_en="Move the close on the schedule first.",
            status=403,
        )
    return plan(competition, data, at)


def enrol_class(
    *, competition: Competition, user: User, data: bytes, seen: str, at: datetime
) -> Enrolment:
    """Do what the plan with the digest `seen` said: all of it or nothing. Raises Refused.

    An account that exists is never taken over: its password and address stay as they are.
    """
    planned = preview_class(competition=competition, user=user, data=data, at=at)
    _check(planned, seen)
    # Made before the transaction: hashing must not hold up everybody else's writes.
    newcomers = [line for line in planned.lines if line.outcome is Outcome.NEW]
    secrets = {line.person.username: passwords.one_time() for line in newcomers}
    encoded = {name: passwords.hashed_one_time(secret) for name, secret in secrets.items()}
    try:
        with transaction.atomic():
            locked = locked_for_editing(competition, user)
            ids = team_ids(locked, planned)
            names = [line.person.username for line in planned.lines]
            lock(Team.objects.filter(pk__in=ids))
            # Nobody closes an account while a team is found for it.
            lock(User.objects.filter(pk__in=[one.pk for one in known(names).values()]))
            _check(plan(locked, data, at), seen)
            accounts = {
                **known(names),
                **open_accounts(people=[line.person for line in newcomers], encoded=encoded),
            }
            teams = _teams(locked, planned, accounts, at)
            record(
                kind="class.enrolled",
                actor=user,
                at=at,
                competition=locked.pk,
                subject=locked.pk,
                after={
                    "accounts": len(newcomers),
                    "joined": planned.existing,
                    "usernames": sorted(teams),
                },
            )
    except IntegrityError:
        raise _changed() from None
    return Enrolment(
        slips=tuple(
            Slip(name, line.person.name, teams[name].name, secrets[name])
            for line in newcomers
            for name in [line.person.username]
        ),
        joined=planned.existing,
        teams_made=sum(team.created_at == at for team in set(teams.values())),
    )


def _teams(
    competition: Competition, planned: ClassPlan, accounts: Mapping[str, User], at: datetime
) -> dict[str, Team]:
    """Everybody's team by username: those with a name first, then the teams of one."""
    by_name = {team.name: team for team in Team.objects.filter(competition=competition)}
    joining = [line for line in planned.lines if line.outcome in (Outcome.NEW, Outcome.EXISTING)]
    teams: dict[str, Team] = {}
    for line in sorted(joining, key=lambda line: not line.team):
        person = _account(line, accounts)
        if line.team and line.team in by_name:
            team = by_name[line.team]
            enter(team=team, user=person, at=at, listed_name=line.person.name)
        else:
            # The list's first column may be the student number, and boards are for everybody.
            name = line.team or free_name(competition=competition, wanted=NOT_NAMED)
            team = found(
                competition=competition,
                captain=person,
                name=name,
                at=at,
                listed_name=line.person.name,
            )
            by_name[name] = team
        teams[person.username] = team
    return teams


def _account(line: PlannedLine, accounts: Mapping[str, User]) -> User:
    name = line.person.username
    return accounts[name]


def _check(planned: ClassPlan, seen: str) -> None:
    if planned.digest != seen:
        raise _changed()
    if planned.problems:
        raise Refused(
            "class_problems",
            ko="목록에 고칠 것이 있습니다.",
            en="The list has problems to be corrected.",
            status=422,
        )
    if not planned.new and not planned.existing:
        raise Refused(
            "nothing_to_do",
            ko="목록의 사람이 모두 이미 참가했습니다.",
            en="Everybody on the list takes part already.",
        )


def _changed() -> Refused:
    return Refused(
        "changed",
        ko="미리 본 뒤에 계정이나 팀이 바뀌었습니다. 아무것도 만들지 않았습니다.",
        en="Accounts or teams have changed since the preview. Nothing was made.",
        next_ko="목록을 다시 읽었으니 아래를 확인해 주세요.",
        next_en="The list was read again; look at it below.",
    )

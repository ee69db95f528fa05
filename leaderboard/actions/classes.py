"""Accounts, one-time passwords and teams for a class, from a list."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import IntegrityError
from django.utils.translation import gettext_noop as _

from leaderboard.accounts import passwords
from leaderboard.accounts.accounts import taken_problem
from leaderboard.accounts.class_list import LineProblem, Person, known, open_accounts, read
from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.decisions import deciding, refuse_all_but_editors, refuse_ended
from leaderboard.actions.refusals import Refused
from leaderboard.actions.teams import NOT_NAMED
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.schedule import lets_join
from leaderboard.teams.membership import enter, found, free_name
from leaderboard.teams.models import Membership, Team


class Outcome(StrEnum):
    """What becomes of one line."""

    NEW = "new"  # an account is made
    EXISTING = "existing"  # the account stays as it is and joins
    MEMBER = "member"  # already takes part; nothing changes
    PROBLEM = "problem"


@dataclass(frozen=True)
class PlannedLine:
    """One person of the list. `team` empty: a team of one. Notices are for the organizer."""

    person: Person
    outcome: Outcome
    team: str
    team_is_new: bool = False
    notice: str = ""


@dataclass(frozen=True)
class ClassPlan:
    """All lines with their outcomes; nothing is done while there are problems."""

    lines: tuple[PlannedLine, ...]
    problems: tuple[LineProblem, ...]

    @property
    def digest(self) -> str:
        """Changes when anything about the plan does: what was seen is what is done."""
        return hashlib.sha256(repr((self.lines, self.problems)).encode()).hexdigest()

    def count(self, outcome: str) -> int:
        return sum(line.outcome == outcome for line in self.lines)

    @property
    def new(self) -> int:
        return self.count(Outcome.NEW)

    @property
    def existing(self) -> int:
        return self.count(Outcome.EXISTING)


def plan(competition: Competition, data: bytes, at: datetime) -> ClassPlan:
    """Read the list and compare it with the accounts and teams that exist at `at`."""
    listed = read(data)
    known = _Known(competition, listed.people)
    bad_lines = {problem.line for problem in listed.problems}
    lines, problems = [], list(listed.problems)
    for person in listed.people:
        found = None if person.line in bad_lines else known.problem(person, at)
        if found is not None:
            problems.append(found)
        if found is not None or person.line in bad_lines:
            lines.append(PlannedLine(person, Outcome.PROBLEM, person.team))
        else:
            lines.append(known.line(person))
    problems += _beyond_the_maximum(competition, lines)
    problems.sort(key=lambda problem: problem.line or 0)
    return ClassPlan(tuple(lines), tuple(problems))


def _beyond_the_maximum(
    competition: Competition, lines: Sequence[PlannedLine]
) -> Iterator[LineProblem]:
    """Each line with which its team would have more members than a team may."""
    members = Membership.objects.filter(
        competition=competition, team__name__in={line.team for line in lines}
    )
    size = Counter(members.values_list("team__name", flat=True))
    for line in lines:
        if line.team and line.outcome in (Outcome.NEW, Outcome.EXISTING):
            size[line.team] += 1
            if size[line.team] > (most := competition.max_team_size):
                yield LineProblem(line.person.line, "team_full", name=line.team, most=most)


class _Known:
    """What the database says about the people and teams of a list."""

    def __init__(self, competition: Competition, people: Sequence[Person]) -> None:
        # By the name on the list; teams also by what their name looks like.
        self.accounts = known(person.username for person in people)
        teams = list(Team.objects.filter(competition=competition))
        self.teams = {team.name: team for team in teams}
        self.alike = {team.skeleton: team for team in teams}
        ids = [user.pk for user in self.accounts.values()]
        members = Membership.objects.filter(competition=competition, user__in=ids)
        self.team_of = {row.user_id: row.team for row in members.select_related("team")}
        organizers = Organizer.objects.filter(competition=competition)
        self.organizers = set(organizers.values_list("user", flat=True))

    def team_named(self, name: str) -> Team | None:
        """The team that has this name, or else one whose name looks like it."""
        return (self.teams.get(name) or self.alike.get(skeleton(name))) if name else None

    def problem(self, person: Person, at: datetime) -> LineProblem | None:
        """Why this person cannot be enrolled, or not in that team."""
        account, team = self.accounts.get(person.username), self.team_named(person.team)
        if account is None:
            if (held := taken_problem(person.username, at=at)) is not None:
                return LineProblem(person.line, "name", problem=held)
        elif account.username != person.username:
            return LineProblem(person.line, "account_alike", name=account.username)
        elif account.is_superuser or not account.is_active or account.pk in self.organizers:
            return LineProblem(person.line, "account_barred", name=account.username)
        if team is None:
            return None
        if team.name != person.team:
            return LineProblem(person.line, "team_alike", name=team.name)
        barred = team.disqualified_at is not None or team.merged_into_id is not None
        if team.kind == Team.Kind.PARTICIPANT and not barred:
            return None
        return LineProblem(person.line, "team_barred", name=team.name)

    def line(self, person: Person) -> PlannedLine:
        """What becomes of a person who can be enrolled."""
        wanted = person.team
        is_new = self.team_named(wanted) is None
        account = self.accounts.get(person.username)
        if account is None:
            return PlannedLine(person, Outcome.NEW, wanted, is_new)
        if (team := self.team_of.get(account.pk)) is None:
            notice = _(
                "This account exists. Check that it is this person. "
                "Its password and address stay as they are."
            )
            return PlannedLine(person, Outcome.EXISTING, wanted, is_new, notice)
        stays = wanted and wanted != team.name
        notice = _("Is in another team already and stays there.")
        if not stays:
            notice = _("Takes part already.")
        return PlannedLine(person, Outcome.MEMBER, team.name, False, notice)


def team_ids(competition: Competition, planned: ClassPlan) -> list[UUID]:
    """The existing teams that the plan puts people into."""
    names = {line.team for line in planned.lines if line.team and not line.team_is_new}
    rows = Team.objects.filter(competition=competition, name__in=names)
    return list(rows.values_list("pk", flat=True))


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
    refuse_all_but_editors(competition, user)
    refuse_ended(competition)
    if not lets_join(competition, at):
        raise Refused("closed.enrol")
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
        with deciding(competition, user, at) as decision:
            locked = decision.competition
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
            decision.record(
                "class.enrolled",
                locked.pk,
                after={
                    "accounts": len(newcomers),
                    "joined": planned.existing,
                    "usernames": sorted(teams),
                },
            )
    except IntegrityError:
        raise Refused("changed.class") from None
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
        person = accounts[line.person.username]
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


def _check(planned: ClassPlan, seen: str) -> None:
    if planned.digest != seen:
        raise Refused("changed.class")
    if planned.problems:
        raise Refused("class_problems")
    if not planned.new and not planned.existing:
        raise Refused("nothing_to_do")

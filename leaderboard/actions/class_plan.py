"""What enrolling a class would do: the preview, and what the enrolment itself goes by."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from leaderboard.accounts.class_list import LineProblem, Person, read
from leaderboard.accounts.enrolment import known
from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import skeleton
from leaderboard.accounts.taken_names import taken_problem
from leaderboard.competitions.models import Competition, Organizer
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
    notice_ko: str = ""
    notice_en: str = ""


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


@dataclass(frozen=True)
class _Known:
    """What the database says about the people and teams of a list.

    `accounts` by the name on the list, `alike` teams by what their name looks like.
    """

    accounts: Mapping[str, User]
    teams: Mapping[str, Team]
    alike: Mapping[str, Team]
    team_of: Mapping[int, Team]
    organizers: frozenset[int]

    def team_named(self, name: str) -> Team | None:
        """The team that has this name, or else one whose name looks like it."""
        return (self.teams.get(name) or self.alike.get(skeleton(name))) if name else None


def plan(competition: Competition, data: bytes, at: datetime) -> ClassPlan:
    """Read the list and compare it with the accounts and teams that exist at `at`."""
    listed = read(data)
    found = _known(competition, listed.people)
    bad_lines = {problem.line for problem in listed.problems}
    lines, problems = [], list(listed.problems)
    for person in listed.people:
        if person.line in bad_lines:
            lines.append(PlannedLine(person, Outcome.PROBLEM, person.team))
            continue
        wrong = _account_problem(person, found, at) or _team_problem(person, found)
        if wrong is not None:
            problems.append(wrong)
            lines.append(PlannedLine(person, Outcome.PROBLEM, person.team))
        else:
            lines.append(_line(person, found))
    problems.sort(key=lambda problem: problem.line or 0)
    return ClassPlan(tuple(lines), tuple(problems))


def _known(competition: Competition, people: tuple[Person, ...]) -> _Known:
    accounts = known(person.username for person in people)
    memberships = Membership.objects.filter(
        competition=competition, user__in=[user.pk for user in accounts.values()]
    )
    teams = list(Team.objects.filter(competition=competition))
    organizers = Organizer.objects.filter(competition=competition).values_list("user", flat=True)
    return _Known(
        accounts=accounts,
        teams={team.name: team for team in teams},
        alike={team.skeleton: team for team in teams},
        team_of={row.user_id: row.team for row in memberships.select_related("team")},
        organizers=frozenset(organizers),
    )


def _account_problem(person: Person, found: _Known, at: datetime) -> LineProblem | None:
    account = found.accounts.get(person.username)
    if account is None:
        if (held := taken_problem(person.username, at=at)) is None:
            return None
        return LineProblem(person.line, f"{held.ko} {held.next_ko}", f"{held.en} {held.next_en}")
    if account.username != person.username:
        return LineProblem(
            person.line,
            f"비슷해 보이는 이름의 계정이 있습니다: {account.username}",
            f"There is an account whose name looks like this one: {account.username}",
        )
    if account.is_superuser or not account.is_active or account.pk in found.organizers:
        return LineProblem(
            person.line,
            f"이 계정은 참가시킬 수 없습니다: {account.username}",
            f"This account cannot take part: {account.username}",
        )
    return None


def _team_problem(person: Person, found: _Known) -> LineProblem | None:
    team = found.team_named(person.team)
    if team is None:
        return None
    if team.name != person.team:
        return LineProblem(
            person.line,
            f"비슷해 보이는 이름의 팀이 있습니다: {team.name}",
            f"There is a team whose name looks like this one: {team.name}",
        )
    if team.kind == Team.Kind.PARTICIPANT and team.disqualified_at is None:
        return None
    return LineProblem(
        person.line,
        f"사람을 넣을 수 없는 팀입니다: {team.name}",
        f"Nobody can be put into this team: {team.name}",
    )


def _line(person: Person, found: _Known) -> PlannedLine:
    wanted = person.team
    is_new = found.team_named(wanted) is None
    account = found.accounts.get(person.username)
    if account is None:
        return PlannedLine(person, Outcome.NEW, wanted, is_new)
    if (team := found.team_of.get(account.pk)) is None:
        return PlannedLine(
            person,
            Outcome.EXISTING,
            wanted,
            is_new,
            "이미 있는 계정입니다. 이 사람이 맞는지 확인해 주세요. "
            "비밀번호와 이메일은 그대로 둡니다.",
            "This account exists. Check that it is this person. "
            "Its password and address stay as they are.",
        )
    stays = wanted and wanted != team.name
    return PlannedLine(
        person,
        Outcome.MEMBER,
        team.name,
        False,
        "이미 다른 팀에 있어 옮기지 않습니다." if stays else "이미 참가했습니다.",
        "Is in another team already and stays there." if stays else "Takes part already.",
    )


def team_ids(competition: Competition, planned: ClassPlan) -> list[UUID]:
    """The existing teams that the plan puts people into."""
    names = {line.team for line in planned.lines if line.team and not line.team_is_new}
    rows = Team.objects.filter(competition=competition, name__in=names)
    return list(rows.values_list("pk", flat=True))

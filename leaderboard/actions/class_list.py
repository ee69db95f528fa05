"""A class list: a CSV of people and their teams, and what applying it would do to each line."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Self
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from leaderboard.accounts.accounts import held, known, name_held
from leaderboard.accounts.models import User
from leaderboard.accounts.names import (
    TEAM_LENGTH,
    name_problem,
    reserved_problem,
    tidy,
    without_unreadable,
)
from leaderboard.accounts.skeletons import skeleton
from leaderboard.actions.decisions import Preview, digest_of
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import having
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import called, crews
from scoring.characters import nfc
from scoring.findings import Findings, Limits
from scoring.table import ROUNDED, opened

MAX_BYTES = 200_000
MAX_LINES = 1_000  # people of one list, who are moved in one transaction

COLUMNS = {
    "username": ("username", "사용자 이름", "사용자이름", "아이디", "id", "number", "학번"),
    "email": ("email", "e-mail", "mail", "이메일", "메일"),
    "name": ("name", "이름", "성명"),
    "team": ("team", "팀", "팀 이름", "팀이름", "조"),
}
_COLUMN_OF = {spelling: name for name, spellings in COLUMNS.items() for spelling in spellings}


class LineProblem(Refused):
    """Something to be corrected before the list can be applied. `line` None: of the whole file."""

    line: int | None = None

    def at(self, line: int | None) -> Self:
        """The same, of this line."""
        self.line = line
        return self


class Outcome(StrEnum):
    """What becomes of one line."""

    NEW = "new"  # an account is made and joins
    JOINS = "joins"  # the account stays as it is and joins
    MOVES = "moves"
    STAYS = "stays"
    PROBLEM = "problem"


@dataclass
class Line:
    """One line of the list and what becomes of it.

    `number` counts from 1 as an editor does, with the header. `team` empty: a team of one, or the
    team that the person is in. `source`: the person's team now; `target`: the team, if it exists.
    """

    number: int
    username: str = ""
    email: str = ""
    name: str = ""
    team: str = ""
    outcome: Outcome = Outcome.PROBLEM
    user: User | None = None
    source: Team | None = None
    target: Team | None = None
    notice: str = ""
    password: str = field(default="", repr=False)  # of an account that was just made

    @property
    def goes(self) -> bool:
        return self.outcome not in (Outcome.STAYS, Outcome.PROBLEM)


@dataclass(frozen=True)
class ClassPlan(Preview):
    """All lines with their outcomes; nothing is done while there are problems."""

    lines: tuple[Line, ...] = ()
    problems: tuple[LineProblem, ...] = ()

    @property
    def going(self) -> list[Line]:
        return [line for line in self.lines if line.goes]

    @property
    def new(self) -> list[Line]:
        return [line for line in self.lines if line.outcome == Outcome.NEW]

    @property
    def count(self) -> Mapping[str, int]:
        return Counter(line.outcome for line in self.lines)

    @property
    def teams(self) -> set[UUID]:
        """The existing teams that somebody leaves or comes into."""
        both = (team for line in self.going for team in (line.source, line.target))
        return {team.pk for team in both if team is not None}


# --- Reading --------------------------------------------------------------------------------------


Listed = tuple[list[Line], list[LineProblem]]


def read(text: str) -> Listed:
    """The lines of the list, and the problems that are seen without asking the database."""
    findings, limits = Findings(), Limits(max_bytes=MAX_BYTES)
    file = opened(text.encode(), limits, findings, needed="username", likely="\t,;|")
    records = [] if file.head is None else [file.head, *file.rows]
    for record in records:
        if record.broken:
            findings.problem(record.broken, line=record.line, limit=limits.max_columns)
    problems = [
        LineProblem("file", "{problem}", problem=one).at(one.line) for one in findings.problems()
    ]
    rows = [
        (record.line, [nfc(cell).strip() for cell in record.cells])
        for record in records
        if not (record.blank or record.broken)
    ]
    lines: list[Line] = []
    if rows and not (wrong := list(_header_problems(rows[0][1]))):
        columns = {_COLUMN_OF.get(cell.casefold(), ""): at for at, cell in enumerate(rows[0][1])}
        columns.pop("", None)
        for number, cells in rows[1:]:
            given = {name: cells[at] for name, at in columns.items() if at < len(cells)}
            username = User.normalize_username(given.get("username", ""))
            team = tidy(given.get("team", ""))
            lines.append(
                Line(number, username, given.get("email", ""), given.get("name", ""), team)
            )
    elif rows:
        problems += wrong
    if len(lines) > MAX_LINES:
        return [], [
            LineProblem(
                "too_many_people",
                _("At most {most} people at a time. Split the list."),
                most=MAX_LINES,
            )
        ]
    if not lines and not problems:
        problems.append(LineProblem("nobody", _("The list is empty.")))
    return lines, problems


def _header_problems(cells: Sequence[str]) -> Iterator[LineProblem]:
    found = [(_COLUMN_OF[cell.casefold()], cell) for cell in cells if cell.casefold() in _COLUMN_OF]
    for at, (name, cell) in enumerate(found):
        if name in dict(found[:at]):
            yield LineProblem(
                "column_twice", _("A column appears twice: {column}"), column=cell
            ).at(1)
    if dict(found).keys().isdisjoint({"username", "email", "name"}):
        yield LineProblem(
            "no_person_column",
            _("The first line needs a column for the person: username, email or name."),
        ).at(1)


# --- Planning -------------------------------------------------------------------------------------


def plan(competition: Competition, listed: Listed, at: datetime) -> ClassPlan:
    """Compare the list with the accounts, people and teams that exist at `at`."""
    lines, problems = [replace(line) for line in listed[0]], list(listed[1])
    facts = _Facts(competition, lines, at)
    for line in lines:
        try:
            facts.decide(line)
        except LineProblem as problem:
            problems.append(problem.at(line.number))
    problems += _twice(lines)
    _set_aside(lines, problems)
    problems += _together(competition, lines)
    _set_aside(lines, problems)
    problems.sort(key=lambda problem: problem.line or 0)
    return ClassPlan(
        digest=digest_of("class list", competition.pk, *lines, *problems),
        lines=tuple(lines),
        problems=tuple(problems),
    )


def _set_aside(lines: Sequence[Line], problems: Sequence[LineProblem]) -> None:
    bad_lines = {problem.line for problem in problems}
    for line in lines:
        if line.number in bad_lines:
            line.outcome, line.notice = Outcome.PROBLEM, ""


class _Facts:
    """What the database says about the people and teams of a list."""

    def __init__(self, competition: Competition, lines: Sequence[Line], at: datetime) -> None:
        usernames = {line.username for line in lines if line.username}
        self.accounts = known(usernames)
        self.held = set(held(usernames - self.accounts.keys(), at=at))
        names = {name for line in lines if not line.username for name in (line.email, line.name)}
        self.member: dict[int, Membership] = {}
        self.by_mail: dict[str, dict[int, User]] = defaultdict(dict)
        self.by_name: dict[str, dict[int, User]] = defaultdict(dict)
        for row in called(competition, {*self.accounts, *names} - {""}):
            self.member[row.user_id] = row
            for address in {row.typed_email, row.user.email.lower()}:
                self.by_mail[address][row.user_id] = row.user
            self.by_name[row.listed_name][row.user_id] = row.user
        looks = {skeleton(line.team) for line in lines if line.team}
        rows = Team.objects.filter(competition=competition, skeleton__in=looks)
        self.teams = {team.skeleton: team for team in rows}
        organizers = Organizer.objects.filter(competition=competition)
        self.organizers = set(organizers.values_list("user", flat=True))

    def decide(self, line: Line) -> None:
        """Write down what becomes of this line, looked at alone. Raises LineProblem."""
        line.user, line.target = self._person(line), self._team(line)
        _check(line)
        if line.user is None:
            if line.username in self.held:
                raise LineProblem("name", "{problem}", problem=name_held(line.username))
            line.outcome = Outcome.NEW
        elif (member := self.member.get(line.user.pk)) is not None:
            line.source = member.team
            stays = not line.team or line.target == member.team
            line.outcome = Outcome.STAYS if stays else Outcome.MOVES
        else:
            one = line.user
            if one.is_superuser or not one.is_active or one.pk in self.organizers:
                raise LineProblem(
                    "account_barred", _("This account cannot take part: {name}"), name=one.username
                )
            line.outcome = Outcome.JOINS
            line.notice = gettext_noop(
                "This account exists. Check that it is this person. "
                "Its password and address stay as they are."
            )

    def _person(self, line: Line) -> User | None:
        """The account with this username, None for a new one; without a username the one person of
        the contest who has the mail address or is called so on a class list."""
        if line.username:
            account = self.accounts.get(line.username)
            if account is not None and account.username != line.username:
                raise LineProblem(
                    "account_alike",
                    _("There is an account whose name looks like this one: {name}"),
                    name=account.username,
                )
            return account
        if not (line.email or line.name):
            raise LineProblem("who_empty", _("This line has no name."))
        by_mail = self.by_mail.get(line.email.lower(), {}) if line.email else {}
        by_name = self.by_name.get(line.name, {}) if line.name else {}
        match list((by_mail or by_name).values()):
            case [person]:
                return person
            case []:
                raise LineProblem(
                    "nobody_called",
                    _("Nobody in this competition has this mail address or name: {name}"),
                    name=line.email or line.name,
                )
            case several:
                names = ", ".join(sorted(person.username for person in several))
                raise LineProblem(
                    "several_called",
                    _("Several people have this name. Use the username: {names}"),
                    names=names,
                )

    def _team(self, line: Line) -> Team | None:
        if not line.team:
            return None
        team = self.teams.get(skeleton(line.team))
        if team is None:
            problem = name_problem(line.team, TEAM_LENGTH) or reserved_problem(line.team)
            if problem is not None:
                raise LineProblem("name", "{problem}", problem=problem)
        elif team.name != line.team:
            raise LineProblem(
                "team_alike",
                _("There is a team whose name looks like this one: {name}"),
                name=team.name,
            )
        elif (
            team.kind != Team.Kind.PARTICIPANT
            or team.disqualified_at is not None
            or team.merged_into_id is not None
        ):
            raise LineProblem(
                "team_barred", _("People cannot be added to this team: {name}"), name=team.name
            )
        return team


def _check(line: Line) -> None:
    """Raises LineProblem for what cannot be kept of this person."""
    for name in filter(ROUNDED.fullmatch, (line.username, line.team)):
        raise LineProblem(
            "rounded",
            _(
                "A spreadsheet turned this into a number: {name}. Set the column to text and "
                "enter it again."
            ),
            name=name,
        )
    if without_unreadable(line.name) != tidy(line.name):
        raise LineProblem("invisible", _("This line has invisible characters."))
    person = User(username=line.username, first_name=line.name, email=line.email)
    try:
        person.clean_fields(exclude={"password"} | ({"username"} if line.user else set()))
    except ValidationError as wrong:
        raise LineProblem("name", "{problem}", problem=wrong.messages[0]) from None
    if line.user is None and (problem := reserved_problem(line.username)) is not None:
        raise LineProblem("name", "{problem}", problem=problem)


def _twice(lines: Sequence[Line]) -> Iterator[LineProblem]:
    """A person who is listed twice, and two spellings of what looks like one name."""
    first: dict[object, tuple[int, str]] = {}
    for line in lines:
        who = line.user.username if line.user else line.username
        for kind, name, key in (
            ("who", who, skeleton(who)),
            ("mail", line.email, line.email.casefold()),
            ("team", line.team, skeleton(line.team)),
        ):
            earlier, said = first.setdefault((kind, key), (line.number, name))
            if not key or earlier == line.number:
                continue
            if kind != "mail" and said != name:
                yield LineProblem(
                    "looks_like",
                    _("Looks like the name on line {line}: {what}"),
                    line=earlier,
                    what=name,
                ).at(line.number)
            elif kind != "team":
                yield LineProblem(
                    "listed_already", _("Already on line {line}: {what}"), line=earlier, what=name
                ).at(line.number)


def _together(competition: Competition, lines: Sequence[Line]) -> list[LineProblem]:
    """What the lines cannot all do at once; who gets new attempts by it has a notice."""
    going = [line for line in lines if line.goes]
    leaving = Counter(line.source.pk for line in going if line.source)
    filled = {line.target.pk for line in going if line.target}
    size = Counter({team: len(crew) for team, crew in crews({*leaving, *filled}).items()})
    size.subtract(leaving)
    emptied = {team for team in leaving if not size[team]} - filled
    used = having(Submission, leaving)
    coming: Counter[str] = Counter()
    problems = []
    for line in going:
        coming[line.team] += 1
        there = size[line.target.pk] if line.target else 0
        most = competition.max_team_size
        if line.team and there + coming[line.team] > most:
            problems.append(
                LineProblem(
                    "team_full",
                    _(
                        "A team can have at most {most} members, and this one would have more: "
                        "{name}"
                    ),
                    name=line.team,
                    most=most,
                ).at(line.number)
            )
        if line.source and line.source.pk in emptied & used:
            problems.append(
                LineProblem(
                    "keeps_submissions",
                    _("A team with submissions would have no members left: {name}"),
                    name=line.source.name,
                ).at(line.number)
            )
        if line.source and line.source.pk in used and line.target is None:
            line.notice = gettext_noop(
                "The new team starts with no attempts used. Used attempts stay with the previous "
                "team."
            )
    return problems

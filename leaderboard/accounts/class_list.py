"""The list of a class, a CSV with one person a line, and accounts for those on it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import (
    TEAM_LENGTH,
    imitating_problem,
    reserved_problem,
    team_name_problem,
    tidy,
    username_problem,
    without_unreadable,
)
from leaderboard.accounts.skeletons import skeleton
from leaderboard.texts import Said, Sentences
from scoring.characters import nfc
from scoring.findings import Findings, Limits
from scoring.table import ROUNDED, opened

MAX_BYTES = 200_000
MAX_PEOPLE = 300  # each gets an account in one transaction
NAME_LENGTH = 150

COLUMNS = {
    "username": ("username", "사용자 이름", "사용자이름", "아이디", "id", "학번"),
    "name": ("name", "이름", "성명"),
    "email": ("email", "e-mail", "이메일", "메일"),
    "team": ("team", "팀", "팀 이름", "팀이름", "조"),
}
_COLUMN_OF = {spelling: name for name, spellings in COLUMNS.items() for spelling in spellings}
_is_username = UnicodeUsernameValidator()


@dataclass(frozen=True)
class Person:
    """One line of the list. `line` counts from 1 as an editor does, with the header."""

    line: int
    username: str
    name: str = ""
    email: str = ""
    team: str = ""


class LineProblem(Said, Exception):
    """Something that must be corrected before the list can be used. `line` None: of the file."""

    sentences = {
        "file": Sentences("{problem}"),
        "nobody": Sentences(_("There is nobody on the list.")),
        "column_twice": Sentences(_("A column appears twice: {column}")),
        "no_username_column": Sentences(_("The first line has no column username.")),
        "too_many_people": Sentences(_("At most {most} people at a time. Split the list.")),
        "listed_already": Sentences(_("Already on line {line}: {what}")),
        "looks_like": Sentences(_("Looks like the name on line {line}: {name}")),
        "username_empty": Sentences(_("The username is empty.")),
        "username_long": Sentences(_("The username is too long.")),
        "username_characters": Sentences(_("A username holds letters, digits and @ . + - _ only.")),
        "rounded": Sentences(
            _(
                "A spreadsheet turned this into a number: {name}. Set the column to text and write "
                "it again."
            )
        ),
        "no_email": Sentences(_("This is no e-mail address.")),
        "long_name": Sentences(_("The name is too long.")),
        "invisible": Sentences(_("There are invisible characters.")),
        "team_long": Sentences(_("A team name has at most {most} characters.")),
        "account_alike": Sentences(_("There is an account whose name looks like this one: {name}")),
        "account_barred": Sentences(_("This account cannot take part: {name}")),
        "team_alike": Sentences(_("There is a team whose name looks like this one: {name}")),
        "team_barred": Sentences(_("Nobody can be put into this team: {name}")),
        "team_full": Sentences(
            _("This team would have more than the {most} members that a team may have: {name}")
        ),
        "name": Sentences("{problem}"),
        "no_team_column": Sentences(
            _("The first line has no column team, or none that says who: username, email or name.")
        ),
        "who_empty": Sentences(_("It is not said who.")),
        "team_empty": Sentences(_("It is not said which team.")),
        "nobody_called": Sentences(
            _("There is no such account, nor anybody in this contest called so: {name}")
        ),
        "several_called": Sentences(_("Several people are called so; write the username: {names}")),
        "keeps_submissions": Sentences(
            _("Nobody would be left in a team that has submissions: {name}")
        ),
    }

    def __init__(self, on_line: int | None, key: str, **values: object) -> None:
        super().__init__(key, **values)
        self.line = on_line


@dataclass
class Reading:
    """All that is wrong with a list."""

    problems: list[LineProblem] = field(default_factory=list)

    def wrong(self, on_line: int | None, key: str, **values: object) -> None:
        self.problems.append(LineProblem(on_line, key, **values))


@dataclass
class ClassList(Reading):
    """Who is on the list."""

    people: list[Person] = field(default_factory=list)


def read(data: bytes) -> ClassList:
    """The people of a CSV in UTF-8, UTF-16 or CP949, with every problem and its line."""
    reading = ClassList()
    rows = rows_of(data, reading)
    if rows:
        (_line, header), *lines = rows
        columns = columns_of(header, reading)
        if "username" not in columns:
            reading.wrong(1, "no_username_column")
        _read_lines(columns, lines, reading)
    if not reading.people and not reading.problems:
        reading.wrong(None, "nobody")
    return reading


Rows = list[tuple[int, list[str]]]


def rows_of(data: bytes, reading: Reading) -> Rows:
    """All lines with something in them and where they begin; what is wrong with the file is said.

    Tabs come first among what separates cells: pasted from a spreadsheet, commas are text.
    """
    findings = Findings()
    limits = Limits(max_bytes=MAX_BYTES)
    file = opened(data, limits, findings, needed="username", likely="\t,;|")
    found = [] if file.head is None else [file.head, *file.rows]
    for record in found:
        if record.broken:
            findings.problem(record.broken, line=record.line, limit=limits.max_columns)
    for problem in findings.problems():
        reading.wrong(problem.line, "file", problem=problem)
    return [
        (record.line, [nfc(cell).strip() for cell in record.cells])
        for record in found
        if not (record.blank or record.broken)
    ]


def columns_of(header: Sequence[str], reading: Reading) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        name = _COLUMN_OF.get(cell.casefold())
        if name is not None and name in found:
            reading.wrong(1, "column_twice", column=cell)
        elif name is not None:
            found[name] = place
    return found


def _read_lines(
    columns: Mapping[str, int], lines: Sequence[tuple[int, list[str]]], reading: ClassList
) -> None:
    if "username" not in columns:
        return
    if len(lines) > MAX_PEOPLE:
        reading.wrong(None, "too_many_people", most=MAX_PEOPLE)
        return
    first_line: dict[str, int] = {}
    for number, cells in lines:
        given = {name: cells[at] if at < len(cells) else "" for name, at in columns.items()}
        given["username"] = User.normalize_username(given["username"])
        given["team"] = tidy(given.get("team", ""))
        person = Person(line=number, **given)
        _check(person, reading)
        for what in filter(None, (person.username.casefold(), person.email.casefold())):
            earlier = first_line.setdefault(what, number)
            if earlier != number:
                reading.wrong(number, "listed_already", line=earlier, what=what)
        reading.people.append(person)
    _find_lookalikes(reading)


def _find_lookalikes(reading: ClassList) -> None:
    people: dict[str, Person] = {}
    teams: dict[str, Person] = {}
    for person in reading.people:
        one = people.setdefault(skeleton(person.username), person)
        other = teams.setdefault(skeleton(person.team), person)
        for earlier, name, differs in (
            (one, person.username, one.username.casefold() != person.username.casefold()),
            (other, person.team, other.team != person.team),
        ):
            if differs:
                reading.wrong(person.line, "looks_like", line=earlier.line, name=name)


def _check(person: Person, reading: ClassList) -> None:
    line = person.line
    if not person.username:
        reading.wrong(line, "username_empty")
    elif len(person.username) > NAME_LENGTH:
        reading.wrong(line, "username_long")
    elif problem := username_problem(person.username) or reserved_problem(person.username):
        reading.wrong(line, "name", problem=problem)
    elif not _passes(_is_username, person.username):
        reading.wrong(line, "username_characters")
    for name in filter(ROUNDED.fullmatch, (person.username, person.team)):
        reading.wrong(line, "rounded", name=name)
    if person.email and not _passes(validate_email, person.email):
        reading.wrong(line, "no_email")
    if len(person.name) > NAME_LENGTH:
        reading.wrong(line, "long_name")
    if without_unreadable(person.name) != tidy(person.name):
        reading.wrong(line, "invisible")
    if len(person.team) > TEAM_LENGTH:
        reading.wrong(line, "team_long", most=TEAM_LENGTH)
    elif person.team and (
        problem := team_name_problem(person.team)
        or reserved_problem(person.team)
        or imitating_problem(person.team)
    ):
        reading.wrong(line, "name", problem=problem)


def _passes(validate: object, text: str) -> bool:
    assert callable(validate)
    try:
        validate(text)
    except ValidationError:
        return False
    return True


def open_accounts(*, people: Sequence[Person], encoded: Mapping[str, str]) -> dict[str, User]:
    """New accounts by username, each with the stored form of its password, to be changed at once.

    Raises IntegrityError if a name was taken meanwhile.
    """
    made = User.objects.bulk_create(
        (
            User(
                username=person.username,
                first_name=person.name,
                email=person.email,
                password=encoded[person.username],
                must_change_password=True,
            )
            # In order: of two classes with the same new names one waits, and then is told so.
            for person in sorted(people, key=lambda person: person.username)
        ),
        batch_size=500,
    )
    return {user.username: user for user in made}


def known(usernames: Iterable[str]) -> dict[str, User]:
    """By name, the account that has it, or else the one whose name looks like it."""
    looks = {name: skeleton(name) for name in usernames}
    rows = list(User.objects.filter(Q(username__in=looks) | Q(skeleton__in=looks.values())))
    having = {user.username: user for user in rows}
    alike = {user.skeleton: user for user in rows}
    found = {name: having.get(name) or alike.get(look) for name, look in looks.items()}
    return {name: user for name, user in found.items() if user is not None}

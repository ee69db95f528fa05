"""The list of a class, a CSV with one person a line, and accounts for those on it."""

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Q

from leaderboard.accounts.models import User
from leaderboard.accounts.names import (
    TEAM_LENGTH,
    NameProblem,
    reserved_problem,
    team_name_problem,
    tidy,
    username_problem,
    without_unreadable,
)
from leaderboard.accounts.skeletons import skeleton
from scoring.findings import Limits
from scoring.table import Unreadable, decode

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


@dataclass(frozen=True)
class LineProblem:
    """Something that must be corrected before the list can be used. `line` None: of the file."""

    line: int | None
    message_ko: str
    message_en: str


@dataclass(frozen=True)
class ClassList:
    """Who is on the list, and all that is wrong with it."""

    people: tuple[Person, ...]
    problems: tuple[LineProblem, ...]


@dataclass
class _ClassReading:
    people: list[Person] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)

    def wrong(self, line: int | None, ko: str, en: str) -> None:
        self.problems.append(LineProblem(line, ko, en))


def read(data: bytes) -> ClassList:
    """The people of a CSV in UTF-8, UTF-16 or CP949, with every problem and its line."""
    reading = _ClassReading()
    try:
        text = decode(data, Limits(max_bytes=MAX_BYTES)).text
        rows = list(_rows(text))
    except (Unreadable, csv.Error):
        reading.wrong(
            None,
            f"읽을 수 없는 파일입니다. {MAX_BYTES // 1000} kB까지의 CSV를 UTF-8로 저장해 주세요.",
            f"The file cannot be read. Save a CSV of at most {MAX_BYTES // 1000} kB as UTF-8.",
        )
        rows = []
    if rows:
        (_, header), *lines = rows
        _read_lines(_columns(header, reading), lines, reading)
    if not reading.people and not reading.problems:
        reading.wrong(None, "사람이 없는 목록입니다.", "There is nobody on the list.")
    return ClassList(tuple(reading.people), tuple(reading.problems))


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Cells with the number of the line they begin on; empty lines are skipped."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    for row in reader:
        cells = [unicodedata.normalize("NFC", cell).strip() for cell in row]
        if any(cells):
            yield begins, cells
        begins = reader.line_num + 1


def _columns(header: Sequence[str], reading: _ClassReading) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, cell in enumerate(header):
        name = _COLUMN_OF.get(cell.casefold())
        if name is not None and name in found:
            reading.wrong(1, f"같은 열이 두 번 있습니다: {cell}", f"A column appears twice: {cell}")
        elif name is not None:
            found[name] = place
    if "username" not in found:
        reading.wrong(
            1,
            "첫 줄에 username(또는 학번) 열이 없습니다.",
            "The first line has no column username.",
        )
    return found


def _read_lines(
    columns: Mapping[str, int], lines: Sequence[tuple[int, list[str]]], reading: _ClassReading
) -> None:
    if "username" not in columns:
        return
    if len(lines) > MAX_PEOPLE:
        reading.wrong(
            None,
            f"한 번에 {MAX_PEOPLE}명까지 올릴 수 있습니다. 나누어 올려 주세요.",
            f"At most {MAX_PEOPLE} people at a time. Split the list.",
        )
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
                reading.wrong(
                    number,
                    f"{earlier}번째 줄에 이미 있습니다: {what}",
                    f"Already on line {earlier}: {what}",
                )
        reading.people.append(person)
    _find_lookalikes(reading)


def _find_lookalikes(reading: _ClassReading) -> None:
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
                reading.wrong(
                    person.line,
                    f"{earlier.line}번째 줄의 이름과 비슷해 보입니다: {name}",
                    f"Looks like the name on line {earlier.line}: {name}",
                )


def _check(person: Person, reading: _ClassReading) -> None:
    line = person.line
    if not person.username:
        reading.wrong(line, "사용자 이름이 비어 있습니다.", "The username is empty.")
    elif len(person.username) > NAME_LENGTH:
        reading.wrong(line, "사용자 이름이 너무 깁니다.", "The username is too long.")
    elif problem := username_problem(person.username) or reserved_problem(person.username):
        _wrong_name(reading, line, problem)
    elif not _passes(_is_username, person.username):
        reading.wrong(
            line,
            "사용자 이름에는 글자, 숫자, @ . + - _ 만 쓸 수 있습니다.",
            "A username holds letters, digits and @ . + - _ only.",
        )
    if person.email and not _passes(validate_email, person.email):
        reading.wrong(line, "이메일 주소가 아닙니다.", "This is no e-mail address.")
    if len(person.name) > NAME_LENGTH:
        reading.wrong(line, "이름이 너무 깁니다.", "The name is too long.")
    if without_unreadable(person.name) != tidy(person.name):
        reading.wrong(line, "보이지 않는 문자가 있습니다.", "There are invisible characters.")
    if len(person.team) > TEAM_LENGTH:
        reading.wrong(
            line,
            f"팀 이름은 {TEAM_LENGTH}자까지입니다.",
            f"A team name has at most {TEAM_LENGTH} characters.",
        )
    elif person.team and (
        problem := team_name_problem(person.team) or reserved_problem(person.team)
    ):
        _wrong_name(reading, line, problem)


def _wrong_name(reading: _ClassReading, line: int, problem: NameProblem) -> None:
    reading.wrong(line, f"{problem.ko} {problem.next_ko}", f"{problem.en} {problem.next_en}")


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

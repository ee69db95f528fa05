"""A list of people and the teams they are to be in: pasted, or a CSV, one person a line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from leaderboard.accounts.class_list import Reading, columns_of, rows_of
from leaderboard.accounts.names import TEAM_LENGTH, tidy
from leaderboard.accounts.skeletons import skeleton
from scoring.table import ROUNDED

MOST = 1000  # people of one list, who are moved in one transaction
# What a person may be called by, the surest first.
CALLED = ("username", "email", "name")


@dataclass(frozen=True)
class Wish:
    """One line: who is to be in which team. `column`: what `who` is, or empty for any of them."""

    line: int
    who: str
    team: str
    column: str = ""


@dataclass
class TeamList(Reading):
    """Who is on the list."""

    wishes: list[Wish] = field(default_factory=list)


def read(text: str) -> TeamList:
    """The lines of the text, with every problem that can be seen without asking the database.

    A first line that names its columns may name more than are needed. Without one the first cell
    says who, and the second which team.
    """
    reading = TeamList()
    rows = rows_of(text.encode(), reading) if text.strip() else []
    header = Reading()
    columns = columns_of(rows[0][1], header) if rows else {}
    if len(columns) > 1:
        rows = rows[1:]
        reading.problems += header.problems
        if "team" not in columns or columns.keys().isdisjoint(CALLED):
            reading.wrong(1, "no_team_column")
            return reading
    if len(rows) > MOST:
        reading.wrong(None, "too_many_people", most=MOST)
        return reading
    for line, cells in rows:
        _read_line(line, cells, columns if len(columns) > 1 else {"": 0, "team": 1}, reading)
    _find_lookalikes(reading)
    if not reading.wishes and not reading.problems:
        reading.wrong(None, "nobody")
    return reading


def _read_line(
    line: int, cells: Sequence[str], columns: Mapping[str, int], reading: TeamList
) -> None:
    given = {name: cells[at] for name, at in columns.items() if at < len(cells) and cells[at]}
    column = next((name for name in (*CALLED, "") if name in given), None)
    team = tidy(given.get("team", ""))
    if column is None:
        reading.wrong(line, "who_empty")
    elif not team:
        reading.wrong(line, "team_empty")
    elif len(team) > TEAM_LENGTH:
        reading.wrong(line, "team_long", most=TEAM_LENGTH)
    elif rounded := next(filter(ROUNDED.fullmatch, (given[column], team)), None):
        reading.wrong(line, "rounded", name=rounded)
    else:
        reading.wishes.append(Wish(line, given[column], team, column))


def _find_lookalikes(reading: TeamList) -> None:
    """Two spellings of what looks like one team are one team or a mistake."""
    teams: dict[str, Wish] = {}
    for wish in reading.wishes:
        one = teams.setdefault(skeleton(wish.team), wish)
        if one.team != wish.team:
            reading.wrong(wish.line, "looks_like", line=one.line, name=wish.team)

"""Facts kept as JSON, in notices and in the log, without the names of a closed account."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

FILE_NAME = "submission.csv"
OF_PEOPLE = ("username", "captain", "usernames", "accounts", "joined")


@dataclass(frozen=True)
class Unnaming:
    """What stands for the names of an account from now on.

    `teams`: of each contest that the person was in, what its teams that were theirs are called
    instead; `files`: the submissions they handed in, whose names as sent go.
    """

    username: str
    instead: str
    teams: Mapping[UUID, Mapping[str, str]]
    files: frozenset[UUID]

    def rename(self, rows: QuerySet[Any], column: str, of_teams: Collection[str] = ()) -> None:
        """Call the account as it is called now, and under the keys `of_teams` its teams."""
        teams = {old for names in self.teams.values() for old in names}
        # One database keeps letters beyond ASCII, the other one escapes them.
        found = [
            form
            for escaped in (True, False)
            for form in (
                json.dumps(self.username, ensure_ascii=escaped)[:-1],
                *(json.dumps(team, ensure_ascii=escaped)[1:] for team in teams),
            )
        ]
        named = rows.alias(text=Cast(column, TextField())).filter(
            reduce(or_, (Q(text__contains=form) for form in found))
        )
        changed = list(named.order_by("pk"))
        for row in changed:
            names = self.teams.get(row.competition, {})
            setattr(row, column, self._renamed(getattr(row, column), "", names, of_teams))
        rows.bulk_update(changed, [column], batch_size=500)

    def _renamed(
        self, value: Any, key: str, teams: Mapping[str, str], of_teams: Collection[str]
    ) -> Any:
        match value:
            case dict():
                return {k: self._renamed(one, k, teams, of_teams) for k, one in value.items()}
            case list():
                return [self._renamed(one, key, teams, of_teams) for one in value]
            case str() if key in of_teams:
                return teams.get(value, value)
            case str() if key in OF_PEOPLE:  # with a team behind it, in the log of a class list
                person, colon, team = value.partition(": ")
                person = self.instead if person == self.username else person
                return person + colon + teams.get(team, team)
        return value

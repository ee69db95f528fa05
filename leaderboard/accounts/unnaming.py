"""Facts kept as JSON, in notices and in the log, without the names of a closed account."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

Row = TypeVar("Row", bound=Model)

FILE_NAME = "submission.csv"

# Under these keys a person is named; under `usernames` several, perhaps with a team behind each.
_PEOPLE = frozenset({"username", "captain"})
_AT_ONCE = 50  # SQLite takes no condition of 1,000 parts; a name has up to four


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

    def mentioned_in(self, rows: QuerySet[Row], *columns: str) -> Iterator[QuerySet[Row]]:
        """Those of these rows in whose JSON one of the names may stand, some names at a time."""
        names = sorted({self.username, *(name for each in self.teams.values() for name in each)})
        texts = {f"{column}_text": Cast(column, TextField()) for column in columns}
        for first in range(0, len(names), _AT_ONCE):
            some = names[first : first + _AT_ONCE]
            # One database keeps letters beyond ASCII as they are, the other one escaped.
            forms = {json.dumps(name)[1:-1] for name in some}
            forms |= {json.dumps(name, ensure_ascii=False)[1:-1] for name in some}
            found = Q()
            for text, form in product(texts, sorted(forms)):
                found |= Q(**{f"{text}__contains": form})
            yield rows.alias(**texts).filter(found)

    def of(
        self,
        facts: Mapping[str, Any],
        *,
        team_keys: Collection[str],
        competition: UUID | None,
        about: Collection[object] = (),
    ) -> dict[str, Any]:
        """The same facts without the names.

        `team_keys`: under which of their keys a team is named. All else, codes and ids, stays,
        though a name may read like it. `about`: what they are about, a submission perhaps.
        """
        is_file = not {str(one) for one in about}.isdisjoint(map(str, self.files))
        teams = self.teams.get(competition, {}) if competition else {}
        said = dict(facts)
        for key, value in facts.items():
            if key == "file" and is_file:
                said[key] = FILE_NAME
            elif key == "usernames":
                said[key] = [self._person(one, teams) for one in value]
            elif key in _PEOPLE:
                said[key] = self._person(value, teams)
            elif key in team_keys:
                said[key] = teams.get(value, value)
        return said

    def _person(self, value: Any, teams: Mapping[str, str]) -> Any:
        if not isinstance(value, str):  # nobody
            return value
        person, colon, team = value.partition(": ")
        person = self.instead if person == self.username else person
        return person + colon + teams.get(team, team)

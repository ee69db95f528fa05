"""Facts kept as JSON, in notices and in the log, without the names of a closed account."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import JSONField, Model, Q, QuerySet, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Replace

FILE_NAME = "submission.csv"


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

    def unname_people(self, rows: QuerySet[Any], column: str) -> None:
        """Name the account as it is called now, by itself or in a list, a team behind it or not."""
        pairs: dict[str, str] = {}
        for old, new in _forms(self.username, self.instead):
            for key in ("username", "captain"):
                pairs[f'"{key}": {old}'] = f'"{key}": {new}'
            for before, after in ("[", ","), ("[", "]"), (", ", ","), (", ", "]"):
                pairs[before + old + after] = before + new + after
            pairs[f"{old[:-1]}: "] = f"{new[:-1]}: "
        _replace(rows, column, pairs)

    def unname_teams(self, rows: QuerySet[Any], column: str, keys: Iterable[str]) -> None:
        """The same of teams, under these keys or behind a person."""
        for competition, names in self.teams.items():
            forms = [form for old, new in names.items() for form in _forms(old, new)]
            pairs = {f'"{key}": {old}': f'"{key}": {new}' for key in keys for old, new in forms}
            pairs |= {f": {old[1:]}": f": {new[1:]}" for old, new in forms}
            _replace(rows.filter(competition=competition), column, pairs)


def _forms(*names: str) -> Iterable[tuple[str, ...]]:
    """The names as JSON: one database keeps letters beyond ASCII, the other one escapes them."""
    for escaped in (True, False):
        yield tuple(json.dumps(name, ensure_ascii=escaped) for name in names)


def _replace(rows: QuerySet[Model], column: str, pairs: Mapping[str, str]) -> None:
    if not pairs:
        return
    text: Combinable = Cast(column, TextField())
    found = reduce(or_, (Q(text__contains=old) for old in pairs))
    named = rows.alias(text=text).filter(found)
    for old, new in pairs.items():
        text = Replace(text, Value(old), Value(new))
    named.update(**{column: Cast(text, JSONField())})

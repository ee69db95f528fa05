"""The rows of a board as its pages read them: values, because a page asks for a hundred at a time.

Read as models, and their members apart, they would cost a board's page a fifth of its time.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import JSONArray

from leaderboard.boards.gathered import GatheredJSON
from leaderboard.boards.models import BoardInstant, Standing, StandingDay
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Membership

Rows = QuerySet[Standing] | QuerySet[StandingDay]

# By the team's id, not "team": that would be its name, which no index of a board holds.
BOARD_ORDER = ("-printed", "received_at", "team_id")

# The columns behind the fields of `Row`.
_FIELDS = (
    "members",
    "team_id",
    "team__name",
    "printed",
    "metrics",
    "submission_id",
    "entries",
    "last_submission_at",
    "ranked",
    "before",
    "received_at",
)


@dataclass(frozen=True, slots=True)
class Row:
    """One team's line of a board. Totals and metrics are the integers that are printed (× 10⁴).

    `members`: usernames in the order they came. `before`: the printed total of yesterday's
    midnight; None without one.
    """

    members: tuple[str, ...]
    team_id: UUID
    team_name: str
    printed: int
    metrics: dict[str, int]
    submission_id: UUID
    entries: int
    last_submission_at: datetime
    ranked: bool
    before: int | None
    received_at: datetime


def standings_of(version: ScoringVersion, board: str, instant: datetime | None) -> Rows:
    """Every row of a board, now or at an instant; none at an instant whose board is not kept.

    For organizers' comparisons; what a page shows comes through `listing`.
    """
    if instant is None:
        now = Standing.objects.filter(scoring_version=version, board=board)
        return now.order_by(*BOARD_ORDER)
    kept = BoardInstant.objects.filter(scoring_version=version, instant=instant, filled=True)
    days = StandingDay.objects.filter(
        Exists(kept), scoring_version=version, board=board, instant=instant
    )
    return days.order_by(*BOARD_ORDER)


def shown(rows: Rows) -> Iterator[Row]:
    """What a board prints of these rows, which have `before`."""
    for members, *values in _with_members(rows).values_list(*_FIELDS):
        yield Row(_names(members), *values)


def _with_members(rows: Rows) -> Rows:
    people = Membership.objects.filter(team=OuterRef("team")).order_by().values("team")
    named = people.annotate(all=GatheredJSON(JSONArray("joined_at", "pk", "user__username")))
    return rows.annotate(members=Subquery(named.values("all")))


def _names(members: Any) -> tuple[str, ...]:
    """Of what `_with_members` gathered: text or lists, as the database has it; None for nobody."""
    found = json.loads(members) if isinstance(members, str) else members or []
    return tuple(username for _joined_at, _pk, username in sorted(found))

"""The people of a contest beside what their teams handed in, for those who run it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Count, Exists, F, Max, OrderBy, OuterRef, Q, QuerySet, Subquery

from leaderboard.accounts.sessions import seen_at, seen_of_row
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Activity, activity
from leaderboard.teams.models import Membership
from scoring.characters import nfc

ONLY = ("alone", "silent")  # nobody else in the team; the team handed in nothing

_TAKEN = Submission.objects.filter(team=OuterRef("team"), cancellation=None).order_by()


def _of_team(measure: Count | Max) -> Subquery:
    return Subquery(_TAKEN.values("team").annotate(found=measure).values("found"))


# How many people the team has. With each row: a question of its own costs every page more.
_CREW = Subquery(
    Membership.objects.filter(team=OuterRef("team"))
    .order_by()
    .values("team")
    .annotate(found=Count("pk"))
    .values("found")
)

# By what the list can be sorted, and the key of each order.
SORTS: Mapping[str, Sequence[str | OrderBy]] = {
    "team": ("team__sort_key", "team__name", "joined_at"),
    "username": ("user__username",),
    "name": ("listed_name", "user__username"),
    "entries": (F("sorted_by").desc(nulls_last=True), "user__username"),
    "last": (F("sorted_by").desc(nulls_last=True), "user__username"),
    "seen": (F("sorted_by").desc(nulls_last=True), "user__username"),
}
_MEASURES = {
    "entries": _of_team(Count("pk")),
    "last": _of_team(Max("received_at")),
    "seen": seen_of_row(),
}


def found_people(
    competition: Competition, *, query: str = "", only: str = "", sort: str = "team"
) -> QuerySet[Membership]:
    """Those whose username, listed name or team holds `query`; `only`: one of ONLY."""
    rows = Membership.objects.filter(competition=competition)
    if wanted := nfc(query).strip():
        rows = rows.filter(
            Q(user__username__icontains=wanted)
            | Q(listed_name__icontains=wanted)
            | Q(team__name__icontains=wanted)
        )
    if only == "alone":
        others = Membership.objects.filter(team=OuterRef("team")).exclude(pk=OuterRef("pk"))
        rows = rows.filter(~Exists(others))
    elif only == "silent":
        rows = rows.filter(~Exists(_TAKEN))
    if sort in _MEASURES:
        rows = rows.annotate(sorted_by=_MEASURES[sort])
    rows = rows.annotate(crew=_CREW)
    return rows.select_related("user", "team").order_by(*SORTS[sort], "pk")


def participants(memberships: Iterable[Membership]) -> list[Any]:
    """These people, those of one page, with all that is shown: two questions for them all.

    Each row of `found_people` also gets its team's `activity` and when the person was last seen.
    """
    shown: list[Any] = list(memberships)
    done = activity({row.team_id for row in shown})
    seen = seen_at(row.user_id for row in shown)
    for row in shown:
        row.activity = done.get(row.team_id, Activity())
        row.last_seen_at = seen.get(row.user_id)
        row.is_captain = row.team.captain_id == row.user_id
    return shown

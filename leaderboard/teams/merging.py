"""Reads of teams that became a part of another one. Such a team keeps its row, name and captain."""

from uuid import UUID

from django.db.models import Q, QuerySet

from leaderboard.teams.models import Merge, Team


def open_questions(*teams: Team) -> QuerySet[Merge]:
    """What these teams ask or are asked, the oldest first, with both teams and who asks."""
    about = Q(survivor__in=teams) | Q(absorbed__in=teams)
    rows = Merge.objects.filter(about, state=Merge.State.ASKED)
    return rows.select_related("survivor", "absorbed", "asked_by").order_by("asked_at", "pk")


def merges_of(team: Team) -> list[Merge]:
    """All that this team asked, was asked and became, the newest first."""
    rows = Merge.objects.filter(Q(survivor=team) | Q(absorbed=team))
    return list(rows.select_related("survivor", "absorbed", "asked_by", "answered_by", "undone_by"))


def parts(team: Team) -> frozenset[UUID]:
    """The team, those it took in, and those that these had taken in."""
    rows = Team.objects.filter(competition=team.competition_id, merged_into__isnull=False)
    inside: dict[UUID | None, list[UUID]] = {}
    for pk, whole in rows.order_by().values_list("pk", "merged_into"):
        inside.setdefault(whole, []).append(pk)
    found, waiting = {team.pk}, [team.pk]
    while waiting:
        new = set(inside.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return frozenset(found)


def whole(team: UUID) -> Team:
    """The team that this one is a part of now, directly or in steps; itself, if of none."""
    found = Team.objects.get(pk=team)
    while found.merged_into is not None:
        found = found.merged_into
    return found

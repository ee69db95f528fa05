"""Reads of teams."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Lower

from leaderboard.accounts.models import User
from leaderboard.competitions.models import AllowedEmail, Competition
from leaderboard.competitions.registration import tidy_email
from leaderboard.competitions.roles import Anyone
from leaderboard.teams.models import JoinRequest, Membership, Merge, Team


def visible_to(user: Anyone) -> QuerySet[Competition]:
    """The competitions that this person may know of; for all others a page answers 404.

    Of a private one: its people, who asked to join and was not declined, and whose account's
    address stands on its list.
    """
    if not isinstance(user, User):
        return Competition.objects.filter(is_private=False)
    if user.is_superuser:
        return Competition.objects.all()
    joined = Membership.objects.filter(user=user).values("competition")
    organized = Competition.objects.filter(organizers__user=user).values("pk")
    asked = JoinRequest.objects.filter(user=user).exclude(approved=False).values("competition")
    known = Q(is_private=False) | Q(pk__in=joined) | Q(pk__in=organized) | Q(pk__in=asked)
    if user.email:
        listed = AllowedEmail.objects.filter(email=tidy_email(user.email))
        in_use = Q(registration=Competition.Registration.ALLOW_LIST)
        known |= in_use & Q(pk__in=listed.values("competition"))
    return Competition.objects.filter(known)


def team_of(user: Anyone, competition: Competition) -> Team | None:
    """This person's team in this competition, if they joined."""
    if not isinstance(user, User):
        return None
    return Team.objects.filter(memberships__user=user, competition=competition).first()


def members(team: Team) -> list[Any]:
    """The people of a team, in the order they came. `name`: as a class list had it, or empty."""
    shown = {"username": F("user__username"), "name": F("listed_name")}
    return list(team.memberships.annotate(**shown, is_captain=Q(user=team.captain_id)))


def teams_of(competition: Competition, wanted: str) -> QuerySet[Membership, Any]:
    """The teams of the people whose username, or name on a class list, holds `wanted`."""
    called = User.objects.filter(username__icontains=wanted).values_list("pk", flat=True)
    named = Q(listed_name__icontains=wanted) | among(
        "user", called, Q(user__username__icontains=wanted)
    )
    return (
        Membership.objects.filter(named, competition=competition)
        .order_by()
        .values_list("team", flat=True)
    )


FEW = 500  # rows that a statement names one by one


def among(field: str, found: QuerySet[Any, Any], otherwise: Q | None = None) -> Q:
    """The rows whose `field` is one of the values that `found`, a flat list, selects.

    Few are found first and named: beside another condition, or along an order, a database would
    look each of a million rows up, to see that it is none of them. Of many, `otherwise` or a query.
    """
    few = list(found.order_by()[: FEW + 1])
    if len(few) <= FEW:
        return Q(**{f"{field}__in": few})
    return Q(**{f"{field}__in": found}) if otherwise is None else otherwise


def participants(competition: Competition) -> QuerySet[Team]:
    """The teams that take part, by name; none that became a part of another one."""
    return Team.objects.filter(
        competition=competition, kind=Team.Kind.PARTICIPANT, merged_into=None
    )


def baselines(competition: Competition) -> QuerySet[Team]:
    """What the organizers put on the board for comparison, by name."""
    return Team.objects.filter(competition=competition, kind=Team.Kind.BASELINE)


def headcount(competition: Competition) -> dict[str, int]:
    """Participating teams, their people and how many teams are disqualified; no baselines."""
    teams = participants(competition)
    # A baseline has no people, nor has a team that became a part of another one.
    people = Membership.objects.filter(competition=competition)
    return {
        "teams": teams.count(),
        "people": people.count(),
        "disqualified": teams.filter(disqualified_at__isnull=False).count(),
    }


def called(competition: Competition, names: Collection[str]) -> QuerySet[Membership]:
    """Participants with one of these as username, listed name or mail address."""
    lowered = {name.lower() for name in names}
    named = Q(user__username__in=names) | Q(listed_name__in=names)
    addressed = Q(typed_email__in=lowered) | Q(mail__in=lowered)
    rows = Membership.objects.annotate(mail=Lower("user__email"))
    found = rows.filter(named | addressed, competition=competition)
    return found.select_related("user", "team")


def crews(teams: Collection[UUID], field: str = "user") -> dict[UUID, list[Any]]:
    """The keys of the members of these teams, or another field, in the order they came."""
    found: dict[UUID, list[Any]] = defaultdict(list)
    rows = Membership.objects.filter(team__in=list(teams)).order_by("joined_at", "pk")
    for team_id, value in rows.values_list("team", field):
        found[team_id].append(value)
    return found


# --- Merged teams: a part of another one keeps its row, name and captain --------------------------


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

"""Two teams that become one, and one that becomes two again: what is written of teams and people.

A team that was taken in keeps its row, name and captain; its people carry it as their `origin`.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.teams.invitations import end, end_for_members
from leaderboard.teams.models import Invitation, Membership, Merge, Team

State = Merge.State


def ask(*, survivor: Team, absorbed: Team, user: User, at: datetime) -> Merge:
    """Keep the question. Raises IntegrityError if it is open already."""
    return Merge.objects.create(
        competition=survivor.competition,
        survivor=survivor,
        absorbed=absorbed,
        asked_by=user,
        asked_at=at,
    )


def answer(*, merge: Merge, state: State, user: User, at: datetime) -> None:
    """Write down what became of an open question. The contest's row is locked by the caller."""
    merge.state, merge.answered_by, merge.answered_at = state, user, at
    merge.save(update_fields=["state", "answered_by", "answered_at"])


def open_questions(*teams: Team) -> QuerySet[Merge]:
    """What these teams ask or are asked, the oldest first, with both teams and who asks."""
    about = Q(survivor__in=teams) | Q(absorbed__in=teams)
    rows = Merge.objects.filter(about, state=State.ASKED)
    return rows.select_related("survivor", "absorbed", "asked_by").order_by("asked_at", "pk")


def merges_of(team: Team) -> list[Merge]:
    """All that this team asked, was asked and became, the newest first."""
    rows = Merge.objects.filter(Q(survivor=team) | Q(absorbed=team))
    return list(rows.select_related("survivor", "absorbed", "asked_by", "answered_by", "undone_by"))


def parts(team: Team) -> frozenset[UUID]:
    """The team, those it took in, and those that these had taken in."""
    rows = Team.objects.filter(competition=team.competition_id, merged_into__isnull=False)
    return _inside(team.pk, rows.order_by().values_list("pk", "merged_into"))


def with_parts(competition: Competition, team: UUID) -> tuple[Team | None, frozenset[UUID]]:
    """The team of this key, if it is no part of another one, and its `parts`; one query."""
    rows = Team.objects.filter(Q(pk=team) | Q(merged_into__isnull=False), competition=competition)
    known = {row.pk: row for row in rows.filter(kind=Team.Kind.PARTICIPANT)}
    found = known.get(team)
    if found is None or found.merged_into_id is not None:
        return None, frozenset()
    return found, _inside(team, ((row.pk, row.merged_into_id) for row in known.values()))


def _inside(team: UUID, merged: Iterable[tuple[UUID, UUID | None]]) -> frozenset[UUID]:
    inside: dict[UUID | None, list[UUID]] = {}
    for pk, whole in merged:
        inside.setdefault(whole, []).append(pk)
    found, waiting = {team}, [team]
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


def headcounts(teams: Collection[UUID]) -> Counter[UUID]:
    """How many people are in each of these teams, in one query."""
    return Counter(Membership.objects.filter(team__in=teams).values_list("team", flat=True))


def absorb(*, survivor: Team, absorbed: Team, at: datetime) -> None:
    """The people of one team go to the other; what it sent out to gain others ends.

    Both rows are locked by the caller.
    """
    end(Invitation.objects.filter(team=absorbed), at)
    take_over(Membership.objects.all(), survivor=survivor, absorbed=absorbed)
    end_for_members(survivor, at)
    absorbed.merged_into = survivor
    absorbed.save(update_fields=["merged_into"])


def release(*, survivor: Team, absorbed: Team, origins: Iterable[UUID]) -> None:
    """Who came from these teams and is still there goes back; each side has a captain of its own.

    The one who led before, if they are among them, else who came first.
    """
    give_back(Membership.objects.all(), survivor=survivor, absorbed=absorbed, origins=origins)
    absorbed.merged_into = None
    absorbed.save(update_fields=["merged_into"])
    for team in (survivor, absorbed):
        people = team.memberships.select_related("user")
        if not people.filter(user=team.captain_id).exists():
            first = people.order_by("-user__is_active", "joined_at", "pk").first()
            team.captain = first.user if first else None
            team.save(update_fields=["captain"])


def undo(*, merge: Merge, user: User, reason: str, at: datetime) -> None:
    """Write down who took it back, and why."""
    merge.state, merge.undone_by, merge.undone_at, merge.reason = State.UNDONE, user, at, reason
    merge.save(update_fields=["state", "undone_by", "undone_at", "reason"])


def take_over(rows: QuerySet[Model], *, survivor: Team, absorbed: Team) -> None:
    """Of a table with `team` and an `origin` that is None for a team's own rows."""
    own = rows.filter(team=absorbed)
    own.filter(origin=None).update(origin=absorbed)
    own.update(team=survivor)


def give_back(
    rows: QuerySet[Model], *, survivor: Team, absorbed: Team, origins: Iterable[UUID]
) -> None:
    """`take_over` taken back: of the table's rows, those of these origins."""
    rows.filter(team=survivor, origin__in=list(origins)).update(team=absorbed)
    rows.filter(team=absorbed, origin=absorbed).update(origin=None)

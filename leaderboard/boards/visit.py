"""Who looks at which contest at which instant: read once a request, then handed around."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import EDITING, Viewer, role_of
from leaderboard.references.models import Release, ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import count, team_of, visible_to


@dataclass(frozen=True)
class Visit:
    """One person's look at one contest. `role`: owner, editor, assistant or None.

    `has_dev_set`: there are released golds to practise on.
    """

    competition: Competition
    viewer: Viewer
    at: datetime
    role: str | None
    team: Team | None
    version: ScoringVersion | None
    teams: int
    has_dev_set: bool
    # Page and header strip look at the same board: what one has read, the other need not.
    listings: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def edits(self) -> bool:
        """Whether this person runs the contest and sees golds and private scores."""
        return self.role in EDITING


def visit(competition: Competition, viewer: Viewer, at: datetime) -> Visit:
    """The visit of somebody who may know of the competition."""
    return Visit(
        competition=competition,
        viewer=viewer,
        at=at,
        role=role_of(viewer, competition),
        team=team_of(viewer, competition),
        version=live_version(competition),
        teams=count(competition),
        has_dev_set=Release.objects.filter(competition=competition).exists(),
    )


def visit_of_address(slug: str, viewer: Viewer, at: datetime) -> Visit | None:
    """The visit to the contest of this address in two or three queries; None: not theirs to know.

    A member's team and contest come in one row: every page of a running contest asks for them.
    """
    if isinstance(viewer, User):
        roles = Organizer.objects.filter(user=viewer, competition=OuterRef("competition"))
        memberships = Membership.objects.filter(user=viewer, competition__slug=slug)
        member = (
            memberships.select_related("team", "competition")
            .annotate(
                role=Subquery(roles.values("role")[:1]),
                team_count=_teams("competition"),
                has_dev_set=_released("competition"),
            )
            .first()
        )
        if member is not None:
            competition, team = member.competition, member.team
            team.competition = competition
            return Visit(
                competition=competition,
                viewer=viewer,
                at=at,
                role=member.role,
                team=team,
                version=live_version(competition),
                teams=member.team_count,
                has_dev_set=member.has_dev_set,
            )
        roles = Organizer.objects.filter(user=viewer, competition=OuterRef("pk"))
    else:
        roles = Organizer.objects.none()
    known: QuerySet[Competition] = visible_to(viewer).filter(slug=slug)
    found = known.annotate(
        role=Subquery(roles.values("role")[:1]),
        team_count=_teams("pk"),
        has_dev_set=_released("pk"),
    ).first()
    if found is None:
        return None
    return Visit(
        competition=found,
        viewer=viewer,
        at=at,
        role=found.role,
        team=None,
        version=live_version(found),
        teams=found.team_count,
        has_dev_set=found.has_dev_set,
    )


def _teams(competition: str) -> Coalesce:
    """How many teams the contest of the outer row has, as `teams.queries.count` says."""
    teams = Team.objects.filter(competition=OuterRef(competition), kind=Team.Kind.PARTICIPANT)
    counted = teams.order_by().values("competition").annotate(n=Count("*")).values("n")
    return Coalesce(Subquery(counted), 0)


def _released(competition: str) -> Exists:
    """Whether the contest of the outer row has a dev set that participants may read."""
    return Exists(Release.objects.filter(competition=OuterRef(competition)))

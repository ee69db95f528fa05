"""Who looks at which contest at which instant: read once a request, then handed around."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Count, Exists, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import EDITING, Viewer, role_of
from leaderboard.references.models import Release, ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import count, team_of, visible_to

Rows = TypeVar("Rows", bound=Model)


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
    roles = Organizer.objects.none()
    if isinstance(viewer, User):
        roles = Organizer.objects.filter(user=viewer)
        memberships = Membership.objects.filter(user=viewer, competition__slug=slug)
        own = memberships.select_related("team", "competition")
        member = _with_facts(own, "competition", roles).first()
        if member is not None:
            competition, team = member.competition, member.team
            team.competition = competition
            return _visit(competition, team, member, viewer, at)
    known: QuerySet[Competition] = visible_to(viewer).filter(slug=slug)
    found = _with_facts(known, "pk", roles).first()
    return None if found is None else _visit(found, None, found, viewer, at)


def _visit(
    competition: Competition, team: Team | None, facts: Any, viewer: Viewer, at: datetime
) -> Visit:
    """`facts`: a row of `_with_facts`."""
    return Visit(
        competition=competition,
        viewer=viewer,
        at=at,
        role=facts.role,
        team=team,
        version=live_version(competition),
        teams=facts.team_count,
        has_dev_set=facts.has_dev_set,
    )


def _with_facts(
    rows: QuerySet[Rows], competition: str, roles: QuerySet[Organizer]
) -> QuerySet[Any]:
    """The rows with what a visit knows of the contest that each has in this field."""
    of_it = roles.filter(competition=OuterRef(competition))
    return rows.annotate(
        role=Subquery(of_it.values("role")[:1]),
        team_count=_teams(competition),
        has_dev_set=_released(competition),
    )


def _teams(competition: str) -> Coalesce:
    """How many teams the contest of the outer row has, as `teams.queries.count` says."""
    teams = Team.objects.filter(competition=OuterRef(competition), kind=Team.Kind.PARTICIPANT)
    counted = teams.order_by().values("competition").annotate(n=Count("*")).values("n")
    return Coalesce(Subquery(counted), 0)


def _released(competition: str) -> Exists:
    """Whether the contest of the outer row has a dev set that participants may read."""
    return Exists(Release.objects.filter(competition=OuterRef(competition)))

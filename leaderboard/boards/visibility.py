"""Who looks at a contest, and which board they may see, as of when. Decided here and nowhere else.

Every rank, difference, count, export and chart reads through `board_view`. Before the reveal the
private board exists for owners and editors of that contest only; from the freeze to the reveal
everybody else sees the others' rows as they stood at the freeze.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from django.db.models import (
    Exists,
    FilteredRelation,
    Func,
    IntegerField,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)

from leaderboard.accounts.models import User
from leaderboard.boards.models import Placement
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import EDITING, Anyone
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.references.models import Release, ScoringVersion
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import visible_to

Rows = TypeVar("Rows", bound=Model)
ROWS = Func(function="COUNT", template="COUNT(*)", output_field=IntegerField())


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at a contest at an instant; read once a request.

    `role`: owner, editor, assistant or None. `has_dev_set`: there are references to practise on.
    """

    competition: Competition
    user: Anyone
    at: datetime
    role: str | None
    team: Team | None
    version: ScoringVersion | None
    teams: int
    has_dev_set: bool
    # Page and contest header look at the same board: what one has read, the other need not.
    listings: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def edits(self) -> bool:
        """Whether this person runs the contest and sees golds and private scores."""
        return self.role in EDITING


def viewer_of_address(slug: str, user: Anyone, at: datetime) -> Viewer | None:
    """Who looks at the contest of this address, in one or two queries; None: not theirs to know.

    A member's team and contest come in one row: every page of a running contest asks for them.
    """
    roles, team = Organizer.objects.none(), None
    facts: Any = None
    if isinstance(user, User):
        roles = Organizer.objects.filter(user=user)
        memberships = Membership.objects.filter(user=user, competition__slug=slug).exclude(
            competition__state=Competition.State.DELETED
        )
        own = memberships.select_related("team", "competition")
        facts = _with_facts(own, "competition__", roles).first()
    if facts is not None:
        competition, team = facts.competition, facts.team
        team.competition = competition
    else:
        known: QuerySet[Competition] = visible_to(user).filter(slug=slug)
        competition = facts = _with_facts(known, "", roles).first()
    if facts is None:
        return None
    return Viewer(
        competition=competition,
        user=user,
        at=at,
        role=facts.role,
        team=team,
        version=getattr(facts, "live", None),  # not there where none is live
        teams=facts.team_count,
        has_dev_set=facts.has_dev_set,
    )


def _with_facts(
    rows: QuerySet[Rows], competition: str, roles: QuerySet[Organizer]
) -> QuerySet[Any]:
    """The rows with what a viewer needs of the contest that `competition` leads to."""
    this = OuterRef(f"{competition}pk")
    taking_part = {"kind": Team.Kind.PARTICIPANT, "merged_into": None}
    teams = Team.objects.filter(competition=this, **taking_part).order_by()
    versions = f"{competition}scoring_versions"
    is_live = Q(**{f"{versions}__state": ScoringVersion.State.LIVE})
    return rows.annotate(
        role=Subquery(roles.filter(competition=this).values("role")[:1]),
        team_count=Subquery(teams.values(n=ROWS)),
        has_dev_set=Exists(Release.objects.filter(competition=this)),
        live=FilteredRelation(versions, condition=is_live),
    ).select_related("live__reference_set")


Board = Placement.Board


class BoardState(StrEnum):
    """What a board says of itself: still moving, frozen, closed but not revealed, or final."""

    LIVE = "live"
    FROZEN = "frozen"
    PROVISIONAL = "provisional"
    FINAL = "final"


@dataclass(frozen=True)
class BoardView:
    """What one viewer sees of a board: the rows of now (`instant` None) or those of an instant.

    `own_moves`: the others' rows stand still, the viewer's own row is today's.
    """

    board: str
    instant: datetime | None
    own_moves: bool = False


@dataclass(frozen=True)
class BoardTab:
    """A board as the page offers it: open to this viewer, or the instant when it opens.

    A board that is closed without such an instant is held until the results are verified.
    """

    board: str
    visible: bool
    opens_at: datetime | None


def is_frozen(competition: Competition, at: datetime) -> bool:
    """Whether the others' rows stand still at `at`: from the freeze until the reveal."""
    freeze = competition.freezes_at
    return freeze is not None and freeze <= at and phase(competition, at) is not Phase.REVEALED


def state(competition: Competition, at: datetime) -> BoardState:
    """The state of the board at `at`; every boundary belongs to what begins there."""
    match phase(competition, at):
        case Phase.REVEALED:
            return BoardState.FINAL
        case Phase.CLOSED:
            return BoardState.PROVISIONAL
        case _:
            return BoardState.FROZEN if is_frozen(competition, at) else BoardState.LIVE


def may_read(viewer: Viewer) -> bool:
    """Whether this viewer, who may know of the competition, may read any board of it.

    A visitor may unless the contest wants them to sign in. A private contest shows its boards to
    its people only: who may just know of it, having asked or standing on its list, joins first.
    """
    if not isinstance(viewer.user, User):
        return not viewer.competition.board_needs_sign_in
    if not viewer.competition.is_private or viewer.user.is_superuser:
        return True
    return viewer.role is not None or viewer.team is not None


def may_see(viewer: Viewer, board: str) -> bool:
    """Whether this viewer, who may know of the competition, may see this board at all."""
    if not may_read(viewer):
        return False
    if board == Board.PUBLIC:
        return True
    if board != Board.PRIVATE:
        return False
    return viewer.edits or phase(viewer.competition, viewer.at) is Phase.REVEALED


def may_see_other_columns(viewer: Viewer, board: str) -> bool:
    """Whether this viewer may see what other columns say of this board's rows.

    Nobody sees those of private rows before the reveal, editors no more than others: none are made.
    """
    return is_final(viewer) if board == Board.PRIVATE else may_see(viewer, board)


def board_view(viewer: Viewer, board: str, instant: datetime | None = None) -> BoardView | None:
    """What this viewer sees of a board, now or as of a past instant; None: nothing.

    During a freeze nobody but owners and editors sees the others later than the freeze, whichever
    instant they ask for. An instant still to come is the same as now.
    """
    if not may_see(viewer, board):
        return None
    asked = instant if instant is not None and instant <= viewer.at else None
    freeze = viewer.competition.freezes_at
    if freeze is not None and is_frozen(viewer.competition, viewer.at) and not viewer.edits:
        if asked is None:
            return BoardView(board, freeze, own_moves=True)
        return BoardView(board, min(asked, freeze))
    return BoardView(board, asked)


def boards_of_everybody(
    competition: Competition, at: datetime
) -> tuple[tuple[str, datetime | None], ...]:
    """The boards that a stranger would see at `at`, each with the instant of its rows (None: now).

    What is made once for all readers of a board is made of these rows.
    """
    public = (Board.PUBLIC, competition.freezes_at if is_frozen(competition, at) else None)
    if phase(competition, at) is Phase.REVEALED:
        return public, (Board.PRIVATE, None)
    return (public,)


def visible_boards(viewer: Viewer) -> tuple[str, ...]:
    """The boards that this viewer may see, public first."""
    return tuple(board for board in Board.values if may_see(viewer, board))


def is_final(viewer: Viewer) -> bool:
    """Whether this viewer may see the private board because it was revealed to all."""
    revealed = state(viewer.competition, viewer.at) is BoardState.FINAL
    return revealed and may_see(viewer, Board.PRIVATE)


def may_see_parts(viewer: Viewer) -> bool:
    """Whether this viewer may see what a file reaches on parts of a board's rows or of its numbers:
    slices, precision and recall. Before the reveal each is one more equation about hidden rows.
    """
    return viewer.edits or is_final(viewer)


def opening_board(viewer: Viewer) -> str:
    """The board that is shown to who names none: from the reveal on the final one."""
    is_final = state(viewer.competition, viewer.at) is BoardState.FINAL
    return Board.PRIVATE if is_final else Board.PUBLIC


def boards_for(viewer: Viewer) -> tuple[BoardTab, ...]:
    """Both boards, each open, with the instant of its opening, or held."""
    competition = viewer.competition
    opens_at = None if competition.reveal_held else competition.reveals_at
    return tuple(
        BoardTab(
            board=board,
            visible=(seen := may_see(viewer, board)),
            opens_at=None if seen else opens_at,
        )
        for board in Board.values
    )

"""Who may see which board at which instant. Decided here and nowhere else.

Every rank, difference, count, export and chart reads through `may_see`. Before the reveal the
private board exists for owners and editors of that contest only.
"""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Viewer, sees_private
from leaderboard.competitions.schedule import Phase, phase

Board = Standing.Board


@dataclass(frozen=True)
class BoardTab:
    """A board as the page offers it: open to this viewer, or the instant when it opens.

    A board that is closed without such an instant is held until the results are verified.
    """

    board: str
    visible: bool
    opens_at: datetime | None


def may_see(viewer: Viewer, competition: Competition, board: str, at: datetime) -> bool:
    """Whether this viewer, who may know of the competition, may see this board at `at`."""
    if board == Board.PUBLIC:
        return True
    if board != Board.PRIVATE:
        return False
    return phase(competition, at) == Phase.REVEALED or sees_private(viewer, competition)


def visible_boards(viewer: Viewer, competition: Competition, at: datetime) -> tuple[str, ...]:
    """The boards that this viewer may see at `at`, public first."""
    return tuple(board for board in Board.values if may_see(viewer, competition, board, at))


def boards_for(competition: Competition, viewer: Viewer, at: datetime) -> tuple[BoardTab, ...]:
    """Both boards, each open, with the instant of its opening, or held."""
    opens_at = None if competition.reveal_held else competition.reveals_at
    return tuple(
        BoardTab(
            board=board,
            visible=(seen := may_see(viewer, competition, board, at)),
            opens_at=None if seen else opens_at,
        )
        for board in Board.values
    )

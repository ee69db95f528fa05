"""Reads of the boards. Every function asks `visibility` before it reads a number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.names import may_be_number
from leaderboard.boards.columns import Cell, Column, Note, columns, order_by
from leaderboard.boards.ladder import Ladder
from leaderboard.boards.listing import BY_TEAM, BY_TOTAL, Listing, listing
from leaderboard.boards.models import Placement
from leaderboard.boards.rows import Row
from leaderboard.boards.visibility import BoardState, may_see, state
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition

Board = Placement.Board
PAGE = 100


@dataclass(frozen=True)
class LeaderboardEntry:
    """One line of a board, ready to print.

    `rank`: None for a baseline. `climbed`: ranks gained since yesterday's midnight; None when the
    team was not on that board, or it is not kept.
    """

    rank: int | None
    tied: bool
    climbed: int | None
    team_id: UUID
    team_name: str
    members: tuple[str, ...]
    is_own: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class BoardPage:
    """One page of a board as one viewer may see it.

    `instant`: whose board the rows are, the freeze's or a past midnight's; None: now.
    `own_moves`: the others are frozen, the viewer's own row is today's.
    """

    competition: Competition
    board: str
    state: BoardState
    instant: datetime | None
    own_moves: bool
    since: datetime | None
    version_number: int | None
    signature: str | None
    columns: tuple[Column, ...]
    rows: tuple[LeaderboardEntry, ...]
    own: LeaderboardEntry | None
    own_page: int | None
    page: int
    pages: int
    teams: int
    as_of: datetime
    query: str
    sort: str

    @property
    def own_is_among_rows(self) -> bool:
        """Whether the viewer's own row stands on this page, so that nothing need be pinned."""
        return any(entry.is_own for entry in self.rows)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What its columns say below the board."""
        found: list[Note] = []
        for column in self.columns:
            if column.note is not None and column.note not in found:
                found.append(column.note)
        return tuple(found)


def page(
    visit: Visit,
    board: str,
    *,
    query: str = "",
    page: int = 1,
    sort: str = "",
    instant: datetime | None = None,
) -> BoardPage | None:
    """One page of a board, now or as of a past midnight; None when this viewer may not see it.

    `sort` lays the rows out by a column's key, or by `team`; the ranks stay.
    """
    if not may_see(visit, board):
        return None
    seen = listing(visit, board, instant)
    if seen is None:
        return replace(_empty(visit, board, columns(visit, board)), query=query)
    order = BY_TEAM if sort == BY_TEAM.key else order_by(visit, board, sort) or BY_TOTAL
    page = max(page, 1)
    shown, number = seen.rows(order, query, slice((page - 1) * PAGE, page * PAGE))
    pages = max(1, -(-number // PAGE))
    if page > pages:
        page = pages
        shown, _ = seen.rows(order, query, slice((page - 1) * PAGE, page * PAGE))
    return replace(
        _filled(seen, shown, seen.own),
        own_page=seen.page_of_own(order, PAGE),
        page=page,
        pages=pages,
        query=query,
        sort=order.key,
    )


def whole(visit: Visit, board: str, *, instant: datetime | None = None) -> BoardPage | None:
    """Every line of a board as one page, or None when this viewer may not see it."""
    if not may_see(visit, board):
        return None
    seen = listing(visit, board, instant)
    if seen is None:
        return _empty(visit, board, columns(visit, board))
    shown, _ = seen.rows(BY_TOTAL, "", slice(None))
    # Ranked among themselves: a score that came since the totals were read would shift them.
    ladder = Ladder(tuple(sorted(row.printed for row in shown if row.ranked)))
    return _filled(replace(seen, shown_ladder=ladder), shown, None)


def _empty(visit: Visit, board: str, shown: tuple[Column, ...]) -> BoardPage:
    """The page of a board without rows."""
    return BoardPage(
        competition=visit.competition,
        board=board,
        state=state(visit.competition, visit.at),
        instant=None,
        own_moves=False,
        since=None,
        version_number=None,
        signature=None,
        columns=shown,
        rows=(),
        own=None,
        own_page=None,
        page=1,
        pages=1,
        teams=0,
        as_of=visit.at,
        query="",
        sort=BY_TOTAL.key,
    )


def _filled(seen: Listing, shown: Sequence[Row], own: Row | None) -> BoardPage:
    rows = [*shown, *([own] if own else [])]
    found = columns(seen.visit, seen.sight.board, rows)
    lines = _lines(seen, rows, found)
    return replace(
        _empty(seen.visit, seen.sight.board, found),
        instant=seen.sight.instant,
        own_moves=seen.sight.own_moves,
        since=seen.yesterday if len(seen.ladder_before) else None,
        version_number=seen.version.number,
        signature=seen.version.signature,
        rows=tuple(lines[: len(shown)]),
        own=lines[-1] if own else None,
        teams=len(seen.ladder),
    )


def _lines(seen: Listing, rows: Sequence[Row], shown: Sequence[Column]) -> list[LeaderboardEntry]:
    own = seen.visit.team.pk if seen.visit.team else None
    return [
        LeaderboardEntry(
            rank=seen.ladder.rank(row.printed) if row.ranked else None,
            tied=row.ranked and seen.ladder.sharing(row.printed) > 1,
            climbed=_climbed(seen, row),
            team_id=row.team_id,
            team_name=row.team_name,
            members=_readable(row, to_all=not (seen.visit.edits or row.team_id == own)),
            is_own=row.team_id == own,
            cells=tuple(Cell(column, column.value(row)) for column in shown),
        )
        for row in rows
    ]


def _readable(row: Row, *, to_all: bool) -> tuple[str, ...]:
    """A row's usernames; to whom they are strangers, without what may be a student number."""
    if not to_all:
        return row.members
    return tuple(name for name in row.members if not may_be_number(name))


def _climbed(seen: Listing, row: Row) -> int | None:
    if row.before is None or not row.ranked or not len(seen.ladder_before):
        return None
    return seen.ladder_before.rank(row.before) - seen.ladder.rank(row.printed)

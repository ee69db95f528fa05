"""Reads of the boards. Every function asks `visibility` before it reads a number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.names import may_be_number
from leaderboard.boards.judge_order import judge_order
from leaderboard.boards.judged import JudgeCell, JudgeColumns, judge_columns
from leaderboard.boards.ladder import Ladder
from leaderboard.boards.listing import BY_TEAM, BY_TOTAL, Listing, Order, listing
from leaderboard.boards.models import Placement
from leaderboard.boards.rows import Row
from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import BoardState, may_see, state
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion

Board = Placement.Board
PAGE = 100


@dataclass(frozen=True)
class Column:
    """A metric as shown on the board."""

    key: str
    label: str


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
    total: str
    metrics: tuple[str, ...]
    entries: int
    last_submission_at: datetime
    is_own: bool
    judge: tuple[JudgeCell, ...] = ()


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
    judge: JudgeColumns | None
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

    `sort` lays the rows out by a metric's key, `team`, `entries`, `last` or a judge's column
    (`judge-alignment`); the ranks stay.
    """
    if not may_see(visit, board):
        return None
    seen = listing(visit, board, instant)
    if seen is None:
        return replace(_empty(visit, board), query=query)
    order = judge_order(visit, board, sort) or order_by(sort, columns_of(seen.version))
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
        return _empty(visit, board)
    shown, _ = seen.rows(BY_TOTAL, "", slice(None))
    # Ranked among themselves: a score that came since the totals were read would shift them.
    ladder = Ladder(tuple(sorted(row.printed for row in shown if row.ranked)))
    return _filled(replace(seen, shown_ladder=ladder), shown, None)


def _empty(visit: Visit, board: str) -> BoardPage:
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
        columns=(),
        judge=None,
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
    columns = columns_of(seen.version)
    rows = [*shown, *([own] if own else [])]
    judge = judge_columns(seen.visit, seen.sight.board, {row.submission_id for row in rows})
    lines = _lines(seen, rows, columns, judge)
    return replace(
        _empty(seen.visit, seen.sight.board),
        instant=seen.sight.instant,
        own_moves=seen.sight.own_moves,
        since=seen.yesterday if len(seen.ladder_before) else None,
        version_number=seen.version.number,
        signature=seen.version.signature,
        columns=columns,
        judge=judge,
        rows=tuple(lines[: len(shown)]),
        own=lines[-1] if own else None,
        teams=len(seen.ladder),
    )


def columns_of(version: ScoringVersion | None) -> tuple[Column, ...]:
    """The metrics of a version in the order of its profile."""
    if version is None:
        return ()
    return tuple(Column(key, label(key)) for key in version.profile().metrics)


def order_by(sort: str, columns: Sequence[Column]) -> Order:
    """The order that an address asks for; by the total for anything that is not a column."""
    orders = (
        BY_TEAM,
        Order("entries", "entries"),
        Order("last", "last_submission_at"),
        *(Order(column.key, f"metrics__{column.key}") for column in columns),
    )
    return next((order for order in orders if order.key == sort), BY_TOTAL)


def _lines(
    seen: Listing, rows: Sequence[Row], columns: Sequence[Column], judge: JudgeColumns | None
) -> list[LeaderboardEntry]:
    own = seen.visit.team.pk if seen.visit.team else None
    return [
        LeaderboardEntry(
            rank=seen.ladder.rank(row.printed) if row.ranked else None,
            tied=row.ranked and seen.ladder.sharing(row.printed) > 1,
            climbed=_climbed(seen, row),
            team_id=row.team_id,
            team_name=row.team_name,
            members=_readable(row, to_all=not (seen.visit.edits or row.team_id == own)),
            total=decimals(row.printed),
            metrics=tuple(decimals(row.metrics[column.key]) for column in columns),
            entries=row.entries,
            last_submission_at=row.last_submission_at,
            is_own=row.team_id == own,
            judge=judge.of(row.submission_id) if judge else (),
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

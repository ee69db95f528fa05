"""Reads of the boards. Every function asks `visibility` before it reads a number."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.accounts.names import may_be_number
from leaderboard.boards.columns import (
    EXPORTED,
    SOURCES,
    Cell,
    Column,
    Source,
    about,
    columns,
    decimals,
)
from leaderboard.boards.listing import (
    BY_TEAM,
    BY_TOTAL,
    BoardRow,
    Listing,
    Placed,
    listing,
    rank_in,
)
from leaderboard.boards.visibility import (
    BoardState,
    BoardView,
    Viewer,
    may_see,
    opening_board,
    state,
)
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import phase
from leaderboard.submissions.ledger import Allowance, allowance
from leaderboard.teams.queries import crews
from scoring.ranking import ranks

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
    `own_moves`: the others are frozen, the viewer's own row is today's. `pinned`: the own row,
    unless it stands among the others of this page.
    """

    competition: Competition
    board: str
    state: BoardState
    columns: tuple[Column, ...]
    as_of: datetime
    instant: datetime | None = None
    own_moves: bool = False
    since: datetime | None = None
    version_number: int | None = None
    signature: str | None = None
    rows: tuple[LeaderboardEntry, ...] = ()
    own: LeaderboardEntry | None = None
    own_page: int | None = None
    page: int = 1
    pages: int = 1
    teams: int = 0
    query: str = ""
    sort: str = BY_TOTAL.key
    pinned: tuple[LeaderboardEntry, ...] = ()

    @property
    def meanings(self) -> tuple[tuple[str, str], ...]:
        """What each shown column means, in their order; columns that mean the same together."""
        shown = [(_("Rank"), about("rank"))]
        if self.since:
            shown.append((pgettext("difference", "Change"), about("since")))
        labels: dict[str, list[str]] = {}
        for label, said in (*shown, *((column.label, column.about) for column in self.columns)):
            if said:
                labels.setdefault(said, []).append(label)
        return tuple((", ".join(names), said) for said, names in labels.items())


def page(
    viewer: Viewer,
    board: str,
    *,
    query: str = "",
    page: int = 1,
    sort: str = "",
    instant: datetime | None = None,
    sources: Sequence[Source] = SOURCES,
) -> BoardPage | None:
    """One page of a board, now or as of a past midnight; None when this viewer may not see it.

    `sort` lays the rows out by a column's key, or by `team`; the ranks stay. `sources`: of the
    columns.
    """
    if not may_see(viewer, board):
        return None
    seen = listing(viewer, board, instant)
    if seen is None:
        return _page(viewer, board, None, sources, query=query)
    # No other column than those that this viewer sees.
    known = columns(viewer, seen.view, sources) if sort else ()
    orders = {order.key: order for order in (BY_TEAM, *(column.order for column in known))}
    order = orders.get(sort, BY_TOTAL)
    pages = max(1, -(-(seen.named(query) if query else seen.tally.rows) // PAGE))
    page = min(max(page, 1), pages)
    shown = seen.rows(order, query, slice((page - 1) * PAGE, page * PAGE))
    placed, since = seen.placed([*shown, *([seen.own] if seen.own else [])])
    place = seen.tally.ahead if order == BY_TOTAL else seen.place_of_own(order)
    return _page(
        viewer,
        board,
        seen,
        sources,
        shown,
        placed,
        seen.own,
        since=since,
        own_page=place // PAGE + 1 if seen.own and place is not None else None,
        page=page,
        pages=pages,
        teams=len(seen.tally.ascending),
        query=query,
        sort=order.key,
    )


def whole(viewer: Viewer, board: str, *, instant: datetime | None = None) -> BoardPage | None:
    """Every line of a board as one page, or None when this viewer may not see it."""
    if not may_see(viewer, board):
        return None
    seen = listing(viewer, board, instant)
    if seen is None:
        return _page(viewer, board, None, EXPORTED)
    shown = seen.rows(BY_TOTAL, "", slice(None))
    # Ranked among themselves: a score that came in the meantime would shift them.
    ranked = [row.printed for row in shown if row.ranked]
    rank, having = dict(zip(ranked, ranks(ranked), strict=True)), Counter(ranked)
    placed = [
        Placed(rank[row.printed], having[row.printed] > 1, None)
        if row.ranked
        else Placed(None, False, None)
        for row in shown
    ]
    return _page(viewer, board, seen, EXPORTED, shown, placed, teams=len(ranked))


def _page(
    viewer: Viewer,
    board: str,
    seen: Listing | None,
    sources: Sequence[Source],
    listed: Sequence[BoardRow] = (),
    placed: Sequence[Placed] = (),
    own: BoardRow | None = None,
    **more: Any,
) -> BoardPage:
    """A page with what it says of its board; `seen`: None while nothing is live. `own`: the
    viewer's row, which is placed last; None on a page of every line.
    """
    if seen is not None:
        more |= {
            "instant": seen.view.instant,
            "own_moves": seen.view.own_moves,
            "version_number": seen.version.number,
            "signature": seen.version.signature,
        }
    rows = [*listed, *([own] if own else [])]
    shown = columns(viewer, seen.view if seen else BoardView(board, None), sources, rows)
    members = crews([row.team_id for row in rows], "user__username")
    team = viewer.team.pk if viewer.team else None
    lines = [
        LeaderboardEntry(
            rank=place.rank,
            tied=place.tied,
            climbed=place.climbed,
            team_id=row.team_id,
            team_name=row.team_name,
            members=tuple(
                name
                for name in members.get(row.team_id, ())
                # To whom they are strangers, without what may be a student number.
                if viewer.edits or row.team_id == team or not may_be_number(name)
            ),
            is_own=row.team_id == team,
            cells=tuple(map(Cell, shown, values)),
        )
        for row, place, values in zip(
            rows, placed, zip(*(column.values for column in shown), strict=True), strict=True
        )
    ]
    return BoardPage(
        competition=viewer.competition,
        board=board,
        state=state(viewer.competition, viewer.at),
        columns=shown,
        as_of=viewer.at,
        rows=tuple(lines[: len(listed)]),
        own=lines[-1] if own else None,
        pinned=tuple(lines[len(listed) :]) if own not in listed else (),
        **more,
    )


@dataclass(frozen=True)
class ContestHeader:
    """What stands over every page of a contest."""

    state: str
    allowance: Allowance | None
    rank: int | None
    gap_to_next: str | None
    teams: int


def contest_header(viewer: Viewer) -> ContestHeader:
    """Time, slots and rank for the strip: of the public board, from the reveal on the final one."""
    seen = listing(viewer, opening_board(viewer))
    rank, gap = None, None
    if seen is not None and (own := seen.upwards.own) is not None and seen.upwards.ranked:
        ascending = seen.upwards.ascending
        rank = rank_in(ascending, own)
        gap = decimals(ascending[1 - rank] - own) if rank > 1 else None
    competition, team = viewer.competition, viewer.team
    return ContestHeader(
        state=phase(competition, viewer.at),
        allowance=allowance(team, competition, viewer.at) if team else None,
        rank=rank,
        gap_to_next=gap,
        teams=viewer.teams,
    )

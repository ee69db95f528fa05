"""How the private board rearranged the public one: who rose, who fell, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from leaderboard.boards.columns import MetricColumn, decimals, metric_columns, signed
from leaderboard.boards.listing import (
    BY_TOTAL,
    LOWEST,
    BoardRow,
    Listing,
    listing,
    pairs,
    rank_in,
    standings_of,
    totals_from,
)
from leaderboard.boards.models import Figures, Placement
from leaderboard.boards.queries import PAGE
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import SplitScore
from leaderboard.references.models import ScoringVersion

Board = Placement.Board
TOP = 10


@dataclass(frozen=True)
class Shaken:
    """One line of the private board beside its team's place on the public one.

    `rank`, `public_rank` and `climbed` (ranks gained on the private board) are None for a baseline.
    `public_printed`: the public total of the submission that this line is made of.
    """

    team_id: UUID
    team_name: str
    rank: int | None
    tied: bool
    printed: int
    public_rank: int | None
    public_printed: int | None
    is_own: bool
    submission_id: UUID
    values: tuple[int, ...] = ()  # of the metrics, as printed (× 10⁴)

    @property
    def climbed(self) -> int | None:
        if self.rank is None or self.public_rank is None:
            return None
        return self.public_rank - self.rank

    @property
    def total(self) -> str:
        return decimals(self.printed)

    @property
    def public_total(self) -> str | None:
        return None if self.public_printed is None else decimals(self.public_printed)

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(map(decimals, self.values))

    @property
    def gap_printed(self) -> int | None:
        """How much more the private rows gave than the public ones."""
        return None if self.public_printed is None else self.printed - self.public_printed

    @property
    def gap(self) -> str | None:
        return None if self.gap_printed is None else signed(self.gap_printed)


class Numbers(NamedTuple):
    """The shake-up in a few numbers, over the teams that have a rank on both boards.

    `top` teams stood among the first ten of the public board, `stayed` of them among the first ten
    of the private one.
    """

    moved: float
    top: int
    stayed: int


@dataclass(frozen=True)
class ShakeUp:
    """One page of the shake-up. `made_at`: when the summary was counted; None: just now."""

    competition: Competition
    version_number: int | None = None
    signature: str | None = None
    private_rows: int = 0
    columns: tuple[MetricColumn, ...] = ()
    rows: tuple[Shaken, ...] = ()
    own: Shaken | None = None
    own_page: int | None = None
    page: int = 1
    pages: int = 1
    teams: int = 0
    summary: Numbers | None = None
    made_at: datetime | None = None


def shake_up(viewer: Viewer, *, page: int | None = 1) -> ShakeUp | None:
    """One page of the shake-up, or all of it (`page` None), in the order of the private board.

    None for who may not see both boards.
    """
    if not (may_see(viewer, Board.PRIVATE) and may_see(viewer, Board.PUBLIC)):
        return None
    private, public = listing(viewer, Board.PRIVATE), listing(viewer, Board.PUBLIC)
    if private is None or public is None:
        return ShakeUp(viewer.competition)
    columns = metric_columns(private.version)
    kept = None
    if private.view.instant is None and public.view.instant is None:
        kept = Figures.kept(private.version, viewer.at)
    if kept is None:
        both = pairs(private.others, public.others)
        numbers = _numbers(both, [board.tally.ascending for board in (private, public)])
    else:
        told = kept.shake_up
        numbers = Numbers(*(told[name] for name in Numbers._fields)) if told else None
    pages = max(1, -(-private.tally.rows // PAGE))
    number = 1 if page is None else min(max(page, 1), pages)
    window = slice(None) if page is None else slice((number - 1) * PAGE, number * PAGE)
    shown = private.rows(BY_TOTAL, "", window)
    own = [private.own] if private.own else []
    moves = _moves(private, public, columns, [*shown, *own])
    return ShakeUp(
        viewer.competition,
        version_number=private.version.number,
        signature=private.version.signature,
        private_rows=private.version.reference_set.private_rows,
        columns=columns,
        rows=tuple(moves[: len(shown)]),
        own=moves[-1] if own else None,
        own_page=private.tally.ahead // PAGE + 1 if own else None,
        page=number,
        pages=pages,
        teams=len(private.tally.ascending),
        summary=numbers,
        made_at=kept.made_at if kept else None,
    )


def _moves(
    private: Listing, public: Listing, columns: Sequence[MetricColumn], rows: Sequence[BoardRow]
) -> list[Shaken]:
    """These lines of the private board beside the public one. Two queries."""
    there = public.others.order_by()
    scored = SplitScore.objects.filter(
        evaluation__scoring_version=private.version, split=Board.PUBLIC
    )
    if len(rows) <= PAGE + 1:
        there = there.filter(team__in=[row.team_id for row in rows])
        files = [row.submission_id for row in rows]
        scored = scored.filter(evaluation__submission__in=files)
    before = dict(there.values_list("team", "printed"))
    of_file = dict(scored.values_list("evaluation__submission", "printed"))
    team, totals = private.viewer.team, private.tally.ascending
    found = []
    for row in rows:
        stood = before.get(row.team_id)
        is_placed = row.ranked and stood is not None
        rank = rank_in(totals, row.printed)
        move = Shaken(
            team_id=row.team_id,
            team_name=row.team_name,
            rank=rank if row.ranked else None,
            tied=row.ranked and totals[-rank - 1 : -rank] == [row.printed],
            printed=row.printed,
            public_rank=rank_in(public.tally.ascending, stood or 0) if is_placed else None,
            public_printed=of_file.get(row.submission_id),
            is_own=team is not None and row.team_id == team.pk,
            submission_id=row.submission_id,
            values=tuple(row.metrics[column.key] for column in columns),
        )
        found.append(move)
    return found


def numbers_of(version: ScoringVersion) -> Numbers | None:
    """Those of the boards of now; None while no team has a rank on both."""
    boards = [
        standings_of(version, board, None).filter(ranked=True)
        for board in (Board.PRIVATE, Board.PUBLIC)
    ]
    totals = [totals_from(board.order_by(), LOWEST) for board in boards]
    return _numbers(pairs(*boards), totals)


def _numbers(both: NDArray[np.int64], ascending: Sequence[Sequence[int]]) -> Numbers | None:
    """`both`: totals of each team that has a rank on both boards. `ascending`: of each board."""
    if not len(both):
        return None
    private, public = (_ranks(totals, side) for totals, side in zip(ascending, both.T, strict=True))
    climbed = public - private
    top = public <= TOP
    return Numbers(
        moved=float(np.abs(climbed).mean()),
        top=int(top.sum()),
        stayed=int((private[top] <= TOP).sum()),
    )


def _ranks(ascending: Sequence[int], totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """`rank_in` of many.

    >>> _ranks([10, 20, 20, 30], np.array([30, 20, 10])).tolist()
    [1, 2, 4]
    """
    return len(ascending) - np.searchsorted(ascending, totals, side="right") + 1

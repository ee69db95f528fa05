"""How the private board rearranged the public one: who rose, who fell, and by how much."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Q, Subquery
from numpy.typing import NDArray

from leaderboard.boards.columns import MINUS, MetricColumn, decimals, metric_columns, signed
from leaderboard.boards.figures import figures
from leaderboard.boards.listing import (
    BY_TOTAL,
    LOWEST,
    BoardRow,
    Listing,
    listing,
    pairs,
    rank_in,
    sharing,
    standings_of,
    totals_from,
)
from leaderboard.boards.models import Figures, Placement
from leaderboard.boards.queries import PAGE
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

Board = Placement.Board
TOP = 10


@dataclass(frozen=True)
class Shaken:
    """One line of the private board beside its place on the public one.

    `rank`, `public_rank` and `climbed` (ranks gained on the private board) are None for a baseline.
    """

    team_id: UUID
    team_name: str
    rank: int | None
    tied: bool
    printed: int
    public_rank: int | None
    public_printed: int | None
    is_own: bool
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


@dataclass(frozen=True)
class Numbers:
    """The shake-up in a few numbers, over the teams that have a rank on both boards.

    `top` teams stood among the first ten of the public board, `stayed` of them among the first ten
    of the private one. `correlation` is Spearman's; None where all ranks are the same.
    """

    moved: float
    top: int
    stayed: int
    correlation: float | None
    # Both totals of who rose most, if anybody did, and of who fell most.
    furthest: tuple[tuple[int, int], ...]

    @property
    def correlation_printed(self) -> str:
        return f"{self.correlation or 0:.2f}".replace("-", MINUS)


@dataclass(frozen=True)
class Summary(Numbers):
    """With who moved furthest. `made_at`: when it was counted; None: just now."""

    riser: Shaken | None
    faller: Shaken | None
    made_at: datetime | None


@dataclass(frozen=True)
class CountedFile:
    """The submission that gave a team its private rank, and why it was this one.

    `finals`: how many the team had chosen if this is one of them, else 0: then it is the best
    public one, or under `best_of_all` the best private one of all.
    """

    submission: Submission
    finals: int
    best_of_all: bool


@dataclass(frozen=True)
class ShakeUp:
    """One page of the shake-up. `far`: a team that moved so many ranks or more moved far."""

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
    far: int = 2
    summary: Summary | None = None


def shake_up(viewer: Viewer, *, page: int | None = 1) -> ShakeUp | None:
    """One page of the shake-up, or all of it (`page` None), in the order of the private board.

    None for who may not see both boards.
    """
    if not (may_see(viewer, Board.PRIVATE) and may_see(viewer, Board.PUBLIC)):
        return None
    private, public = listing(viewer, Board.PRIVATE), listing(viewer, Board.PUBLIC)
    if private is None or public is None:
        return ShakeUp(viewer.competition)
    both = _Both(private, public, metric_columns(private.version))
    pages = max(1, -(-private.tally.rows // PAGE))
    number = 1 if page is None else min(max(page, 1), pages)
    window = slice(None) if page is None else slice((number - 1) * PAGE, number * PAGE)
    shown = private.rows(BY_TOTAL, "", window)
    own = [private.own] if private.own else []
    moves = both.moves([*shown, *own, *both.furthest()])
    furthest = moves[len(shown) + len(own) :]
    teams = len(private.tally.ascending)
    return ShakeUp(
        viewer.competition,
        version_number=private.version.number,
        signature=private.version.signature,
        private_rows=private.version.reference_set.private_rows,
        columns=both.columns,
        rows=tuple(moves[: len(shown)]),
        own=moves[len(shown)] if own else None,
        own_page=private.tally.ahead // PAGE + 1 if own else None,
        page=number,
        pages=pages,
        teams=teams,
        far=max(2, -(-teams // 5)),
        summary=both.summary(furthest),
    )


def counted(viewer: Viewer) -> CountedFile | None:
    """Which submission the viewer's own line is made of, and why that one; None without a line."""
    seen = listing(viewer, Board.PRIVATE)
    if seen is None or viewer.team is None:
        return None
    if seen.own is None:
        return None
    best_of_all = viewer.competition.finals_rule == Competition.FinalsRule.BEST
    # The team's finals and that one, in one query.
    wanted = Q(final_choice__isnull=False) | Q(pk=seen.own.submission_id)
    found = Submission.objects.filter(wanted, team=viewer.team).select_related("final_choice")
    by_id = {submission.pk: submission for submission in found}
    submission = by_id[seen.own.submission_id]
    is_final = hasattr(submission, "final_choice") and not best_of_all
    finals = sum(hasattr(one, "final_choice") for one in by_id.values())
    return CountedFile(submission, finals if is_final else 0, best_of_all)


@dataclass(frozen=True)
class _Moved:
    """Totals and ranks of every team that has a rank on both boards."""

    totals: NDArray[np.int64]
    private: NDArray[np.int64]
    public: NDArray[np.int64]

    def _furthest(self) -> Iterator[tuple[int, int]]:
        climbed = self.public - self.private
        for moved in (climbed, -climbed):
            if moved.max() > 0:
                printed, before = max(self.totals[moved == moved.max()].tolist())
                yield printed, before

    def numbers(self) -> Numbers:
        top = self.public <= TOP
        return Numbers(
            moved=float(np.abs(self.public - self.private).mean()),
            top=int(top.sum()),
            stayed=int((self.private[top] <= TOP).sum()),
            correlation=_spearman(self.public, self.private),
            furthest=tuple(self._furthest()),
        )


def numbers_of(version: ScoringVersion) -> Numbers | None:
    """Those of the boards of now; None while no team has a rank on both."""
    boards = [
        standings_of(version, board, None).filter(ranked=True)
        for board in (Board.PRIVATE, Board.PUBLIC)
    ]
    totals = [totals_from(board.order_by(), LOWEST) for board in boards]
    return _numbers(pairs(*boards), totals)


def _numbers(both: NDArray[np.int64], ascending: Sequence[Sequence[int]]) -> Numbers | None:
    if not len(both):
        return None
    ranks = (_ranks(totals, side) for totals, side in zip(ascending, both.T, strict=True))
    return _Moved(both, *ranks).numbers()


@dataclass(frozen=True)
class _Both:
    """The two boards. Of the lines that are not shown their totals are read, and nothing else."""

    private: Listing
    public: Listing
    columns: tuple[MetricColumn, ...]

    def moves(self, rows: Sequence[BoardRow]) -> list[Shaken]:
        """These lines of the private board beside the public one. One query."""
        there = self.public.others.order_by()
        if len(rows) <= PAGE + 3:
            there = there.filter(team__in=[row.team_id for row in rows])
        before = dict(there.values_list("team", "printed"))
        return [self._move(row, before.get(row.team_id)) for row in rows]

    def _move(self, row: BoardRow, before: int | None) -> Shaken:
        totals, team = self.private.tally.ascending, self.private.viewer.team
        public = None if before is None else rank_in(self.public.tally.ascending, before)
        return Shaken(
            team_id=row.team_id,
            team_name=row.team_name,
            rank=rank_in(totals, row.printed) if row.ranked else None,
            tied=row.ranked and sharing(totals, row.printed) > 1,
            printed=row.printed,
            public_rank=public if row.ranked else None,
            public_printed=before,
            is_own=team is not None and row.team_id == team.pk,
            values=tuple(row.metrics[column.key] for column in self.columns),
        )

    @cached_property
    def kept(self) -> Figures | None:
        """Of a large contest, what was last counted of the boards of now."""
        views = self.private.view, self.public.view
        if any(view.instant is not None for view in views):
            return None
        return figures(self.private.version, self.private.viewer.at)

    @cached_property
    def numbers(self) -> Numbers | None:
        """None while no team has a rank on both boards."""
        if self.kept is not None:
            return _of_kept(self.kept.shake_up)
        boards = self.private, self.public
        both = pairs(*(board.others for board in boards))
        return _numbers(both, [board.tally.ascending for board in boards])

    def summary(self, furthest: Sequence[Shaken]) -> Summary | None:
        if self.numbers is None:
            return None
        return Summary(
            **vars(self.numbers),
            riser=next((move for move in furthest if (move.climbed or 0) > 0), None),
            faller=next((move for move in furthest if (move.climbed or 0) < 0), None),
            made_at=self.kept.made_at if self.kept else None,
        )

    def furthest(self) -> list[BoardRow]:
        """The lines of who rose most and who fell most; of several the one that stands highest."""
        found = Q()
        for printed, before in self.numbers.furthest if self.numbers else ():
            # Its two totals are nobody's but those of teams with its two ranks.
            alike = self.public.others.filter(printed=before, ranked=True).order_by()
            teams: Any = alike.values("team")
            rows = self.private.others.filter(printed=printed, ranked=True, team__in=teams)
            found |= Q(pk=Subquery(rows.values("pk")[:1]))
        return list(self.private.read(self.private.others.filter(found))) if found else []


def _of_kept(kept: dict[str, Any] | None) -> Numbers | None:
    if kept is None:
        return None
    return Numbers(**{**kept, "furthest": tuple(map(tuple, kept["furthest"]))})


def _ranks(ascending: Sequence[int], totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """`rank_in` of many.

    >>> _ranks([10, 20, 20, 30], np.array([30, 20, 10])).tolist()
    [1, 2, 4]
    """
    return len(ascending) - np.searchsorted(ascending, totals, side="right") + 1


def _spearman(*sides: NDArray[np.int64]) -> float | None:
    """The correlation of two orders; teams that share a rank count as the middle of it.

    >>> _spearman(np.array([1, 2, 3]), np.array([1, 2, 3]))
    1.0
    >>> _spearman(np.array([1, 2, 3]), np.array([3, 2, 1]))
    -1.0
    """
    if any(np.ptp(side) == 0 for side in sides):
        return None
    return round(float(np.corrcoef([_middles(side) for side in sides])[0, 1]), 4)


def _middles(ranks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ranks of which shared ones become the middle.

    >>> _middles(np.array([1, 2, 2, 4])).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    _, place, shared = np.unique(ranks, return_inverse=True, return_counts=True)
    middles: NDArray[np.float64] = ranks + (shared[place] - 1) / 2
    return middles

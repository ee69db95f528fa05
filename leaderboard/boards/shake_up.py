"""How the private board rearranged the public one: who rose, who fell, and by how much."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery

from leaderboard.boards.columns import MetricColumn, metric_columns
from leaderboard.boards.listing import Listing, listing
from leaderboard.boards.models import Placement
from leaderboard.boards.queries import PAGE
from leaderboard.boards.ranks import rank_in, sharing
from leaderboard.boards.text import MINUS, decimals, signed
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

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
class Summary:
    """The shake-up in a few numbers, over the teams that have a rank on both boards.

    `top` teams stood among the first ten of the public board, `stayed` of them among the first ten
    of the private one. `correlation` is Spearman's; None where all ranks are the same.
    """

    moved: float
    top: int
    stayed: int
    correlation: float | None
    riser: Shaken | None
    faller: Shaken | None

    @property
    def correlation_printed(self) -> str:
        return f"{self.correlation or 0:.2f}".replace("-", MINUS)


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
    table = _ShakenTable.of(private, public)
    size = len(table.lines)
    pages = max(1, -(-size // PAGE))
    number = 1 if page is None else min(max(page, 1), pages)
    shown = range(size) if page is None else range((number - 1) * PAGE, min(number * PAGE, size))
    own = table.place_of(viewer.team)
    columns = metric_columns(private.version)
    teams = len(table.totals)
    return ShakeUp(
        viewer.competition,
        version_number=private.version.number,
        signature=private.version.signature,
        private_rows=private.version.reference_set.private_rows,
        columns=columns,
        rows=_with_metrics(private, [table.move(place) for place in shown], columns),
        own=None if own is None else table.move(own),
        own_page=None if own is None else own // PAGE + 1,
        page=number,
        pages=pages,
        teams=teams,
        far=max(2, -(-teams // 5)),
        summary=_summary(table),
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
class _ShakenTable:
    """Every line of the private board in its order: team, name, total, ranked, public total.

    Ten thousand lines are read for the few that a page shows, so they stay plain tuples.
    """

    lines: list[tuple[UUID, str, int, bool, int | None]]
    totals: list[int]
    public: Sequence[int]
    own: UUID | None

    @classmethod
    def of(cls, private: Listing, public: Listing) -> Self:
        there = public.others.filter(team=OuterRef("team"))
        rows = private.others.annotate(before=Subquery(there.values("printed")[:1]))
        lines = list(rows.values_list("team", "team__name", "printed", "ranked", "before"))
        totals = sorted(printed for _, _, printed, ranked, _ in lines if ranked)
        team = private.viewer.team
        return cls(lines, totals, public.tally.ascending, team.pk if team else None)

    def place_of(self, team: Team | None) -> int | None:
        found = (place for place, line in enumerate(self.lines) if team and line[0] == team.pk)
        return next(found, None)

    def ranks(self, place: int) -> tuple[int, int] | None:
        """The public and the private rank; None for a line without both."""
        _, _, printed, ranked, before = self.lines[place]
        if not ranked or before is None:
            return None
        return rank_in(self.public, before), rank_in(self.totals, printed)

    def move(self, place: int) -> Shaken:
        team_id, name, printed, ranked, before = self.lines[place]
        ranks = self.ranks(place)
        return Shaken(
            team_id=team_id,
            team_name=name,
            rank=rank_in(self.totals, printed) if ranked else None,
            tied=ranked and sharing(self.totals, printed) > 1,
            printed=printed,
            public_rank=ranks[0] if ranks else None,
            public_printed=before,
            is_own=team_id == self.own,
        )


def _with_metrics(
    private: Listing, moves: Sequence[Shaken], columns: Sequence[MetricColumn]
) -> tuple[Shaken, ...]:
    rows = private.others
    if len(moves) <= PAGE:
        rows = rows.filter(team__in=[move.team_id for move in moves])
    metrics = dict(rows.values_list("team", "metrics"))
    return tuple(
        replace(
            move,
            values=tuple(metrics[move.team_id][column.key] for column in columns),
        )
        for move in moves
    )


def _summary(table: _ShakenTable) -> Summary | None:
    """None while no team has a rank on both boards."""
    ranks = {
        place: pair for place in range(len(table.lines)) if (pair := table.ranks(place)) is not None
    }
    if not ranks:
        return None
    climbed = {place: public - private for place, (public, private) in ranks.items()}
    top = [private for public, private in ranks.values() if public <= TOP]
    # The first one found: of two that moved as far, the one that stands higher is named.
    riser = max(climbed, key=climbed.__getitem__)
    faller = min(climbed, key=climbed.__getitem__)
    return Summary(
        moved=sum(map(abs, climbed.values())) / len(climbed),
        top=len(top),
        stayed=sum(rank <= TOP for rank in top),
        correlation=_spearman(list(ranks.values())),
        riser=table.move(riser) if climbed[riser] > 0 else None,
        faller=table.move(faller) if climbed[faller] < 0 else None,
    )


def _spearman(pairs: Sequence[tuple[int, int]]) -> float | None:
    """The correlation of the two orders; teams that share a rank count as the middle of it.

    >>> _spearman([(1, 1), (2, 2), (3, 3)]), _spearman([(1, 3), (2, 2), (3, 1)])
    (1.0, -1.0)
    """
    sides = [_middles(side) for side in zip(*pairs, strict=True)]
    if any(len(set(side)) < 2 for side in sides):
        return None
    return round(statistics.correlation(*sides), 4)


def _middles(ranks: Sequence[int]) -> list[float]:
    """1, 2, 2, 4 as 1, 2.5, 2.5, 4."""
    shared = dict.fromkeys(ranks, 0)
    for rank in ranks:
        shared[rank] += 1
    return [rank + (shared[rank] - 1) / 2 for rank in ranks]

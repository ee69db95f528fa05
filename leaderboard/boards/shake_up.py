"""How the private board rearranged the public one: who rose, who fell, and by how much."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import UUID

from django.db.models import OuterRef, Subquery

from leaderboard.boards.exports import Cell, csv_file
from leaderboard.boards.listing import Ladder, Listing, listing
from leaderboard.boards.models import Placement
from leaderboard.boards.queries import PAGE, Column, columns_of
from leaderboard.boards.text import MINUS, decimals, signed
from leaderboard.boards.visibility import may_see
from leaderboard.boards.visit import Visit
from leaderboard.competitions.models import Competition
from leaderboard.submissions.choice import chosen
from leaderboard.submissions.models import Submission

Board = Placement.Board
TOP = 10
PLACES = 4  # of a printed total


@dataclass(frozen=True)
class Move:
    """One line of the private board beside its place on the public one.

    `rank`, `public_rank` and `climbed` (ranks gained on the private board) are None for a baseline.
    """

    team_id: UUID
    team_name: str
    submission_id: UUID
    rank: int | None
    tied: bool
    printed: int
    public_rank: int | None
    public_printed: int | None
    is_own: bool
    metrics: tuple[str, ...] = ()

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
    def gap(self) -> str | None:
        """How much more the private rows gave than the public ones."""
        return None if self.public_printed is None else signed(self.printed - self.public_printed)


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
    riser: Move | None
    faller: Move | None

    @property
    def correlation_printed(self) -> str:
        return f"{self.correlation or 0:.2f}".replace("-", MINUS)


@dataclass(frozen=True)
class Counted:
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
    version_number: int | None
    signature: str | None
    private_rows: int
    columns: tuple[Column, ...]
    rows: tuple[Move, ...]
    own: Move | None
    own_page: int | None
    page: int
    pages: int
    teams: int
    far: int
    summary: Summary | None


def shake_up(visit: Visit, *, page: int | None = 1) -> ShakeUp | None:
    """One page of the shake-up, or all of it (`page` None), in the order of the private board.

    None for who may not see both boards.
    """
    if not (may_see(visit, Board.PRIVATE) and may_see(visit, Board.PUBLIC)):
        return None
    private, public = listing(visit, Board.PRIVATE), listing(visit, Board.PUBLIC)
    if private is None or public is None:
        return _empty(visit)
    moves = _moves(private, public)
    pages = max(1, -(-len(moves) // PAGE))
    number = 1 if page is None else min(max(page, 1), pages)
    shown = moves if page is None else moves[(number - 1) * PAGE : number * PAGE]
    own = next((place for place, move in enumerate(moves) if move.is_own), None)
    columns = columns_of(private.version)
    ranked = sum(move.rank is not None for move in moves)
    return replace(
        _empty(visit),
        version_number=private.version.number,
        signature=private.version.signature,
        private_rows=private.version.reference_set.private_rows,
        columns=columns,
        rows=_with_metrics(private, shown, columns),
        own=None if own is None else moves[own],
        own_page=None if own is None else own // PAGE + 1,
        page=number,
        pages=pages,
        teams=ranked,
        far=max(2, -(-ranked // 5)),
        summary=_summary(moves),
    )


def counted(visit: Visit, own: Move) -> Counted:
    """Which submission the viewer's own line is made of, and why that one."""
    best_of_all = visit.competition.finals_rule == Competition.FinalsRule.BEST
    finals = frozenset() if best_of_all or visit.team is None else chosen(visit.team.pk)
    return Counted(
        submission=Submission.objects.get(pk=own.submission_id),
        finals=len(finals) if own.submission_id in finals else 0,
        best_of_all=best_of_all,
    )


def shake_up_csv(found: ShakeUp, visit: Visit) -> bytes:
    """The table for spreadsheets."""
    competition = found.competition
    heading: dict[str, Cell] = {
        "competition": competition.slug,
        "signature": found.signature,
        "version": found.version_number,
        "as_of": visit.at.astimezone(competition.zoneinfo),
    }
    keys = [column.key for column in found.columns]
    names = ["rank", "team", "private_total", *keys, "public_total", "gap", "public_rank"]
    return csv_file(heading, [*names, "climbed"], map(_cells, found.rows))


def _cells(move: Move) -> list[Cell]:
    before = move.public_printed
    return [
        move.rank,
        move.team_name,
        _number(move.printed),
        *map(Decimal, move.metrics),
        None if before is None else _number(before),
        None if before is None else _number(move.printed - before),
        move.public_rank,
        move.climbed,
    ]


def _number(printed: int) -> Decimal:
    return Decimal(printed).scaleb(-PLACES)


def _empty(visit: Visit) -> ShakeUp:
    return ShakeUp(
        competition=visit.competition,
        version_number=None,
        signature=None,
        private_rows=0,
        columns=(),
        rows=(),
        own=None,
        own_page=None,
        page=1,
        pages=1,
        teams=0,
        far=2,
        summary=None,
    )


def _moves(private: Listing, public: Listing) -> list[Move]:
    """Every line of the private board, without the metrics, in one query."""
    there = public.others.filter(team=OuterRef("team"))
    rows = private.others.annotate(public_printed=Subquery(there.values("printed")[:1]))
    fields = ("team", "team__name", "submission", "printed", "ranked", "public_printed")
    lines = list(rows.values_list(*fields))
    ladder = Ladder(tuple(sorted(printed for _, _, _, printed, ranked, _ in lines if ranked)))
    own = private.visit.team.pk if private.visit.team else None
    return [
        Move(
            team_id=team_id,
            team_name=name,
            submission_id=submission_id,
            rank=ladder.rank(printed) if ranked else None,
            tied=ranked and ladder.sharing(printed) > 1,
            printed=printed,
            public_rank=public.ladder.rank(before) if ranked and before is not None else None,
            public_printed=before,
            is_own=team_id == own,
        )
        for team_id, name, submission_id, printed, ranked, before in lines
    ]


def _with_metrics(
    private: Listing, moves: Sequence[Move], columns: Sequence[Column]
) -> tuple[Move, ...]:
    rows = private.others
    if len(moves) <= PAGE:
        rows = rows.filter(team__in=[move.team_id for move in moves])
    metrics = dict(rows.values_list("team", "metrics"))
    return tuple(
        replace(
            move,
            metrics=tuple(decimals(metrics[move.team_id][column.key]) for column in columns),
        )
        for move in moves
    )


def _summary(moves: Sequence[Move]) -> Summary | None:
    """None while no team has a rank on both boards."""
    pairs = [
        (move, move.climbed, move.public_rank, move.rank)
        for move in moves
        if move.climbed is not None and move.public_rank is not None and move.rank is not None
    ]
    if not pairs:
        return None
    top = [rank for _, _, public_rank, rank in pairs if public_rank <= TOP]
    # The board's order breaks ties: the better placed of two that moved as far is named.
    riser = max(pairs, key=lambda pair: pair[1])
    faller = min(pairs, key=lambda pair: pair[1])
    return Summary(
        moved=sum(abs(climbed) for _, climbed, _, _ in pairs) / len(pairs),
        top=len(top),
        stayed=sum(rank <= TOP for rank in top),
        correlation=_spearman([(public, rank) for _, _, public, rank in pairs]),
        riser=riser[0] if riser[1] > 0 else None,
        faller=faller[0] if faller[1] < 0 else None,
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

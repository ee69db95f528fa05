"""Reads of the boards. Every function asks `visibility` before it reads a number."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from leaderboard.boards.models import Standing
from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import may_see, visible_boards
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Viewer
from leaderboard.competitions.schedule import phase
from leaderboard.evaluation.models import SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.ledger import Allowance, allowance
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import count, member_names, team_of

Board = Standing.Board
PAGE = 100


@dataclass(frozen=True)
class Column:
    """A metric as shown on the board."""

    key: str
    label: str


@dataclass(frozen=True)
class LeaderboardEntry:
    """One line of a board, ready to print."""

    rank: int
    tied: bool
    team_id: UUID
    team_name: str
    members: tuple[str, ...]
    total: str
    metrics: tuple[str, ...]
    entries: int
    last_submission_at: datetime
    is_own: bool


@dataclass(frozen=True)
class BoardPage:
    """One page of a board as one viewer may see it."""

    competition: Competition
    board: str
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


@dataclass(frozen=True)
class Rank:
    """A rank and how many teams share it."""

    rank: int
    sharing: int


@dataclass(frozen=True)
class SplitResult:
    """The numbers of one submission on one board."""

    board: str
    total: str
    metrics: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class HeaderStrip:
    """What stands over every page of a contest."""

    closes_at: datetime
    state: str
    allowance: Allowance | None
    rank: int | None
    gap_to_next: str | None
    teams: int
    version_number: int | None


def on_board(version: ScoringVersion, board: str) -> QuerySet[Standing]:
    """The standings of one board in the order of the page."""
    return Standing.objects.filter(scoring_version=version, board=board).order_by(
        "-printed", "received_at", "team"
    )


def page(
    competition: Competition,
    board: str,
    viewer: Viewer,
    at: datetime,
    *,
    query: str = "",
    page: int = 1,
) -> BoardPage | None:
    """One page of a board, or None when this viewer may not see that board at `at`."""
    if not may_see(viewer, competition, board, at):
        return None
    version = live_version(competition)
    team = team_of(viewer, competition)
    columns = columns_of(version)
    if version is None:
        return BoardPage(
            competition, board, None, None, columns, (), None, None, 1, 1, 0, at, query
        )
    everyone = on_board(version, board)
    found = everyone.filter(team__name__icontains=query) if query else everyone
    matching = found.count()
    pages = max(1, -(-matching // PAGE))
    page = min(max(page, 1), pages)
    rows = list(found.select_related("team")[(page - 1) * PAGE : page * PAGE])
    own = everyone.filter(team=team).select_related("team").first() if team else None
    shown = [*rows, *([own] if own else [])]
    lines = _lines(shown, ranks_of({row.printed for row in shown}, everyone), columns, team)
    own_line = lines[-1] if own else None
    return BoardPage(
        competition=competition,
        board=board,
        version_number=version.number,
        signature=f"{version.signature}",
        columns=columns,
        rows=tuple(lines[: len(rows)]),
        own=own_line,
        own_page=(own_line.rank - 1) // PAGE + 1 if own_line else None,
        page=page,
        pages=pages,
        teams=matching if not query else everyone.count(),
        as_of=at,
        query=query,
    )


def whole(competition: Competition, board: str, viewer: Viewer, at: datetime) -> BoardPage | None:
    """Every line of a board as one page, or None when this viewer may not see it at `at`."""
    if not may_see(viewer, competition, board, at):
        return None
    version = live_version(competition)
    columns = columns_of(version)
    rows = list(on_board(version, board).select_related("team")) if version else []
    sharing = Counter(row.printed for row in rows)
    first: dict[int, int] = {}
    for place, row in enumerate(rows, start=1):
        first.setdefault(row.printed, place)
    ranks = {total: Rank(place, sharing[total]) for total, place in first.items()}
    return BoardPage(
        competition=competition,
        board=board,
        version_number=version.number if version else None,
        signature=version.signature if version else None,
        columns=columns,
        rows=tuple(_lines(rows, ranks, columns, team_of(viewer, competition))),
        own=None,
        own_page=None,
        page=1,
        pages=1,
        teams=len(rows),
        as_of=at,
        query="",
    )


def columns_of(version: ScoringVersion | None) -> tuple[Column, ...]:
    """The metrics of a version in the order of its profile."""
    if version is None:
        return ()
    return tuple(Column(key, label(key)) for key in version.profile().metrics)


def _lines(
    rows: list[Standing],
    ranks: Mapping[int, Rank],
    columns: tuple[Column, ...],
    team: Team | None,
) -> list[LeaderboardEntry]:
    names = member_names(row.team_id for row in rows)
    return [
        LeaderboardEntry(
            rank=ranks[row.printed].rank,
            tied=ranks[row.printed].sharing > 1,
            team_id=row.team_id,
            team_name=row.team.name,
            members=names.get(row.team_id, ()),
            total=decimals(row.printed),
            metrics=tuple(decimals(row.metrics[column.key]) for column in columns),
            entries=row.entries,
            last_submission_at=row.last_submission_at,
            is_own=team is not None and row.team_id == team.pk,
        )
        for row in rows
    ]


def ranks_of(totals: Iterable[int], everyone: QuerySet[Standing]) -> dict[int, Rank]:
    """1, 2, 2, 4: a rank is one more than the number of better totals. One query for all."""
    wanted = sorted(set(totals))
    if not wanted:
        return {}
    counts = everyone.order_by().aggregate(
        **{f"better{i}": Count("pk", filter=Q(printed__gt=v)) for i, v in enumerate(wanted)},
        **{f"equal{i}": Count("pk", filter=Q(printed=v)) for i, v in enumerate(wanted)},
    )
    return {
        value: Rank(counts[f"better{i}"] + 1, counts[f"equal{i}"]) for i, value in enumerate(wanted)
    }


def submission_scores(
    submissions: Iterable[Submission], viewer: Viewer, at: datetime
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The live version's numbers of these submissions, on the boards this viewer may see."""
    wanted = list(submissions)
    if not wanted:
        return {}
    competition = wanted[0].team.competition
    version = live_version(competition)
    if version is None:
        return {}
    boards = visible_boards(viewer, competition, at)
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version,
        evaluation__submission__in=[submission.pk for submission in wanted],
        split__in=boards,
    ).values_list("evaluation__submission", "split", "printed", "metrics")
    columns = columns_of(version)
    results: dict[UUID, list[SplitResult]] = {}
    for submission_id, split, total, metrics in sorted(
        scores, key=lambda row: boards.index(row[1])
    ):
        parts = tuple((column.label, f"{metrics[column.key]:.4f}") for column in columns)
        results.setdefault(submission_id, []).append(SplitResult(split, decimals(total), parts))
    return {submission_id: tuple(found) for submission_id, found in results.items()}


def best_submission(team: Team, viewer: Viewer, at: datetime) -> UUID | None:
    """The submission that gives the team its place on the public board."""
    competition = team.competition
    version = live_version(competition)
    if version is None or not may_see(viewer, competition, Board.PUBLIC, at):
        return None
    standing = on_board(version, Board.PUBLIC).filter(team=team).first()
    return standing.submission_id if standing else None


def header_strip(competition: Competition, viewer: Viewer, at: datetime) -> HeaderStrip:
    """Time, slots and rank for the strip. The rank is the public board's."""
    version = live_version(competition)
    team = team_of(viewer, competition)
    rank, gap = None, None
    if version is not None and team is not None:
        everyone = on_board(version, Board.PUBLIC)
        own = everyone.filter(team=team).first()
        if own is not None:
            rank = ranks_of([own.printed], everyone)[own.printed].rank
            above = everyone.filter(printed__gt=own.printed).order_by("printed").first()
            gap = decimals(above.printed - own.printed) if above else None
    return HeaderStrip(
        closes_at=competition.closes_at,
        state=phase(competition, at),
        allowance=allowance(team, competition, at) if team else None,
        rank=rank,
        gap_to_next=gap,
        teams=count(competition),
        version_number=version.number if version else None,
    )

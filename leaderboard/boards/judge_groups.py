"""Which teams a judge cannot tell apart: the files on a board in groups, the better ones first.

For organizers. Numbers as close as a hundredth mean nothing over a few hundred rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F

from leaderboard.boards.judge_pairs import LOWER, verdict
from leaderboard.boards.models import Placement
from leaderboard.boards.rows import standings_of
from leaderboard.boards.text import three_decimals
from leaderboard.boards.visibility import may_see_judge
from leaderboard.boards.visit import Visit
from leaderboard.judging.columns import METRICS
from leaderboard.judging.models import ColumnValue, JudgeConfig
from leaderboard.judging.pairs import difference, row_scores
from leaderboard.references.models import ScoringVersion

MOST = 30  # files: each is compared with one other, which takes a moment


@dataclass(frozen=True)
class Grouped:
    """A file on the board. `number`: of its group, from 1; `is_first`: the group's best."""

    number: int
    is_first: bool
    team_name: str
    submission_id: UUID
    mean: str
    rows: int


@dataclass(frozen=True)
class JudgeGroups:
    """The files that were judged to their last row; `left_out` are worse than the `MOST` shown."""

    board: str
    metric: str
    rows: tuple[Grouped, ...]
    left_out: int


def judge_groups(visit: Visit, config: JudgeConfig) -> tuple[JudgeGroups, ...]:
    """One grouping for each board whose judge values this viewer may see, if two files have any.

    A group goes on while its best is not distinguishably better, by the rows that both have.
    """
    if visit.version is None:
        return ()
    config.competition = visit.competition
    boards = [board for board in Placement.Board.values if may_see_judge(visit, board)]
    found = (_groups(visit.version, config, board) for board in boards)
    return tuple(groups for groups in found if groups is not None)


def _groups(version: ScoringVersion, config: JudgeConfig, board: str) -> JudgeGroups | None:
    standings = standings_of(version, board, None)
    teams = {row.submission_id: row.team.name for row in standings.select_related("team")}
    complete = ColumnValue.objects.filter(
        judging__config=config, judging__board=board, mean__isnull=False, scored__gte=F("rows")
    )
    metric = _metric(set(complete.values_list("metric", flat=True).distinct()))
    values = complete.filter(metric=metric).select_related("judging")
    shown = sorted(
        (value for value in values if value.judging.submission_id in teams),
        key=lambda value: (-(value.mean or 0.0), str(value.judging.submission_id)),
    )
    if len(shown) < 2:
        return None
    best = shown[:MOST]
    numbers = _numbers(config, board, metric, [value.judging.submission_id for value in best])
    rows = tuple(
        Grouped(
            number=number,
            is_first=is_first,
            team_name=teams[value.judging.submission_id],
            submission_id=value.judging.submission_id,
            mean=three_decimals(value.mean or 0.0),
            rows=value.scored,
        )
        for value, (number, is_first) in zip(best, numbers, strict=True)
    )
    return JudgeGroups(board, metric, rows, left_out=len(shown) - len(best))


def _metric(present: set[str]) -> str:
    """What stands for the whole of a config: the smaller of both parts, or its one system."""
    return next((name for name in METRICS if name in present), min(present, default=""))


def _numbers(
    config: JudgeConfig, board: str, metric: str, submissions: list[UUID]
) -> Iterator[tuple[int, bool]]:
    scores = row_scores(config, board, metric, submissions)
    head, number = submissions[0], 0
    for submission in submissions:
        is_first = number == 0 or verdict(difference(scores[head], scores[submission])) == LOWER
        if is_first:
            head, number = submission, number + 1
        yield number, is_first

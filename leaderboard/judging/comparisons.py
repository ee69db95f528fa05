"""What a judge said of two submissions, and which teams it cannot tell apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import F

from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.text import MINUS, THOUSAND, three_decimals
from leaderboard.boards.visibility import Viewer, may_see_other_columns
from leaderboard.judging.columns import METRICS, active_config
from leaderboard.judging.models import ColumnValue, JudgeConfig
from leaderboard.judging.pairs import PairedMetric, difference, paired, row_scores
from leaderboard.references.models import ScoringVersion
from scoring.statistics import Difference

SAME, HIGHER, LOWER = "same", "higher", "lower"


@dataclass(frozen=True)
class JudgePair:
    """One metric of both, over the `rows` that both have a score of; texts of three decimals.

    `difference` is that of the printed means, second minus first; `low` and `high` are its 95 %
    interval, empty below two rows. `verdict` says of the second that it is `higher` or `lower`, or
    `same`: not distinguishable.
    """

    metric: str
    before: str
    after: str
    difference: str
    low: str
    high: str
    rows: int
    verdict: str


@dataclass(frozen=True)
class JudgePairs:
    """Every metric that both have on one board, under the config of this name and hash."""

    board: str
    label: str
    number: int
    config_hash: str
    is_partial: bool
    values: tuple[JudgePair, ...]


def judge_pairs(
    viewer: Viewer, before: UUID, after: UUID, *, config: JudgeConfig | None = None
) -> tuple[JudgePairs, ...]:
    """Both, of the viewer's own team or of anybody for editors, on the boards that may be seen.

    Under the shown config, or under `config` for who runs the contest. Without the flag on the
    competition nothing is asked.
    """
    config = config or active_config(viewer.competition)
    if config is None:
        return ()
    config.competition = viewer.competition
    boards = [board for board in Placement.Board.values if may_see_other_columns(viewer, board)]
    return tuple(
        JudgePairs(
            board=board,
            label=config.label,
            number=config.number,
            config_hash=config.config_hash,
            is_partial=found.is_partial,
            values=tuple(_printed(metric) for metric in found.metrics),
        )
        for board in boards
        if (found := paired(config, board, before, after)) is not None
    )


def _printed(found: PairedMetric) -> JudgePair:
    before, after = three_decimals(found.before), three_decimals(found.after)
    low, high = _ends(found.difference)
    return JudgePair(
        metric=found.metric,
        before=before,
        after=after,
        difference=signed(int((Decimal(after) - Decimal(before)) * THOUSAND)),
        low="" if low is None else signed(low),
        high="" if high is None else signed(high),
        rows=found.difference.rows,
        verdict=verdict(found.difference),
    )


def _ends(found: Difference) -> tuple[int | None, int | None]:
    """The interval in thousandths, as it is printed; None below two rows."""
    low, high = found.low, found.high
    return (
        None if low is None else round(low * THOUSAND),
        None if high is None else round(high * THOUSAND),
    )


def verdict(found: Difference) -> str:
    """By the printed ends, so that nothing is called different by what cannot be seen."""
    low, high = _ends(found)
    if not found.distinguishable:
        return SAME
    if low is not None and low > 0:
        return HIGHER
    return LOWER if high is not None and high < 0 else SAME


def signed(thousandths: int) -> str:
    """A difference with its sign always shown.

    >>> signed(42), signed(0), signed(-1042)
    ('+0.042', '0.000', '−1.042')
    """
    sign = "+" if thousandths > 0 else MINUS if thousandths < 0 else ""
    return f"{sign}{abs(thousandths) / THOUSAND:.3f}"


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


def judge_groups(viewer: Viewer, config: JudgeConfig) -> tuple[JudgeGroups, ...]:
    """One grouping for each board whose judge values this viewer may see, if two files have any.

    A group goes on while its best is not distinguishably better, by the rows that both have.
    """
    if viewer.version is None:
        return ()
    config.competition = viewer.competition
    boards = [board for board in Placement.Board.values if may_see_other_columns(viewer, board)]
    found = (_groups(viewer.version, config, board) for board in boards)
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

"""Two submissions by the differences of their rows, and which teams a judge cannot tell apart."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import fsum
from operator import itemgetter
from uuid import UUID

import numpy as np
from django.db.models import F

from leaderboard.boards.columns import MINUS
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import Viewer, may_see_other_columns
from leaderboard.judging.board import METRICS, THOUSAND, active_config, three_decimals
from leaderboard.judging.judge import mean_score
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judging, Judgment
from leaderboard.judging.plan import planned_ids
from leaderboard.references.models import ScoringVersion
from scoring.statistics import pairs as of_rows
from scoring.statistics import seed_of
from scoring.statistics.bands import Bands, bands
from scoring.statistics.pairs import Difference

SAME, HIGHER, LOWER = "same", "higher", "lower"
MOST = 30  # files in groups; the rows of all of them are read
Scores = Mapping[str, float]  # by row


@dataclass(frozen=True)
class JudgePair:
    """One metric of both over the rows that both have, as texts of three decimals.

    `verdict` says of the second that it is `higher`, `lower`, or the `same` as far as can be told.
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
    """Every metric that both have on one board. `is_partial`: one is still judged."""

    config: JudgeConfig
    board: str
    is_partial: bool
    values: tuple[JudgePair, ...]


def judge_pairs(
    viewer: Viewer, before: UUID, after: UUID, *, config: JudgeConfig | None = None
) -> tuple[JudgePairs, ...]:
    """Both on each board that may be seen, under the shown config or under `config`."""
    config = config or active_config(viewer.competition)
    if config is None:
        return ()
    config.competition = viewer.competition
    found = (paired(config, board, before, after) for board in _boards(viewer))
    return tuple(pairs for pairs in found if pairs is not None)


def _boards(viewer: Viewer) -> list[str]:
    return [board for board in Placement.Board.values if may_see_other_columns(viewer, board)]


def paired(config: JudgeConfig, board: str, before: UUID, after: UUID) -> JudgePairs | None:
    """Both on this board, over rows of the live references; None without a common row."""
    judgings = Judging.objects.filter(config=config, board=board, submission__in=(before, after))
    is_partial = judgings.exclude(state=Judging.State.COMPLETE).exists()
    scores = _scores(config, board, (before, after), planned_ids(config, board))
    first, second = scores[before], scores[after]
    # The columns' metrics that both have; without any, those of the one system that was run. The
    # same answers counted as published systems do would repeat what the columns say, and each
    # further comparison is one more chance of a difference that is none.
    both = first.keys() & second.keys()
    names = [name for name in METRICS if name in both] or sorted(both)
    found = [(name, first[name], second[name]) for name in names]
    values = tuple(_pair(*each) for each in found if each[1].keys() & each[2].keys())
    return JudgePairs(config, board, is_partial, values) if values else None


def _scores(
    config: JudgeConfig, board: str, submissions: Collection[UUID], ids: Collection[str]
) -> dict[UUID, dict[str, dict[str, float]]]:
    """Of each submission the scores of these rows, by metric."""
    found: dict[UUID, dict[str, dict[str, float]]] = {each: {} for each in submissions}
    rows = Judgment.objects.filter(
        judging__config=config, judging__board=board, judging__submission__in=submissions
    )
    wanted = rows.filter(example_id__in=ids).values_list(
        "judging__submission", "example_id", "results"
    )
    for submission, example_id, results in wanted.iterator():
        for name, result in results.items():
            score = mean_score(result)
            if score is not None:
                found[submission].setdefault(name, {})[example_id] = score
    return found


def _pair(metric: str, first: Scores, second: Scores) -> JudgePair:
    """The second beside the first on the rows that both have."""
    found = of_rows.paired(second, first)
    common = [row for row in first if row in second]
    before, after = (
        three_decimals(fsum(side[row] for row in common) / len(common)) for side in (first, second)
    )
    low, high = _ends(found)
    return JudgePair(
        metric=metric,
        before=before,
        after=after,
        difference=signed(int((Decimal(after) - Decimal(before)) * THOUSAND)),
        low="" if low is None else signed(low),
        high="" if high is None else signed(high),
        rows=found.rows,
        verdict=verdict(found),
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
    """The completely judged files; `left_out` are worse than the `MOST` shown.

    `threshold`: means that differ by no more are not told apart; empty below 20 common rows.
    """

    board: str
    metric: str
    threshold: str
    rows: tuple[Grouped, ...]
    left_out: int


def judge_groups(viewer: Viewer, config: JudgeConfig) -> tuple[JudgeGroups, ...]:
    """Groups of each board that may be seen; one goes on while its best is not told apart."""
    if viewer.version is None:
        return ()
    config.competition = viewer.competition
    found = (_groups(viewer.version, config, board) for board in _boards(viewer))
    return tuple(groups for groups in found if groups is not None)


def _groups(version: ScoringVersion, config: JudgeConfig, board: str) -> JudgeGroups | None:
    standings = standings_of(version, board, None)
    teams = {row.submission_id: row.team.name for row in standings.select_related("team")}
    complete = ColumnValue.objects.filter(
        judging__config=config, judging__board=board, mean__isnull=False, scored__gte=F("rows")
    )
    # What stands for the whole of a config: the smaller of both parts, or its one system.
    present = set(complete.values_list("metric", flat=True).distinct())
    metric = next((name for name in METRICS if name in present), min(present, default=""))
    values = complete.filter(metric=metric).values_list("judging__submission", "mean", "scored")
    shown = sorted(
        ((each, mean or 0.0, scored) for each, mean, scored in values if each in teams),
        key=lambda value: (-value[1], str(value[0])),
    )
    if len(shown) < 2:
        return None
    best = shown[:MOST]
    found = _bands(version, config, board, metric, [submission for submission, *_ in best])
    numbers = found.groups() if found else (1,) * len(best)
    rows, last = [], 0
    for number, (submission, mean, scored) in sorted(
        zip(numbers, best, strict=True), key=itemgetter(0)
    ):
        name, is_first = teams[submission], number > last
        rows.append(Grouped(number, is_first, name, submission, three_decimals(mean), scored))
        last = number
    threshold = found.threshold if found else None
    return JudgeGroups(
        board=board,
        metric=metric,
        threshold="" if threshold is None else three_decimals(threshold),
        rows=tuple(rows),
        left_out=len(shown) - len(best),
    )


def _bands(
    version: ScoringVersion, config: JudgeConfig, board: str, metric: str, submissions: list[UUID]
) -> Bands | None:
    """All pairs at once over their common rows; one after the other would often err by chance."""
    ids = planned_ids(config, board)
    found = _scores(config, board, submissions, ids)
    scores = [found[each].get(metric, {}) for each in submissions]
    common = [row for row in ids if all(row in each for each in scores)]
    if not common:
        return None
    values = np.array([[each[row] for row in common] for each in scores])
    return bands(values, seed=seed_of(version.reference_set.sha256))

"""What boards and pages show of judgings: means, how many rows they hold, and intervals."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judging

# Of the claims, the share that the judge could not settle: no score, beside alignment.
UNSURE = "unsure"
# In this order wherever several stand side by side. `alignment` is Google's accuracy as well.
METRICS = (
    "summarization",
    "alignment",
    UNSURE,
    "coverage",
    "completeness",
    "adherence",
    "conciseness",
)
# What a board has room for; the rest stands on the submission's page.
ON_BOARD = ("alignment", "coverage")


@dataclass(frozen=True)
class JudgeValue:
    """One metric's mean over the rows of one judging.

    `mean`: None for N/A. `scored` of `rows` have a score; fewer mean that it is partial. `low` and
    `high`: the 95 % interval of the mean, None below two rows.
    """

    metric: str
    mean: float | None
    scored: int
    rows: int
    low: float | None
    high: float | None

    @property
    def is_partial(self) -> bool:
        """Whether rows that can have a score are still without one."""
        return self.scored < self.rows


@dataclass(frozen=True)
class Judged:
    """How far the judging of one submission is, and its values so far.

    `paused` says why nothing goes on, such as `budget`; empty while it does.
    """

    state: str
    paused: str
    rows_done: int
    rows: int
    values: tuple[JudgeValue, ...]

    def value(self, metric: str) -> JudgeValue | None:
        """The value of a metric, if there is one yet."""
        return next((value for value in self.values if value.metric == metric), None)


def active_config(competition: Competition) -> JudgeConfig | None:
    """The config whose columns are shown. Without the flag on the competition nothing is asked."""
    if not competition.shows_other_columns:
        return None
    active = JudgeConfig.objects.filter(competition=competition, state=JudgeConfig.State.ACTIVE)
    return active.first()


def judged(config: JudgeConfig, board: str, submissions: Collection[UUID]) -> dict[UUID, Judged]:
    """The judgings of these submissions under one config on one board, in two queries."""
    rows = Judging.objects.filter(config=config, board=board, submission__in=submissions)
    values: dict[UUID, list[JudgeValue]] = {}
    for value in ColumnValue.objects.filter(judging__in=rows):
        values.setdefault(value.judging_id, []).append(
            JudgeValue(
                metric=value.metric,
                mean=value.mean,
                scored=value.scored,
                rows=value.rows,
                low=value.low,
                high=value.high,
            )
        )
    return {
        row.submission_id: Judged(
            state=row.state,
            paused=row.paused,
            rows_done=row.rows_done,
            rows=row.rows,
            values=tuple(sorted(values.get(row.pk, ()), key=_place)),
        )
        for row in rows
    }


def _place(value: JudgeValue) -> tuple[int, str]:
    known = METRICS.index(value.metric) if value.metric in METRICS else len(METRICS)
    return known, value.metric

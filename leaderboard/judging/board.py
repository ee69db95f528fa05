"""The judge's columns on a board, for reference."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from math import floor
from typing import Any
from uuid import UUID

from django.db.models import Case, F, FloatField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Floor
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.columns import Column, Exported
from leaderboard.boards.listing import BoardRow, Order, Rows
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import BoardView, Viewer, may_see_other_columns
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import ColumnValue, JudgeConfig, Judging

THOUSAND = 1000

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
# What a board shows unless its organizer chose; the rest is on the submission's page.
ON_BOARD = ("alignment", "coverage")


# What can be chosen for a board; Google's accuracy is `alignment`.
CHOICES = ("alignment", "coverage", "summarization", "mastra", "deepeval")
# These are held against an instruction.
NEED_INSTRUCTION = (*METRICS[4:], "google-adherence", "google-completeness")


def three_decimals(value: float) -> str:
    """A judge's value as text, half up; finer ones would tell what one changed row did.

    >>> three_decimals(0.0625), three_decimals(0.98765)
    ('0.063', '0.988')
    """
    return f"{floor(value * THOUSAND + 0.5) / THOUSAND:.3f}"


def active_config(competition: Competition) -> JudgeConfig | None:
    """The config whose columns are shown. Without the flag on the competition nothing is asked."""
    if not competition.shows_other_columns:
        return None
    active = JudgeConfig.objects.filter(competition=competition, state=JudgeConfig.State.ACTIVE)
    return active.first()


@dataclass(frozen=True)
class JudgeCell:
    """What one row shows in one column, with three decimals: finer ones would help an attacker.

    `state`: `none` (not judged), `waiting`, `running`, `paused`, `partial`, `complete`, or `na`.
    `str()`: the mean alone, or why there is none.
    """

    metric: str
    state: str
    mean: str = ""
    low: str = ""
    high: str = ""
    scored: int = 0
    rows: int = 0

    def __str__(self) -> str:
        if self.mean or self.state == "none":
            return self.mean or "–"
        return {"na": "N/A", "paused": _("Paused")}.get(self.state) or _("Waiting")


def judge_cells(
    config: JudgeConfig, board: str, submissions: Collection[UUID], *, everything: bool = False
) -> tuple[tuple[str, ...], dict[UUID, tuple[JudgeCell, ...]]]:
    """The metrics shown, and each submission's cells; two queries. `everything`: all metrics."""
    rows = Judging.objects.filter(config=config, board=board, submission__in=submissions)
    values: dict[UUID, dict[str, ColumnValue]] = {}
    for value in ColumnValue.objects.filter(judging__in=rows):
        values.setdefault(value.judging_id, {})[value.metric] = value
    found = {metric for those in values.values() for metric in those}
    present = [name for name in METRICS if name in found] + sorted(found - set(METRICS))
    chosen = tuple(config.systems) or ON_BOARD
    few = config.is_shared and not everything
    metrics = tuple(name for name in present if not few or name in chosen) or chosen
    cells = dict.fromkeys(submissions, tuple(JudgeCell(metric, "none") for metric in metrics))
    for row in rows:
        those = values.get(row.pk, {})
        cells[row.submission_id] = tuple(_cell(row, name, those.get(name)) for name in metrics)
    return metrics, cells


def _cell(judging: Judging, metric: str, value: ColumnValue | None) -> JudgeCell:
    if value is None:
        return JudgeCell(metric, "paused" if judging.paused else judging.state)
    if value.mean is None:
        return JudgeCell(metric, "na" if judging.state == "complete" else judging.state)
    is_partial = value.scored < value.rows  # rows that can have a score are still without one
    return JudgeCell(
        metric=metric,
        state="paused" if judging.paused else "partial" if is_partial else "complete",
        mean=three_decimals(value.mean),
        low="" if value.low is None else three_decimals(value.low),
        high="" if value.high is None else three_decimals(value.high),
        scored=value.scored,
        rows=value.rows,
    )


def judge_results(
    viewer: Viewer, submission: UUID
) -> list[tuple[JudgeConfig, str, tuple[JudgeCell, ...]]]:
    """The cells of one submission on each board that may be seen; none: it was not judged."""
    config = active_config(viewer.competition)
    if config is None:
        return []
    found = []
    for board in Placement.Board.values:
        if may_see_other_columns(viewer, board):
            _metrics, cells = judge_cells(config, board, [submission], everything=True)
            asked = tuple(cell for cell in cells[submission] if cell.state != "none")
            found.append((config, board, asked))
    return found


class JudgeColumn(Column):
    """A judge's values, for reference."""

    def exported(self, value: JudgeCell) -> tuple[Exported, ...]:
        return (Decimal(value.mean) if value.mean else None, f"{value.scored}/{value.rows}")

    def put(self, found: dict[str, Any], value: JudgeCell) -> None:
        found.setdefault("judge", []).append(asdict(value))


def board_columns(
    viewer: Viewer, view: BoardView, rows: Sequence[BoardRow]
) -> Sequence[JudgeColumn]:
    """A source of `boards.columns`. Without rows: every metric that a file of this board has."""
    board = view.board
    config = active_config(viewer.competition)
    if config is None or not may_see_other_columns(viewer, board):
        return ()
    metrics, cells = judge_cells(config, board, {row.submission_id for row in rows})
    made_by = f"{config} {config.config_hash}"
    facts = (("judge", made_by), ("judge_use", "reference only, never in the rank"))
    return [
        JudgeColumn(
            f"judge-{metric}",
            judge_label(metric),
            JudgeOrder(
                f"judge-{metric}", "judge_place", config=config.pk, board=board, metric=metric
            ),
            style="ref",
            short=judge_label(metric),
            is_reference=True,
            facts=facts,
            said=("judge",),
            values=[
                next(cell for cell in cells[row.submission_id] if cell.metric == metric)
                for row in rows
            ],
            csv=(f"judge_{metric}", f"judge_{metric}_rows"),
        )
        for metric in (metrics if rows or config.is_shared else _metrics(config, board))
    ]


def _metrics(config: JudgeConfig, board: str) -> Iterable[str]:
    values = ColumnValue.objects.filter(judging__config=config, judging__board=board)
    return values.order_by().values_list("metric", flat=True).distinct()


def judge_label(metric: str) -> str:
    """A judge metric's name for people; a system's own name where it has no other."""
    names = {
        "summarization": pgettext("judge", "Summary"),
        "alignment": pgettext("judge", "Alignment"),
        "unsure": pgettext("judge", "Unsure claims"),
        "coverage": pgettext("judge", "Coverage"),
        "completeness": pgettext("judge", "Completeness"),
        "adherence": pgettext("judge", "Adherence"),
        "conciseness": pgettext("judge", "Conciseness"),
        "completeness_micro": pgettext("judge", "Completeness, all contents pooled"),
        "mastra": "Mastra",
        "deepeval": "DeepEval",
        "google-adherence": "Google adherence",
        "google-completeness": "Google completeness",
    }
    return names.get(metric, metric)


# Above any mean, which is 1 at most but for a published system with a scale of its own.
COMPLETE = 1e9
NOT_JUDGED = -1.0
_PLACE = Case(
    When(scored__gte=F("rows"), then=Value(COMPLETE)), default=Value(0.0), output_field=FloatField()
) + Floor(F("mean") * THOUSAND + 0.5, output_field=FloatField())  # as `three_decimals` rounds


@dataclass(frozen=True, kw_only=True)
class JudgeOrder(Order):
    """Complete values first, then partial ones, then none; by the printed mean, best first."""

    config: UUID
    board: str
    metric: str

    def with_field(self, rows: Rows) -> Rows:
        found = self._values().filter(judging__submission=OuterRef("submission"))
        place = Subquery(found.annotate(place=_PLACE).values("place")[:1])
        return rows.annotate(**{self.field: Coalesce(place, Value(NOT_JUDGED))})

    def value_of(self, row: BoardRow) -> object:
        found = self._values().filter(judging__submission=row.submission_id)
        place = found.annotate(place=_PLACE).values_list("place", flat=True).first()
        return NOT_JUDGED if place is None else place

    def _values(self) -> QuerySet[ColumnValue]:
        return ColumnValue.objects.filter(
            judging__config=self.config,
            judging__board=self.board,
            metric=self.metric,
            mean__isnull=False,
        )

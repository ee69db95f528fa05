"""A board laid out by a judge's column: a view of it, the ranks beside the rows stay."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, F, FloatField, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce, Floor

from leaderboard.boards.listing import Order, Row, Rows
from leaderboard.boards.text import THOUSAND
from leaderboard.boards.visibility import may_see_judge
from leaderboard.boards.visit import Visit
from leaderboard.judging.columns import ON_BOARD, active_config
from leaderboard.judging.models import ColumnValue

PREFIX = "judge-"
# Above any mean, which is 1 at most but for a published system with a scale of its own.
COMPLETE = 1e9
NOT_JUDGED = -1.0
_PLACE = Case(
    When(scored__gte=F("rows"), then=Value(COMPLETE)), default=Value(0.0), output_field=FloatField()
) + Floor(F("mean") * THOUSAND + 0.5, output_field=FloatField())  # as `three_decimals` rounds


@dataclass(frozen=True, kw_only=True)
class JudgeOrder(Order):
    """Complete columns first, then partial ones, then rows without a value; the better first.

    By the mean as it is printed: a finer order would tell what the three decimals keep back.
    """

    config: UUID
    board: str
    metric: str

    def with_field(self, rows: Rows) -> Rows:
        found = ColumnValue.objects.filter(
            judging__config=self.config,
            judging__board=self.board,
            judging__submission=OuterRef("submission"),
            metric=self.metric,
            mean__isnull=False,
        ).annotate(place=_PLACE)
        place = Coalesce(Subquery(found.values("place")[:1]), Value(NOT_JUDGED))
        return rows.annotate(**{self.field: place})

    def value_of(self, row: Row) -> object:
        model = type(row)
        return self.with_field(model.objects.filter(pk=row.pk)).values_list(self.field).get()[0]


def judge_order(visit: Visit, board: str, sort: str) -> JudgeOrder | None:
    """The order that `judge-<metric>` asks for; None where this viewer sees no such column."""
    metric = sort.removeprefix(PREFIX)
    if metric == sort or not may_see_judge(visit, board):
        return None
    config = active_config(visit.competition)
    if config is None or (config.is_shared and metric not in ON_BOARD):
        return None
    return JudgeOrder(sort, "judge_place", config=config.pk, board=board, metric=metric)

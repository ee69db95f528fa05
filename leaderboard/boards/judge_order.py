"""A board laid out by a judge's column: a view of it, the ranks beside the rows stay."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Case, F, FloatField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Floor

from leaderboard.boards.listing import Order
from leaderboard.boards.rows import Row, Rows
from leaderboard.boards.text import THOUSAND
from leaderboard.judging.models import ColumnValue

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
        found = self._values().filter(judging__submission=OuterRef("submission"))
        place = Subquery(found.annotate(place=_PLACE).values("place")[:1])
        return rows.annotate(**{self.field: Coalesce(place, Value(NOT_JUDGED))})

    def value_of(self, row: Row) -> object:
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

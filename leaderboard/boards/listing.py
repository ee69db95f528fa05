"""One board as one viewer sees it: its rows, the viewer's own, and everybody's totals.

Rows come from the standings of now or of a past instant, as `visibility` decided; each part is read
at most once.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import F, OuterRef, Q, Subquery

from leaderboard.boards import rows as board_rows
from leaderboard.boards.changes import Marks, marks
from leaderboard.boards.instants import before
from leaderboard.boards.ladder import Ladder, Totals, totals
from leaderboard.boards.models import StandingDay
from leaderboard.boards.rows import BOARD_ORDER, Row, Rows, standings_of
from leaderboard.boards.visibility import Sight, sight
from leaderboard.boards.visit import Visit
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import sort_key


@dataclass(frozen=True)
class Order:
    """How the rows are laid out; the ranks stay. Numbers fall, names rise; ties as on the board."""

    key: str
    field: str
    rises: bool = False

    def of(self, rows: Rows) -> Rows:
        first = F(self.field).asc() if self.rises else F(self.field).desc()
        return self.with_field(rows).order_by(first, *BOARD_ORDER)

    def with_field(self, rows: Rows) -> Rows:
        """With `field`, where the rows have it from elsewhere."""
        return rows

    def ahead_of(self, row: Row) -> Q:
        """The rows that come before this one."""
        value = self.value_of(row)
        tied = Q(printed__gt=row.printed) | Q(printed=row.printed) & (
            Q(received_at__lt=row.received_at)
            | Q(received_at=row.received_at, team__lt=row.team_id)
        )
        if self.field == "printed":
            return tied
        better = f"{self.field}__{'lt' if self.rises else 'gt'}"
        return Q(**{better: value}) | Q(**{self.field: value}) & tied

    def value_of(self, row: Row) -> object:
        """The row's `field`."""
        if self.field.startswith("metrics__"):
            return row.metrics[self.key]
        if self.field == "team__sort_key":
            return sort_key(row.team_name)  # asked of one row only
        return getattr(row, self.field)


BY_TEAM = Order("team", "team__sort_key", rises=True)
BY_TOTAL = Order("total", "printed")


@dataclass(frozen=True)
class Listing:
    """A board under a version, through one viewer's eyes."""

    visit: Visit
    version: ScoringVersion
    sight: Sight
    shown_ladder: Ladder | None = None  # of rows that are all there, instead of the totals'

    @cached_property
    def yesterday(self) -> datetime:
        """The midnight that changes of rank are counted from."""
        return before(self.visit.competition, self.sight.instant or self.visit.at)

    @cached_property
    def own(self) -> Row | None:
        """The viewer's own row: today's when the others are frozen."""
        if self.visit.team is None:
            return None
        instant = None if self.sight.own_moves else self.sight.instant
        rows = standings_of(self.version, self.sight.board, instant).filter(team=self.visit.team)
        return next(board_rows.shown(self._with_before(rows)), None)

    @cached_property
    def others(self) -> Rows:
        """Everybody's rows, but without the viewer's own where that is put in from today's."""
        rows = standings_of(self.version, self.sight.board, self.sight.instant)
        if self.sight.own_moves and self.visit.team is not None:
            return rows.exclude(team=self.visit.team)
        return rows

    def rows(self, order: Order, query: str, window: slice) -> tuple[list[Row], int]:
        """The rows of a window over those whose team's name holds `query`, and how many in all."""
        rows = order.of(self._with_before(self.others))
        size = len(self._totals)
        if query:
            rows = rows.filter(team__name__icontains=query)
            size = rows.count()
        by_total = order == BY_TOTAL and not query
        own = self.own if self.sight.own_moves else None
        start, stop = window.start or 0, size + 1 if window.stop is None else window.stop

        def between(start: int, stop: int) -> list[Row]:
            # A total that rose since the totals were read must not fall out of the first page.
            jumps = by_total and start > 0
            found = self._jump(rows, start, stop) if jumps else rows[start:stop]
            return self._met(list(board_rows.shown(found)))

        if own is None or query.casefold() not in own.team_name.casefold():
            return between(start, stop), size
        # The own row is put in where it belongs, so what follows it in `rows` moves down by one.
        if query:
            place = rows.filter(order.ahead_of(own)).count()
        else:
            place = self._place_of_own(own, order)
        if place < start:
            return between(start - 1, stop - 1), size + 1
        if place >= stop:
            return between(start, stop), size + 1
        shown = between(start, stop - 1)
        return [*shown[: place - start], own, *shown[place - start :]], size + 1

    def _jump(self, rows: Rows, start: int, stop: int) -> Rows:
        """The same as rows[start:stop] in the board's order, without walking there row by row."""
        known = self._totals
        if start >= len(known):
            return rows.none()
        highest, lowest = known[-1 - start], known[-min(stop, len(known))]
        better = len(known) - bisect_right(known, highest)
        return rows.filter(printed__range=(lowest, highest))[start - better : stop - better]

    def _met(self, found: list[Row]) -> list[Row]:
        """These rows. The own one among them need not be asked for again."""
        team = self.visit.team.pk if self.visit.team else None
        own = next((row for row in found if row.team_id == team), None)
        if own is not None:
            vars(self).setdefault("own", own)  # where `cached_property` keeps it
        return found

    def page_of_own(self, order: Order, length: int) -> int | None:
        """The page that the own row is on, from 1, when all are laid out in this order."""
        if self.own is None:
            return None
        if order == BY_TOTAL:
            better, equal = self._around(self.own)
            # Mostly all with its total share a page, and which of them came first is all one.
            if better // length == (better + equal) // length:
                return better // length + 1
        return self._place_of_own(self.own, order) // length + 1

    def _place_of_own(self, own: Row, order: Order) -> int:
        """How many rows come before the own one."""
        others = order.with_field(self.others.exclude(team=own.team_id))
        if order != BY_TOTAL:
            return others.filter(order.ahead_of(own)).count()
        better, equal = self._around(own)
        tied = others.filter(order.ahead_of(own), printed=own.printed)
        return better + (tied.count() if equal else 0)

    def _around(self, own: Row) -> tuple[int, int]:
        """How many others have a better total than the own row, and how many the same."""
        known = Ladder(self._totals)
        better, same = known.rank(own.printed) - 1, known.sharing(own.printed)
        return better, same if self.sight.own_moves else max(same - 1, 0)

    def _with_before(self, rows: Rows) -> Rows:
        """With `before`: the printed total of yesterday, or None."""
        past = StandingDay.objects.filter(
            scoring_version=self.version,
            board=self.sight.board,
            instant=self.yesterday,
            team=OuterRef("team"),
        )
        return rows.annotate(before=Subquery(past.values("printed")[:1]))

    @cached_property
    def _both(self) -> Totals:
        """Of `others`."""
        kept = self._totals_at(self.sight.instant)
        if not self.sight.own_moves or self.visit.team is None:
            return kept
        then = standings_of(self.version, self.sight.board, self.sight.instant)
        own = then.filter(team=self.visit.team).values_list("printed", "ranked").first()
        return kept if own is None else kept.without(*own)

    @property
    def _totals(self) -> tuple[int, ...]:
        """Of all of `others`, also of those without a rank, ascending."""
        return self._both.all

    @cached_property
    def ladder(self) -> Ladder:
        """The totals that ranks are counted in, the own one of today among them."""
        if self.shown_ladder is not None:
            return self.shown_ladder
        ranked = self._both.ranked
        if self.sight.own_moves and self.own is not None and self.own.ranked:
            return Ladder(tuple(sorted([*ranked, self.own.printed])))
        return Ladder(ranked)

    @cached_property
    def ladder_before(self) -> Ladder:
        """Yesterday's totals; empty when that board is not kept."""
        return Ladder(self._totals_at(self.yesterday).ranked)

    def _totals_at(self, instant: datetime | None) -> Totals:
        return totals(self.version, self.sight.board, instant, self._marks[instant])

    @cached_property
    def _marks(self) -> dict[datetime | None, Marks]:
        return marks(self.version.pk, (self.sight.instant, self.yesterday))


def listing(visit: Visit, board: str, instant: datetime | None = None) -> Listing | None:
    """The board as this viewer may see it, the same object each time within a visit.

    None when they may not see it, or nothing is live yet.
    """
    seen = sight(visit, board, instant)
    if seen is None or visit.version is None:
        return None
    found: Listing = visit.listings.setdefault(seen, Listing(visit, visit.version, seen))
    return found

"""One board as one viewer sees it: its rows in an order, their ranks, and the viewer's own row.

Rows come from the standings of now or of a past instant, as `visibility` decided. Ranks are counts
of totals, read from an index in one scan.
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import (
    Aggregate,
    BigIntegerField,
    Count,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from numpy.typing import NDArray

from leaderboard.boards.models import Standing, StandingDay
from leaderboard.boards.visibility import BoardView, Viewer, board_view
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team, sort_key
from leaderboard.teams.queries import among

Rows = QuerySet[Standing] | QuerySet[StandingDay]

LOWEST = -(2**53)  # no total is as far from 0


class Tally(NamedTuple):
    """A board counted in one scan, and where one row stands that may be on it or not.

    `rows`: also those without a rank. `ascending`: every total that has one; `stood`: the same of
    the board before, where the scan passes it. `own`: the row's total, None without it; `ranked`:
    whether it has a rank. `ahead`: how many rows come before it.
    """

    rows: int = 0
    ascending: Sequence[int] = ()
    stood: Sequence[int] = ()
    own: int | None = None
    ranked: bool = False
    ahead: int = 0


def tally(board: Rows, own: Rows, *, whole: bool) -> Tally:
    """Count the rows of `board` that are `there`, and those that `stood` before; `own` is one row
    or none. Unless the whole is wanted, those from its total up.

    Grouped by total, which is the index's order: fewer lines than rows leave the database.
    """
    names = ("printed", "received_at", "team_id", "ranked")
    try:
        of_own, of_board = (
            rows.order_by().values_list(*names, *more).query.sql_with_params()
            for rows, more in ((own, ()), (board, ("there", "stood")))
        )
    except EmptyResultSet:
        return Tally()
    query = f"""
        WITH own AS ({of_own[0]}), board AS NOT MATERIALIZED ({of_board[0]})
        SELECT printed, NULL, CASE WHEN ranked THEN 1 ELSE 0 END, (
            SELECT COUNT(*) FROM board WHERE there AND board.printed = own.printed AND (
                board.received_at < own.received_at
                OR board.received_at = own.received_at AND board.team_id < own.team_id
            )
        ) FROM own
        UNION ALL
        SELECT printed, COUNT(*) FILTER (WHERE there), COUNT(*) FILTER (WHERE there AND ranked),
            COUNT(*) FILTER (WHERE stood AND ranked)
        FROM board {"" if whole else "WHERE printed >= (SELECT printed FROM own)"} GROUP BY printed
        ORDER BY 1
    """  # noqa: S608  what Django writes, and the names above
    found = Tally()
    rows, ahead = 0, 0
    ascending: list[int] = []
    before: list[int] = []
    with connection.cursor() as cursor:
        cursor.execute(query, [*of_own[1], *of_board[1]])
        for total, there, ranked, stood in cursor:  # thousands, of which none is kept
            if there is None:
                found = Tally(own=total, ranked=bool(ranked), ahead=stood)
                continue
            rows += there
            ascending += [total] * ranked
            before += [total] * stood
            if found.own is not None and total > found.own:
                ahead += there
    return found._replace(rows=rows, ascending=ascending, stood=before, ahead=found.ahead + ahead)


def totals_from(rows: Rows, lowest: int) -> list[int]:
    """The totals of a board that are not below the lowest, ascending."""
    reaching = rows.filter(printed__gte=lowest).order_by("printed").values_list("printed")
    found: list[int] = []
    try:
        query = reaching.annotate(same=Count("*")).query.sql_with_params()
    except EmptyResultSet:
        return found
    with connection.cursor() as cursor:
        cursor.execute(*query)
        for total, same in cursor:  # as above
            found += [total] * same
    return found


JOINED = {"postgresql": "STRING_AGG", "sqlite": "GROUP_CONCAT"}  # texts, with something between


class Joined(Aggregate):
    """All values of a text, with commas between them."""

    function = JOINED["postgresql"]
    template = "%(function)s(%(expressions)s, ',')"
    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        return super().as_sql(compiler, connection, function=JOINED["sqlite"], **extra)


def pairs(rows: Rows, others: Rows) -> NDArray[np.int64]:
    """Both totals of every team that has a rank on two boards, a line each, in no order.

    As one text: to read a hundred thousand rows takes three times as long.
    """
    of_one, of_other = (
        board.filter(ranked=True)
        .order_by()
        .values_list("team_id", "printed")
        .query.sql_with_params()
        for board in (rows, others)
    )
    query = f"""
        WITH one AS ({of_one[0]}), other AS ({of_other[0]})
        SELECT {JOINED[connection.vendor]}(
            CAST(one.printed AS text) || ',' || CAST(other.printed AS text), ','
        ) FROM one JOIN other ON one.team_id = other.team_id
    """  # noqa: S608  as above
    with connection.cursor() as cursor:
        cursor.execute(query, [*of_one[1], *of_other[1]])
        found = cursor.fetchone()[0]
    return np.fromstring(found or "", dtype=np.int64, sep=",").reshape(-1, 2)


def rank_in(ascending: Sequence[int], total: int) -> int:
    """One more than the number of better totals.

    >>> [rank_in([10, 20, 20, 30], total) for total in (30, 20, 10)]
    [1, 2, 4]
    """
    return len(ascending) - bisect_right(ascending, total) + 1


# By the team's id, not "team": that would be its name, which no index of a board holds.
BOARD_ORDER = ("-printed", "received_at", "team_id")


class BoardRow(NamedTuple):
    """One team's line of a board. Totals and metrics are the integers that are printed (× 10⁴).

    `before`: the printed total of yesterday's midnight; None without one.
    """

    team_id: UUID
    team_name: str
    printed: int
    metrics: dict[str, int]
    submission_id: UUID
    entries: int
    last_submission_at: datetime
    ranked: bool
    before: int | None
    received_at: datetime


class Placed(NamedTuple):
    """A row's rank (None for a baseline), whether it is shared, and the ranks gained since
    yesterday's midnight; None when the team was not on that board, or there is none.
    """

    rank: int | None
    tied: bool
    climbed: int | None


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

    def ahead_of(self, row: BoardRow) -> Q:
        """The rows that come before this one."""
        earlier = Q(received_at__lt=row.received_at)
        earlier |= Q(received_at=row.received_at, team__lt=row.team_id)
        # The first part for the index.
        tied = Q(printed__gte=row.printed) & (Q(printed__gt=row.printed) | earlier)
        if self.field == "printed":
            return tied
        value = self.value_of(row)
        better = f"{self.field}__{'lt' if self.rises else 'gt'}"
        return Q(**{better: value}) | Q(**{self.field: value}) & tied

    def value_of(self, row: BoardRow) -> object:
        """The row's `field`."""
        return getattr(row, self.field)


@dataclass(frozen=True)
class NameOrder(Order):
    """By the team's name, of which only the lines of now keep the key."""

    def with_field(self, rows: Rows) -> Rows:
        if rows.model is Standing:
            return rows
        return rows.annotate(**{self.field: F("team__sort_key")})

    def ahead_of(self, row: BoardRow) -> Q:
        first = {f"{self.field}__lte": self.value_of(row)}  # for the index
        return Q(**first) & super().ahead_of(row)

    def value_of(self, row: BoardRow) -> object:
        return sort_key(row.team_name)  # asked of one row only


@dataclass(frozen=True)
class MetricOrder(Order):
    """By a metric: as a number, which is compared in less time than a value of JSON."""

    def with_field(self, rows: Rows) -> Rows:
        value = Cast(KeyTextTransform(self.key, "metrics"), BigIntegerField())
        return rows.annotate(**{self.field: value})

    def value_of(self, row: BoardRow) -> object:
        return row.metrics[self.key]


BY_TEAM = NameOrder("team", "sort_key", rises=True)
BY_TOTAL = Order("total", "printed")


def standings_of(
    version: ScoringVersion, board: str, instant: datetime | None, until: str = "until"
) -> Rows:
    """Every row of a board in its order, now or at an instant; with `stands_until` for the totals
    alone, from the few rows at which one took over.

    For organizers' comparisons; what a page shows comes through `listing`.
    """
    if instant is None:
        now = Standing.objects.filter(scoring_version=version, board=board)
        return now.order_by(*BOARD_ORDER)
    days = StandingDay.objects.filter(
        scoring_version=version,
        board=board,
        last_submission_at__lt=instant,
        **{f"{until}__gte": instant},
    )
    return days.order_by(*BOARD_ORDER)


def has_board(competition: Competition, instant: datetime) -> bool:
    """Whether there is a board of this instant: the freeze, or a midnight of the contest.

    Midnights count from the first after the opening to the first after the close: nothing received
    later counts, so later ones would only repeat that one.
    """
    first = day(competition, competition.opens_at).ends_at
    last = day(competition, competition.closes_at).ends_at
    is_midnight = day(competition, instant).starts_at == instant
    return (is_midnight and first <= instant <= last) or instant == competition.freezes_at


@dataclass(frozen=True)
class Listing:
    """A board under a version, through one viewer's eyes."""

    viewer: Viewer
    version: ScoringVersion
    view: BoardView

    @cached_property
    def yesterday(self) -> datetime | None:
        """The midnight that changes of rank are counted from; None while there is none."""
        competition, instant = self.viewer.competition, self.view.instant or self.viewer.at
        midnight = day(competition, instant - timedelta(microseconds=1)).starts_at
        return midnight if has_board(competition, midnight) else None

    @cached_property
    def others(self) -> Rows:
        """Everybody's rows, but without the viewer's own where that is put in from today's."""
        return self._at(self.view.instant, "until", self.view.own_moves)

    @cached_property
    def _totals(self) -> Rows:
        """The same for their totals alone."""
        return self._at(self.view.instant, "stands_until", self.view.own_moves)

    @cached_property
    def _before(self) -> Rows:
        """Yesterday's totals that have a rank."""
        if self.yesterday is None:
            return Standing.objects.none()
        return self._at(self.yesterday, "stands_until").filter(ranked=True)

    def _at(self, instant: datetime | None, until: str, without_own: bool = False) -> Rows:
        if instant is not None and not has_board(self.viewer.competition, instant):
            return StandingDay.objects.none()
        rows = standings_of(self.version, self.view.board, instant, until)
        team = self.viewer.team
        return rows.exclude(team=team) if without_own and team is not None else rows

    @property
    def _own_row(self) -> Rows:
        """The viewer's own row: today's when the others are frozen."""
        instant = None if self.view.own_moves else self.view.instant
        return self._at(instant, "until").filter(team=self.viewer.team)

    @cached_property
    def tally(self) -> Tally:
        """How many rows there are and their totals, the own one of today among them."""
        return self._tally(whole=True)

    @cached_property
    def upwards(self) -> Tally:
        """The same from the own total up, if the whole was not counted already."""
        return self.__dict__.get("tally") or self._tally(whole=False)

    def _tally(self, *, whole: bool) -> Tally:
        instant, yesterday, rows = self.view.instant, self.yesterday, self._totals
        there: Any = Value(True)
        stood: Any = Value(False)
        if instant and yesterday and not rows.query.is_empty():
            # A scan of a past board passes the rows of the day before it, too.
            there, stood = Q(stands_until__gte=instant), Q(last_submission_at__lt=yesterday)
            if self.view.own_moves:
                there &= ~Q(team=self.viewer.team)
            rows = StandingDay.objects.filter(
                scoring_version=self.version,
                board=self.view.board,
                last_submission_at__lt=instant,
                stands_until__gte=yesterday,
            )
        found = tally(rows.annotate(there=there, stood=stood), self._own_row, whole=whole)
        if not self.view.own_moves or found.own is None:
            return found
        ascending = list(found.ascending)
        if found.ranked:
            insort(ascending, found.own)
        return found._replace(rows=found.rows + 1, ascending=ascending)

    @cached_property
    def own(self) -> BoardRow | None:
        """The viewer's own row."""
        if self.viewer.team is None:
            return None
        return next(self.read(self._own_row), None)

    def named(self, query: str) -> int:
        """How many rows there are whose team's name holds `query`."""
        own = self.own if self.view.own_moves else None
        others = self.others.filter(self._named(query)).count()
        return others + (own is not None and query.casefold() in own.team_name.casefold())

    def _named(self, query: str) -> Q:
        """The rows whose team's name holds `query`. Few teams are found first: along the order of
        the board each line's team would be looked up, where only the last ones match all of them.
        """
        known = self.viewer.listings
        if (key := ("named", query)) not in known:
            competition = self.viewer.competition
            teams = Team.objects.filter(competition=competition, name__icontains=query)
            many = Q(team__name__icontains=query)
            known[key] = among("team", teams.values_list("pk", flat=True), many)
        found: Q = known[key]
        return found

    def rows(self, order: Order, query: str, window: slice) -> list[BoardRow]:
        """The rows of a window over those whose team's name holds `query`.

        Of a window without an end they come without what stood yesterday.
        """
        named = self._named(query) if query else Q()
        # The own row of today in a freeze: it is not among those that are counted.
        own = self.own if self.view.own_moves else None
        start, stop = window.start or 0, window.stop

        def between(start: int, stop: int | None) -> list[BoardRow]:
            by_total = order == BY_TOTAL
            found = self.others.filter(named) if by_total else order.of(self.others.filter(named))
            if stop is not None:
                # The slice from the index first: what stands before it is never looked up.
                rows = self._totals.filter(named) if by_total else found
                size = self.tally.rows - (own is not None)
                if not query and start > size // 2:  # nearer from the end
                    rows = rows.reverse()
                    start, stop = max(size - stop, 0), max(size - start, 0)
                teams: QuerySet[Any, Any] = rows.values("team")[start:stop]
                found = self.others.filter(team__in=teams)
                if by_total:  # else SQLite walks the whole index, as that has the order
                    return sorted(
                        self.read(found.order_by()),
                        key=lambda row: (-row.printed, row.received_at, row.team_id),
                    )
                found = order.of(found)
            return list(self.read(found, whole=stop is None))

        if own is None or query.casefold() not in own.team_name.casefold():
            return between(start, stop)
        # The own row is put in where it belongs, so what follows it in `rows` moves down by one.
        place = self.place_of_own(order, named)
        assert place is not None
        if place < start:
            return between(start - 1, None if stop is None else stop - 1)
        if stop is not None and place >= stop:
            return between(start, stop)
        shown = between(start, None if stop is None else stop - 1)
        return [*shown[: place - start], own, *shown[place - start :]]

    def place_of_own(self, order: Order, named: Q | None = None) -> int | None:
        """How many rows come before the own one; None without one."""
        if self.own is None:
            return None
        if order == BY_TOTAL and not named:
            return self.tally.ahead
        rows = self._totals if order == BY_TOTAL else self.others
        others = order.with_field(rows.filter(named or Q()).exclude(team=self.own.team_id))
        return others.filter(order.ahead_of(self.own)).count()

    def placed(self, rows: Sequence[BoardRow]) -> tuple[list[Placed], datetime | None]:
        """Rank and change of rank of each of these rows; and since when: yesterday's midnight, if
        a team had a rank on that board.
        """
        today, known = self.tally.ascending, [row.before for row in rows if row.before is not None]
        yesterday = self.tally.stood
        if self.view.instant is None:
            yesterday = totals_from(self._before, min(known, default=LOWEST))
        found = []
        for row in rows:
            if not row.ranked:
                found.append(Placed(None, False, None))
                continue
            rank = rank_in(today, row.printed)
            climbed = None if row.before is None else rank_in(yesterday, row.before) - rank
            # Equal totals stand side by side.
            found.append(Placed(rank, today[-rank - 1 : -rank] == [row.printed], climbed))
        return found, self.yesterday if yesterday else None

    def read(self, rows: Rows, *, whole: bool = False) -> Iterator[BoardRow]:
        """These of the board's rows with what stood yesterday, which a whole board comes without:
        for each row it would be looked up."""
        past = self._before.filter(team=OuterRef("team")).order_by().values("printed")
        before = Value(None, BigIntegerField()) if whole else Subquery(past[:1])
        found = rows.annotate(before=before, team_name=F("team__name"))
        yield from map(BoardRow._make, found.values_list(*BoardRow._fields))


def listing(viewer: Viewer, board: str, instant: datetime | None = None) -> Listing | None:
    """The board as this viewer may see it, the same object each time they ask.

    None when they may not see it, or nothing is live yet.
    """
    view = board_view(viewer, board, instant)
    if view is None or viewer.version is None:
        return None
    found: Listing = viewer.listings.setdefault(view, Listing(viewer, viewer.version, view))
    return found

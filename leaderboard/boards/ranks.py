"""Ranks: one more than the number of better printed totals, 1, 2, 2, 4."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Aggregate, Count, Func, IntegerField, QuerySet, TextField
from numpy.typing import NDArray

from leaderboard.boards.models import Standing, StandingDay

Rows = QuerySet[Standing] | QuerySet[StandingDay]

ROWS = Func(function="COUNT", template="COUNT(*)", output_field=IntegerField())
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


def sharing(ascending: Sequence[int], total: int) -> int:
    """How many are exactly this total."""
    return bisect_right(ascending, total) - bisect_left(ascending, total)

"""Ranks: one more than the number of better printed totals, 1, 2, 2, 4."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Func, IntegerField, QuerySet
from django.db.models.expressions import RawSQL

from leaderboard.boards.models import Standing, StandingDay

Rows = QuerySet[Standing] | QuerySet[StandingDay]

ROWS = Func(function="COUNT", template="COUNT(*)", output_field=IntegerField())
LOWEST, HIGHEST = -(2**53), 2**53  # no total is as far from 0


class Rank(NamedTuple):
    """How many ranked rows have a better total, and how many exactly this one."""

    better: int
    same: int


def count_between(
    *boards: tuple[Rows, Sequence[int]], whole: int | None = None
) -> list[dict[int, Rank]]:
    """For each board, the rank of each of some totals: one scan between the sorted totals.

    `whole`: how many rows the first board has; then those below are counted, and not those above.
    """
    bounds: list[tuple[int, int, int]] = []  # board, and the totals of a stretch
    for number, (_, totals) in enumerate(boards):
        above = HIGHEST
        for total in sorted(set(totals), reverse=True):
            bounds += [(number, total + 1, above - 1), (number, total, total)]
            above = total
    if not bounds:
        return [{} for _ in boards]
    asked = list(bounds)
    if inferred := whole is not None and bounds[0][0] == 0:
        asked[0] = (0, LOWEST, min(boards[0][1]) - 1)
    cases: list[str] = []
    parameters: list[Any] = [value for bound in asked for value in bound]
    for number in {board for board, _, _ in asked}:
        sql, values = _counted(boards[number][0])
        cases.append(f"WHEN {number} THEN ({sql})")
        parameters += values
    listed = ", ".join(["(%s, %s, %s)"] * len(asked))
    query = f"""
        WITH bound(board, low, high) AS (VALUES {listed})
        SELECT board, low, high, CASE board {" ".join(cases)} END FROM bound
    """  # noqa: S608  placeholders, and what Django writes
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        counted = {(number, low, high): rows for number, low, high, rows in cursor.fetchall()}
    if inferred and whole is not None:
        of_first = (rows for (number, _, _), rows in counted.items() if number == 0)
        counted[bounds[0]] = whole - sum(of_first)
    found: list[dict[int, Rank]] = [{} for _ in boards]
    better = [0] * len(boards)
    for (number, _, high), (_, total, _) in zip(bounds[::2], bounds[1::2], strict=True):
        better[number] += counted[number, total + 1, high]
        same = counted[number, total, total]
        found[number][total] = Rank(better[number], same)
        better[number] += same
    return found


class Around(NamedTuple):
    """How many rows a board has, how many of them have a rank, and what stands around one row.

    `own`: its total, None without it; `ranked`: whether it has a rank. `better`: the others with a
    rank and a better total, `above` the nearest of these; `tied`: whether one has the same.
    `ahead`: how many rows come before it.
    """

    rows: int = 0
    teams: int = 0
    own: int | None = None
    ranked: bool = False
    better: int = 0
    above: int | None = None
    tied: bool = False
    ahead: int = 0


def around(board: Rows, own: Rows) -> Around:
    """What stands around `own`, one row or none, on a board: one scan, whether it is on it or not.

    Of a past board most of a scan passes rows of other instants: one for each number took twice as
    long.
    """
    names = ("printed", "received_at", "team_id", "ranked")
    try:
        queries = [rows.order_by().values_list(*names).query for rows in (own, board)]
        (own_sql, of_own), (board_sql, of_board) = (one.sql_with_params() for one in queries)
    except EmptyResultSet:
        return Around()
    ahead = """board.printed > own.printed OR board.printed = own.printed AND (
        board.received_at < own.received_at
        OR board.received_at = own.received_at AND board.team_id < own.team_id
    )"""
    query = f"""
        WITH own AS ({own_sql})
        SELECT COUNT(*), COUNT(*) FILTER (WHERE board.ranked),
            (SELECT printed FROM own), (SELECT ranked FROM own),
            COUNT(*) FILTER (WHERE board.ranked AND board.printed > own.printed),
            MIN(board.printed) FILTER (WHERE board.ranked AND board.printed > own.printed),
            COUNT(*) FILTER (
                WHERE board.ranked AND board.printed = own.printed AND board.team_id <> own.team_id
            ),
            COUNT(*) FILTER (WHERE {ahead})
        FROM ({board_sql}) AS board LEFT JOIN own ON TRUE
    """  # noqa: S608  what Django writes, and the names above
    with connection.cursor() as cursor:
        cursor.execute(query, [*of_own, *of_board])
        rows, teams, printed, ranked, better, above, tied, before = cursor.fetchone()
    return Around(rows, teams, printed, bool(ranked), better, above, tied > 0, before)


def _counted(rows: Rows) -> tuple[str, Sequence[Any]]:
    """SQL of how many rows lie in the stretch of the outer `bound`."""
    stretch = rows.filter(
        printed__gte=RawSQL("bound.low", ()), printed__lte=RawSQL("bound.high", ())
    )
    sql, parameters = stretch.order_by().values_list(ROWS).query.sql_with_params()
    return sql, list(parameters)


def rank_in(ascending: Sequence[int], total: int) -> int:
    """One more than the number of better totals.

    >>> [rank_in([10, 20, 20, 30], total) for total in (30, 20, 10)]
    [1, 2, 4]
    """
    return len(ascending) - bisect_right(ascending, total) + 1


def sharing(ascending: Sequence[int], total: int) -> int:
    """How many are exactly this total."""
    return bisect_right(ascending, total) - bisect_left(ascending, total)

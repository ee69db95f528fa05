"""`metrics.csv` of a bundle: how far the columns beside the total order files as it does."""

from scoring.insight.closing.sheets import Sheet, in_units
from scoring.insight.ways import FIRST
from scoring.statistics.agreement import drawn, estimate, kendall_tau_b

COLUMNS = ("board", "column", "file", "value")
_HEAD = ("board", "column", "files", "tau", "low", "high")
RESAMPLES = 1_000


def beside(standings: Sheet, columns: Sheet, *, seed: int) -> Sheet:
    """τ-b of the printed total and each column, over the first ranked files that have a value.

    columns: `columns.csv`. Files are drawn anew for the interval: a column has no rows here. Fewer
    than three files have no order to speak of. ValueError for another table.
    """
    if columns.head != COLUMNS:
        raise ValueError("columns.csv has other columns")
    names = (standings.column(name) for name in ("board", "rank", "file", "total"))
    totals = {
        (board, file): in_units(total)
        for board, rank, file, total in zip(*names, strict=True)
        if rank
    }
    pairs: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for board, column, file, value in columns.rows:
        if (board, file) in totals:
            own = pairs.setdefault((board, column), [])
            own.append((totals[board, file], float(value)))
    return Sheet(
        _HEAD,
        tuple(
            (board, column, *_told(sorted(found, reverse=True)[:FIRST], seed))
            for (board, column), found in sorted(pairs.items())
            if len(found) > 2
        ),
    )


def _told(found: list[tuple[int, float]], seed: int) -> tuple[str, ...]:
    totals, values = zip(*found, strict=True)
    weights = drawn(range(len(found)), seed=seed, resamples=RESAMPLES)
    tau = estimate(kendall_tau_b(totals, values, weights))
    texts = ("" if one is None else f"{one:.3f}" for one in (tau.value, tau.low, tau.high))
    return (str(len(found)), *texts)

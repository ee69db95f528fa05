"""The tables of a closing report: pure functions of files, their row values and the golds.

The server makes them of stored values, `verify-bundle` of values that it computes anew; so whatever
differs between the two was changed.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.insight.closing.sheets import Sheet, StandingFile, in_units
from scoring.insight.tuning_gap import best_of
from scoring.pipeline import PreparedReferences, SplitReport, row_totals, split_reports
from scoring.ranking import printed, printed_text, ranks
from scoring.references import SPLITS
from scoring.statistics import seed_of
from scoring.statistics.bands import UNITS, bands, ranks_between
from scoring.table import safe

# The first columns of `standings.csv`.
PLACES = ("team", "board", "rank", "best_rank", "worst_rank")
SPLIT_SEED = "split seed"  # a line of `facts.csv`

Values = NDArray[np.float64]


def tables(
    files: Sequence[StandingFile],
    values: Mapping[str, Values],
    prepared: PreparedReferences,
    split_seed: str = "",
) -> dict[str, Sheet]:
    """All tables that are computed, by the name of their file.

    values: of each file by its name, rows x metrics, fractions 0..1, in the order of the set.
    split_seed: what drew the public and private rows; empty if they were given.
    """
    reports = {one.name: split_reports(prepared, values[one.name]) for one in files}
    facts = {SPLIT_SEED: split_seed} if split_seed else {}
    lines: list[tuple[str, ...]] = []
    for board in SPLITS:
        of_board = [one for one in files if one.stands_on(board) and board in reports[one.name]]
        lines += _board(board, of_board, values, reports, prepared, facts)
    metrics = prepared.profile.metrics
    standings = Sheet((*PLACES, "total", *metrics, "entries", "file"), tuple(lines))
    shaken = shake_up(standings)
    return {
        "standings.csv": standings,
        "shakeup.csv": shaken,
        "gaps.csv": gaps(files, shaken, facts),
        "facts.csv": Sheet(("name", "value"), tuple(facts.items())),
        "scores.csv": _scores(reports, metrics),
    }


def _board(
    board: str,
    files: Sequence[StandingFile],
    values: Mapping[str, Values],
    reports: Mapping[str, Mapping[str, SplitReport]],
    prepared: PreparedReferences,
    facts: dict[str, str],
) -> Iterable[tuple[str, ...]]:
    """The lines of one board in its order: by printed total, then as received."""
    totals = {one.name: printed(reports[one.name][board].total) for one in files}
    ordered = sorted(files, key=lambda one: -totals[one.name])  # stable
    ranked = [one for one in ordered if one.ranked]
    rank = dict(
        zip((one.name for one in ranked), ranks([totals[one.name] for one in ranked]), strict=True)
    )
    signature, rows = prepared.splits.get(board, ("", np.array([], dtype=np.intp)))
    facts |= {f"{board} signature": signature, f"{board} rows": str(len(rows))}
    threshold = None
    if len(ranked) > 1:
        of_rows = np.stack([row_totals(values[one.name], prepared.profile)[rows] for one in ranked])
        found = bands(of_rows, seed=seed_of(prepared.references.sha256))
        threshold = found.threshold
        facts[f"{board} bands"] = found.signature
    facts[f"{board} noise"] = "" if threshold is None else f"{threshold:.3f}"
    between = rank_ranges([totals[one.name] for one in ranked], facts[f"{board} noise"])
    ranges = dict(zip((one.name for one in ranked), between, strict=True))
    facts[f"{board} leaders"] = leaders(between)
    for one in ordered:
        report = reports[one.name][board]
        yield (
            safe(one.team),
            board,
            str(rank.get(one.name, "")),
            *ranges.get(one.name, ("", "")),
            printed_text(totals[one.name]),
            *(printed_text(printed(value)) for value in report.metrics.values()),
            str(one.entries),
            one.name,
        )


def rank_ranges(totals: Sequence[int], noise: str) -> list[tuple[str, str]]:
    """The best and the worst rank of each printed total, as cells; empty without a threshold.

    >>> rank_ranges([12000, 11000], "0.050")
    [('1', '1'), ('2', '2')]
    """
    if not noise or not totals:
        return [("", "")] * len(totals)
    known = np.array(totals, dtype=np.int64)
    best, worst = ranks_between(np.sort(known), round(float(noise) * UNITS), known)
    return [(str(one), str(other)) for one, other in zip(best, worst, strict=True)]


def leaders(ranges: Sequence[tuple[str, str]]) -> str:
    """How many may be first, as a cell; empty where no range is known.

    >>> leaders([("1", "2"), ("1", "2"), ("3", "3")]), leaders([("", "")])
    ('2', '')
    """
    return str(sum(best == "1" for best, _ in ranges) or "")


def shake_up(standings: Sheet) -> Sheet:
    """`shakeup.csv`: each ranked team's place on both boards, in the order of the private one."""
    place = {name: standings.head.index(name) for name in ("board", "rank", "team", "total")}
    by_board: dict[str, dict[str, tuple[str, ...]]] = {board: {} for board in SPLITS}
    for row in standings.rows:
        if row[place["rank"]]:
            by_board[row[place["board"]]][row[place["team"]]] = row
    rows = []
    for team, private in by_board["private"].items():
        public = by_board["public"].get(team)
        if public is None:
            continue
        before, after = int(public[place["rank"]]), int(private[place["rank"]])
        totals = [side[place["total"]] for side in (public, private)]
        gap = printed_text(in_units(totals[1]) - in_units(totals[0]))
        rows.append((team, str(before), str(after), str(before - after), *totals, gap))
    head = ("team", "public_rank", "private_rank", "climbed", "public_total", "private_total")
    return Sheet((*head, "gap"), tuple(rows))


def gaps(files: Sequence[StandingFile], shaken: Sheet, facts: Mapping[str, str]) -> Sheet:
    """`gaps.csv`: each ranked team's gap between the boards, and what choosing its file explains.

    expected_gap: down by the luck line of its public rows; empty where another file stands on the
    private board, since that was not chosen for its luck. Only of teams whose files were compared.
    """
    rows_of_board = int(facts["public rows"])
    known = {
        safe(one.team): (one.entries, one.deviation, one.private)
        for one in files
        if one.public and one.deviation is not None
    }
    place = {name: at for at, name in enumerate(shaken.head)}
    lines = []
    for row in shaken.rows:
        entries, deviation, is_same = known.get(row[place["team"]], (0, None, False))
        if deviation is None or entries < 2 or not rows_of_board:
            continue
        gap = in_units(row[place["gap"]])
        expected = -printed(best_of(deviation, files=entries, rows=rows_of_board))
        explained = map(printed_text, (expected, gap - expected)) if is_same else ("", "")
        line = (row[place["team"]], str(entries), str(int(is_same)), printed_text(gap))
        lines.append((*line, *explained))
    head = ("team", "entries", "same_file", "gap", "expected_gap", "beyond")
    return Sheet(head, tuple(lines))


def _scores(reports: Mapping[str, Mapping[str, SplitReport]], metrics: Sequence[str]) -> Sheet:
    """`scores.csv`, for organizers: every number unrounded."""
    rows = [
        (name, split, str(report.rows), repr(report.total), *map(repr, report.metrics.values()))
        for name, splits in reports.items()
        for split, report in splits.items()
    ]
    return Sheet(("file", "split", "rows", "total", *metrics), tuple(rows))

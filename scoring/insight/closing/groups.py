"""`slices.csv` of a bundle: the first files of the private board by kind of dialogue."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.comparison import row_totals
from scoring.insight.closing.sheets import Sheet, StandingFile
from scoring.insight.slices import DialogueSize, groups, slices
from scoring.pipeline import PreparedReferences
from scoring.ranking import printed, printed_text
from scoring.references import SPLITS
from scoring.table import safe

SIZES = ("fname", "turns", "length")
_HEAD = ("by", "group", "board", "rows", "team", "total", "standard_error", "file")

FIRST = 100  # files, from the best one down
Rows = NDArray[np.intp]
Sizes = Mapping[str, DialogueSize]
"""How large the dialogue of each row is; without all of them groups are by topic alone."""


def written_sizes(sizes: Sizes) -> Sheet:
    """`dialogues.csv`, for organizers: how large each dialogue is, without its text."""
    rows = ((safe(row), str(size.turns), str(size.length)) for row, size in sorted(sizes.items()))
    return Sheet(SIZES, tuple(rows))


def read_sizes(table: Sheet, ids: Sequence[str]) -> dict[str, DialogueSize]:
    """The sizes of `dialogues.csv`. ValueError if it is another table."""
    if table.head != SIZES:
        raise ValueError("dialogues.csv has other columns")
    known = {safe(row): row for row in ids}
    return {known[row]: DialogueSize(int(turns), int(length)) for row, turns, length in table.rows}


def sliced(
    standings: Sheet,
    files: Sequence[StandingFile],
    values: Mapping[str, NDArray[np.float64]],
    prepared: PreparedReferences,
    sizes: Sizes,
) -> Sheet:
    """The first ranked private files on each group of rows, on both boards."""
    rows = prepared.references.examples
    known = prepared.splits
    splits: dict[str, Rows] = {board: known[board][1] for board in SPLITS if board in known}
    every = [sizes[row.example_id] for row in rows] if _has_all(prepared, sizes) else None
    found = groups([row.topic for row in rows], every, splits)
    team = {one.name: one.team for one in files}
    totals = {name: row_totals(values[name], prepared.profile) for name in _first(standings)}
    lines = [
        (
            *(by, safe(" + ".join(group.names)), one.split, str(one.rows), safe(team[name])),
            *(printed_text(printed(number)) for number in (one.total, one.error)),
            name,
        )
        for by, of_kind in found.items()
        for group in of_kind
        for name, of_file in totals.items()
        for one in slices(of_file, group, splits)
    ]
    return Sheet(_HEAD, tuple(lines))


def _has_all(prepared: PreparedReferences, sizes: Sizes) -> bool:
    return all(row in sizes for row in prepared.references.ids)


def _first(standings: Sheet) -> list[str]:
    columns = (standings.column(name) for name in ("board", "rank", "file"))
    rows = zip(*columns, strict=True)
    return [file for board, rank, file in rows if board == "private" and rank][:FIRST]

"""The numbers that a server says a file has, out of what it exports as CSV.

Three of its exports name what they scored: `scores.csv` (of everything, in the ZIP of the desk:
unrounded, by the file's hash), a team's own submissions (as printed, by the file's hash) and the
values of the dev lab (each row, six decimals). All begin with lines `# name,value`.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import takewhile
from typing import NamedTuple

import pandas as pd

from scoring.findings import escaped
from scoring.messages import Spoken, _
from scoring.pipeline import Report
from scoring.verify import Check

NAME = "against"
SHOWN = 1_000  # characters of a line about a difference; two signatures fit


class NotExported(Spoken, ValueError):
    """The file holds nothing to compare with; the message says why and what to give instead."""


class Stated(NamedTuple):
    """One number of the server. `decimals`: how many it was rounded to; None: not at all.

    It is comparable if its signature is the expected one.
    """

    place: str
    text: str
    ours: float
    signature: str
    expected: str
    decimals: int | None

    def difference(self) -> float | None:
        """Between the server's number and ours, rounded as the server's; None for no number."""
        ours = repr(self.ours)
        if self.decimals is not None:
            ours = format(self.ours, f".{self.decimals}f")
        try:
            found = float(abs(Decimal(self.text) - Decimal(ours)))
        except ArithmeticError:  # no number, or one beyond all exponents
            return None
        return found if math.isfinite(found) else None


def compare(data: bytes, sha256: str, report: Report) -> Check:
    """Our report of the file with this hash against an export of the server.

    Where the export has numbers of the file under several signatures, those under ours count; a
    board that has none under ours differs.
    Raises NotExported.
    """
    stated = list(_stated(data, sha256, report))
    if not stated:
        raise NotExported(
            _("It has no score for this predictions file (sha256 {hash}…)."), hash=sha256[:8]
        )
    alike = [one for one in stated if one.signature == one.expected]
    proved = {one.expected for one in alike}
    others = {one.expected: one.signature for one in stated if one.expected not in proved}
    words = [f"signature: {given} ≠ {expected}" for expected, given in others.items()]
    different = [(one, found) for one in alike if (found := one.difference()) != 0]
    words += [f"{one.place}: {one.text} ≠ {one.ours!r}" for one, _ in different]
    # Escaped: the file may come from anybody, and what it says goes to a terminal.
    shown = tuple(escaped(word, SHOWN) for word in words)
    largest = max((found or 0.0 for _, found in different), default=0.0)
    return Check(NAME, len(alike or stated), shown, largest)


def _stated(data: bytes, sha256: str, report: Report) -> Iterator[Stated]:
    heading, rows = _table(data)
    columns, signature = rows[0].keys() if rows else set(), heading.get("signature", "")
    if "sha256" in columns and ("board" in columns) == ("signature" in columns):
        for row in (row for row in rows if row["sha256"] == sha256):
            yield from _of_file(row, signature, report)
    elif "fname" in columns:  # the dev lab's table: every metric of every row
        whole = report.splits["all"]
        values = dict(zip(report.example_ids, report.examples.tolist(), strict=True))
        for row in rows:
            for name, value in zip(whole.metrics, values.get(row["fname"], ()), strict=False):
                if text := row.get(name):
                    place = f"{row['fname']} {name}"
                    yield Stated(place, text, value, signature, whole.signature, 6)
    else:
        raise NotExported(
            _(
                "This file was not exported by the server. Use scores.csv (from the organizers' "
                "export), a team's submissions.csv or dev_scores.csv from the dev lab."
            )
        )


def _of_file(row: Mapping[str, str], signature: str, report: Report) -> Iterator[Stated]:
    """A line of `scores.csv`: one board under one version, exact beside the printed total.

    Or of a team's submissions: every board, as printed, under the live version.
    """
    for board, split in report.splits.items():
        numbers = {"total": split.total, "total_exact": split.total, **split.metrics}
        for name, value in numbers.items():
            place = f"{board} {name}"
            if "board" not in row and (text := row.get(f"{board}_{name}")):
                yield Stated(place, text, value, signature, report.signature, 4)
            elif row.get("board") == board and (text := row.get(name)):
                decimals = 4 if name == "total" else None
                yield Stated(place, text, value, row["signature"], split.signature, decimals)


def _table(data: bytes) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The facts above the table, and its rows by column; one that was cut off has empty cells."""
    heading: dict[str, str] = {}
    above = 0
    try:
        text = data.decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""))
        for line in takewhile(lambda line: line and line[0].startswith("# "), reader):
            above = reader.line_num
            heading |= {line[0].removeprefix("# "): value for value in line[1:2]}
        table = pd.read_csv(io.StringIO(text), skiprows=above, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        return heading, []
    except (ValueError, csv.Error) as error:
        raise NotExported(
            _("Not a CSV file of the server ({reason})."), reason=str(error)
        ) from None
    names = [str(name) for name in table]
    return heading, [dict(zip(names, row, strict=True)) for row in table.fillna("").to_numpy()]

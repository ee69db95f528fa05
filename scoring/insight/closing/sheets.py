"""What the tables of a bundle are made of: sheets of texts, and the files that stand on a board."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.table import safe, unmarked, written

FILES = (
    *("file", "team", "ranked", "public", "private", "entries", "received_at", "sha256"),
    "deviation",
)


class Sheet(NamedTuple):
    """A head and rows of cells, all of them texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """All cells of one column. ValueError without it."""
        place = self.head.index(name)
        return [row[place] for row in self.rows]

    def pairs(self) -> dict[str, str]:
        """The second column by the first."""
        return {row[0]: row[1] for row in self.rows}

    def written(self) -> bytes:
        """As CSV, UTF-8 with a BOM, as spreadsheets expect it."""
        return written([self.head, *self.rows], csv.QUOTE_MINIMAL).encode("utf-8-sig")

    @classmethod
    def read(cls, data: bytes) -> "Sheet":
        """The table of such a file. ValueError if it is none."""
        text = io.StringIO(data.decode("utf-8-sig"), newline="")
        try:
            lines = list(csv.reader(text, strict=True))
        except csv.Error as error:
            raise ValueError(f"not a table: {error}") from None
        if not lines or any(len(line) != len(lines[0]) for line in lines):
            raise ValueError("not a table: lines of different lengths")
        return cls(tuple(lines[0]), tuple(map(tuple, lines[1:])))


@dataclass(frozen=True)
class StandingFile:
    """A file that stands for a team on a board, in the order in which files were received.

    public, private: whether it is the one of that board. entries: of its team there. deviation: of
    its team's files row by row, as in `scoring.insight.tuning_gap`; None if that is not known.
    """

    name: str
    team: str
    ranked: bool
    public: bool
    private: bool
    entries: int
    received_at: str
    sha256: str
    deviation: float | None = None

    def stands_on(self, board: str) -> bool:
        """Whether it is its team's on this board."""
        return self.public if board == "public" else self.private


def written_files(files: Sequence[StandingFile]) -> Sheet:
    """`files.csv`: what the other tables take for granted."""
    rows = (
        (
            one.name,
            safe(one.team),
            *(str(int(flag)) for flag in (one.ranked, one.public, one.private)),
            str(one.entries),
            one.received_at,
            one.sha256,
            "" if one.deviation is None else f"{one.deviation:.6f}",
        )
        for one in files
    )
    return Sheet(FILES, tuple(rows))


def read_files(table: Sheet) -> list[StandingFile]:
    """The files of `files.csv`. ValueError if it is another table."""
    if table.head != FILES:
        raise ValueError("files.csv has other columns")
    return [
        StandingFile(
            name=name,
            team=unmarked(team),
            ranked=ranked == "1",
            public=public == "1",
            private=private == "1",
            entries=int(entries),
            received_at=at,
            sha256=sha,
            deviation=float(deviation) if deviation else None,
        )
        for name, team, ranked, public, private, entries, at, sha, deviation in table.rows
    ]


def in_units(total: str) -> int:
    """A printed total in units of its last digit.

    >>> in_units("1.0258"), in_units("-0.5000")
    (10258, -5000)
    """
    return int(total.replace(".", ""))

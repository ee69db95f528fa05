"""CSV as it was written: records with the physical line they start on, and broken ones named.

Structure is read here with the csv module and nowhere else, because pandas hides errors: a first
row with one field too many shifts silently, and "NA" becomes a missing value.
"""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from scoring.problems import LINE, Limits

# A cell is measured against the contest's own limit, which names its line; the csv module's
# limit would raise an error that no participant understands.
csv.field_size_limit(2**31 - 1)

_BLANK = re.compile(r"[\s,]*+")  # as `Record.blank`, over lines


class Record(NamedTuple):
    """One CSV record. `line` is where it starts; `broken` names what is wrong with it, or ''.

    A broken record has the text of its last physical line as its only cell.
    """

    line: int
    cells: list[str]
    broken: str = ""

    @property
    def blank(self) -> bool:
        """Whether nothing is written here (an empty line, or only commas and blanks)."""
        return not any(map(str.strip, self.cells))


class _Lines:
    """The physical lines, one by one, so that a hostile file is never held twice."""

    def __init__(self, text: str, most_commas: int | None) -> None:
        self._lines = LINE.finditer(text)
        self._most_commas = most_commas
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.last = line = next(self._lines).group()
        if (
            self._most_commas is not None
            and len(line) > self._most_commas
            and line.count(",") > self._most_commas
        ):
            raise OverflowError
        return line


def records(text: str, limits: Limits) -> Iterator[Record]:
    """All records in file order; reading goes on behind a broken one where that is possible.

    >>> [record.line for record in records('a,"x\\n\\ny"\\nb,z\\n', Limits())]
    [1, 4]
    """
    lines = _Lines(text, _most_commas(limits))
    reader = csv.reader(lines, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            yield Record(start, next(reader))
        except StopIteration:
            return
        except OverflowError:
            yield Record(start, [], "too_many_columns")
            return
        except csv.Error as error:
            broken = _why(str(error))
            yield Record(start, [lines.last], broken)
            if broken == "unclosed_quote":
                return


def is_blank_from(text: str, line: int) -> bool:
    """Whether nothing is written in this physical line, which there is, nor in any after it.

    Makes no records, so that however many blank lines cost next to nothing.
    """
    start = next(islice(LINE.finditer(text), line - 1, None)).start()
    return _BLANK.fullmatch(text, start) is not None


def column_key(name: str) -> str:
    """A column's name as it is compared: no blanks or byte-order mark around it, any case."""
    return name.strip().strip("\ufeff").strip().casefold()


def _most_commas(limits: Limits) -> int | None:
    """More commas than this in one line cannot belong to any record within the limits."""
    if limits.max_columns is None or limits.max_cell is None:
        return None
    return limits.max_columns * (limits.max_cell + 1)


def _why(error: str) -> str:
    if "unexpected end of data" in error:
        return "unclosed_quote"
    if "expected after" in error:
        return "text_after_quote"
    return "bad_csv"

"""What a column of a board is: what it shows of a row, and how page, CSV and JSON have it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from leaderboard.boards.listing import Order
from leaderboard.boards.text import decimals, number

Exported = str | int | Decimal | datetime | None


def in_json(value: Exported) -> str | int | float | datetime | None:
    """Numbers as numbers: JSON knows no decimals.

    >>> in_json(Decimal("0.128")), in_json(3)
    (0.128, 3)
    """
    return float(value) if isinstance(value, Decimal) else value


@dataclass(frozen=True)
class Note:
    """What columns say of themselves: below the board (`about` is given to the template), and in
    the head of an export. Columns with equal notes say it once; without a template the page says
    it anyway.
    """

    template: str = ""
    about: Any = None
    facts: tuple[tuple[str, Exported], ...] = ()


@dataclass(frozen=True)
class Column:
    """One column, with what it shows of each of the rows that it was made for: `values`, of which
    the methods are given one.

    `key` stands in `?sort=` and, if `names` says nothing else, in exports. `style`: CSS classes.
    `short`: its name on a narrow screen, where the cell shows one. `is_reference`: beside the
    board for reference only. `template`: of a cell that is more than a text; `zone`: of a column of
    instants. `text`: a value as the page prints it. `about`: what it means, in plain sentences.
    """

    key: str
    label: str
    order: Order
    style: str = ""
    short: str = ""
    is_reference: bool = False
    template: str = ""
    zone: ZoneInfo | None = None
    note: Note | None = None
    text: Callable[[Any], str] = str
    about: str = ""
    values: Sequence[Any] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns in a CSV file."""
        return (self.key,)

    def css(self, _value: Any) -> str:
        """The classes of a cell with this value."""
        return self.style

    def exported(self, value: Any) -> tuple[Exported, ...]:
        """As CSV files have it, one for each of `names`."""
        return (value,)

    def put(self, found: dict[str, Any], value: Any) -> None:
        """Put it into a row of JSON, under the names that CSV has."""
        found.update(zip(self.names, map(in_json, self.exported(value)), strict=True))


class Cell(NamedTuple):
    """What one row shows in one column."""

    column: Column
    value: Any


@dataclass(frozen=True)
class Printed(Column):
    """A column of printed integers (× 10⁴)."""

    text: Callable[[Any], str] = decimals

    def exported(self, value: Any) -> tuple[Exported, ...]:
        return (number(value),)

"""The columns of a board: one list, from which page, order, CSV and JSON are made.

Whoever has a number beside a team appends to `SOURCES` a function that makes its columns for some
rows. Their place in the list is their place on the board. A source shows nothing that `visibility`
would not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.listing import BY_TOTAL, BoardRow, Order
from leaderboard.boards.text import decimals, label, number
from leaderboard.boards.visibility import Viewer
from leaderboard.references.models import ScoringVersion

Exported = str | int | Decimal | datetime | None


@dataclass(frozen=True)
class Note:
    """What columns say of themselves: below the board (`about` is given to the template), and in
    the head of an export. Columns with equal notes say it once.
    """

    template: str
    about: Any
    facts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Column:
    """One column. What `value` reads from a row, the other methods are given.

    `key` stands in `?sort=` and, if `names` says nothing else, in exports. `style`: CSS classes.
    `short`: its name on a narrow screen, where the cell shows one. `is_reference`: beside the
    board for reference only. `template`: of a cell that is more than a text; `zone`: of a column of
    instants. `text`: a value as the page prints it.
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

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns in a CSV file."""
        return (self.key,)

    def value(self, row: BoardRow) -> Any:
        """What it shows of a row."""
        return getattr(row, self.order.field)

    def exported(self, value: Any) -> tuple[Exported, ...]:
        """As CSV files have it, one for each of `names`."""
        return (value,)

    def put(self, found: dict[str, Any], value: Any) -> None:
        """Put it into a row of JSON."""
        found[self.key] = value


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

    def put(self, found: dict[str, Any], value: Any) -> None:
        found[self.key] = float(number(value))


class MetricColumn(Printed):
    """A metric of the version's profile."""

    def value(self, row: BoardRow) -> int:
        return row.metrics[self.key]

    def put(self, found: dict[str, Any], value: Any) -> None:
        super().put(found.setdefault("metrics", {}), value)


class LastSubmission(Column):
    """When the last of them came."""

    @property
    def names(self) -> tuple[str, ...]:
        return ("last_submission_at",)

    def exported(self, value: datetime) -> tuple[Exported, ...]:
        return (value.astimezone(self.zone),)

    def put(self, found: dict[str, Any], value: datetime) -> None:
        found["last_submission_at"] = value.astimezone(self.zone).isoformat(timespec="seconds")


def metric_columns(version: ScoringVersion | None) -> tuple[MetricColumn, ...]:
    """The metrics of a version in the order of its profile."""
    constants = (version.self_check or {}).get("constants", {}) if version else {}
    return tuple(
        MetricColumn(
            key,
            label(key, constants.get(key)),
            Order(key, f"metrics__{key}"),
            style=f"metric p{place}",
            short=label(key).replace("ROUGE", "R"),
        )
        for place, key in enumerate(version.profile().metrics if version else (), 1)
    )


def _placement(viewer: Viewer, _board: str, _rows: Sequence[BoardRow]) -> Sequence[Column]:
    """The total, by which the board ranks, the metrics, and what was handed in."""
    zone = viewer.competition.zoneinfo
    last = f"{_('Last submission')} ({viewer.at.astimezone(zone):%Z})"
    return (
        Printed("total", _("Total"), BY_TOTAL, style="total"),
        *metric_columns(viewer.version),
        Column("entries", pgettext("count", "Entries"), Order("entries", "entries"), style="n"),
        LastSubmission("last", last, Order("last", "last_submission_at"), style="last", zone=zone),
    )


# Makes the columns that this viewer may see of a board, for these rows. Without rows: every column
# by which the board can be laid out.
Source = Callable[[Viewer, str, Sequence[BoardRow]], Sequence[Column]]

SOURCES: list[Source] = [_placement]


def columns(viewer: Viewer, board: str, rows: Sequence[BoardRow] = ()) -> tuple[Column, ...]:
    """All columns of a board in their order."""
    return tuple(column for source in SOURCES for column in source(viewer, board, rows))


def facts(shown: Sequence[Column]) -> dict[str, Exported]:
    """What these columns say of themselves in the head of an export."""
    return {name: said for one in shown if one.note for name, said in one.note.facts}

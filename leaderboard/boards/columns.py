"""The columns of a board, as page, CSV and JSON have them: values, headings, meanings and text.

Totals and metrics are the integers that are printed (× 10⁴). A source yields the columns of some
rows; apps above add theirs to `SOURCES` for the page and to `EXPORTED` for files and the API, and
what they mean to `ABOUT`, in their `ready()`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from leaderboard.boards.listing import BY_TOTAL, BoardRow, MetricOrder, Order
from leaderboard.boards.visibility import BoardView, Viewer
from leaderboard.references.models import ScoringVersion
from leaderboard.texts import reader_language
from scoring import metrics
from scoring.messages import Language
from scoring.ranking import printed_text

SCALE = 10_000
PLACES = 4
MINUS = "\N{MINUS SIGN}"


def decimals(printed: int) -> str:
    """A printed integer as text.

    >>> decimals(12387), decimals(-42)
    ('1.2387', '−0.0042')
    """
    return printed_text(printed).replace("-", MINUS)


def number(printed: int) -> Decimal:
    """A printed integer for programs.

    >>> number(12387), number(0)
    (Decimal('1.2387'), Decimal('0.0000'))
    """
    return Decimal(printed).scaleb(-PLACES)


def as_float(printed: int | None) -> float | None:
    """A printed integer as JSON has it, to the printed digit; None for what is not there.

    >>> as_float(12387), as_float(-42), as_float(None)
    (1.2387, -0.0042, None)
    """
    return None if printed is None else float(number(printed))


def signed(printed: int) -> str:
    """A difference with its sign always shown.

    >>> signed(42), signed(0)
    ('+0.0042', '0.0000')
    """
    return f"+{decimals(printed)}" if printed > 0 else decimals(printed)


class PrintedChange(NamedTuple):
    """Two printed numbers as text, and their difference; None for what is not there."""

    before: str | None
    after: str | None
    difference: str | None


def change(before: int | None, after: int | None) -> PrintedChange:
    """Of two printed integers, so that the three agree to the last digit.

    >>> change(42, 84), change(None, 84).difference
    (PrintedChange(before='0.0042', after='0.0084', difference='+0.0042'), None)
    """
    return PrintedChange(
        before=None if before is None else decimals(before),
        after=None if after is None else decimals(after),
        difference=None if before is None or after is None else signed(after - before),
    )


def label(metric: str, constant: int | None = None) -> str:
    """A metric's key as the name people know, with what is printed beside it.

    >>> label("rouge1"), label("rouge1.recall")
    ('ROUGE-1', 'ROUGE-1 recall')
    """
    return _label(metric, constant, reader_language())


@lru_cache(maxsize=256)  # of each column of each board
def _label(metric: str, constant: int | None, language: Language) -> str:
    heading = metrics.parse(metric).heading(language, constant)
    return " ".join(filter(None, (heading, metric.partition(".")[2])))


ABOUT: dict[str, Promise] = {
    "rank": gettext_lazy(
        "The position by total. A baseline is submitted by the organizers and has no rank."
    ),
    "since": gettext_lazy("Places gained or lost since midnight."),
    "total": gettext_lazy("The only score that decides the rank."),
    "rouge1": gettext_lazy("How many morphemes a summary shares with a reference."),
    "rouge2": gettext_lazy("How many pairs of adjacent morphemes a summary and a reference share."),
    "rouge3": gettext_lazy("How many runs of three morphemes a summary and a reference share."),
    "rougeL": gettext_lazy("How many morphemes a summary and a reference share in the same order."),
    "chrf": gettext_lazy("How many short runs of letters a summary and a reference share."),
    "length": gettext_lazy("The average number of morphemes in a summary."),
    "of_references": gettext_lazy("The number in brackets is the average of the references."),
    "entries": gettext_lazy("The number of scored submissions."),
    "last": gettext_lazy("The time of the last scored submission."),
}


def about(*keys: str) -> str:
    """What these say together; nothing of a key that nobody wrote of."""
    return " ".join(str(ABOUT[key]) for key in keys if key in ABOUT)


Exported = str | int | Decimal | datetime | None


def in_json(value: Exported) -> str | int | float | datetime | None:
    """Numbers as numbers: JSON knows no decimals.

    >>> in_json(Decimal("0.128")), in_json(3)
    (0.128, 3)
    """
    return float(value) if isinstance(value, Decimal) else value


@dataclass(frozen=True)
class Column:
    """One column, with what it shows of each of the rows that it was made for: `values`, of which
    the methods are given one.

    `key` stands in `?sort=` and, if `csv` says nothing else, in exports. `style`: CSS classes.
    `short`: its name on a narrow screen, where the cell shows one. `is_reference`: beside the
    board for reference only. `in_next`: small text in the cell of the column after it. `zone`: of a
    column of instants. `facts`: what the head of an export says of it. `text`: a value as the page
    prints it. `said`: the texts of `ABOUT` that say what it means.
    """

    key: str
    label: str
    order: Order = BY_TOTAL
    style: str = ""
    short: str = ""
    is_reference: bool = False
    in_next: bool = False
    zone: ZoneInfo | None = None
    facts: tuple[tuple[str, Exported], ...] = ()
    text: Callable[[Any], str] = str
    said: tuple[str, ...] = ()
    csv: tuple[str, ...] = ()
    values: Sequence[Any] = ()

    @property
    def about(self) -> str:
        """What it means, in plain sentences."""
        return about(*self.said)

    @property
    def names(self) -> tuple[str, ...]:
        """Of its columns in a CSV file."""
        return self.csv or (self.key,)

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


class MetricColumn(Printed):
    """A metric of the version's profile."""

    def put(self, found: dict[str, Any], value: Any) -> None:
        super().put(found.setdefault("metrics", {}), value)


class LastSubmission(Column):
    """When the last of them came."""

    def exported(self, value: datetime) -> tuple[Exported, ...]:
        return (value.astimezone(self.zone),)

    def put(self, found: dict[str, Any], value: datetime) -> None:
        found["last_submission_at"] = value.astimezone(self.zone).isoformat(timespec="seconds")


def metric_columns(
    version: ScoringVersion | None, rows: Sequence[BoardRow] = ()
) -> tuple[MetricColumn, ...]:
    """The metrics of a version in the order of its profile."""
    constants = (version.self_check or {}).get("constants", {}) if version else {}
    return tuple(
        MetricColumn(
            key,
            label(key, constants.get(key)),
            MetricOrder(key, "by_metric"),
            style=f"metric p{place}" if place <= 3 else "metric extra",
            short=label(key).replace("ROUGE", "R"),
            said=(key.partition(".")[0], *(("of_references",) if key in constants else ())),
            values=[row.metrics[key] for row in rows],
        )
        for place, key in enumerate(version.profile().metrics if version else (), 1)
    )


def total(_viewer: Viewer, _view: BoardView, rows: Sequence[BoardRow]) -> Sequence[Column]:
    """By which the board ranks."""
    values = [row.printed for row in rows]
    return [Printed("total", _("Total"), style="total", said=("total",), values=values)]


def _placement(viewer: Viewer, _view: BoardView, rows: Sequence[BoardRow]) -> Sequence[Column]:
    """The metrics, and what was handed in."""
    zone = viewer.competition.zoneinfo
    last = f"{_('Last submission')} ({viewer.at.astimezone(zone):%Z})"
    return (
        *metric_columns(viewer.version, rows),
        Column(
            "entries",
            pgettext("count", "Entries"),
            Order("entries", "entries"),
            in_next=True,
            said=("entries",),
            values=[row.entries for row in rows],
        ),
        LastSubmission(
            "last",
            last,
            Order("last", "last_submission_at"),
            style="last",
            zone=zone,
            said=("last",),
            csv=("last_submission_at",),
            values=[row.last_submission_at for row in rows],
        ),
    )


# Makes the columns that this viewer may see of a board, for these rows. Without rows: every column
# by which the board can be laid out.
Source = Callable[[Viewer, BoardView, Sequence[BoardRow]], Sequence[Column]]

SOURCES: list[Source] = [total, _placement]
EXPORTED: list[Source] = [total, _placement]


def columns(
    viewer: Viewer, view: BoardView, sources: Sequence[Source], rows: Sequence[BoardRow] = ()
) -> tuple[Column, ...]:
    """The columns of a board from these sources, in their order."""
    return tuple(column for source in sources for column in source(viewer, view, rows))


def facts(shown: Sequence[Column]) -> dict[str, Exported]:
    """What these columns say of themselves in the head of an export."""
    return {name: said for one in shown for name, said in one.facts}

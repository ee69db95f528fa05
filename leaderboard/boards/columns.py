"""The columns of a board: one list, from which page, order, CSV and JSON are made.

Whoever has a number beside a team appends to `SOURCES` a function that makes its columns for some
rows. Their place in the list is their place on the board. A source shows nothing that `visibility`
would not.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.column import Column, Exported, Printed
from leaderboard.boards.column_words import about
from leaderboard.boards.listing import BY_TOTAL, BoardRow, MetricOrder, Order
from leaderboard.boards.text import label
from leaderboard.boards.visibility import BoardView, Viewer
from leaderboard.references.models import ScoringVersion


class MetricColumn(Printed):
    """A metric of the version's profile."""

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
            style=f"metric p{place}",
            short=label(key).replace("ROUGE", "R"),
            about=about(key.partition(".")[0], *(("of_references",) if key in constants else ())),
            values=[row.metrics[key] for row in rows],
        )
        for place, key in enumerate(version.profile().metrics if version else (), 1)
    )


def total(_viewer: Viewer, _view: BoardView, rows: Sequence[BoardRow]) -> Sequence[Column]:
    """By which the board ranks."""
    values = [row.printed for row in rows]
    said = about("total")
    return [Printed("total", _("Total"), BY_TOTAL, style="total", about=said, values=values)]


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
            style="n",
            about=about("entries"),
            values=[row.entries for row in rows],
        ),
        LastSubmission(
            "last",
            last,
            Order("last", "last_submission_at"),
            style="last",
            zone=zone,
            about=about("last"),
            values=[row.last_submission_at for row in rows],
        ),
    )


# Makes the columns that this viewer may see of a board, for these rows. Without rows: every column
# by which the board can be laid out.
Source = Callable[[Viewer, BoardView, Sequence[BoardRow]], Sequence[Column]]

SOURCES: list[Source] = [total, _placement]


def columns(viewer: Viewer, view: BoardView, rows: Sequence[BoardRow] = ()) -> tuple[Column, ...]:
    """All columns of a board in their order."""
    return tuple(column for source in SOURCES for column in source(viewer, view, rows))


def facts(shown: Sequence[Column]) -> dict[str, Exported]:
    """What these columns say of themselves in the head of an export."""
    return {name: said for one in shown if one.note for name, said in one.note.facts}

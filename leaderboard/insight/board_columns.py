"""The columns of this app on a board, and the same of one file on its result card."""

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from leaderboard.boards.columns import Column, Exported, label
from leaderboard.boards.listing import BoardRow, listing
from leaderboard.boards.queries import PAGE
from leaderboard.boards.visibility import (
    Board,
    BoardView,
    Viewer,
    board_view,
    may_see_other_columns,
)
from leaderboard.insight.models import FileLift
from leaderboard.insight.rank_range import RankRange, bands_seen, ranges
from leaderboard.insight.specificity import in_percent, lifts_of, percent_text, thousandths
from leaderboard.insight.trivial_baselines import Lines
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from scoring.insight.specificity import AMBER, METHOD, RED, light

ABOUT = {
    "range": gettext_lazy(
        "The ranks that the team could have with other dialogues. "
        "The bar at the left marks the teams that may be first."
    ),
    "way": gettext_lazy(
        "Where the total lies between the best trivial baseline (0 %) and the human level (100 %). "
        "A team has one reference more to match than a person, so it may exceed 100 %."
    ),
    "lift": gettext_lazy(
        "The share of the total that is lost when the summaries are moved to other dialogues."
    ),
    "marks": format_lazy(
        gettext_lazy(
            "△ below {amber} %: the summaries say little about their own dialogues. "
            "▲ below {red} %."
        ),
        amber=in_percent(AMBER),
        red=in_percent(RED),
    ),
}
"""What these columns mean, as `columns.ABOUT` has it of the others."""


class RankRangeColumn(Column):
    """The ranks that a team could have with other dialogues."""

    def css(self, value: RankRange | None) -> str:
        return f"{self.style} leads" if value and value.leads else self.style

    def exported(self, value: RankRange | None) -> tuple[Exported, ...]:
        return (value.best, value.worst) if value else (None, None)


def rank_range_text(value: RankRange | None) -> str:
    """As a cell has it: `3–9`, and one rank alone as such."""
    if value is None:
        return ""
    if value.best == value.worst:
        return pgettext("rank range", "{best}").format(best=value.best)
    return pgettext("rank range", "{best}–{worst}").format(best=value.best, worst=value.worst)


def rank_ranges(
    viewer: Viewer, view: BoardView, rows: Sequence[BoardRow]
) -> Sequence[RankRangeColumn]:
    """How far the ranks can be believed."""
    found = bands_seen(viewer, view)
    if viewer.version is None or found is None or found.threshold is None:
        return ()
    noise = thousandths(found.threshold)
    seen = listing(viewer, view.board) if rows else None
    today = seen.tally.ascending if seen else ()
    of_rows = ranges(found, found.threshold, [row.printed for row in rows], today)
    return [
        RankRangeColumn(
            "range",
            _("Rank range (95 %)"),
            style="range",
            facts=(("noise", noise), ("bands", found.signature)),
            text=rank_range_text,
            said=("range",),
            csv=("best_rank", "worst_rank"),
            values=[one if row.ranked else None for row, one in zip(rows, of_rows, strict=True)],
        )
    ]


def ways(viewer: Viewer, view: BoardView, rows: Sequence[BoardRow]) -> Sequence[Column]:
    """Progress from the best trivial baseline to the human level, where these lie apart."""
    lines = Lines.of(viewer, view.board)
    if lines is None or not lines.has_way:
        return ()
    return [
        Column(
            "way",
            _("Progress to human level"),
            style="way",
            facts=(("lines", lines.signature),),
            text=percent_text,
            said=("way",),
            csv=("way_percent",),
            values=[lines.percent(row.printed) for row in rows],
        )
    ]


class LiftColumn(Column):
    """What a file owes to its texts standing where they stand, in whole percent of its total."""

    def css(self, value: int | None) -> str:
        return self.style if value is None else f"{self.style} {light(value / 100)}"


MARKS = {"green": "", "amber": "△ ", "red": "▲ "}  # a light without its colour


def lift_text(value: int | None) -> str:
    """As a cell has it, marked where it is low: `▲ 3 %`."""
    return "" if value is None else MARKS[light(value / 100)] + percent_text(value)


def _of_files(
    version: ScoringVersion, board: str, rows: Sequence[BoardRow]
) -> list[tuple[float | None, float | None]]:
    """Ratio and length of the file of each row, with one query."""
    kept = FileLift.objects.filter(board=board, evaluation__scoring_version=version)
    if len(rows) <= PAGE + 1:  # with the own one
        kept = kept.filter(evaluation__submission__in=[row.submission_id for row in rows])
    values = kept.values_list("evaluation__submission", "ratio", "length")
    known = {submission: (ratio, length) for submission, ratio, length in values}
    return [known.get(row.submission_id, (None, None)) for row in rows]


def file_columns(viewer: Viewer, view: BoardView, rows: Sequence[BoardRow]) -> Sequence[Column]:
    """Lift and length, each from the first ranked file on that has it.

    Without rows: by which to order. A past board has files that got none, beside baselines with.
    """
    version, board = viewer.version, view.board
    if version is None or not may_see_other_columns(viewer, board):
        return ()
    files = _of_files(version, board, rows)
    # Where only baselines are shown, theirs count.
    telling = [one for one, row in zip(files, rows, strict=True) if row.ranked] or files
    lift = LiftColumn(
        "lift",
        _("Dialogue-specific share"),
        style="lift",
        facts=(("lift", METHOD),),
        text=lift_text,
        said=("lift", "marks"),
        csv=("lift_percent",),
        values=[None if ratio is None else in_percent(ratio) for ratio, _length in files],
    )
    found: list[Column] = []
    if not rows or any(ratio is not None for ratio, _length in telling):
        found.append(lift)
    if "length" in version.profile().metrics:  # as a metric of its own
        return found
    if rows and all(length is None for _ratio, length in telling):
        return found
    lines = Lines.of(viewer, board)
    # Mean tokens of a text of the whole file: of no split, so it tells of no row.
    length = Column(
        "length",
        label("length", lines.length if lines else None),
        style="n length",
        text=lambda value: "" if value is None else str(value),
        said=("length", "of_references") if lines else ("length",),
        values=[
            None if length is None else Decimal(math.floor(10 * length + 0.5)).scaleb(-1)
            for _ratio, length in files
        ],
    )
    return [*found, length]


class Worth(NamedTuple):
    """As text, empty where it is not known.

    noise: totals nearer than this may be chance. ranks: between which its team may truly stand.
    way, lift: how far on the way to people, and what it owes to its own rows.
    """

    noise: str = ""
    ranks: str = ""
    way: str = ""
    lift: str = ""


def worth(submission: Submission, printed: int, viewer: Viewer, *, stands: bool) -> Worth:
    """Of a public total (× 10⁴). stands: whether it is the one that ranks its team. Two queries."""
    view = board_view(viewer, Board.PUBLIC)
    if viewer.version is None or view is None:
        return Worth()
    lines = Lines.of(viewer, Board.PUBLIC)
    kept = lifts_of(viewer.version, Board.PUBLIC, [submission.pk]).get(submission.pk)
    lift = lift_text(None if kept is None or kept.ratio is None else in_percent(kept.ratio))
    way = percent_text(None if lines is None else lines.percent(printed))
    bands = bands_seen(viewer, view)
    if bands is None or bands.threshold is None:
        return Worth(way=way, lift=lift)
    seen = listing(viewer, Board.PUBLIC) if stands else None
    today = seen.tally.ascending if seen else ()
    ranks = ranges(bands, bands.threshold, [printed], today)[0] if stands else None
    return Worth(str(thousandths(bands.threshold)), rank_range_text(ranks), way, lift)


def final(submission: Submission, viewer: Viewer) -> Worth | None:
    """The same of the private total, without way and lift; None until the reveal."""
    view = board_view(viewer, Board.PRIVATE)
    if view is None or not may_see_other_columns(viewer, Board.PRIVATE):
        return None
    seen, bands = listing(viewer, Board.PRIVATE), bands_seen(viewer, view)
    if seen is None or bands is None or bands.threshold is None:
        return Worth()
    noise, own = str(thousandths(bands.threshold)), seen.own
    if own is None or not own.ranked or own.submission_id != submission.pk:
        return Worth(noise)
    found = ranges(bands, bands.threshold, [own.printed], seen.tally.ascending)
    return Worth(noise, rank_range_text(found[0]))

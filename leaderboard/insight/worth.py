"""What a file's totals say, beside them on its result card: as the boards say it of their rows.

Whatever is not made yet, or may not be seen, is left out. A file that stands for nobody has no
ranks, and no lift until it stood on the board.
"""

from dataclasses import dataclass

from leaderboard.boards.listing import listing, listing_of
from leaderboard.boards.models import Placement
from leaderboard.boards.text import in_percent, percent_text, thousandths
from leaderboard.boards.visibility import Viewer, board_view, may_see_other_columns
from leaderboard.insight.bands import bands_seen, ranges
from leaderboard.insight.believed import lift_text, rank_range_text
from leaderboard.insight.lift import lifts_of
from leaderboard.insight.lines import Lines
from leaderboard.insight.models import FileLift
from leaderboard.submissions.models import Submission

Board = Placement.Board


@dataclass(frozen=True)
class Worth:
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
    lift = lifts_of(viewer.version, Board.PUBLIC, [submission.pk]).get(submission.pk)
    way = percent_text(None if lines is None else lines.percent(printed))
    bands = bands_seen(viewer, view)
    if bands is None or bands.threshold is None:
        return Worth(way=way, lift=_lift(lift))
    today = listing_of(viewer, viewer.version, view).tally.ascending if stands else ()
    ranks = ranges(bands, bands.threshold, [printed], today)[0] if stands else None
    return Worth(str(thousandths(bands.threshold)), rank_range_text(ranks), way, _lift(lift))


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


def _lift(kept: FileLift | None) -> str:
    return lift_text(None if kept is None or kept.ratio is None else in_percent(kept.ratio))

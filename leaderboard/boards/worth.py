"""What a file's public total says, beside it on its result card: as the board says it of its rows.

Whatever is not made yet, or may not be seen, is left out. A file that stands for nobody has no
ranks, and no lift until it stood on the board.
"""

from dataclasses import dataclass

from leaderboard.boards.bands import bands_seen, ranges
from leaderboard.boards.believed import lift_text, rank_range_text
from leaderboard.boards.lift import lifts_of
from leaderboard.boards.lines import Lines
from leaderboard.boards.models import FileLift, Placement
from leaderboard.boards.text import in_percent, percent_text, thousandths
from leaderboard.boards.visibility import Viewer, board_view
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
    ranks = ranges(bands, bands.threshold, [printed])[0] if stands else None
    return Worth(str(thousandths(bands.threshold)), rank_range_text(ranks), way, _lift(lift))


def _lift(kept: FileLift | None) -> str:
    return lift_text(None if kept is None or kept.ratio is None else in_percent(kept.ratio))

"""What the difference of two of a team's own files is worth, as far as its team may know it.

Before the reveal only whether it exceeds the noise that the board prints for all: an interval of
each pair of files would be an equation about the hidden split. After it, row by row.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from leaderboard.boards.columns import signed
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.results import compared, submission_scores
from leaderboard.boards.visibility import Viewer, board_view, may_see, visible_boards
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.queries import row_values, rows_in_order
from leaderboard.insight.rank_range import bands_seen
from leaderboard.insight.specificity import thousandths
from leaderboard.submissions.models import Submission
from leaderboard.web import lookups
from leaderboard.web.page import DeskPage, page
from scoring.pipeline import row_totals
from scoring.ranking import printed
from scoring.statistics import FEWEST_ROWS, seed_of
from scoring.statistics.pairs import FEWEST_DIFFERING, pair_signature, paired


def noise(before: Submission, after: Submission, viewer: Viewer) -> dict[str, str]:
    """By board, whether the printed totals differ by more than its noise; nothing without bands
    there, or where one of the files has no total.
    """
    scores, said = submission_scores([before, after], viewer), {}
    for one, other in zip(*scores.values(), strict=True) if len(scores) == 2 else ():
        view = board_view(viewer, one.board)
        found = bands_seen(viewer, view) if view is not None else None
        if found is None or found.threshold is None:
            continue
        text = _(
            "The totals differ by no more than the leaderboard's noise "
            "of {noise}: this may be chance."
        )
        if abs(one.printed[0] - other.printed[0]) > found.threshold:
            text = _("The totals differ by more than the leaderboard's noise of {noise}.")
        said[one.board] = text.format(noise=thousandths(found.threshold))
    return said


def between(before: Mapping[Any, float], after: Mapping[Any, float], seed: int) -> dict[str, Any]:
    """The second minus the first over the totals of the same rows, as printed, and its signature.

    `ends`: of the interval; None with fewer than six rows that differ. `percent`: how many of a
    hundred pairs of equal files differ as much.
    """
    found, ends, percent = paired(after, before, seed=seed), None, None
    if found.low is not None and found.high is not None:
        ends = signed(printed(found.low)), signed(printed(found.high))
    if found.p is not None:  # of 10,000 flips; none at all cannot be known
        share = Decimal(100 * found.p).quantize(Decimal("0.1"))
        percent = f"{share} %" if share else "< 0.1 %"
    return {
        "difference": found,
        "signature": pair_signature(seed, len(after)),
        "too_few": found.rows < FEWEST_ROWS,
        "too_few_differ": found.differing < FEWEST_DIFFERING,
        "ends": ends,
        "percent": percent,
    }


def row_by_row(before: Submission, after: Submission, viewer: Viewer) -> dict[str, dict[str, Any]]:
    """By board. Until both are scored, and for teams before the reveal, it is empty."""
    version = viewer.version
    if version is None or not may_see(viewer, Placement.Board.PRIVATE):
        return {}
    values = row_values([before.pk, after.pk], [version.pk])
    if len(values) < 2:
        return {}
    first, second = (
        row_totals(values[one.pk, version.pk], version.profile()).tolist()
        for one in (before, after)
    )
    rows = rows_in_order(version.reference_set_id)
    seed = seed_of(version.reference_set.sha256)
    boards = {}
    for board in Placement.Board.values:
        places = [place for place, (_id, split) in enumerate(rows) if split == board]
        one, other = ({place: side[place] for place in places} for side in (first, second))
        boards[board] = between(one, other, seed)
    return boards


OFFERED = 100  # files of each board; by its address any other one can be chosen


@page("desk/compare", "desk_compare")
class AnyTwoFiles(DeskPage):
    """`/c/<slug>/desk/compare?a=…&b=…`; without both, the page asks which.

    Interval and p at any time: who runs the contest knows the hidden split anyway.
    """

    tab = "desk_submissions"
    template = "insight/compare.html"

    def context(self) -> dict[str, Any]:
        before, after = (self._chosen(name) for name in ("a", "b"))
        offered = self._offered()
        beside = [one for one in (before, after) if one is not None and one not in offered]
        ctx = {"own": [*offered, *beside], "before": before, "after": after}
        if before is None or after is None or before == after:
            return ctx
        return ctx | {
            "boards": compared(before, after, self.viewer),
            "noise": noise(before, after, self.viewer),
            "by_rows": row_by_row(before, after, self.viewer),
            "zone": self.competition.zoneinfo,
        }

    def _offered(self) -> list[Submission]:
        """The files of the boards in their order, baselines too; those of the private one alone
        last."""
        version = self.viewer.version
        if version is None:
            return []
        keys: dict[UUID, None] = {}
        for board in visible_boards(self.viewer):
            stands = standings_of(version, board, None)
            keys |= dict.fromkeys(stands.values_list("submission_id", flat=True)[:OFFERED])
        rows = evaluation.of_competition(self.competition).in_bulk(keys)
        return [rows[key] for key in keys]

    def _chosen(self, name: str) -> Submission | None:
        """The file that the address names; a 404 for any that is not of this contest."""
        text = self.request.GET.get(name, "")
        if not text:
            return None
        files = evaluation.of_competition(self.competition)
        return get_object_or_404(files, pk=lookups.key(text))

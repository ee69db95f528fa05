"""The desk's comparison: any two files of the contest, row by row on public and private rows."""

from typing import Any
from uuid import UUID

from django.http import Http404
from django.utils.translation import pgettext_lazy

from leaderboard.boards.listing import standings_of
from leaderboard.boards.results import compared
from leaderboard.boards.visibility import visible_boards
from leaderboard.evaluation import queries as evaluation
from leaderboard.insight.paired_test import row_by_row
from leaderboard.submissions.models import Submission
from leaderboard.web import lookups
from leaderboard.web.fragments import with_noise
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry

OFFERED = 100  # files of each board; by its address any other one can be chosen


@page("desk/compare", "desk_compare", Entry(SCORING, pgettext_lazy("desk", "Compare files"), 49))
class AnyTwoFiles(DeskPage):
    """`/c/<slug>/desk/compare?a=…&b=…`; without both, the page asks which.

    Interval and p at any time: who runs the contest knows the hidden split anyway.
    """

    template = "insight/compare.html"

    def context(self) -> dict[str, Any]:
        before, after = (self._chosen(name) for name in ("a", "b"))
        offered = self._offered()
        beside = [one for one in (before, after) if one is not None and one not in offered]
        ctx = {"own": [*offered, *beside], "before": before, "after": after}
        if before is None or after is None or before == after:
            return ctx
        return ctx | {
            "found": {"before": before, "after": after},
            "boards": with_noise(compared(before, after, self.viewer), self.viewer),
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
        key: UUID = lookups.key(text)
        found = evaluation.of_competition(self.competition).filter(pk=key).first()
        if found is None:
            raise Http404
        return found

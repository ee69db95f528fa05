"""The desk's copies: which teams' files overlap. Nothing follows from it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404
from django.utils.translation import pgettext_lazy

from leaderboard.insight.near_duplicates import Evidence, duplicates, evidence
from leaderboard.submissions.queries import DifferingRow, differing_row
from leaderboard.web import lookups
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from scoring.insight.copies import THRESHOLD

SHOWN = 200  # pairs of teams; the strongest come first
PAGE = 50  # rows of texts on one page


@page("desk/duplicates", "desk_duplicates", Entry(SCORING, pgettext_lazy("desk", "Copies"), 50))
class Duplicates(DeskPage):
    """`/c/<slug>/desk/duplicates`: computed anew on each visit; nothing follows from it."""

    template = "insight/duplicates.html"

    def context(self) -> dict[str, Any]:
        report = duplicates(self.competition)
        return {
            "report": report,
            "shown": report.likenesses[:SHOWN],
            "threshold": round(THRESHOLD * 100),
        }


@dataclass(frozen=True)
class SharedRow:
    """A row in which both files say the same or nearly so."""

    texts: DifferingRow
    with_baseline: bool

    @property
    def is_equal(self) -> bool:
        """To the letter, but for spaces."""
        sides = (self.texts.before or (), self.texts.after or ())
        return not any(piece.changed for side in sides for piece in side)


@page("desk/duplicates/pair", "desk_pair")
class CopiedPair(DeskPage):
    """`/c/<slug>/desk/duplicates/pair?a=…&b=…`: what two files share, side by side."""

    tab = "desk_duplicates"
    template = "insight/pair.html"

    def context(self) -> dict[str, Any]:
        found = self._found()
        shown = lookups.page_of(self.request, found.rows, PAGE)
        asked = urlencode({"a": found.first.pk, "b": found.second.pk})
        pages = shown.paginator.num_pages
        return {
            "found": found,
            "rows": [
                SharedRow(differing_row(name, *found.texts), name in found.with_baseline)
                for name in shown
            ],
            "pager": lookups.pager(shown.number, pages, f"?{asked}&page={{}}".format),
        }

    def _found(self) -> Evidence:
        one, other = (lookups.key(self.request.GET.get(name, "")) for name in ("a", "b"))
        found = evidence(self.competition, one, other)
        if found is None:
            raise Http404
        return found

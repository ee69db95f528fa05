"""How the scores of a board are spread, and how the private board rearranged the public one."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from leaderboard.boards import distribution, exports, shake_up
from leaderboard.boards.results import submission_scores
from leaderboard.boards.visibility import Board, boards_for
from leaderboard.submissions.queries import counted, of_team
from leaderboard.web import fragments, lookups
from leaderboard.web.charts import (
    Drawing,
    Point,
    histogram,
    history,
    slope,
)
from leaderboard.web.contest.board import attachment
from leaderboard.web.page import ContestPage, page


class BoardsPage(ContestPage):
    tab = "leaderboard"

    def way_in(self) -> HttpResponse | None:
        return lookups.way_to_boards(self.request, self.viewer)


@page("distribution", "distribution")
class DistributionPage(BoardsPage):
    """`/c/<slug>/distribution`: a histogram of the totals of one board."""

    template = "distribution.html"

    def respond(self) -> HttpResponseBase:
        board = self.request.GET.get("board", Board.PUBLIC)
        if board not in Board.values:
            raise Http404
        found = distribution.distribution(self.viewer, board)
        tabs = boards_for(self.viewer)
        return self.show(
            status=404 if found is None else 200,
            tabs=tabs,
            both=all(tab.visible for tab in tabs),
            board=board,
            found=found,
            drawings=_totals(found),
            history=self._history() if found else (),
            total_label=_("Total"),
        )

    def _history(self) -> tuple[Drawing, ...]:
        """The own public totals over time, as on the list of submissions."""
        if self.viewer.team is None:
            return ()
        own = list(of_team(self.viewer.team).filter(**counted()))
        totals = {
            submission_id: split.total
            for submission_id, splits in submission_scores(own, self.viewer).items()
            for split in splits
            if split.board == Board.PUBLIC
        }
        points = [
            Point(one.received_at, totals[one.pk]) for one in reversed(own) if one.pk in totals
        ]
        return history(points, self.competition.zoneinfo)


def _totals(found: distribution.Distribution | None) -> list[Drawing]:
    if found is None or found.total is None:
        return []
    source = found.total.histogram
    sizes = (("wide", 760, 190), ("narrow", 330, 150))
    drawn = [histogram(source, name=name, width=w, height=h) for name, w, h in sizes]
    return [drawing for drawing in drawn if drawing is not None]


@page("shake-up", "shake_up")
class ShakeUpPage(BoardsPage):
    """`/c/<slug>/shake-up`: for all after the reveal, for owners and editors before it."""

    template = "shake_up.html"

    def respond(self) -> HttpResponseBase:
        found = shake_up.shake_up(self.viewer, page=lookups.page_number(self.request))
        return self.show(
            status=404 if found is None else 200,
            tabs=boards_for(self.viewer),
            found=found,
            slope=slope(found.rows, found.far) if found else None,
            counted=shake_up.counted(self.viewer) if found and found.own else None,
            fragments=[make(self.request, self.viewer) for make in fragments.SHAKE_UP]
            if found
            else [],
            pager=lookups.pager(found.page, found.pages, "?page={}".format) if found else [],
        )


@page("shake-up.csv", "shake_up_csv")
class ShakeUpCsv(BoardsPage):
    """`/c/<slug>/shake-up.csv`: the whole table for who may see the page."""

    def respond(self) -> HttpResponseBase:
        found = shake_up.shake_up(self.viewer, page=None)
        if found is None:
            raise Http404
        data = exports.shake_up_csv(found, self.at)
        return attachment(data, f"{self.competition.slug}-shake-up.csv")

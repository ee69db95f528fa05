"""The distribution page: how the scores of a board are spread, and the own team among them."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards import distribution as boards
from leaderboard.boards.results import submission_scores
from leaderboard.boards.visibility import Board, Viewer, boards_for
from leaderboard.submissions.queries import counted, of_team
from leaderboard.web import find, frame
from leaderboard.web.charts.bars import HistogramDrawing, histogram
from leaderboard.web.charts.lines import HistoryDrawing, Point, history
from leaderboard.web.find import WebRequest


@require_safe
def distribution(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/distribution`: histograms of the total and of each metric of one board."""
    viewer = find.viewer(request, slug)
    if (way := find.way_to_boards(request, viewer)) is not None:
        return way
    board = request.GET.get("board", Board.PUBLIC)
    if board not in Board.values:
        raise Http404
    found = boards.distribution(viewer, board)
    tabs = boards_for(viewer)
    ctx: dict[str, Any] = {
        "frame": frame.around(request, viewer.competition, tab="leaderboard"),
        "tabs": tabs,
        "both": all(tab.visible for tab in tabs),
        "board": board,
        "found": found,
        "drawings": _totals(found),
        "multiples": [
            (spread, histogram(spread.histogram, name=spread.key)) for spread in found.metrics
        ]
        if found
        else [],
        "history": _history(viewer) if found else (),
        "total_label": _("Total"),
        "zone": viewer.competition.zoneinfo,
    }
    return render(request, "distribution.html", ctx, status=200 if found is not None else 404)


def _totals(found: boards.Distribution | None) -> list[HistogramDrawing]:
    """The totals drawn wide, and once more for a phone."""
    if found is None or found.total is None:
        return []
    source = found.total.histogram
    sizes = (("wide", 760, 190), ("narrow", 330, 150))
    drawn = [histogram(source, name=name, width=w, height=h) for name, w, h in sizes]
    return [drawing for drawing in drawn if drawing is not None]


def _history(viewer: Viewer) -> tuple[HistoryDrawing, ...]:
    """The own public totals over time, as on the list of submissions."""
    if viewer.team is None:
        return ()
    own = list(of_team(viewer.team).filter(**counted()))
    totals = {
        submission_id: split.total
        for submission_id, splits in submission_scores(own, viewer).items()
        for split in splits
        if split.board == Board.PUBLIC
    }
    points = [Point(one.received_at, totals[one.pk]) for one in reversed(own) if one.pk in totals]
    return history(points, viewer.competition.zoneinfo)

"""The shake-up: how the private board rearranged the public one, as a page and as a file."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards import exports
from leaderboard.boards import shake_up as boards
from leaderboard.boards.visibility import boards_for
from leaderboard.web import find, frame
from leaderboard.web.charts.lines import slope
from leaderboard.web.contest.board import attachment
from leaderboard.web.find import WebRequest, pager


@require_safe
def shake_up(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/shake-up`: for all after the reveal, for owners and editors before it."""
    viewer = find.viewer(request, slug)
    if (way := find.way_to_boards(request, viewer)) is not None:
        return way
    found = boards.shake_up(viewer, page=find.page_number(request))
    ctx = {
        "frame": frame.around(request, viewer.competition, tab="leaderboard"),
        "tabs": boards_for(viewer),
        "found": found,
        "slope": slope(found.rows, found.far) if found else None,
        "counted": boards.counted(viewer) if found and found.own else None,
        "pager": pager(found.page, found.pages, "?page={}".format) if found else [],
        "zone": viewer.competition.zoneinfo,
    }
    return render(request, "shake_up.html", ctx, status=200 if found is not None else 404)


@require_safe
def shake_up_csv(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/shake-up.csv`: the whole table for who may see the page."""
    viewer = find.viewer(request, slug)
    if (way := find.way_to_boards(request, viewer)) is not None:
        return way
    found = boards.shake_up(viewer, page=None)
    if found is None:
        raise Http404
    return attachment(exports.shake_up_csv(found, request.received_at), f"{slug}-shake-up.csv")

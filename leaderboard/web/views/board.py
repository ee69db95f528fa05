"""The leaderboard page. Who sees which board is decided in `boards`; this only asks."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards import queries as boards
from leaderboard.boards.visibility import boards_for
from leaderboard.references import queries as references
from leaderboard.web import explanation
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame


@dataclass(frozen=True)
class PageLink:
    """One number of the pager."""

    number: int
    address: str
    current: bool


BOARDS = ("public", "private")
QUERY_LENGTH = 60


@require_safe
def leaderboard(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/leaderboard`: one page of one board; htmx asks for the table alone."""
    competition = find.competition(request, slug)
    board = request.GET.get("board", "public")
    if board not in BOARDS:
        raise Http404
    query = request.GET.get("q", "").strip()[:QUERY_LENGTH]
    page = boards.page(
        competition,
        board,
        request.user,
        request.received_at,
        query=query,
        page=find.page_number(request),
    )
    paused = request.GET.get("refresh") == "off"
    shown = page.page if page else 1
    ctx: dict[str, Any] = {
        "board": board,
        "page": page,
        "pages": [
            PageLink(number, _address(board, query, number, paused=paused), number == shown)
            for number in range(1, (page.pages if page else 0) + 1)
        ],
        "paused": paused,
        "query": query,
        "same_view": _address(board, query, shown, paused=paused),
        "other_pace": _address(board, query, shown, paused=not paused),
        "zone": competition.zoneinfo,
        "zone_name": f"{request.received_at.astimezone(competition.zoneinfo):%Z}",
    }
    if request.htmx and page is not None:
        return render(request, "parts/board_table.html", ctx)
    ctx["frame"] = frame.around(request, competition, tab="leaderboard")
    ctx["explained"] = explanation.of(competition, references.live_version(competition))
    ctx["tabs"] = boards_for(competition, request.user, request.received_at)
    return render(request, "leaderboard.html", ctx, status=200 if page is not None else 404)


def _address(board: str, query: str, page: int, *, paused: bool) -> str:
    """The query string of the same view, without the parts that are the default."""
    parts = {
        "board": board if board != "public" else "",
        "q": query,
        "page": str(page) if page > 1 else "",
        "refresh": "off" if paused else "",
    }
    return "?" + urlencode({name: value for name, value in parts.items() if value})

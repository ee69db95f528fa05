"""Boards and own submissions as files. Who sees which board is decided in `boards`."""

from django.http import Http404, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from leaderboard.boards import exports
from leaderboard.boards import queries as boards
from leaderboard.web import find
from leaderboard.web.find import WebRequest


@require_safe
def leaderboard_csv(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/leaderboard.csv`: the whole board that this person may see."""
    page = _board(request, slug)
    if isinstance(page, HttpResponse):
        return page
    return attachment(exports.board_csv(page), f"{slug}-{page.board}.csv")


@require_safe
def leaderboard_json(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/leaderboard.json`: the same for programs."""
    page = _board(request, slug)
    if isinstance(page, HttpResponse):
        return page
    shown = exports.board_json(page)
    return JsonResponse(shown, json_dumps_params={"ensure_ascii": False})


@require_safe
def submissions_csv(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions.csv`: everything the own team handed in."""
    visit = find.visit(request, slug)
    team = find.team_or_way_in(request, visit.competition)
    if isinstance(team, HttpResponse):
        return team
    data = exports.submissions_csv(team, visit)
    return attachment(data, f"{slug}-submissions.csv")


def _board(request: WebRequest, slug: str) -> boards.BoardPage | HttpResponse:
    visit = find.visit(request, slug)
    if (way := find.way_to_boards(request, visit)) is not None:
        return way
    board = request.GET.get("board", "public")
    page = boards.whole(visit, board, instant=find.midnight(request, visit.competition))
    if page is None:  # unknown, or not for this person now: `boards.visibility` says
        raise Http404
    return page


def attachment(data: bytes, name: str) -> HttpResponse:
    """A CSV file to be saved under this name."""
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

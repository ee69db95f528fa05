"""The leaderboard, its files and the shake-up. Who sees which board is decided in `boards`."""

from datetime import date, datetime
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards import exports, shake_up
from leaderboard.boards import queries as boards
from leaderboard.boards.columns import EXPORTED, Column
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.visibility import BoardState, boards_for, opening_board
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, lets_join
from leaderboard.web import fragments, lookups, page_chrome
from leaderboard.web.contest.overview import explained
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import ContestPage
from leaderboard.web.page import page as under

BOARDS = ("public", "private")
QUERY_LENGTH = 60


@require_safe
def leaderboard(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/leaderboard`: one page of one board; htmx asks for the table alone."""
    viewer = lookups.viewer(request, slug)
    if (way := lookups.way_to_boards(request, viewer)) is not None:
        return way
    competition = viewer.competition
    opening = opening_board(viewer)
    board = request.GET.get("board", opening)
    if board not in BOARDS:
        raise Http404
    at = request.GET.get("at", "")
    midnight = lookups.midnight_of(at, competition) if at else None
    query = request.GET.get("q", "").strip()[:QUERY_LENGTH]
    page = boards.page(
        viewer,
        board,
        query=query,
        page=lookups.page_number(request),
        sort=request.GET.get("sort", ""),
        instant=midnight,
    )
    ctx = {
        "zone": competition.zoneinfo,
        "board": board,
        "opening": opening,
        "page": page,
        "headings": _headings(page) if page else (),
        "secondary": page and sum(one.is_reference or "extra" in one.style for one in page.columns),
        "all_columns": request.GET.get("columns") == "all",
        "may_take_part": viewer.role is None and lets_join(competition, viewer.at),
        "team": viewer.team,
        "at": f"{midnight:%Y-%m-%d}" if midnight else "",
        "paused": midnight is not None or request.GET.get("refresh") == "off",
        "is_final": page is not None and page.state is BoardState.FINAL,
        "query": query,
    }
    if request.htmx and page is not None:
        answer = render(request, "parts/board_table.html", ctx)
        if page.state is BoardState.FINAL:
            # A page that was open over the reveal: anew, it says so and asks no more.
            answer["HX-Refresh"] = "true"
        return answer
    ctx |= {
        "frame": page_chrome.Frame(request, competition, tab="leaderboard"),
        "tabs": boards_for(viewer),
        "days": _days(competition, request.received_at),
        "said": [] if midnight else [say(viewer, board) for say in fragments.BOARD],
    }
    return render(request, "leaderboard.html", ctx, status=200 if page is not None else 404)


def _headings(page: BoardPage) -> list[dict[str, Any]]:
    """Each column's heading, which sorts by it.

    `direction`: that of the shown rows by this column; empty when they are sorted by another.
    """
    sorted_by = "ascending" if page.sort == "team" else "descending"
    team = Column("team", _("Team"))
    return [
        {
            "column": column,
            "css": "team" if column is team else f"num {column.style}",
            "direction": sorted_by if page.sort == column.key else "",
        }
        for column in (team, *page.columns)
        if not column.in_next
    ]


def _days(competition: Competition, at: datetime) -> tuple[date, date] | None:
    """The first and the last date that `?at=` can be asked for; None before there is one."""
    first = day(competition, competition.opens_at).ends_at.astimezone(competition.zoneinfo).date()
    last = min(
        day(competition, at).date,
        day(competition, competition.closes_at).ends_at.astimezone(competition.zoneinfo).date(),
    )
    return (first, last) if first <= last else None


@require_safe
def submissions_csv(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions.csv`: everything the own team handed in."""
    viewer = lookups.viewer(request, slug)
    if (way := lookups.way_in(request, viewer.competition)) is not None:
        return way
    assert viewer.team is not None
    data = exports.submissions_csv(viewer.team, viewer)
    return attachment(data, f"{slug}-submissions.csv")


def attachment(
    data: bytes, name: str, content_type: str = "text/csv; charset=utf-8"
) -> HttpResponse:
    """A file, CSV if nothing else is said, to be saved under this name."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class BoardsPage(ContestPage):
    tab = "leaderboard"

    def way_in(self) -> HttpResponse | None:
        return lookups.way_to_boards(self.request, self.viewer)


@under("leaderboard.csv", "leaderboard_csv")
class BoardCsv(BoardsPage):
    """`/c/<slug>/leaderboard.csv`: the whole board that this person may see."""

    def respond(self) -> HttpResponseBase:
        page = self.whole()
        return attachment(exports.board_csv(page), f"{self.competition.slug}-{page.board}.csv")

    def whole(self) -> BoardPage:
        board = self.request.GET.get("board", "public")
        instant = lookups.midnight_of(self.request.GET.get("at", ""), self.competition)
        page = boards.whole(self.viewer, board, instant=instant)
        if page is None:  # unknown, or not for this person now: `boards.visibility` says
            raise Http404
        return page


@under("leaderboard.json", "leaderboard_json")
class BoardJson(BoardCsv):
    """`/c/<slug>/leaderboard.json`: the same for programs."""

    def respond(self) -> HttpResponseBase:
        shown = exports.board_json(self.whole())
        return JsonResponse(shown, json_dumps_params={"ensure_ascii": False})


@under("reliability", "reliability")
class BehindRanking(BoardsPage):
    """`/c/<slug>/reliability`: how far a board can be believed, what it is made of, its files."""

    template = "behind_ranking.html"

    def context(self) -> dict[str, Any]:
        board = self.request.GET.get("board", opening_board(self.viewer))
        number = lookups.page_number(self.request)
        page = boards.page(self.viewer, board, page=number, sources=EXPORTED)
        if page is None:
            raise Http404
        tabs = boards_for(self.viewer)
        return {
            "board": board,
            "page": page,
            "tabs": tabs,
            "both": all(tab.visible for tab in tabs),
            "explained": explained(self.competition, self.viewer.version),
            "fragments": [make(self.request, self.viewer, page) for make in fragments.RANKING],
        }


@under("shake-up", "shake_up")
class ShakeUpPage(BoardsPage):
    """`/c/<slug>/shake-up`: for all after the reveal, for owners and editors before it."""

    template = "shake_up.html"

    def respond(self) -> HttpResponseBase:
        found = shake_up.shake_up(self.viewer, page=lookups.page_number(self.request))
        return self.show(
            status=404 if found is None else 200,
            tabs=boards_for(self.viewer),
            found=found,
            fragments=[make(self.request, self.viewer) for make in fragments.SHAKE_UP]
            if found
            else [],
        )


@under("shake-up.csv", "shake_up_csv")
class ShakeUpCsv(BoardsPage):
    """`/c/<slug>/shake-up.csv`: the whole table for who may see the page."""

    def respond(self) -> HttpResponseBase:
        found = shake_up.shake_up(self.viewer, page=None)
        if found is None:
            raise Http404
        data = exports.shake_up_csv(found, self.at)
        return attachment(data, f"{self.competition.slug}-shake-up.csv")

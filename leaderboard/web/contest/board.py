"""The leaderboard, its files and the shake-up. Who sees which board is decided in `boards`."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards import exports, shake_up
from leaderboard.boards import queries as boards
from leaderboard.boards.columns import EXPORTED
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.visibility import BoardState, boards_for, opening_board
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.web import fragments, lookups, page_chrome
from leaderboard.web.contest.overview import explained
from leaderboard.web.lookups import WebRequest, pager
from leaderboard.web.page import ContestPage
from leaderboard.web.page import page as under


@dataclass(frozen=True)
class Look:
    """How the page is to be looked at: everything that its address says.

    `opening`: the board of an address that names none.
    """

    board: str
    opening: str
    query: str
    page: int
    sort: str
    at: str
    columns: str
    refresh: str

    def address(self, **changes: Any) -> str:
        """The query string of this look with changes, without the parts that are the default."""
        parts = {
            "board": self.board if self.board != self.opening else "",
            "at": self.at,
            "q": self.query,
            "sort": self.sort if self.sort != "total" else "",
            "page": self.page if self.page > 1 else "",
            "columns": self.columns,
            "refresh": self.refresh,
        } | {name: "" if value == 1 else value for name, value in changes.items()}
        return "?" + urlencode({name: value for name, value in parts.items() if value})


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
    look = Look(
        board=board,
        opening=opening,
        query=query,
        page=page.page if page else 1,
        sort=page.sort if page else "total",
        at=f"{midnight:%Y-%m-%d}" if midnight else "",
        columns="all" if request.GET.get("columns") == "all" else "",
        refresh="off" if request.GET.get("refresh") == "off" else "",
    )
    ctx = _of_table(look, page)
    ctx["zone"] = competition.zoneinfo
    if request.htmx and page is not None:
        answer = render(request, "parts/board_table.html", ctx)
        if page.state is BoardState.FINAL:
            # A page that was open over the reveal: anew, it says so and asks no more.
            answer["HX-Refresh"] = "true"
        return answer
    ctx["frame"] = page_chrome.Frame(request, competition, tab="leaderboard")
    ctx["tabs"] = boards_for(viewer)
    ctx["days"] = _days(competition, request.received_at)
    return render(request, "leaderboard.html", ctx, status=200 if page is not None else 404)


def _of_table(look: Look, page: BoardPage | None) -> dict[str, Any]:
    """What the table's template asks for, whether it is shown in its page or alone."""
    return {
        "board": look.board,
        "page": page,
        "pages": pager(look.page, page.pages, lambda number: look.address(page=number))
        if page and page.pages > 1
        else [],
        "headings": _headings(look, page) if page else (),
        "paused": bool(look.refresh or look.at),
        "is_final": page is not None and page.state is BoardState.FINAL,
        "look": look,
        "secondary": page is not None
        and any(one.is_reference or "extra" in one.style for one in page.columns),
        "query": look.query,
        "to_now": look.address(at="", page=1),
        "to_own": look.address(q="", page=(page and page.own_page) or 1),
        # Names its board: which one opens without a name changes at the reveal.
        "same_view": look.address(board=look.board),
        # The page behind the ranking, of which the files are those of this board.
        "behind": look.address(board=look.board, q="", sort="", page=1, columns="", refresh=""),
        "other_columns": look.address(columns="" if look.columns else "all"),
        "other_pace": look.address(refresh="" if look.refresh else "off"),
    }


def _headings(look: Look, page: BoardPage) -> list[dict[str, Any]]:
    """Each column's heading, with the address that sorts by it.

    `direction`: that of the shown rows by this column; empty when they are sorted by another.
    `is_reference`: a column beside the board, which never ranks.
    """
    shown = [
        (column.key, column.label, f"num {column.style}")
        for column in page.columns
        if not column.in_next
    ]
    references = {column.key for column in page.columns if column.is_reference}
    sorted_by = "ascending" if look.sort == "team" else "descending"
    return [
        {
            "label": label,
            "address": look.address(sort="" if key == "total" else key, page=1),
            "css": css,
            "direction": sorted_by if look.sort == key else "",
            "is_reference": key in references,
        }
        for key, label, css in [("team", _("Team"), "team"), *shown]
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
    viewer = lookups.viewer(request, slug)
    team = lookups.team_or_way_in(request, viewer.competition)
    if isinstance(team, HttpResponse):
        return team
    data = exports.submissions_csv(team, viewer)
    return attachment(data, f"{slug}-submissions.csv")


def _board(request: WebRequest, slug: str) -> boards.BoardPage | HttpResponse:
    viewer = lookups.viewer(request, slug)
    if (way := lookups.way_to_boards(request, viewer)) is not None:
        return way
    board = request.GET.get("board", "public")
    instant = lookups.midnight_of(request.GET.get("at", ""), viewer.competition)
    page = boards.whole(viewer, board, instant=instant)
    if page is None:  # unknown, or not for this person now: `boards.visibility` says
        raise Http404
    return page


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


@under("distribution", "distribution")
class Distribution(BoardsPage):
    """`/c/<slug>/distribution`, a page of former versions: it leads to the leaderboard."""

    def respond(self) -> HttpResponseBase:
        return redirect("leaderboard", slug=self.competition.slug)


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
        midnight = lookups.midnight_of(self.request.GET.get("at", ""), self.competition)
        at = {"at": f"{midnight:%Y-%m-%d}"} if midnight else {}
        tabs = boards_for(self.viewer)
        return {
            "board": board,
            "page": page,
            "pages": pager(page.page, page.pages, f"?board={board}&page={{}}#teams".format),
            "tabs": tabs,
            "both": all(tab.visible for tab in tabs),
            "explained": explained(self.competition, self.viewer.version),
            "files": "?" + urlencode({"board": board, **at}),
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
            counted=shake_up.counted(self.viewer) if found and found.own else None,
            fragments=[make(self.request, self.viewer) for make in fragments.SHAKE_UP]
            if found
            else [],
            pager=lookups.pager(found.page, found.pages, "?page={}".format) if found else [],
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

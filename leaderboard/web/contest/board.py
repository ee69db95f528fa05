"""The leaderboard, its files and the shake-up. Who sees which board is decided in `boards`."""

from datetime import date, datetime
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from leaderboard.boards import exports, shake_up
from leaderboard.boards import queries as boards
from leaderboard.boards.columns import EXPORTED, Column
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.visibility import BoardState, boards_for, may_read, opening_board
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, lets_join
from leaderboard.web import fragments, lookups
from leaderboard.web.contest.overview import explained
from leaderboard.web.page import ContestPage, TeamPage
from leaderboard.web.page import page as under

BOARDS = ("public", "private")
QUERY_LENGTH = 60


class BoardsPage(ContestPage):
    """A page of a contest's boards, for who may read them."""

    tab = "leaderboard"

    def way_in(self) -> HttpResponse | None:
        return None if may_read(self.viewer) else lookups.way_in(self.request, self.competition)


@under("leaderboard", "leaderboard")
class Leaderboard(BoardsPage):
    """`/c/<slug>/leaderboard`: one page of one board; htmx asks for the table alone."""

    template = "leaderboard.html"

    def respond(self) -> HttpResponseBase:
        asked, viewer, competition = self.request.GET, self.viewer, self.competition
        opening = opening_board(viewer)
        board = asked.get("board", opening)
        if board not in BOARDS:
            raise Http404
        midnight = lookups.midnight_of(asked.get("at", ""), competition)
        query = asked.get("q", "").strip()[:QUERY_LENGTH]
        page = boards.page(
            viewer,
            board,
            query=query,
            page=lookups.page_number(self.request),
            sort=asked.get("sort", ""),
            instant=midnight,
        )
        is_final = page is not None and page.state is BoardState.FINAL
        ctx = {
            "zone": competition.zoneinfo,
            "board": board,
            "opening": opening,
            "page": page,
            "headings": _headings(page) if page else (),
            "secondary": page
            and sum(one.is_reference or "extra" in one.style for one in page.columns),
            "all_columns": asked.get("columns") == "all",
            "may_take_part": viewer.role is None and lets_join(competition, viewer.at),
            "team": viewer.team,
            "at": f"{midnight:%Y-%m-%d}" if midnight else "",
            "paused": midnight is not None or asked.get("refresh") == "off",
            "is_final": is_final,
            "query": query,
        }
        if self.request.htmx and page is not None:
            answer = render(self.request, "parts/board_table.html", ctx)
            if is_final:
                # A page that was open over the reveal: anew, it says so and asks no more.
                answer["HX-Refresh"] = "true"
            return answer
        return self.show(
            status=404 if page is None else 200,
            tabs=boards_for(viewer),
            days=_days(competition, self.at),
            said=[] if midnight else [say(viewer, board) for say in fragments.BOARD],
            **ctx,
        )


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


@under("submissions.csv", "submissions_csv")
class SubmissionsCsv(TeamPage):
    """`/c/<slug>/submissions.csv`: everything the own team handed in."""

    def respond(self) -> HttpResponseBase:
        data = exports.submissions_csv(self.team, self.viewer)
        return attachment(data, f"{self.competition.slug}-submissions.csv")


def attachment(
    data: bytes, name: str, content_type: str = "text/csv; charset=utf-8"
) -> HttpResponse:
    """A file, CSV if nothing else is said, to be saved under this name."""
    response = HttpResponse(data, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


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

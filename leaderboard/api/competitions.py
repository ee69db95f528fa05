"""Contests for programs: schedule, how scores are made, boards, files; and what is one's own."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from ninja import Field, Query, Router, Schema, Status
from ninja.errors import ValidationError

from leaderboard.actions import people
from leaderboard.api import calls
from leaderboard.api.calls import Paged, paged
from leaderboard.api.downloads import DOWNLOADS, download
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards import exports
from leaderboard.boards import queries as boards
from leaderboard.boards.columns import EXPORTED
from leaderboard.boards.visibility import Viewer, boards_for, opening_board, visible_boards
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import phase, refusal, stamp
from leaderboard.inbox import lines
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Unknown
from leaderboard.teams.queries import visible_to
from leaderboard.texts import reader_language
from leaderboard.web import lookups
from leaderboard.web.contest.board import QUERY_LENGTH
from scoring.formula import describe

router = Router(tags=["competitions"], auth=calls.READ)
you = Router(tags=["you"], auth=calls.READ)


class CompetitionLine(Schema):
    """One contest of the list."""

    slug: str
    title: str
    title_en: str
    phase: str = Field(examples=["upcoming", "open", "closed", "revealed"])
    opens_at: datetime
    freezes_at: datetime | None
    closes_at: datetime
    reveals_at: datetime
    zone: str
    takes_files: bool = Field(description="whether a file would be taken now")
    is_archived: bool
    url: str


class Formula(Schema):
    """How a file becomes a number, in words. The signature says it to the last package."""

    formula: str
    explanation: str
    legend: str


class ScoringOut(Schema):
    """The live scoring version."""

    version: int | None
    signature: str
    profile: dict[str, Any]
    rows: int
    public_rows: int
    private_rows: int
    ko: Formula
    en: Formula


class CompetitionOut(CompetitionLine):
    """One contest. `scoring` is None until references are live; `role`, `team`: of who asks."""

    introduction: str
    introduction_en: str
    rules: str
    rules_en: str
    daily_limit: int
    total_limit: int | None
    max_waiting: int
    max_cell: int
    max_team_size: int
    late_entries: bool
    paused_at: datetime | None
    pause_reason: str
    teams: int
    boards: list[str]
    role: str | None
    team: str | None
    scoring: ScoringOut | None


class ColumnOut(Schema):
    """One column. `is_reference`: beside the board, it never ranks."""

    key: str
    label: str
    about: str
    is_reference: bool


class BoardOut(Schema):
    """A page of a board as this reader may see it. Each row has `rank`, `team` and the columns.

    `own`: the own team's row, wherever it stands. `standings_of`: whose moment the rows are, if
    not that of `as_of`.
    """

    competition: str
    board: str
    state: str = Field(examples=["live", "frozen", "provisional", "final"])
    version: int | None
    signature: str | None
    as_of: datetime
    standings_of: datetime | None
    teams: int
    page: int
    pages: int
    columns: list[ColumnOut]
    rows: list[dict[str, Any]]
    own: dict[str, Any] | None
    facts: dict[str, Any]


class BoardQuery(Schema):
    """Which rows of which board."""

    board: Literal["public", "private"] | None = None
    page: int = 1
    q: str = Field("", description="part of a team's name")
    sort: str = Field("", description="the key of a column, or `team`; ranks stay")
    at: str = Field(
        "",
        description="a past midnight of the contest: 2026-12-01",
        pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$",
    )


class FileOut(Schema):
    """A file for participants: an organizer's, or one that is made when it is asked for."""

    id: str = Field(description="a UUID; of a file that is made, its name")
    name: str
    size: int
    sha256: str
    description: str
    description_en: str
    url: str = Field(description="where it is downloaded")


@router.get("", response=list[CompetitionLine], auth=None)
def competitions(request: ApiRequest) -> Any:
    """Every contest that one may know of; a token shows private ones, too."""
    at = request.received_at
    known = visible_to(request.user).order_by("-closes_at", "slug")
    return [_line(one, at) for one in known]


@router.get("/{slug:slug}", response=CompetitionOut, auth=None)
def competition(request: ApiRequest, slug: str) -> Any:
    """Schedule, rules, limits, and how its score is made."""
    seen = calls.viewer(request, slug)
    found = seen.competition
    return {
        **calls.given(found, CompetitionOut),
        **_line(found, seen.at),
        "teams": seen.teams,
        "boards": list(visible_boards(seen)),
        "role": seen.role,
        "team": seen.team.name if seen.team else None,
        "scoring": _scoring(seen.version) if seen.version else None,
    }


@router.get("/{slug:slug}/leaderboard", response=BoardOut, auth=None)
def leaderboard(request: ApiRequest, slug: str, look: Query[BoardQuery]) -> Any:
    """100 rows of a board, now or as of a past midnight."""
    seen = calls.reader(request, slug)
    board = look.board or opening_board(seen)
    query = look.q.strip()[:QUERY_LENGTH]
    instant = _midnight(look.at, seen) if look.at else None
    _refuse_closed(seen, board)
    page = boards.page(
        seen,
        board,
        query=query,
        page=look.page,
        sort=look.sort,
        instant=instant,
        sources=EXPORTED,
    )
    if page is None:
        raise Http404
    found = exports.board_json(page)
    facts = {name: value for name, value in found.items() if name not in BoardOut.model_fields}
    return found | {
        "teams": page.teams,
        "page": page.page,
        "pages": page.pages,
        "columns": list(page.columns),
        "own": exports.row_json(page.own) if page.own else None,
        "facts": facts,
    }


@router.get("/{slug:slug}/files", response=list[FileOut])
def files(request: ApiRequest, slug: str) -> Any:
    """The files that participants may have."""
    return [
        {
            **calls.given(one, FileOut),
            "id": one.key,
            "url": reverse("api:file", args=[slug, one.key]),
        }
        for one in calls.files(request, slug).files()
    ]


@router.get("/{slug:slug}/files/{str:file_name}", **DOWNLOADS)
def file(request: ApiRequest, slug: str, file_name: str) -> HttpResponseBase:
    """One of them, by name or id. Takes `Range` and `If-None-Match`."""
    found = calls.file(request, slug, file_name)
    return download(request, found.file, name=found.name, sha256=found.sha256, size=found.size)


def _midnight(text: str, seen: Viewer) -> datetime:
    """Raises ValidationError for what a page takes for now: a number for a program may not."""
    instant = lookups.midnight_of(text, seen.competition)
    if instant is not None and instant <= seen.at:
        return instant
    said = gettext("Not a past midnight of this competition.")
    raise ValidationError([{"type": "value_error", "loc": ["query", "at"], "msg": said}])


def _refuse_closed(seen: Viewer, board: str) -> None:
    """Raises Refused for a board that opens later, with when."""
    tab = next((one for one in boards_for(seen) if one.board == board), None)
    if tab is None or tab.visible:
        return
    if tab.opens_at is None:
        raise Unknown(
            "board_held",
            _("The private leaderboard opens once the results are verified."),
            _("Use the public leaderboard until then."),
        )
    raise Unknown(
        "board_ahead",
        _("The private leaderboard opens at {opens}."),
        _("Use the public leaderboard until then."),
        opens=stamp(tab.opens_at, seen.competition),
    )


def _line(found: Competition, at: datetime) -> dict[str, Any]:
    return {
        **calls.given(found, CompetitionLine),
        "phase": phase(found, at),
        "takes_files": refusal(found, at) is None,
        "url": reverse("overview", args=[found.slug]),
    }


def _scoring(version: ScoringVersion) -> dict[str, Any]:
    profile, counted = version.profile(), version.reference_set
    counts = (counted.golds_min, counted.golds_max)
    return {
        "version": version.number,
        "signature": version.signature,
        "profile": profile.to_dict(),
        "rows": counted.rows,
        "public_rows": counted.public_rows,
        "private_rows": counted.private_rows,
        "ko": describe(profile, ngolds=counts, language="ko"),
        "en": describe(profile, ngolds=counts, language="en"),
    }


# --- One's own -----------------------------------------------------------------------------------


class Token(Schema):
    """A token without its secret, which is shown only where it is made: in the settings."""

    id: int = Field(alias="pk")
    name: str
    scope: str
    made_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


class Me(Schema):
    """Whose token this is."""

    username: str
    language: str
    token: Token


class NoticeOut(Schema):
    """One line of the inbox. `text` is in the reader's language (`Accept-Language`)."""

    id: UUID
    kind: str
    competition: str | None
    title: str
    text: str
    created_at: datetime
    read_at: datetime | None
    url: str = Field(description="the page that it leads to; may be empty")


class NoticesOut(Paged):
    """A page of the inbox, the newest first."""

    items: list[NoticeOut]


class Marked(Schema):
    marked: int


@you.get("/me", response=Me)
def me(request: ApiRequest) -> Any:
    """Who is asking."""
    user = calls.person(request)
    return {"username": user.username, "language": user.language, "token": request.token}


@you.get("/tokens", response=list[Token], operation_id="tokens")
def own_tokens(request: ApiRequest) -> Any:
    """Your tokens; those that have expired, too."""
    return calls.person(request).api_tokens.all()


@you.delete("/tokens/{int:token_id}", response={204: None})
def end_token(request: ApiRequest, token_id: int) -> Any:
    """End one of your tokens. Any of them may: whoever finds one can only end them."""
    people.end_token(user=calls.person(request), pk=token_id, at=request.received_at)
    return Status(204, None)


@you.get("/inbox", response=NoticesOut)
def inbox(request: ApiRequest, page: int = 1, unread: bool = False) -> Any:
    """What you should know, 100 on a page."""
    user = calls.person(request)
    rows = Notification.objects.filter(user=user)
    found = paged(rows.filter(read_at=None) if unread else rows, page)
    shown: list[Notification] = found["items"]
    known = visible_to(user).in_bulk({row.competition for row in shown} - {None})
    return found | {
        "items": [
            {
                **calls.given(row, NoticeOut),
                "competition": row.competition_slug if row.competition in known else None,
                "title": lines.heading(row),
                "text": row.message(reader_language()),
                "url": lines.address(row, known=row.competition in known),
            }
            for row in shown
        ]
    }


@you.post("/inbox/read", response=Marked, auth=calls.SUBMIT)
def mark_read(request: ApiRequest) -> Any:
    """Mark all of it as read."""
    return {"marked": lines.mark_read(user=calls.person(request), at=request.received_at)}

"""What the stock `kaggle` command asks a server for, so that it works here. With KAGGLE_FACADE=1.

Its protocol is not documented: this is what version 2.2.5 sends and reads; docs/kaggle.md says what
works. Each call is a POST of JSON, and what it refuses itself is `{code, message}`; a token that
cannot be used, uploads and downloads are answered by problems. Like the rest of the API it decides
nothing.
"""

import io
import zipfile
from collections.abc import Callable, Collection
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.db.models import Count
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import ApiToken
from leaderboard.actions.refusals import Refused
from leaderboard.api import calls
from leaderboard.api.downloads import download, packing
from leaderboard.api.kaggle_calls import (
    SHIFT,
    FacadeCall,
    call,
    language,
    number,
    own_submission,
    page_of,
    utc,
)
from leaderboard.api.kaggle_uploads import create_submission, put, start_submission_upload
from leaderboard.boards import exports, results
from leaderboard.boards import queries as boards
from leaderboard.boards.visibility import Viewer, opening_board
from leaderboard.evaluation import queries as evaluation
from leaderboard.references.handouts import Handouts
from leaderboard.submissions import ledger
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import visible_to
from leaderboard.texts import say
from leaderboard.web import errors

STATUS = {"waiting": "PENDING", "running": "PENDING", "done": "COMPLETE"}
ERRORS = {"failed": _("Scoring failed on our side"), "cancelled": _("Cancelled by the team")}


# --- Reading -------------------------------------------------------------------------------------


@call
def introspect_token(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    """Whose token the request itself bears."""
    token: ApiToken | None = request.token  # type: ignore[attr-defined]
    return {"active": True, "username": token.user.username} if token else {"active": False}


@call
def list_competitions(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    words = asked.search.casefold()
    known = visible_to(request.user).order_by("-closes_at", "slug")
    found = [one for one in known if words in f"{one.slug} {one.title} {one.title_en}".casefold()]
    shown, onward = page_of(found, asked)
    teams = Team.objects.filter(
        competition__in=shown, kind=Team.Kind.PARTICIPANT, merged_into=None
    ).order_by()
    counts = dict(teams.values_list("competition").annotate(Count("pk")))
    own = Membership.objects.filter(user=request.user.pk, competition__in=shown)
    entered = set(own.values_list("competition", flat=True))
    items = [
        {
            "ref": one.slug,
            "title": one.title_in(language(request)),
            "url": request.build_absolute_uri(reverse("overview", args=[one.slug])),
            "deadline": utc(one.closes_at),
            "teamCount": counts.get(one.pk, 0),
            "userHasEntered": one.pk in entered,
            "userRank": _rank(request, one.slug) if one.pk in entered else None,
            "maxDailySubmissions": one.daily_limit,
        }
        for one in shown
    ]
    return {"competitions": items, "nextPageToken": onward}


@call
def list_submissions(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    found = calls.viewer(request, asked.contest)
    shown, onward = page_of(of_team(calls.team(found)), asked)
    return {"submissions": _submissions(shown, found, request), "nextPageToken": onward}


@call
def get_submission(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    own = own_submission(request, asked.ref)
    seen = calls.viewer(request, own.team.competition.slug)
    return _submissions([own], seen, request)[0]


@call
def get_submission_limits(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    found = calls.viewer(request, asked.contest)
    left = ledger.allowance(calls.team(found), found.competition, found.at)
    return {
        "numToday": left.used_today,
        "numTotal": left.total_used,
        "numAllowedNow": left.left_today,
        "limitedByTotal": left.ends_with_total,
    }


@call
def get_leaderboard(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    """The client has no column of ranks: a team's number is its line."""
    seen = calls.reader(request, asked.contest)
    page = boards.page(seen, opening_board(seen), page=asked.number)
    if page is None:
        raise Http404
    rows = [(line, exports.row_json(entry)) for line, entry in enumerate(page.rows, 1)]
    items = [
        {
            "teamId": (page.page - 1) * boards.PAGE + line,
            # Among the teams, and the command has no other place to say so.
            "teamName": row["team"] if row["rank"] is not None else f"{row['team']} (baseline)",
            "submissionDate": utc(datetime.fromisoformat(row["last_submission_at"])),
            "score": f"{row['total']:.4f}",
        }
        for line, row in rows
    ]
    onward = str(page.page + 1) if page.page < page.pages else ""
    return {"submissions": items, "nextPageToken": onward}


@call
def list_data_files(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    found = _data_files(request, asked.contest)
    shown, onward = page_of(found.files(), asked)
    items = [
        {
            "ref": one.name,
            "name": one.name,
            "description": one.description_in(language(request)),
            "totalBytes": one.size,
            "creationDate": utc(found.competition.opens_at),
        }
        for one in shown
    ]
    return {"files": items, "nextPageToken": onward}


# --- Files ---------------------------------------------------------------------------------------


# The client names a file after the end of the address that it was led to.
@call
def download_data_file(request: HttpRequest, asked: FacadeCall) -> HttpResponseBase:
    found = _data_files(request, asked.contest).named(asked.file_name)
    if found is None:
        raise Http404
    return redirect("kaggle:data_file", asked.contest, found.name)


@call
def download_data_files(request: HttpRequest, asked: FacadeCall) -> HttpResponseBase:
    _data_files(request, asked.contest)
    return redirect("kaggle:data_files", asked.contest)


@call
def download_submission(request: HttpRequest, asked: FacadeCall) -> HttpResponseBase:
    calls.READ(request)
    own = own_submission(request, asked.submission_id)
    return redirect("kaggle:own_file", own.pk, f"{number(own)}.csv")


@call
def download_leaderboard(request: HttpRequest, asked: FacadeCall) -> HttpResponseBase:
    """The board as its CSV file, in an archive."""
    seen = calls.reader(request, asked.contest)
    page = boards.whole(seen, opening_board(seen))
    if page is None:
        raise Http404
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        name = zipfile.ZipInfo(f"{seen.competition.slug}-{page.board}.csv")
        archive.writestr(name, exports.board_csv(page), zipfile.ZIP_DEFLATED)
    return HttpResponse(packed.getvalue(), content_type="application/zip")


def handed_out(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view that a redirect leads to."""

    @require_http_methods(["GET"])
    @wraps(view)
    def answer(request: HttpRequest, **address: Any) -> HttpResponseBase:
        try:
            calls.READ(request)
            return view(request, **address)
        except Refused as refusal:
            return errors.refused(request, refusal)

    return answer


@handed_out
def data_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    found = calls.file(request, slug, name)
    return download(request, found.file, name=name, sha256=found.sha256, size=found.size)


@handed_out
def data_files(request: HttpRequest, slug: str) -> HttpResponseBase:
    packed = packing([(one.name, one.file) for one in _data_files(request, slug).files()])
    return StreamingHttpResponse(packed, content_type="application/zip")


@handed_out
def own_file(request: HttpRequest, submission_id: UUID, name: str) -> HttpResponseBase:
    own = own_submission(request, submission_id.int >> SHIFT)
    return download(request, own.file, name=name, sha256=own.sha256, size=own.size)


def _submissions(
    own: Collection[Submission], seen: Viewer, request: HttpRequest
) -> list[dict[str, Any]]:
    """These submissions of the viewer's team, in two queries for any number."""
    states = evaluation.states(one.pk for one in own)
    scores = results.submission_scores(own, seen)
    found = []
    for one in own:
        state = states.get(one.pk, "waiting")
        totals = {split.board: split.total for split in scores.get(one.pk, ())}
        no = ERRORS.get(state)
        where = reverse("submission", args=[seen.competition.slug, one.pk])
        found.append(
            {
                "ref": number(one),
                "totalBytes": one.size,
                "date": utc(one.received_at),
                "description": one.note,
                "errorDescription": say(no, language(request)) if no else "",
                "fileName": one.file_name,
                "publicScore": totals.get("public", ""),
                "privateScore": totals.get("private", ""),
                "status": STATUS.get(state, "ERROR"),
                "submittedBy": one.submitted_by.username,
                "url": request.build_absolute_uri(where),
            }
        )
    return found


def _rank(request: HttpRequest, slug: str) -> int | None:
    """As over each page of the contest. The command shows 0 for None."""
    return boards.contest_header(calls.viewer(request, slug)).rank


def _data_files(request: HttpRequest, slug: str) -> Handouts:
    """The files that this person may have. Raises Refused, Http404."""
    calls.READ(request)
    return calls.files(request, slug)


_CALLS = {
    "competitions.CompetitionApiService": [
        *(list_competitions, list_submissions, get_submission, get_submission_limits),
        *(get_leaderboard, list_data_files, start_submission_upload, create_submission),
        *(download_data_file, download_data_files, download_leaderboard, download_submission),
    ],
    "security.OAuthService": [introspect_token],
}


app_name = "kaggle"


urlpatterns = [
    *(
        path(f"{service}/{one.__name__.title().replace('_', '')}", one, name=one.__name__)
        for service, calls_of_it in _CALLS.items()
        for one in calls_of_it
    ),
    path("kaggle/upload/<str:way>", put, name="put"),
    path("kaggle/data/<slug:slug>/<str:name>", data_file, name="data_file"),
    path("kaggle/data/<slug:slug>.zip", data_files, name="data_files"),
    path("kaggle/submissions/<uuid:submission_id>/<str:name>", own_file, name="own_file"),
]

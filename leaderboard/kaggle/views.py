"""Lists, numbers and files for the stock `kaggle` command, and the addresses of its calls."""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.db.models import Count
from django.http import (
    Http404,
    HttpResponseBase,
)
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from leaderboard.api import calls
from leaderboard.api.downloads import archive, download
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards import exports, results
from leaderboard.boards import queries as boards
from leaderboard.boards.visibility import Viewer, opening_board
from leaderboard.evaluation import queries as evaluation
from leaderboard.kaggle.calls import (
    SHIFT,
    FacadeCall,
    call,
    number,
    own_submission,
    page_of,
    utc,
)
from leaderboard.kaggle.uploads import create_submission, put, start_submission_upload
from leaderboard.submissions import ledger
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import visible_to
from leaderboard.texts import in_language, reader_language

STATUS = {"waiting": "PENDING", "running": "PENDING", "done": "COMPLETE"}
ERRORS = {"failed": _("Scoring failed on our side"), "cancelled": _("Cancelled by the team")}


# --- Reading -------------------------------------------------------------------------------------


@call
def introspect_token(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
    """The owner of the token that the request itself bears."""
    token = request.token
    return {"active": True, "username": token.user.username} if token else {"active": False}


@call
def list_competitions(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
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
    # As over each page of the contest. The command shows 0 for None.
    ranks = {
        one.pk: boards.contest_header(calls.viewer(request, one.slug)).rank
        for one in shown
        if one.pk in entered
    }
    items = [
        {
            "ref": one.slug,
            "title": in_language(one, "title", reader_language()),
            "url": request.build_absolute_uri(reverse("overview", args=[one.slug])),
            "deadline": utc(one.closes_at),
            "teamCount": counts.get(one.pk, 0),
            "userHasEntered": one.pk in entered,
            "userRank": ranks.get(one.pk),
            "maxDailySubmissions": one.daily_limit,
        }
        for one in shown
    ]
    return {"competitions": items, "nextPageToken": onward}


@call
def list_submissions(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    found = calls.viewer(request, asked.contest)
    shown, onward = page_of(of_team(calls.team(found)), asked)
    return {"submissions": _submissions(shown, found, request), "nextPageToken": onward}


@call
def get_submission(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    own = own_submission(request, asked.ref)
    seen = calls.viewer(request, own.team.competition.slug)
    return _submissions([own], seen, request)[0]


@call
def get_submission_limits(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
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
def get_leaderboard(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
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
def list_data_files(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    found = calls.files(request, asked.contest)
    shown, onward = page_of(found.files(), asked)
    items = [
        {
            "ref": one.name,
            "name": one.name,
            "description": in_language(one, "description", reader_language()),
            "totalBytes": one.size,
            "creationDate": utc(found.competition.opens_at),
        }
        for one in shown
    ]
    return {"files": items, "nextPageToken": onward}


# --- Files ---------------------------------------------------------------------------------------


# The client names a file after the end of the address that it was led to.
@call
def download_data_file(request: ApiRequest, asked: FacadeCall) -> HttpResponseBase:
    calls.READ(request)
    found = calls.file(request, asked.contest, asked.file_name)
    return redirect("api:file", asked.contest, found.name)


@call
def download_data_files(request: ApiRequest, asked: FacadeCall) -> HttpResponseBase:
    calls.READ(request)
    calls.files(request, asked.contest)
    return redirect("kaggle:data_files", asked.contest)


@call
def download_submission(request: ApiRequest, asked: FacadeCall) -> HttpResponseBase:
    calls.READ(request)
    own = own_submission(request, asked.submission_id)
    return redirect("kaggle:own_file", own.pk, f"{number(own)}.csv")


@call
def download_leaderboard(request: ApiRequest, asked: FacadeCall) -> HttpResponseBase:
    """The board as its CSV file, in an archive."""
    seen = calls.reader(request, asked.contest)
    page = boards.whole(seen, opening_board(seen))
    if page is None:
        raise Http404
    name = f"{seen.competition.slug}-{page.board}.csv"
    return archive([(name, ContentFile(exports.board_csv(page)))])


@require_GET
def data_files(request: ApiRequest, slug: str) -> HttpResponseBase:
    calls.READ(request)
    return archive([(one.name, one.file) for one in calls.files(request, slug).files()])


@require_GET
def own_file(request: ApiRequest, submission_id: UUID, name: str) -> HttpResponseBase:
    calls.READ(request)
    own = own_submission(request, submission_id.int >> SHIFT)
    return download(request, own.file, name=name, sha256=own.sha256, size=own.size)


def _submissions(
    own: Collection[Submission], seen: Viewer, request: ApiRequest
) -> list[dict[str, Any]]:
    """Describe these submissions of the viewer's team, in two queries for any number."""
    states = evaluation.states(one.pk for one in own)
    scores = results.submission_scores(own, seen)
    found = []
    for one in own:
        state = states.get(one.pk, "waiting")
        totals = {split.board: split.total for split in scores.get(one.pk, ())}
        where = reverse("submission", args=[seen.competition.slug, one.pk])
        found.append(
            {
                "ref": number(one),
                "totalBytes": one.size,
                "date": utc(one.received_at),
                "description": one.note,
                "errorDescription": str(ERRORS.get(state, "")),
                "fileName": one.file_name,
                "publicScore": totals.get("public", ""),
                "privateScore": totals.get("private", ""),
                "status": STATUS.get(state, "ERROR"),
                "submittedBy": one.submitted_by.username,
                "url": request.build_absolute_uri(where),
            }
        )
    return found


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
    path("kaggle/data/<slug:slug>.zip", data_files, name="data_files"),
    path("kaggle/submissions/<uuid:submission_id>/<str:name>", own_file, name="own_file"),
]

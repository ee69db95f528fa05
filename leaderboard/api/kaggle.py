"""What the stock `kaggle` command asks a server for, so that it works here. With KAGGLE_FACADE=1.

Its protocol is not documented: this is what version 2.2.5 sends and reads; docs/kaggle.md says what
works. Each call is a POST of JSON, each error `{code, message}`. Like the rest of the API it
decides nothing.
"""

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, cast
from uuid import UUID, uuid4

from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.db.models import Count
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    RawPostDataException,
    StreamingHttpResponse,
    UnreadablePostError,
)
from django.shortcuts import redirect
from django.urls import path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from ninja import Field, Schema

from leaderboard.accounts.models import ApiToken, User
from leaderboard.accounts.rate_limits import Limit
from leaderboard.actions import submissions as actions
from leaderboard.actions.refusals import Refused, count
from leaderboard.api import calls
from leaderboard.api.downloads import download, packing
from leaderboard.boards import exports, results
from leaderboard.boards import queries as boards
from leaderboard.boards.visibility import Viewer, opening_board
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import queries as evaluation
from leaderboard.operations import clock
from leaderboard.references.handouts import Handouts
from leaderboard.submissions import ledger
from leaderboard.submissions.intake import Upload, clean_name
from leaderboard.submissions.models import Submission, submission_storage
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Membership, Team
from leaderboard.teams.queries import visible_to
from leaderboard.texts import reader_language, say
from leaderboard.web import errors, find
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission, Problem
from scoring.messages import Language, size
from scoring.output import finding

PAGE = 100  # rows of an answer, whatever `pageSize` says
UPLOADS = Limit("too_many_calls", 60, timedelta(hours=1))
UPLOAD_AGE = timedelta(minutes=30)  # the sweeper lets such files be for an hour
SALT = "kaggle.upload"
# A submission's number is the beginning of its id: the client's numbers have 63 bits.
SHIFT = 128 - 63
STATUS = {"waiting": "PENDING", "running": "PENDING", "done": "COMPLETE"}
ERRORS = {"failed": _("Scoring failed on our side"), "cancelled": _("Cancelled by the team")}


def _said(name: str) -> Any:
    """A text of a call, which may be missing. PostgreSQL takes no NUL."""
    return Field("", alias=name, pattern=r"^[^\x00]*$")


class FacadeCall(Schema):
    """Whatever a call may say; each reads its own, and nothing else is regarded."""

    contest: str = _said("competitionName")
    search: str = _said("search")
    page: int = 1
    page_token: str = _said("pageToken")
    file_name: str = _said("fileName")
    size: int = Field(0, alias="contentLength")
    upload: str = _said("blobFileTokens")
    note: str = _said("submissionDescription")
    ref: int = 0
    submission_id: int = Field(0, alias="submissionId")

    @classmethod
    def read(cls, request: HttpRequest) -> "FacadeCall":
        """Raises ValueError for what is of another shape."""
        found = json.loads(request.body or b"{}")
        if isinstance(found, dict):
            return cls.model_validate(found)
        raise ValueError

    @property
    def number(self) -> int:
        """Of the page: that of the token, which an answer before gave."""
        return max(find.number(self.page_token, digits=6) or min(self.page, 10**6), 1)


Answer = Callable[[HttpRequest, FacadeCall], HttpResponseBase | dict[str, Any]]


def call(answer: Answer) -> Callable[[HttpRequest], HttpResponseBase]:
    """A view that reads what is asked, and tells errors as the client shows them."""

    @csrf_exempt
    @require_http_methods(["POST"])
    @wraps(answer)
    def view(request: HttpRequest) -> HttpResponseBase:
        if clock.lately().is_wrong:  # a POST that shows what a page does
            return errors.shown_too_early(request)
        try:
            asked = FacadeCall.read(request)
        except (ValueError, RecursionError, RawPostDataException, UnreadablePostError):
            return _error(request, 400, _("The request could not be read"))
        try:
            found = answer(request, asked)
        except InvalidSubmission as invalid:
            return _error(request, 422, _lines(invalid, _language(request)))
        except Refused as refusal:
            return _error(request, refusal.status, refusal.whole(_language(request)))
        except (Http404, Competition.DoesNotExist):
            return _error(request, 404, _("There is nothing at this address"))
        return JsonResponse(found) if isinstance(found, dict) else found

    return view


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
    shown, onward = _page(found, asked)
    teams = Team.objects.filter(
        competition__in=shown, kind=Team.Kind.PARTICIPANT, merged_into=None
    ).order_by()
    counts = dict(teams.values_list("competition").annotate(Count("pk")))
    own = Membership.objects.filter(user=request.user.pk, competition__in=shown)
    entered = set(own.values_list("competition", flat=True))
    items = [
        {
            "ref": one.slug,
            "title": one.title_in(_language(request)),
            "url": request.build_absolute_uri(reverse("overview", args=[one.slug])),
            "deadline": _utc(one.closes_at),
            "teamCount": counts.get(one.pk, 0),
            "userHasEntered": one.pk in entered,
            "maxDailySubmissions": one.daily_limit,
        }
        for one in shown
    ]
    return {"competitions": items, "nextPageToken": onward}


@call
def list_submissions(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    found = calls.viewer(request, asked.contest)
    shown, onward = _page(of_team(calls.team(found)), asked)
    return {"submissions": _submissions(shown, found, request), "nextPageToken": onward}


@call
def get_submission(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    calls.READ(request)
    own = _own_submission(request, asked.ref)
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
            "teamName": row["team"],
            "submissionDate": _utc(datetime.fromisoformat(row["last_submission_at"])),
            "score": f"{row['total']:.4f}",
        }
        for line, row in rows
    ]
    onward = str(page.page + 1) if page.page < page.pages else ""
    return {"submissions": items, "nextPageToken": onward}


@call
def list_data_files(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    found = _data_files(request, asked.contest)
    shown, onward = _page(found.files(), asked)
    items = [
        {
            "ref": one.name,
            "name": one.name,
            "description": one.description_in(_language(request)),
            "totalBytes": one.size,
            "creationDate": _utc(found.competition.opens_at),
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
    own = _own_submission(request, asked.submission_id)
    return redirect("kaggle:own_file", own.pk, f"{_number(own)}.csv")


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
    calls.READ(request)
    found = calls.file(request, slug, name)
    return download(request, found.file, name=name, sha256=found.sha256, size=found.size)


@handed_out
def data_files(request: HttpRequest, slug: str) -> HttpResponseBase:
    packed = packing([(one.name, one.file) for one in _data_files(request, slug).files()])
    return StreamingHttpResponse(packed, content_type="application/zip")


@handed_out
def own_file(request: HttpRequest, submission_id: UUID, name: str) -> HttpResponseBase:
    own = _own_submission(request, submission_id.int >> SHIFT)
    return download(request, own.file, name=name, sha256=own.sha256, size=own.size)


# --- Handing in ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class UploadWay:
    """What a signed address says: whose file of what name comes, for which team; told apart from
    others of the same person by `key`."""

    user: int
    team: str
    slug: str
    name: str
    key: str

    def signed(self) -> str:
        return signing.dumps(list(vars(self).values()), salt=SALT)

    @classmethod
    def read(cls, text: str) -> "UploadWay":
        """Raises Http404 for what is not signed by us, or too old."""
        try:
            return cls(*signing.loads(text, salt=SALT, max_age=UPLOAD_AGE))
        except signing.BadSignature:
            raise Http404 from None

    @property
    def place(self) -> str:
        """Where the file waits in the store. One for a person and team: whoever sends many has room
        for one. The sweeper moves what nobody handed in to the trash after an hour.
        """
        return f".{self.team}-{self.user}.part"


@call
def start_submission_upload(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    """Where to send the file; or why none is taken, before it is sent."""
    calls.SUBMIT(request)
    found = calls.viewer(request, asked.contest)
    team, user = calls.team(found), calls.person(request)
    if (no := actions.refusal_now(team, user, found.at)) is not None:
        raise no
    if asked.size > PREDICTIONS_BYTES:
        values = {"size": size(asked.size), "limit": size(PREDICTIONS_BYTES)}
        raise InvalidSubmission([Problem(None, None, "file_too_large", values)])
    count(UPLOADS, f"kaggle {team.pk}", found.at)
    name = clean_name(asked.file_name)
    way = UploadWay(user.pk, team.pk.hex, found.competition.slug, name, uuid4().hex).signed()
    return {
        "token": way,
        "createUrl": request.build_absolute_uri(reverse("kaggle:put", args=[way])),
    }


def _known_way(request: HttpRequest, /, way: str) -> None:
    """A `Sender`: who has an address that we signed."""
    UploadWay.read(way)


@accepts_upload(PREDICTIONS_BYTES, sender=_known_way, method="PUT")
@csrf_exempt
@require_http_methods(["PUT"])
def put(request: HttpRequest, way: str) -> HttpResponse:
    """Keep the file until it is handed in by who may."""
    known, store = UploadWay.read(way), submission_storage()
    if shutil.disk_usage(settings.DATA_DIR).free < actions.FREE_SPACE:
        return errors.storage_full(request)
    try:
        data = request.body
    except UnreadablePostError:
        return errors.bad_request(request)
    try:
        count(UPLOADS, f"kaggle put {known.team} {known.user}", calls.at(request))
    except Refused as refusal:
        return errors.refused(request, refusal)
    store.delete(known.place)
    stored = store.save(known.place, ContentFile(known.key.encode() + data))
    if stored != known.place:  # another one of the same person came in between
        store.delete(stored)
        return errors.busy(request)
    return HttpResponse(status=201)


@call
def create_submission(request: HttpRequest, asked: FacadeCall) -> dict[str, Any]:
    """Hand in the file that was sent."""
    calls.CHECK(request)
    found = calls.viewer(request, asked.contest)
    team, user = calls.team(found), calls.person(request)
    way = UploadWay.read(asked.upload)
    if (way.user, way.team) != (user.pk, team.pk.hex):
        raise Http404
    upload = Upload(name=way.name, data=_sent(way))
    try:
        with waking(evaluate_next):
            made = actions.submit(
                team=team,
                user=user,
                upload=upload,
                key=way.key,
                note=asked.note.strip(),
                at=found.at,
            )
    except (InvalidSubmission, Refused):
        submission_storage().delete(way.place)
        raise
    submission_storage().delete(way.place)
    return {"message": say(_("The file was taken."), _language(request)), "ref": _number(made)}


# --- Parts of answers ----------------------------------------------------------------------------


def _own_submission(request: HttpRequest, number: int) -> Submission:
    """That of one's own team which has this number. Raises Http404."""
    if not 0 <= number < 1 << 63:
        raise Http404
    first, last = (UUID(int=(one << SHIFT) - (one > number)) for one in (number, number + 1))
    return calls.own_submission(request, pk__range=(first, last))


def _number(submission: Submission) -> int:
    return submission.pk.int >> SHIFT


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
                "ref": _number(one),
                "totalBytes": one.size,
                "date": _utc(one.received_at),
                "description": one.note,
                "errorDescription": say(no, _language(request)) if no else "",
                "fileName": one.file_name,
                "publicScore": totals.get("public", ""),
                "privateScore": totals.get("private", ""),
                "status": STATUS.get(state, "ERROR"),
                "submittedBy": one.submitted_by.username,
                "url": request.build_absolute_uri(where),
            }
        )
    return found


def _data_files(request: HttpRequest, slug: str) -> Handouts:
    """The files that this person may have. Raises Refused, Http404."""
    calls.READ(request)
    return calls.files(request, slug)


def _sent(way: UploadWay) -> bytes:
    """The file that came that way. Raises Refused if none did, or another one after it."""
    try:
        with submission_storage().open(way.place) as file:
            kept = file.read()
    except FileNotFoundError:
        raise Refused("no_file") from None
    key = way.key.encode()
    if not kept.startswith(key):
        raise Refused("no_file")
    return bytes(kept[len(key) :])


def _page(rows: Any, asked: FacadeCall) -> tuple[list[Any], str]:
    """Its rows, and the token of the next one."""
    pages = find.Pages(rows, PAGE, None)
    shown = pages.get_page(asked.number)
    return list(shown), str(shown.next_page_number()) if shown.has_next() else ""


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _language(request: HttpRequest) -> Language:
    """The client asks for none."""
    user = request.user
    return cast(Language, user.language) if isinstance(user, User) else reader_language()


def _lines(invalid: InvalidSubmission, language: Language) -> str:
    """What is wrong with a file, line by line."""
    said = [say(_("The file cannot be accepted"), language)]
    return "\n".join([*said, *(finding(one, language) for one in invalid.problems)])


def _error(request: HttpRequest, status: int, text: Promise | str) -> HttpResponse:
    said = str(text) if isinstance(text, str) else say(text, _language(request))
    return JsonResponse({"code": status, "message": said}, status=status)


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

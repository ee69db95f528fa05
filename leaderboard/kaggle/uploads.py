"""Submitting with the stock `kaggle` command: ask for an address, send the file, then name it."""

from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from django.core import signing
from django.core.files.base import ContentFile
from django.http import Http404, HttpResponse, UnreadablePostError
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.actions import submissions as actions
from leaderboard.api import calls
from leaderboard.api.middleware import ApiRequest
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.kaggle.calls import FacadeCall, call, number
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions.models import submission_storage
from leaderboard.submissions.queries import Upload, clean_name, of_team
from leaderboard.teams.models import Membership
from leaderboard.web import errors
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission, Problem
from scoring.messages import size

UPLOADS = Limit(
    "too_many_calls",
    60,
    timedelta(hours=1),
    _("More than {most} requests were made in a short time."),
)
UPLOAD_AGE = timedelta(minutes=30)
SALT = "kaggle.file"
# Logs hide what begins so, as they hide tokens.
PREFIX = "slb_"


class UploadAddress(NamedTuple):
    """What a signed address says: who sends a file of this name for which team. `key` differs
    between two addresses of the same person."""

    user: int
    team: str
    name: str
    key: str

    def signed(self) -> str:
        return PREFIX + signing.dumps(list(self), salt=SALT)

    @classmethod
    def read(cls, text: str) -> "UploadAddress":
        """Raises Http404 for what is not signed by us, or too old."""
        try:
            return cls(*signing.loads(text.removeprefix(PREFIX), salt=SALT, max_age=UPLOAD_AGE))
        except signing.BadSignature:
            raise Http404 from None

    @property
    def place(self) -> str:
        """Where the file waits in the store: one for a person and team. No row names it; it goes
        with its contest (`actions.ending`)."""
        return f".{self.team}-{self.user}.part"


@call
def start_submission_upload(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
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
    address = UploadAddress(user.pk, team.pk.hex, clean_name(asked.file_name), uuid4().hex).signed()
    where = reverse("kaggle:put", args=[address])
    return {"token": address, "createUrl": request.build_absolute_uri(where)}


def _address(way: str) -> UploadAddress:
    """The address, for who is still in that team of a contest that is still there; else Http404."""
    address = UploadAddress.read(way)
    team = UUID(address.team)
    rows = Membership.objects.filter(user=address.user, user__is_active=True, team=team)
    if not rows.exclude(competition__state=Competition.State.DELETED).exists():
        raise Http404
    return address


def _sender(request: ApiRequest, /, way: str) -> None:
    """A `Sender` of large files: who has such an address."""
    _address(way)


@accepts_upload(PREDICTIONS_BYTES, sender=_sender, method="PUT")
@csrf_exempt
@require_http_methods(["PUT"])
def put(request: ApiRequest, way: str) -> HttpResponse:
    """Keep the file until it is submitted."""
    address, store = _address(way), submission_storage()
    if actions.disk_is_full():
        return errors.storage_full(request)
    try:
        data = request.body
    except UnreadablePostError:
        return errors.bad_request(request)
    count(UPLOADS, f"kaggle put {address.team} {address.user}", request.received_at)
    store.delete(address.place)
    stored = store.save(address.place, ContentFile(address.key.encode() + data))
    if stored != address.place:  # another file of the same person came in between
        store.delete(stored)
        return errors.busy(request)
    return HttpResponse(status=201)


@call
def create_submission(request: ApiRequest, asked: FacadeCall) -> dict[str, Any]:
    """Submit the file that was sent."""
    calls.CHECK(request)
    found = calls.viewer(request, asked.contest)
    team, user = calls.team(found), calls.person(request)
    address = UploadAddress.read(asked.upload)
    if (address.user, address.team) != (user.pk, team.pk.hex):
        raise Http404
    # Asked again after its answer was lost, the call has the same answer.
    key = address.key
    made = of_team(team).filter(key=key).first()
    if made is None:
        upload = Upload(name=address.name, data=_sent(address))
        now, note = request.now, asked.note.strip()
        try:
            with waking(evaluate_next):
                made = actions.submit(
                    team=team, user=user, upload=upload, key=key, note=note, at=found.at, now=now
                )
        except (InvalidSubmission, Refused) as no:
            # What is nobody's fault passes, and the same call then takes the same file.
            if not isinstance(no, Refused) or no.code not in actions.OURS:
                submission_storage().delete(address.place)
            raise
        submission_storage().delete(address.place)
    return {"message": gettext("The file was received."), "ref": number(made)}


def _sent(address: UploadAddress) -> bytes:
    """The file sent there. Raises Refused if none was, or another file after it."""
    key, store, kept = address.key.encode(), submission_storage(), b""
    if store.exists(address.place):
        with store.open(address.place) as file:
            kept = file.read()
    if not kept.startswith(key):
        raise Invalid("no_file", _("There is no file."), _("Please choose a file."))
    return kept.removeprefix(key)

"""Handing in with the stock `kaggle` command: an address is asked for, a file sent, then named."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    UnreadablePostError,
)
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit
from leaderboard.actions import submissions as actions
from leaderboard.actions.refusals import Refused, count
from leaderboard.api import calls
from leaderboard.api.kaggle_calls import FacadeCall, call, language, number
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Clock
from leaderboard.submissions.intake import Upload, clean_name
from leaderboard.submissions.models import Submission, submission_storage
from leaderboard.submissions.queries import of_team
from leaderboard.teams.models import Membership, Team
from leaderboard.texts import say
from leaderboard.web import errors
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission, Problem
from scoring.messages import size

UPLOADS = Limit("too_many_calls", 60, timedelta(hours=1))
UPLOAD_AGE = timedelta(minutes=30)
SALT = "kaggle.upload"


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
        """Where the file waits in the store: one for a person and team. No row names it; it goes
        with its contest (`erasing`)."""
        return f".{self.team}-{self.user}.part"

    @property
    def is_open(self) -> bool:
        """Whether the person is still in that team, of a contest that is still there."""
        rows = Membership.objects.filter(user=self.user, user__is_active=True, team=UUID(self.team))
        return rows.exclude(competition__state=Competition.State.DELETED).exists()


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
    """A `Sender`: who has an address that we signed, and is still who it was signed for."""
    if not UploadWay.read(way).is_open:
        raise Http404


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
    if not known.is_open:  # the contest may have been deleted while the file came
        store.delete(stored)
        raise Http404
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
    made = _handed_in(way, team, user, note=asked.note.strip(), at=found.at, now=calls.now(request))
    return {"message": say(_("The file was taken."), language(request)), "ref": number(made)}


def _handed_in(
    way: UploadWay, team: Team, user: User, *, note: str, at: datetime, now: Clock
) -> Submission:
    """What is made of the file that came that way; once, however often its answer was lost.

    Raises InvalidSubmission or Refused.
    """
    try:
        upload = Upload(name=way.name, data=_sent(way))
    except Refused:
        made = of_team(team).filter(key=way.key).first()
        if made is None:
            raise
        return made
    try:
        with waking(evaluate_next):
            made = actions.submit(
                team=team, user=user, upload=upload, key=way.key, note=note, at=at, now=now
            )
    except (InvalidSubmission, Refused) as no:
        # What is nobody's fault passes, and the same call then takes the same file.
        if not isinstance(no, Refused) or no.code not in actions.OURS:
            submission_storage().delete(way.place)
        raise
    submission_storage().delete(way.place)
    return made


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

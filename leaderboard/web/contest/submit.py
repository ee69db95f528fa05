"""The submit page: check the file for free, then submit it."""

import io
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from leaderboard.actions.checks import Verdict, look, repair
from leaderboard.actions.checks import check as check_action
from leaderboard.actions.submissions import submit as submit_action
from leaderboard.celery import waking
from leaderboard.competitions import schedule
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import terms_due
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions import ledger
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from leaderboard.web import errors, lookups, page_chrome
from leaderboard.web.forms import NoteForm, SubmitForm
from leaderboard.web.lookups import WebRequest
from leaderboard.web.uploads import (
    PREDICTIONS_BYTES,
    View,
    accepts_upload,
    carried,
    takes_long,
    uncarried,
)
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission

# Above this the second step without script asks for the file again instead of carrying it along.
CARRIED_BYTES = 2_000_000

NO_FILE = Invalid("no_file", _("There is no file."), _("Please choose a file."))


# What somebody typed whose session ended before they sent it, until they are back on the page.
UNSENT, NOTES = "unsent", tuple(NoteForm.base_fields)
UNSENT_KEPT = 900  # seconds in which whoever was signed out signs in again


def _without_team(request: WebRequest, /, slug: str) -> HttpResponse | None:
    """A `Sender`: who has a team in the contest. A visitor signs in, and reads what came of it."""
    way = lookups.way_in(request, lookups.viewer(request, slug).competition)
    if way is not None and not request.user.is_authenticated:
        messages.warning(
            request,
            _("You were signed out. Nothing was submitted and no attempt was used. Sign in again."),
        )
    return way


def _takes_file(view: View) -> View:
    view = accepts_upload(PREDICTIONS_BYTES, sender=_without_team)(takes_long("carried")(view))
    return require_http_methods(["GET", "HEAD", "POST"])(view)


@dataclass
class Sent:
    """A file that a member sent with the form around it, and what the check said.

    `who`: the team, the person and the time, as actions take them. `verdict` is None if a rule said
    no before anybody looked; `refusal` is its answer.
    """

    who: dict[str, Any]
    upload: Upload
    form: NoteForm
    verdict: Verdict | None = None
    refusal: Refused | None = None
    key: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def carried(self) -> str:
        """The file for the second step without script, unless it is too large."""
        return carried(self.upload.data) if len(self.upload.data) <= CARRIED_BYTES else ""

    @property
    def fixable(self) -> int:
        """How many places can be mended without a guess."""
        problems = self.verdict.problems if self.verdict else ()
        return sum(problem.times for problem in problems if problem.fixable)


@_takes_file
def submit(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submit`: the page, and the POST that uses one of today's slots."""
    if request.method != "POST":
        viewer = lookups.viewer(request, slug)
        if (way := lookups.way_in(request, viewer.competition)) is not None:
            return way
        assert viewer.team is not None
        viewer.team.competition = viewer.competition
        return _page(request, viewer.team)
    sent = _sent(request, slug, SubmitForm)
    if isinstance(sent, HttpResponse):
        return sent
    if not sent.form.is_valid():
        return _checked(request, sent, status=422)
    try:
        with waking(evaluate_next):
            submission = submit_action(
                upload=sent.upload, now=request.now, **sent.form.cleaned_data, **sent.who
            )
    except InvalidSubmission:
        # Refused and counted as such already; to say why is no further check.
        return _looked(request, sent, status=422)
    except Refused as refusal:
        return _refused(request, sent, refusal)
    except Competition.DoesNotExist:  # deleted meanwhile
        raise Http404 from None
    if not request.htmx:
        return redirect("submission", slug=slug, submission_id=submission.id)
    return HttpResponseClientRedirect(reverse("submission", args=[slug, submission.id]))


@_takes_file
def check(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submit/check`: the free look. A fragment for htmx, a page without script."""
    if request.method != "POST":  # somebody reloads the page that the POST answered with
        return redirect("submit", slug=slug)
    sent = _sent(request, slug, NoteForm)
    return sent if isinstance(sent, HttpResponse) else _checked(request, sent)


@_takes_file
def repaired(request: WebRequest, slug: str) -> HttpResponseBase:
    """`/c/<slug>/submit/repaired`: the same file, repaired where that needs no guess."""
    if request.method != "POST":
        return redirect("submit", slug=slug)
    sent = _sent(request, slug, NoteForm)
    if isinstance(sent, HttpResponse):
        return sent
    try:
        repaired = repair(team=sent.who["team"], upload=sent.upload, at=request.received_at)
    except Refused as refusal:
        return _refused(request, sent, refusal)
    if repaired.data is None:
        return _looked(request, sent, status=422)
    name = sent.upload.name.rsplit(".", 1)[0] or "predictions"
    return FileResponse(
        io.BytesIO(repaired.data),
        as_attachment=True,
        filename=f"{name}-repaired.csv",
        content_type="text/csv; charset=utf-8",
    )


def _sent(request: WebRequest, slug: str, form: type[NoteForm]) -> Sent | HttpResponse:
    """The chosen file, or the one that the first step without script carried along."""
    team = lookups.own_team(request, slug)
    if team is None:
        way = _without_team(request, slug)
        assert way is not None
        if not request.user.is_authenticated:  # here, since CSRF has been checked by now
            typed = {name: request.POST.get(name, "")[:500] for name in NOTES}
            request.session[UNSENT] = [slug, request.received_at.timestamp(), typed]
        return way
    who = {"team": team, "user": request.user, "at": request.received_at}
    sent = Sent(who, Upload(name="", data=b""), form(request.POST, auto_id="%s"))
    chosen = request.FILES.get("file")
    if chosen is not None:
        sent.upload = Upload(name=chosen.name or "", data=chosen.read())
        return sent
    data = uncarried(request.POST.get("carried", ""))
    if not data or len(data) > PREDICTIONS_BYTES:
        return _refused(request, sent, NO_FILE)
    sent.upload = Upload(name=request.POST.get("carried_name", ""), data=data)
    return sent


def _unsent(request: WebRequest, slug: str) -> dict[str, str] | None:
    """What was typed for this contest by whoever was signed out just now; told once."""
    kept = request.session.pop(UNSENT, None)
    if kept is None or kept[0] != slug:
        return None
    age = request.received_at.timestamp() - kept[1]
    return kept[2] if age <= UNSENT_KEPT else None


def _looked(request: WebRequest, sent: Sent, *, status: int) -> HttpResponse:
    sent.verdict = look(upload=sent.upload, **sent.who)
    return _page(request, sent.who["team"], sent, status)


def _checked(request: WebRequest, sent: Sent, *, status: int = 200) -> HttpResponse:
    try:
        sent.verdict = check_action(upload=sent.upload, **sent.who)
    except Refused as refusal:
        return _refused(request, sent, refusal)
    return _page(request, sent.who["team"], sent, status)


def _refused(request: WebRequest, sent: Sent, refusal: Refused) -> HttpResponse:
    """The file as it was sent, with why nobody looked at it, and the way to hand it in."""
    sent.refusal = refusal
    return errors.kept(_page(request, sent.who["team"], sent), refusal)


def _page(
    request: WebRequest, team: Team, looked: Sent | None = None, status: int = 200
) -> HttpResponse:
    """The page; for a script what the check said of the file alone."""
    at, competition = request.received_at, team.competition
    ctx: dict[str, Any] = {
        "competition": competition,
        "looked": looked,
        "verdict": looked.verdict if looked else None,
        "allowance": ledger.allowance(team, competition, at),
    }
    if looked and request.htmx:
        part = "verdict" if looked.verdict else "unlooked"
        return render(request, f"parts/{part}.html", ctx, status=status)
    ctx |= {
        "frame": page_chrome.Frame(request, competition, tab="submit"),
        "team": team,
        "refusal": schedule.refusal(competition, at),
        "is_late": schedule.is_late(competition, at),
        "terms_due": terms_due(lookups.person(request), competition),
        "key": uuid.uuid4().hex,
        "unsent": None if looked else _unsent(request, competition.slug),
        "limit": PREDICTIONS_BYTES,
    }
    return render(request, "submit.html", ctx, status=status)

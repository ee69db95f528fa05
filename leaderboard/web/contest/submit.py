"""The submit page: look at the file for free, then hand it in."""

import io
import uuid
from dataclasses import dataclass
from typing import Any

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.actions.checks import Verdict, checks_left, look, mend
from leaderboard.actions.checks import check as check_action
from leaderboard.actions.refusals import Refused
from leaderboard.actions.submissions import submit as submit_action
from leaderboard.celery import waking
from leaderboard.competitions import schedule
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import terms_due
from leaderboard.submissions import ledger
from leaderboard.submissions.intake import Upload
from leaderboard.teams.models import Team
from leaderboard.web import errors, find, frame
from leaderboard.web.charts.day import day_strips
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import NoteForm, SubmitForm
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload, carried, uncarried
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission

# Above this the second step without script asks for the file again instead of carrying it along.
CARRIED_BYTES = 2_000_000

NOTHING = Upload(name="", data=b"")
NO_FILE = Refused("no_file", status=422)


@dataclass(frozen=True)
class Looked:
    """A file that was sent: what the check said, and what its second step needs.

    `verdict` is None if a rule said no before anybody looked; `refusal` is its answer.
    """

    upload: Upload
    verdict: Verdict | None
    refusal: Refused | None
    key: str
    carried: str
    fixable: int
    form: NoteForm


@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(PREDICTIONS_BYTES, sender=find.members)
def submit(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submit`: the page, and the POST that uses one of today's slots."""
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    if request.method != "POST":
        return _page(request, competition, team)
    upload = _upload(request)
    form = SubmitForm(request.POST, auto_id="%s")
    if upload is None:
        return _refused(request, competition, team, NOTHING, NO_FILE, form)
    if not form.is_valid():
        return _checked(request, competition, team, upload, form, status=422)
    try:
        with waking(evaluate_next):
            submission = submit_action(
                team=team,
                user=find.person(request),
                upload=upload,
                key=form.cleaned_data["key"],
                note=form.cleaned_data["note"],
                method_name=form.cleaned_data["method_name"],
                at=request.received_at,
            )
    except InvalidSubmission:
        # Refused and counted as such already; to say why is no further check.
        verdict = look(team=team, user=find.person(request), upload=upload, at=request.received_at)
        return _judged(request, competition, team, upload, verdict, form, status=422)
    except Refused as refusal:
        return _refused(request, competition, team, upload, refusal, form)
    return redirect("submission", slug=competition.slug, submission_id=submission.id)


@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(PREDICTIONS_BYTES, sender=find.members)
def check(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submit/check`: the free look. A fragment for htmx, a page without script."""
    if request.method != "POST":  # somebody reloads the page that the POST answered with
        return redirect("submit", slug=slug)
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    upload = _upload(request)
    form = NoteForm(request.POST, auto_id="%s")
    if upload is None:
        return _refused(request, competition, team, NOTHING, NO_FILE, form)
    return _checked(request, competition, team, upload, form)


def _checked(
    request: WebRequest,
    competition: Competition,
    team: Team,
    upload: Upload,
    form: NoteForm,
    *,
    status: int = 200,
) -> HttpResponse:
    try:
        verdict = check_action(
            team=team, user=find.person(request), upload=upload, at=request.received_at
        )
    except Refused as refusal:
        return _refused(request, competition, team, upload, refusal, form)
    return _judged(request, competition, team, upload, verdict, form, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(PREDICTIONS_BYTES, sender=find.members)
def repaired(request: WebRequest, slug: str) -> HttpResponseBase:
    """`/c/<slug>/submit/repaired`: the same file, mended where that needs no guess."""
    if request.method != "POST":
        return redirect("submit", slug=slug)
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    upload = _upload(request)
    form = NoteForm(request.POST, auto_id="%s")
    if upload is None:
        return _refused(request, competition, team, NOTHING, NO_FILE, form)
    try:
        mended = mend(team=team, upload=upload, at=request.received_at)
    except Refused as refusal:
        return _refused(request, competition, team, upload, refusal, form)
    if mended.data is None:
        verdict = look(team=team, user=find.person(request), upload=upload, at=request.received_at)
        return _judged(request, competition, team, upload, verdict, form, status=422)
    name = upload.name.rsplit(".", 1)[0] or "predictions"
    return FileResponse(
        io.BytesIO(mended.data),
        as_attachment=True,
        filename=f"{name}-repaired.csv",
        content_type="text/csv; charset=utf-8",
    )


def _refused(
    request: WebRequest,
    competition: Competition,
    team: Team,
    upload: Upload,
    refusal: Refused,
    form: NoteForm,
) -> HttpResponse:
    """The file as it was sent, with why nobody looked at it, and the way to hand it in."""
    return errors.kept(_judged(request, competition, team, upload, refusal, form), refusal)


def _judged(
    request: WebRequest,
    competition: Competition,
    team: Team,
    upload: Upload,
    answer: Verdict | Refused,
    form: NoteForm,
    *,
    status: int = 200,
) -> HttpResponse:
    verdict = answer if isinstance(answer, Verdict) else None
    looked = Looked(
        upload=upload,
        verdict=verdict,
        refusal=answer if isinstance(answer, Refused) else None,
        key=uuid.uuid4().hex,
        carried=carried(upload.data) if len(upload.data) <= CARRIED_BYTES else "",
        fixable=sum(problem.times for problem in verdict.problems if problem.fixable)
        if verdict
        else 0,
        form=form,
    )
    if not request.htmx:
        return _page(request, competition, team, looked=looked, status=status)
    at = request.received_at
    ctx = {
        "looked": looked,
        "verdict": verdict,
        "competition": competition,
        "allowance": ledger.allowance(team, competition, at),
        "checks": checks_left(team, at),
    }
    return render(request, "parts/verdict.html" if verdict else "parts/unlooked.html", ctx)


def _page(
    request: WebRequest,
    competition: Competition,
    team: Team,
    *,
    looked: Looked | None = None,
    status: int = 200,
) -> HttpResponse:
    today = schedule.day(competition, request.received_at)
    late = ledger.counts_as_late(competition, request.received_at)
    lines = [line for line in ledger.entries(team, today.date) if line.late == late]
    allowance = ledger.allowance(team, competition, request.received_at)
    ctx: dict[str, Any] = {
        "frame": frame.around(request, competition, tab="submit"),
        "competition": competition,
        "team": team,
        "looked": looked,
        "verdict": looked.verdict if looked else None,
        "refusal": schedule.refusal(competition, request.received_at),
        "is_late": schedule.is_late(competition, request.received_at),
        "terms_due": terms_due(find.person(request), competition),
        "allowance": allowance,
        "checks": checks_left(team, request.received_at),
        "key": uuid.uuid4().hex,
        "ledger": lines,
        "day_strips": day_strips(lines, today, request.received_at, competition.zoneinfo),
        "limit": PREDICTIONS_BYTES,
    }
    return render(request, "submit.html", ctx, status=status)


def _upload(request: WebRequest) -> Upload | None:
    """The chosen file, or the one that the first step without script carried along."""
    chosen = request.FILES.get("file")
    if chosen is not None:
        return Upload(name=chosen.name or "", data=chosen.read())
    data = uncarried(request.POST.get("carried", ""))
    if not data or len(data) > PREDICTIONS_BYTES:
        return None
    return Upload(name=request.POST.get("carried_name", ""), data=data)

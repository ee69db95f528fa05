"""The desk's baselines: the organizers' own files on the board, without a rank."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.baselines import (
    add_baseline,
    remove_baseline,
    rename_baseline,
    restore_baseline,
)
from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import overview
from leaderboard.submissions.intake import Upload
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.submissions import SubmissionLine, lines_of_submissions
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import BaselineForm
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission


@dataclass(frozen=True)
class BaselineLine:
    """One baseline with its files, newest first. Removed: none of them is on the board."""

    team: Team
    files: tuple[SubmissionLine, ...]

    @property
    def removed(self) -> bool:
        return all(getattr(one.submission, "exclusion", None) for one in self.files)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(PREDICTIONS_BYTES, sender=find.editors)
def desk_baselines(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/baselines`: POST with `verb` adds, renames, removes or restores one."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition, BaselineForm())
    if request.POST.get("verb") == "add":
        return _add(request, competition)
    try:
        _decide(request, competition)
    except Refused as refusal:
        page = partial(_page, request, competition, BaselineForm())
        return errors.refused(request, refusal, page)
    return redirect("desk_baselines", slug=slug)


def _add(request: WebRequest, competition: Competition) -> HttpResponse:
    form = BaselineForm(request.POST)
    file = request.FILES.get("file")
    if file is None:
        form.add_error("name", _("Choose a file."))
    if file is None or not form.is_valid():
        return _page(request, competition, form, status=422)
    try:
        with waking(evaluate_next):
            add_baseline(
                competition=competition,
                user=find.person(request),
                name=form.cleaned_data["name"],
                upload=Upload(name=file.name or "", data=file.read()),
                at=request.received_at,
            )
    except InvalidSubmission as invalid:
        return _page(request, competition, form, invalid=invalid, status=422)
    except Refused as refusal:
        form.add_error("name", f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        return _page(request, competition, form, status=refusal.status)
    messages.success(request, _("Baseline added. It appears on the board once it is scored."))
    return redirect("desk_baselines", slug=competition.slug)


def _decide(request: WebRequest, competition: Competition) -> None:
    """The verb of the button that was pressed. Raises Refused."""
    verb, user, at = request.POST.get("verb"), find.person(request), request.received_at
    if verb not in ("rename", "remove", "restore"):
        return
    team = _baseline(request, competition)
    if verb == "rename":
        rename_baseline(team=team, user=user, name=request.POST.get("name", ""), at=at)
        messages.success(request, _("Baseline renamed."))
    elif verb == "remove":
        remove_baseline(team=team, user=user, at=at)
        messages.success(request, _("The baseline is off the boards."))
    else:
        restore_baseline(team=team, user=user, at=at)
        messages.success(request, _("The baseline is back on the boards."))


def _baseline(request: WebRequest, competition: Competition) -> Team:
    try:
        wanted = UUID(request.POST.get("baseline", ""))
    except ValueError:
        raise Http404 from None
    return get_object_or_404(baselines(competition), pk=wanted)


def _page(
    request: WebRequest,
    competition: Competition,
    form: BaselineForm,
    *,
    invalid: InvalidSubmission | None = None,
    status: int = 200,
) -> HttpResponse:
    handed_in = overview.of_competition(competition).filter(team__kind=Team.Kind.BASELINE)
    files: dict[UUID, list[SubmissionLine]] = {}
    for line in lines_of_submissions(request, competition, list(handed_in)):
        files.setdefault(line.submission.team_id, []).append(line)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_baselines"),
        "lines": [
            BaselineLine(team, tuple(files.get(team.pk, ()))) for team in baselines(competition)
        ],
        "form": form,
        "invalid": invalid,
        "limit": PREDICTIONS_BYTES,
    }
    return render(request, "desk/baselines.html", ctx, status=status)

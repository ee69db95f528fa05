"""The organizer's desk: golds and scoring versions. A 404 for everybody else."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.actions.make_live import make_live as make_live_action
from leaderboard.actions.refusals import Refused
from leaderboard.actions.upload_golds import upload_golds
from leaderboard.competitions.models import Competition
from leaderboard.references import queries as references
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.intake import Upload
from leaderboard.web.forms import GoldsForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import ORGANIZER_BYTES, accepts_upload
from leaderboard.web.views import errors, find, frame
from scoring.problems import InvalidReferences
from scoring.profile import PRESETS
from scoring.tokenizers import NAMES


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(ORGANIZER_BYTES)
def golds(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/golds`: upload golds, read what the checks say, see all versions."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _golds_page(request, competition, _golds_form(competition))
    form = GoldsForm(request.POST)
    files = [
        Upload(name=file.name or "", data=file.read()) for file in request.FILES.getlist("files")
    ]
    if not files:
        messages.error(request, _("파일을 골라 주세요."))
        return _golds_page(request, competition, form, status=422)
    if not form.is_valid():
        return _golds_page(request, competition, form, status=422)
    try:
        version = upload_golds(
            competition=competition,
            user=find.person(request),
            files=files,
            preset=form.cleaned_data["preset"],
            tokenizer=form.cleaned_data["tokenizer"],
            seed=form.cleaned_data["seed"],
            at=request.received_at,
        )
    except InvalidReferences as invalid:
        return _golds_page(request, competition, form, invalid=invalid, status=422)
    except Refused as refusal:
        return errors.refused(request, refusal)
    messages.success(
        request,
        _("정답을 확인하고 v%(number)d 초안을 만들었습니다. 아직 아무것도 바뀌지 않았습니다.")
        % {"number": version.number},
    )
    return redirect("desk_golds", slug=competition.slug)


@login_required
@require_POST
def make_live(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """Let the board be scored with this version from now on."""
    competition = find.competition_to_run(request, slug)
    version = get_object_or_404(ScoringVersion, competition=competition, pk=version_id)
    try:
        make_live_action(version=version, user=find.person(request), at=request.received_at)
    except Refused as refusal:
        messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
    else:
        messages.success(
            request,
            _("v%(number)d 적용했습니다. 이제 제출을 받습니다.") % {"number": version.number},
        )
    return redirect("desk_golds", slug=competition.slug)


def _golds_form(competition: Competition) -> GoldsForm:
    return GoldsForm(
        initial={"preset": competition.preset, "tokenizer": competition.tokenizer, "seed": 1}
    )


def _golds_page(
    request: WebRequest,
    competition: Competition,
    form: GoldsForm,
    *,
    invalid: InvalidReferences | None = None,
    status: int = 200,
) -> HttpResponse:
    versions = references.versions(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "form": form,
        "invalid": invalid,
        "versions": [(version, references.checks(version.reference_set)) for version in versions],
        "has_live": any(version.state == ScoringVersion.State.LIVE for version in versions),
        "presets": PRESETS,
        "tokenizers": NAMES,
        "limit": ORGANIZER_BYTES,
    }
    return render(request, "desk/golds.html", ctx, status=status)

"""The desk's dev set: golds and dialogues that participants may read and practise on."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.refusals import Refused
from leaderboard.actions.release_dev_set import release_dev_set
from leaderboard.actions.release_dialogues import release_dialogues
from leaderboard.actions.upload_dev_set import upload_dev_set
from leaderboard.actions.upload_dialogues import upload_dialogues
from leaderboard.competitions.models import Competition
from leaderboard.references.models import DialogueSet, ReferenceSet
from leaderboard.references.queries import ReferenceChecks, checks
from leaderboard.references.released import dialogue_sets, practice_sets, released_set
from leaderboard.submissions.intake import Upload
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import ORGANIZER_BYTES, accepts_upload
from leaderboard.web.views import find, frame
from scoring.problems import InvalidFile


@dataclass(frozen=True)
class DevSetLine:
    """One uploaded set: handed out, or waiting for it."""

    reference_set: ReferenceSet
    checks: ReferenceChecks
    is_released: bool
    is_current: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(ORGANIZER_BYTES, sender=find.editors)
def desk_dev_set(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/dev-set`: upload and look first, release then; a release stays."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    try:
        said = _decide(request, competition)
    except InvalidFile as invalid:
        return _page(request, competition, invalid=invalid, status=422)
    except Refused as refusal:
        messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
    else:
        if said is None:
            messages.error(request, _("파일을 골라 주세요."))
            return _page(request, competition, status=422)
        messages.success(request, said)
    return redirect("desk_dev_set", slug=competition.slug)


def _decide(request: WebRequest, competition: Competition) -> str | None:
    """Do what the pressed button says; None where its file is missing."""
    user, at = find.person(request), request.received_at
    files = [Upload(file.name or "", file.read()) for file in request.FILES.getlist("files")]
    match request.POST.get("verb"):
        case "upload" if files:
            upload_dev_set(competition=competition, user=user, files=files, at=at)
            return _("dev 묶음을 확인하고 두었습니다. 아직 아무도 보지 못합니다.")
        case "upload_dialogues" if files:
            upload_dialogues(competition=competition, user=user, upload=files[0], at=at)
            return _("대화를 확인하고 두었습니다. 아직 아무도 보지 못합니다.")
        case "release":
            chosen = get_object_or_404(ReferenceSet, competition=competition, pk=_id(request))
            release_dev_set(reference_set=chosen, user=user, at=at)
            return _("dev 묶음을 공개했습니다. 이제 참가자가 받고 채점해 볼 수 있습니다.")
        case "release_dialogues":
            dialogues = get_object_or_404(DialogueSet, competition=competition, pk=_id(request))
            release_dialogues(dialogue_set=dialogues, user=user, at=at)
            return _("대화를 공개했습니다.")
    return None


def _id(request: WebRequest) -> UUID:
    try:
        return UUID(request.POST.get("id", ""))
    except ValueError:
        raise Http404 from None


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    invalid: InvalidFile | None = None,
    status: int = 200,
) -> HttpResponse:
    current = released_set(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_dev_set"),
        "competition": competition,
        "lines": [
            DevSetLine(
                reference_set=one,
                checks=checks(one),
                is_released=hasattr(one, "release"),
                is_current=one == current,
            )
            for one in practice_sets(competition)
        ],
        "dialogue_sets": dialogue_sets(competition),
        "invalid": invalid,
        "limit": ORGANIZER_BYTES,
    }
    return render(request, "desk/dev_set.html", ctx, status=status)

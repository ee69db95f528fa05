"""The desk's dev set: golds and dialogues that participants may read and practise on."""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.decisions import Preview
from leaderboard.actions.references import (
    preview_dialogues,
    preview_release,
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
)
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.references.models import DialogueSet, ReferenceSet
from leaderboard.references.queries import ReferenceChecks, checks
from leaderboard.references.released import dialogue_sets, practice_sets, released_set
from leaderboard.submissions.intake import Upload
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.uploads import ORGANIZER_BYTES, accepts_upload
from scoring.findings import InvalidFile


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
        if request.POST.get("verb") in ("release", "release_dialogues"):
            return _release(request, competition)
        said = _keep(request, competition)
    except InvalidFile as invalid:
        return _page(request, competition, invalid=invalid, status=422)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition))
    if said is None:
        messages.error(request, _("Choose a file."))
        return _page(request, competition, status=422)
    messages.success(request, said)
    return redirect("desk_dev_set", slug=competition.slug)


def _keep(request: WebRequest, competition: Competition) -> str | None:
    """Check and keep what was sent; None where the file is missing."""
    user, at = find.person(request), request.received_at
    files = [Upload(file.name or "", file.read()) for file in request.FILES.getlist("files")]
    match request.POST.get("verb"):
        case "upload" if files:
            upload_dev_set(competition=competition, user=user, files=files, at=at)
            return _("The dev set was checked and kept. Nobody can see it yet.")
        case "upload_dialogues" if files:
            upload_dialogues(competition=competition, user=user, upload=files[0], at=at)
            return _("The dialogues were checked and kept. Nobody can see them yet.")
    return None


def _release(request: WebRequest, competition: Competition) -> HttpResponse:
    """Show who could read it; from that page, hand it out."""
    user, at, seen = find.person(request), request.received_at, request.POST.get("seen", "")
    if request.POST["verb"] == "release":
        golds = get_object_or_404(ReferenceSet, competition=competition, pk=_id(request))
        found = preview_release(reference_set=golds, user=user)
        if seen != found.digest:
            return _page(request, competition, looked_at=golds, found=found)
        release_dev_set(reference_set=golds, user=user, seen=seen, at=at)
        said = _("The dev set is released. Participants can now download it and score against it.")
    else:
        dialogues = get_object_or_404(DialogueSet, competition=competition, pk=_id(request))
        found = preview_dialogues(dialogue_set=dialogues, user=user)
        if seen != found.digest:
            return _page(request, competition, looked_at=dialogues, found=found)
        release_dialogues(dialogue_set=dialogues, user=user, seen=seen, at=at)
        said = _("The dialogues are released.")
    messages.success(request, said)
    return redirect("desk_dev_set", slug=competition.slug)


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
    looked_at: ReferenceSet | DialogueSet | None = None,
    found: Preview | None = None,
    status: int = 200,
) -> HttpResponse:
    """`found` is what releasing the set `looked_at` would do, to be confirmed."""
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
        "looked_at": looked_at,
        "found": found,
        "verb": request.POST.get("verb"),
        "limit": ORGANIZER_BYTES,
    }
    return render(request, "desk/dev_set.html", ctx, status=status)

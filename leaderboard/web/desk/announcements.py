"""The desk's announcements: what was said to whom, saying something new, putting it right.

Both reach inboxes: the first POST shows what would be said, the one from that page says it.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import prefetch_related_objects
from django.forms import ModelMultipleChoiceField
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.announcements import (
    announce,
    correct_announcement,
    preview_announcement,
    preview_correction,
)
from leaderboard.actions.decisions import Preview
from leaderboard.actions.refusals import Refused
from leaderboard.community.announcements import announcements, may_correct
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition
from leaderboard.teams.queries import participants
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import AnnouncementForm, CorrectionForm
from leaderboard.web.templatetags.formatting import spoken


@dataclass(frozen=True)
class SaidLine:
    """One announcement. The form is there for who may correct it, open while they do."""

    announcement: Announcement
    form: CorrectionForm | None
    is_open: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_announcements(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/announcements`: for every organizer, assistants too."""
    competition = find.competition_to_speak_in(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    match request.POST.get("verb", "announce"):
        case "announce":
            return _announce(request, competition)
        case "correct":
            return _correct(request, competition)
        case _:
            return errors.bad_request(request)


def _announce(request: WebRequest, competition: Competition) -> HttpResponse:
    form = _form(request, competition)
    if not form.is_valid():
        return _page(request, competition, form=form, status=422)
    said, seen = form.cleaned_data, request.POST.get("seen", "")
    to_teams = said["audience"] == Announcement.Audience.TEAMS
    wanted: dict[str, Any] = {
        **said,
        "teams": list(said["teams"]) if to_teams else [],
        "competition": competition,
        "user": find.person(request),
    }
    try:
        found = preview_announcement(**wanted)
        if seen != found.digest:
            return _page(request, competition, form=form, found=found)
        announce(seen=seen, at=request.received_at, **wanted)
    except Refused as refusal:
        place = "teams" if refusal.code == "unknown_audience" else "text"
        form.add_error(place, spoken(refusal))
        return _page(request, competition, form=form, status=refusal.status)
    messages.success(request, _("Announced."))
    return redirect("desk_announcements", slug=competition.slug)


def _correct(request: WebRequest, competition: Competition) -> HttpResponse:
    try:
        key = UUID(request.POST.get("id", ""))
    except ValueError:
        raise Http404 from None
    said = get_object_or_404(
        Announcement.objects.select_related("competition"), competition=competition, pk=key
    )
    form = CorrectionForm(request.POST, auto_id=f"{key}_%s")
    if not form.is_valid():
        return _page(request, competition, correcting=(said, form), status=422)
    wanted = {"announcement": said, "user": find.person(request), **form.cleaned_data}
    seen = request.POST.get("seen", "")
    try:
        found = preview_correction(**wanted)
        if seen != found.digest:
            return _page(request, competition, correcting=(said, form), found=found)
        correct_announcement(seen=seen, at=request.received_at, **wanted)
    except Refused as refusal:
        form.add_error("text", spoken(refusal))
        return _page(request, competition, correcting=(said, form), status=refusal.status)
    messages.success(
        request, _("The announcement is corrected. Who was told was told the new words.")
    )
    return redirect("desk_announcements", slug=competition.slug)


def _form(request: WebRequest, competition: Competition) -> AnnouncementForm:
    own = request.method == "POST" and request.POST.get("verb", "announce") == "announce"
    form = AnnouncementForm(request.POST if own else None)
    teams = form.fields["teams"]
    assert isinstance(teams, ModelMultipleChoiceField)
    teams.queryset = participants(competition)
    return form


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    form: AnnouncementForm | None = None,
    correcting: tuple[Announcement, CorrectionForm] | None = None,
    found: Preview | None = None,
    status: int = 200,
) -> HttpResponse:
    """`found` is what saying or correcting would do, to be confirmed."""
    said = announcements(competition, request.user)
    prefetch_related_objects(said, "teams")
    ctx = {
        "frame": frame.around(request, competition, tab="desk_announcements"),
        "lines": [_line(request, competition, one, correcting) for one in said],
        "form": form or _form(request, competition),
        "found": found,
        "announcing": found if correcting is None else None,
    }
    return render(request, "desk/announcements.html", ctx, status=status)


def _line(
    request: WebRequest,
    competition: Competition,
    said: Announcement,
    correcting: tuple[Announcement, CorrectionForm] | None,
) -> SaidLine:
    if correcting is not None and correcting[0] == said:
        return SaidLine(said, correcting[1], is_open=True)
    if not may_correct(said, find.person(request), find.visit(request, competition.slug).role):
        return SaidLine(said, None, is_open=False)
    words = {"text": said.text, "text_en": said.text_en}
    return SaidLine(said, CorrectionForm(initial=words, auto_id=f"{said.pk}_%s"), is_open=False)

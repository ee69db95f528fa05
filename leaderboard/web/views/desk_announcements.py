"""The desk's announcements: what was said to whom, and saying something new."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import prefetch_related_objects
from django.forms import ModelMultipleChoiceField
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.announce import announce
from leaderboard.actions.refusals import Refused
from leaderboard.community.models import Announcement
from leaderboard.community.queries import announcements
from leaderboard.competitions.models import Competition
from leaderboard.teams.queries import participants
from leaderboard.web.forms import AnnouncementForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find, frame


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_announcements(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/announcements`: for every organizer, assistants too."""
    competition = find.competition_to_speak_in(request, slug)
    form = _form(request, competition)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                _announce(request, competition, form)
            except Refused as refusal:
                status = refusal.status
                place = "teams" if refusal.code == "unknown_audience" else "text"
                form.add_error(place, spoken(refusal))
            else:
                messages.success(request, _("공지했습니다."))
                return redirect("desk_announcements", slug=competition.slug)
    said = announcements(competition, request.user)
    prefetch_related_objects(said, "teams")
    ctx = {
        "frame": frame.around(request, competition, tab="desk_announcements"),
        "announcements": said,
        "form": form,
    }
    return render(request, "desk/announcements.html", ctx, status=status)


def _form(request: WebRequest, competition: Competition) -> AnnouncementForm:
    form = AnnouncementForm(request.POST if request.method == "POST" else None)
    teams = form.fields["teams"]
    assert isinstance(teams, ModelMultipleChoiceField)
    teams.queryset = participants(competition)
    return form


def _announce(request: WebRequest, competition: Competition, form: AnnouncementForm) -> None:
    said = form.cleaned_data
    to_teams = said["audience"] == Announcement.Audience.TEAMS
    announce(
        competition=competition,
        user=find.person(request),
        text=said["text"],
        text_en=said["text_en"],
        audience=said["audience"],
        teams=list(said["teams"]) if to_teams else [],
        pinned=said["pinned"],
        at=request.received_at,
    )

"""The desk's teams: who is in which, and putting a person into another."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.put_in_team import put_in_team
from leaderboard.actions.refusals import Refused
from leaderboard.teams import queries as teams
from leaderboard.teams.models import Team
from leaderboard.web.forms import PutInTeamForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find, frame


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_teams(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/teams`: who is in which team; put a person into another."""
    competition = find.competition_to_run(request, slug)
    form = PutInTeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = get_object_or_404(Team, competition=competition, pk=form.cleaned_data["team"])
        try:
            put_in_team(
                competition=competition,
                user=find.person(request),
                username=form.cleaned_data["username"],
                team=team,
                at=request.received_at,
            )
        except Refused as refusal:
            form.add_error("username", f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        else:
            messages.success(request, _("팀을 옮겼습니다."))
            return redirect("desk_teams", slug=competition.slug)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_teams"),
        "roster": teams.roster(competition),
        "form": form,
    }
    return render(request, "desk/teams.html", ctx, status=422 if form.errors else 200)

"""The team's own page: who is in it, and its name."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.refusals import Refused
from leaderboard.actions.teams import rename_team
from leaderboard.teams.queries import members
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest


@require_http_methods(["GET", "HEAD", "POST"])
def team(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/team`: its members; a POST with `name` gives it another name."""
    competition = find.competition(request, slug)
    own = find.team_or_way_in(request, competition)
    if isinstance(own, HttpResponse):
        return own
    ctx = {
        "frame": frame.around(request, competition, tab="submit"),
        "competition": competition,
        "team": own,
        "members": members(own),
    }
    if request.method != "POST":
        return render(request, "team.html", ctx)
    name, at = request.POST.get("name", ""), request.received_at
    try:
        rename_team(team=own, user=find.person(request), name=name, at=at)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(render, request, "team.html", ctx))
    messages.success(request, _("Team renamed."))
    return redirect("team", slug=slug)

"""A team's own quota ledger: every charge, refund and grant, with the reason."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.submissions.ledger import allowance, by_day
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame


@require_safe
def ledger(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/ledger`: the whole ledger, a table for each contest day, newest first."""
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    ctx = {
        "frame": frame.around(request, competition, tab="submit"),
        "competition": competition,
        "team": team,
        "allowance": allowance(team, competition, request.received_at),
        "days": by_day(team),
        "on_desk": False,
    }
    return render(request, "ledger.html", ctx)

"""The desk's first page. A 404 for everybody but owners and editors."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.evaluation import queries as evaluation
from leaderboard.references import queries as references
from leaderboard.teams import queries as teams
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame


@login_required
@require_safe
def desk(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/`: how the contest stands, at a glance."""
    competition = find.competition_to_run(request, slug)
    roster = teams.roster(competition)
    states = evaluation.counts(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk"),
        "versions": references.versions(competition),
        "roster": roster,
        "people": sum(len(line.members) for line in roster),
        "submissions": sum(states.values()),
        "scored": states.get("done", 0),
        "failed": states.get("failed", 0),
        "health": evaluation.health(request.received_at),
    }
    return render(request, "desk/overview.html", ctx)

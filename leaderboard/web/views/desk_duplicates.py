"""The desk's duplicates report: which teams handed in the same or nearly the same answers."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.submissions.duplicates import THRESHOLD, duplicates
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame

SHOWN = 200  # pairs of teams; the strongest come first


@login_required
@require_safe
def desk_duplicates(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/duplicates`: computed anew on each visit; nothing follows from it."""
    competition = find.competition_to_run(request, slug)
    report = duplicates(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_duplicates"),
        "report": report,
        "shown": report.likenesses[:SHOWN],
        "threshold": round(THRESHOLD * 100),
    }
    return render(request, "desk/duplicates.html", ctx)

"""The server page: whether scoring works, how long it takes, and when it last failed.

Asked by the page itself (htmx) it answers only whether scoring stands still.
"""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.competitions.roles import organized_by
from leaderboard.evaluation.health import load, stalled, workers
from leaderboard.evaluation.overview import server_scoring
from leaderboard.operations import clock
from leaderboard.submissions.orphans import last_round
from leaderboard.web import find, frame
from leaderboard.web.find import WebRequest


@require_safe
def status(request: WebRequest) -> HttpResponse:
    """`/status`: of the whole server, for everybody; what administrators should know, for them."""
    if request.htmx:
        return stall_alone(request, rehearsals=False)
    is_staff = request.user.is_staff
    is_told = is_staff or organized_by(request.user).exists()
    ctx = {
        "clock": clock.difference() if is_told else None,
        "load": load(request.received_at),
        "files": last_round() if is_staff else None,
        "server": server_scoring(request.received_at) if is_staff else None,
        "workers": workers(request.received_at) if is_staff else (),
        "trash_days": settings.TRASH_DAYS,
        "now": request.received_at,
        "zone": timezone.get_current_timezone(),
    }
    return render(request, "status.html", ctx)


@require_safe
def contest_status(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/status`: the same of one contest, in its own zone."""
    competition = find.competition(request, slug)
    if request.htmx:
        return stall_alone(request, rehearsals=False)
    is_told = request.user.is_staff or find.visit(request, slug).role is not None
    ctx = {
        "frame": frame.around(request, competition, tab="contest_status"),
        "clock": clock.difference() if is_told else None,
        "load": load(request.received_at, competition),
        "now": request.received_at,
        "zone": competition.zoneinfo,
    }
    return render(request, "contest_status.html", ctx)


def stall_alone(request: WebRequest, *, rehearsals: bool) -> HttpResponse:
    """The part of a page that comes and goes with a standstill; `rehearsals` are for organizers."""
    ctx = {
        "stall": stalled(request.received_at, rehearsals=rehearsals),
        "for_organizers": rehearsals,
        "now": request.received_at,
    }
    return render(request, "parts/stall.html", ctx)

"""The desk's first page. A 404 for everybody but owners and editors."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from leaderboard.community.announcements import last_announcement
from leaderboard.competitions.schedule import day
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.overview import scoring
from leaderboard.operations import clock
from leaderboard.references import queries as references
from leaderboard.references.queries import may_open, opening_steps
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.teams.membership import waiting_requests
from leaderboard.teams.queries import headcount
from leaderboard.web import find, frame
from leaderboard.web.charts.days import contest_days, day_bars
from leaderboard.web.contest.status import stall_alone
from leaderboard.web.find import WebRequest

# What the codes mean that we give ourselves; any other is the name of an exception.
FAILURES = {
    "worker_lost": gettext_lazy("The worker stopped responding"),
    Evaluation.IDS_CHANGED: gettext_lazy("Lacks ids of the new golds"),
}


@login_required
@require_safe
def desk(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/`: how the contest stands, at a glance.

    Asked by a page of the desk itself (htmx) it answers only whether scoring stands still.
    """
    competition = find.competition_to_run(request, slug)
    if request.htmx:
        return stall_alone(request, rehearsals=True)
    state = scoring(competition)
    today = day(competition, request.received_at).date
    taken = taken_by_day(competition)
    days = contest_days(taken, day(competition, competition.opens_at).date, today)
    opening = opening_steps(competition, request.received_at)
    ctx = {
        "frame": frame.around(request, competition, tab="desk"),
        "competition": competition,
        "clock": clock.difference(),
        "opening": opening,
        "may_open": may_open(opening),
        "versions": references.versions(competition),
        "headcount": headcount(competition),
        "requests_waiting": waiting_requests(competition),
        "taken": sum(taken.values()),
        "taken_today": taken.get(today, 0),
        "scoring": state,
        "failures": [(one, FAILURES.get(one.code, "")) for one in state.failures],
        "days": days[::-1],
        "bars": day_bars(days, today),
        "announcement": last_announcement(competition),
    }
    return render(request, "desk/overview.html", ctx)

"""The list of contests, and a contest's overview."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.community.announcements import announcements
from leaderboard.competitions import roles
from leaderboard.competitions import schedule as dates
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import newest_terms, terms_due
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.teams import queries as teams
from leaderboard.teams.membership import request_of
from leaderboard.teams.models import Team
from leaderboard.web import find, frame
from leaderboard.web.contest import explanation
from leaderboard.web.find import WebRequest


@dataclass(frozen=True)
class ContestLine:
    """One contest of the list."""

    competition: Competition
    phase: Phase
    paused: bool
    held: bool
    teams: int
    own_team: Team | None
    organized: bool


@dataclass(frozen=True)
class Milestone:
    """One date of the schedule; `here` is the present moment among them."""

    at: datetime
    title: str
    text: str
    state: str


@require_safe
def home(request: WebRequest) -> HttpResponse:
    """`/`: the contests that this person may know of, running ones first."""
    order = [Phase.OPEN, Phase.UPCOMING, Phase.CLOSED, Phase.REVEALED]
    organized = set(roles.organized_by(request.user).values_list("pk", flat=True))
    lines = [
        ContestLine(
            competition=competition,
            phase=phase(competition, request.received_at),
            paused=dates.is_paused(competition, request.received_at),
            held=dates.is_held(competition, request.received_at),
            teams=teams.count(competition),
            own_team=teams.team_of(request.user, competition),
            organized=competition.pk in organized,
        )
        for competition in teams.visible_to(request.user)
    ]
    ctx = {
        "lines": sorted(lines, key=lambda line: order.index(line.phase)),
        "now": request.received_at,
        "may_create": roles.may_create(request.user),
    }
    return render(request, "home.html", ctx)


@require_safe
def overview(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/`: introduction, how scores are made (printed from the profile), dates, rules."""
    competition = find.competition(request, slug)
    visit = find.visit(request, slug)
    version, team = visit.version, visit.team
    ctx = {
        "frame": frame.around(request, competition, tab="overview"),
        "team": team,
        "asked": None if team else request_of(request.user, competition),
        "terms": newest_terms(competition),
        "terms_due": terms_due(find.person(request), competition) if team else None,
        "version": version,
        "explained": explanation.of(competition, version),
        "announcements": announcements(competition, request.user),
        "milestones": schedule(competition, request.received_at),
    }
    return render(request, "overview.html", ctx)


def schedule(competition: Competition, now: datetime) -> list[Milestone]:
    """The dates in order with the present, and a pause, among them."""
    held = dates.is_held(competition, now)
    lines = [
        (competition.opens_at, _("Opens"), _("Data and sample released")),
        (
            competition.closes_at,
            _("Closes"),
            _("Files received before this instant count, even if they are scored later"),
        ),
        (
            competition.reveals_at,
            _("Verifying results (reveal held)") if held else _("Results revealed"),
            _("Held until the winners' code is verified")
            if competition.reveal_held
            else _("Private ranks"),
        ),
    ]
    if competition.freezes_at is not None:
        frozen = (
            competition.freezes_at,
            _("Board freeze"),
            _("Other teams’ rows are frozen until the reveal"),
        )
        lines.insert(1, frozen)
    if competition.team_merge_until is not None:
        lines.insert(1, (competition.team_merge_until, _("Last day to merge teams"), ""))
    lines.sort(key=lambda line: line[0])
    if competition.paused_at is not None and dates.is_paused(competition, now):
        lines.insert(1, (competition.paused_at, _("Paused"), competition.pause_reason))
    milestones = [
        Milestone(at, title, text, "past" if at <= now else "") for at, title, text in lines
    ]
    if held:  # its date has passed, but it has not happened
        milestones[-1] = replace(milestones[-1], state="")
    here = Milestone(now, _("Now"), "", "here")
    passed = sum(1 for milestone in milestones if milestone.state == "past")
    return [*milestones[:passed], here, *milestones[passed:]]

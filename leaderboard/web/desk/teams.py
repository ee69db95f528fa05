"""The desk's teams: find one, see its ledger, grant, warn, disqualify, reinstate."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.discipline import disqualify, reinstate, warn
from leaderboard.actions.refusals import Refused
from leaderboard.actions.teams import grant, grant_days, put_in_team
from leaderboard.audit.log import about
from leaderboard.competitions.models import Competition
from leaderboard.submissions import ledger
from leaderboard.submissions.queries import Activity, activity, teams_page
from leaderboard.teams.models import Team
from leaderboard.teams.queries import members, participants
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.desk.forms import DisqualifyForm, GrantForm, ReinstateForm, WarnForm
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import PutInTeamForm
from leaderboard.web.templatetags.formatting import spoken

FORMS: dict[str, type[forms.Form]] = {
    "grant": GrantForm,
    "warn": WarnForm,
    "disqualify": DisqualifyForm,
    "reinstate": ReinstateForm,
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_teams(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/teams`: search all; a POST puts a person into a team."""
    competition = find.competition_to_run(request, slug)
    form = PutInTeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        team = get_object_or_404(Team, competition=competition, pk=form.cleaned_data["team"])
        try:
            put = put_in_team(
                competition=competition,
                user=find.person(request),
                username=form.cleaned_data["username"],
                team=team,
                at=request.received_at,
            )
        except Refused as refusal:
            form.add_error("username", f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        else:
            said = _("The person was moved.")
            if put.left_empty is not None:
                said += " " + _(
                    "The team before (%(name)s) stays, without people, for the attempts "
                    "granted in its ledger. They do not follow: grant them to the new team if "
                    "needed."
                ) % {"name": put.left_empty.name}
            messages.success(request, said)
            return redirect("desk_teams", slug=competition.slug)
    query = request.GET.get("q", "")[:200].strip()
    ctx = {
        "frame": frame.around(request, competition, tab="desk_teams"),
        "found": teams_page(competition, query=query, page=find.page_number(request)),
        "query": query,
        "view": urlencode({"q": query}),
        "form": form,
    }
    return render(request, "desk/teams.html", ctx, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_team(request: WebRequest, slug: str, team_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/teams/<id>`: all about one; POST with `verb` decides about it."""
    competition = find.competition_to_run(request, slug)
    known = participants(competition).select_related("competition", "captain")
    team = get_object_or_404(known, pk=team_id)
    if request.method != "POST":
        return _page(request, team)
    verb = request.POST.get("verb", "")
    if verb not in FORMS:
        return errors.bad_request(request)
    form = FORMS[verb](request.POST, auto_id=f"{verb}_%s")
    if not form.is_valid():
        return _page(request, team, bound={verb: form}, status=422)
    try:
        said = _decide(request, team, verb, form.cleaned_data)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, team, bound={verb: form}))
    messages.success(request, said)
    return redirect("desk_team", slug=slug, team_id=team.pk)


def _decide(request: WebRequest, team: Team, verb: str, sent: dict[str, Any]) -> str:
    """Do what the pressed button says, and answer what was done. Raises Refused."""
    who: dict[str, Any] = {
        "team": team,
        "user": find.person(request),
        "reason": sent["reason"],
        "at": request.received_at,
    }
    if verb == "grant":
        grant(amount=sent["amount"], on=sent["day"], **who)
        return _("Granted, and the team was told.")
    roads: dict[str, tuple[Callable[..., None], str]] = {
        "warn": (warn, _("Every member was warned.")),
        "disqualify": (
            disqualify,
            _("Disqualified, and the team was told. What it handed in is kept."),
        ),
        "reinstate": (reinstate, _("The disqualification is lifted, and the team was told.")),
    }
    action, said = roads[verb]
    action(**who)
    return said


def _page(
    request: WebRequest,
    team: Team,
    *,
    bound: dict[str, forms.Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    competition: Competition = team.competition
    days = grant_days(competition, request.received_at)
    blank = {
        verb: form(auto_id=f"{verb}_%s", initial={"day": days.first} if days else None)
        for verb, form in FORMS.items()
    }
    ctx = {
        "frame": frame.around(request, competition, tab="desk_teams"),
        "competition": competition,
        "team": team,
        "members": members(team),
        "activity": activity([team.pk]).get(team.pk, Activity()),
        "allowance": ledger.allowance(team, competition, request.received_at),
        "days": ledger.by_day(team),
        "on_desk": True,
        "grantable": days,
        "forms": {**blank, **(bound or {})},
        "log": lines_of(competition, about(competition.pk, team.pk)),
    }
    return render(request, "desk/team.html", ctx, status=status)

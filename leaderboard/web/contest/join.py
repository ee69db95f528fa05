"""Coming into a contest: joining, asking to join, the address with a code, and the terms."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, Use, seconds_to_wait, take
from leaderboard.accounts.sign_in import address_of
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.actions.registration import accept_terms, request_to_join
from leaderboard.actions.registration import join as join_action
from leaderboard.actions.teams import rename_team
from leaderboard.competitions import roles, schedule
from leaderboard.competitions.models import Competition
from leaderboard.competitions.registration import (
    accepted_at,
    by_code,
    may_read_unjoined,
    newest_terms,
    terms_due,
)
from leaderboard.teams import queries as teams
from leaderboard.teams.membership import request_of
from leaderboard.teams.queries import members
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.forms import AcceptForm, JoinForm
from leaderboard.web.find import WebRequest

Kind = Competition.Registration
# Only wrong guesses of codes and listed addresses count, so a class that joins in one minute from
# one address is not stopped.
BY_ADDRESS = Limit("guess.address", 300, timedelta(minutes=1))
BY_PERSON = Limit("guess.person", 10, timedelta(minutes=5))
GUESSES = ("wrong_code", "not_on_list", "address_used")
# Which field a refusal is said beside; all others stand above the form.
BESIDE = {
    "wrong_code": "code",
    "not_on_list": "email",
    "address_used": "email",
}
NAME_PROBLEM = "name_"  # begins the code of whatever is wrong with a team's name


# A stranger who wants to take part has no account yet; who has one finds the way on that page.
account_required = login_required(login_url="account_signup")


@account_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/join`: what the contest asks for and one button; joining makes a team of one."""
    return _join(request, find.competition(request, slug), code=None)


@account_required
@require_http_methods(["GET", "HEAD", "POST"])
def join_by_code(request: WebRequest, code: str) -> HttpResponse:
    """`/join/<code>`: the same for whoever has the contest's code, also if it is private."""
    if wait := _guess_wait(request):
        return errors.refused(request, too_many_tries(wait))
    competition = by_code(code)
    if competition is None:
        _wrong_guess(request)
        raise Http404
    return _join(request, competition, code=code)


def _join(request: WebRequest, competition: Competition, *, code: str | None) -> HttpResponse:
    person = find.person(request)
    if teams.team_of(person, competition) is not None:
        return redirect(safe_next(request, competition))
    form = _form(request, competition, person, code)
    if request.method != "POST":
        return _page(request, competition, form, code)
    if not form.is_valid():
        return _page(request, competition, form, code, status=422)
    if wait := _guess_wait(request):
        page = partial(_page, request, competition, form, code)
        return errors.refused(request, too_many_tries(wait), page)
    try:
        return _come_in(request, competition, person, form, code)
    except Refused as refusal:
        if refusal.code in GUESSES:
            _wrong_guess(request)
        is_name = refusal.code.startswith(NAME_PROBLEM)
        field = "team_name" if is_name else BESIDE.get(refusal.code)
        said = errors.whole(refusal)
        form.add_error(field if field in form.fields else None, said)
        return _page(request, competition, form, code, status=refusal.status)


def _come_in(
    request: WebRequest, competition: Competition, person: User, form: JoinForm, code: str | None
) -> HttpResponse:
    typed = form.cleaned_data
    who: dict[str, Any] = {
        "user": person,
        "competition": competition,
        "team_name": typed["team_name"] or None,
        "terms": form.agreed_to(),
        "at": request.received_at,
    }
    asked = request_of(person, competition)
    if competition.registration == Kind.APPROVAL and not (asked and asked.approved):
        request_to_join(**who)
        messages.success(
            request, _("You asked to join. Your inbox will tell you what the organizers decide.")
        )
        return redirect("join", slug=competition.slug)
    join_action(**who, code=code or typed.get("code", ""), email=typed.get("email", ""))
    messages.success(request, _("You have joined. The dialogues to summarize are on this page."))
    return redirect("data", slug=competition.slug)


def _form(
    request: WebRequest, competition: Competition, person: User, code: str | None
) -> JoinForm:
    form = JoinForm(request.POST if request.method == "POST" else None)
    if competition.registration != Kind.CODE or code is not None:
        del form.fields["code"]
    if competition.registration != Kind.ALLOW_LIST or person.email:
        del form.fields["email"]
    return form


def _page(
    request: WebRequest,
    competition: Competition,
    form: JoinForm,
    code: str | None,
    *,
    status: int = 200,
) -> HttpResponse:
    person = find.person(request)
    ctx: dict[str, Any] = {
        "competition": competition,
        "zone": competition.zoneinfo,
        "form": form,
        "is_organizer": roles.is_organizer(person, competition),
        "closed": not schedule.lets_join(competition, request.received_at),
        "late": schedule.is_late(competition, request.received_at),
        "readable": may_read_unjoined(competition, request.received_at),
        "asked": request_of(person, competition),
        "by_approval": competition.registration == Kind.APPROVAL,
        "by_list": competition.registration == Kind.ALLOW_LIST,
        "terms": terms_due(person, competition),
    }
    if code is not None:
        # Without the contest's frame: who came by the code may know of nothing else in it yet.
        return render(request, "join_by_code.html", ctx, status=status)
    ctx["frame"] = frame.around(request, competition, tab="overview")
    return render(request, "join.html", ctx, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def terms(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/terms`: the newest wording; members accept it here when it has changed."""
    competition = find.competition(request, slug)
    newest = newest_terms(competition)
    if newest is None:
        raise Http404
    status, error = 200, ""
    accepts = find.takes_terms(request, competition)
    if request.method == "POST":
        if not accepts and isinstance(
            way := find.team_or_way_in(request, competition), HttpResponse
        ):
            return way
        form = AcceptForm(request.POST)
        status, error = 422, _("Tick the box to accept.")
        if form.is_valid():
            try:
                accept_terms(
                    user=find.person(request),
                    competition=competition,
                    number=form.cleaned_data["terms"],
                    at=request.received_at,
                )
            except Refused as refusal:
                status = refusal.status
                error = errors.whole(refusal)
            else:
                messages.success(request, _("You accepted the terms."))
                return redirect(safe_next(request, competition))
    ctx = {
        "frame": frame.around(request, competition, tab="overview"),
        "terms": newest,
        "error": error,
        "accepts": accepts,
        "accepted": accepted_at(find.person(request), newest) if accepts else None,
        "next": safe_next(request, competition),
    }
    return render(request, "terms.html", ctx, status=status)


def safe_next(request: WebRequest, competition: Competition) -> str:
    """Where to go afterwards: the page asked for if it is ours, else where the dialogues are."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return wanted
    return reverse("data", args=[competition.slug])


def _guess_wait(request: WebRequest) -> int:
    """0, or the seconds until this person and this address have wrong guesses left."""
    return seconds_to_wait(*_uses(request), at=request.received_at)


def _wrong_guess(request: WebRequest) -> None:
    """Count one."""
    take(*_uses(request), at=request.received_at)


def _uses(request: WebRequest) -> tuple[Use, Use]:
    return Use(BY_ADDRESS, address_of(request)), Use(BY_PERSON, str(request.user.pk))


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

"""Looking things up for the person who asks: what they may not know of is a 404."""

from datetime import datetime
from urllib.parse import urlencode

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from leaderboard.accounts.models import User
from leaderboard.competitions import roles
from leaderboard.competitions.models import Competition
from leaderboard.teams import queries as teams
from leaderboard.teams.models import Team
from leaderboard.web.request import WebRequest


def competition(request: WebRequest, slug: str) -> Competition:
    """The competition under this address, if this person may know of it."""
    try:
        return teams.visible_to(request.user).get(slug=slug)
    except Competition.DoesNotExist:
        raise Http404 from None


def competition_to_run(request: WebRequest, slug: str) -> Competition:
    """The competition, if this person is its owner or editor; for others the desk is a 404."""
    found = competition(request, slug)
    if not roles.may_edit(request.user, found):
        raise Http404
    return found


def competition_to_speak_in(request: WebRequest, slug: str) -> Competition:
    """The competition, if this person helps to run it in any role; for others a 404."""
    found = competition(request, slug)
    if not roles.is_organizer(request.user, found):
        raise Http404
    return found


def person(request: WebRequest) -> User:
    """The signed-in person. Only for views behind `login_required`."""
    assert isinstance(request.user, User)
    return request.user


def team_or_way_in(request: WebRequest, found: Competition) -> Team | HttpResponse:
    """The person's team, or the way to get one: sign in, then join."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path())
    team = teams.team_of(request.user, found)
    if team is not None:
        return team
    way = urlencode({"next": request.get_full_path()})
    return redirect(f"{reverse('join', args=[found.slug])}?{way}")


def page_number(request: WebRequest) -> int:
    """The page that the address asks for; 1 for anything that is no sensible number."""
    text = request.GET.get("page", "")
    return int(text) if text.isdecimal() and 0 < len(text) < 7 else 1


def now(request: WebRequest) -> datetime:
    """The instant that this request was received; the only clock of the pages."""
    return request.received_at

"""Making a contest, without the administrator's pages."""

from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.competition import create_competition, not_a_creator
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition, validate_zone
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import suggested_dates
from leaderboard.web import errors, find
from leaderboard.web.contest import explanation
from leaderboard.web.desk.forms import NewContestForm, zones
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import spoken

DEFAULTS = ("zone", "preset", "tokenizer", "daily_limit", "max_waiting")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_contest(request: WebRequest) -> HttpResponse:
    """`/contests/new`: what a contest cannot be without; the desk asks for the rest."""
    if not may_create(request.user):
        return errors.refused(request, not_a_creator())
    # The dates are typed in the zone that is chosen beside them.
    with timezone.override(_zone(request.POST.get("zone", ""))):
        blank = Competition()
        initial = {name: getattr(blank, name) for name in DEFAULTS}
        initial |= suggested_dates(blank.zoneinfo, request.received_at)
        form = NewContestForm(request.POST if request.method == "POST" else None, initial=initial)
        if request.method == "POST" and form.is_valid():
            made = _create(request, form)
            if made is not None:
                messages.success(
                    request,
                    _(
                        "The competition is made. It can open when the rest of the list below "
                        "is done."
                    ),
                )
                return redirect("desk", slug=made.slug)
        ctx = {"form": form, "zones": zones(), "presets": explanation.presets()}
        return render(request, "new_contest.html", ctx, status=422 if form.errors else 200)


def _create(request: WebRequest, form: NewContestForm) -> Competition | None:
    """The contest, or None with the reasons in the form."""
    fields: dict[str, Any] = form.cleaned_data
    try:
        return create_competition(owner=find.person(request), at=request.received_at, **fields)
    except Refused as refusal:
        places = {"slug_taken": "slug", "date_in_the_past": "closes_at"}
        form.add_error(places.get(refusal.code), spoken(refusal))
    except ValidationError as invalid:
        form.add_error(None, invalid)
    return None


def _zone(name: str) -> ZoneInfo:
    try:
        validate_zone(name)
    except ValidationError:
        name = Competition().zone
    return ZoneInfo(name)

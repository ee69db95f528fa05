"""The desk's schedule: dates, pause, and holding the reveal.

Each is announced to all: the first POST shows what would be said, the one from that page does it.
"""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.decisions import Preview
from leaderboard.actions.refusals import Refused
from leaderboard.actions.schedule import (
    NAMES,
    Dates,
    Moves,
    hold_reveal,
    pause,
    preview_hold,
    preview_pause,
    preview_reschedule,
    preview_resume,
    reschedule,
    resume,
)
from leaderboard.competitions.models import Competition
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import DatesForm, PauseForm
from leaderboard.web.templatetags.formatting import spoken


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_schedule(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/schedule`: the dates and three decisions about them, by a named verb."""
    competition = find.competition_to_run(request, slug)
    # The form reads and writes the clock of the contest, whatever zone the server is in.
    with timezone.override(competition.zoneinfo):
        if request.method != "POST":
            return _page(request, competition)
        match request.POST.get("verb"):
            case "reschedule":
                return _move(request, competition)
            case "pause" | "resume" | "hold" | "release" as verb:
                return _decide(request, competition, verb)
            case _:
                return errors.bad_request(request)


def _move(request: WebRequest, competition: Competition) -> HttpResponse:
    form = DatesForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, dates=form, status=422)
    wanted: dict[str, Any] = {
        "competition": competition,
        "user": find.person(request),
        "dates": _dates(competition, form),
        "reason": form.cleaned_data["reason"],
        "at": request.received_at,
    }
    seen = request.POST.get("seen", "")
    try:
        found = preview_reschedule(**wanted)
        if found is None:
            messages.info(request, _("No date changes, so nothing is announced."))
            return _page(request, competition, dates=form)
        if seen != found.digest:
            return _page(request, competition, dates=form, looked_at="reschedule", found=found)
        reschedule(seen=seen, **wanted)
    except Refused as refusal:
        form.add_error(None, spoken(refusal))
        return _page(request, competition, dates=form, status=refusal.status)
    messages.success(request, _("The schedule is saved."))
    return redirect("desk_schedule", slug=competition.slug)


def _dates(competition: Competition, form: DatesForm) -> Dates:
    """The dates of the form. A minute that was not touched keeps the seconds that it has."""

    def chosen(name: str) -> datetime | None:
        typed: datetime | None = form.cleaned_data[name]
        now: datetime | None = getattr(competition, name)
        return now if now and now.replace(second=0, microsecond=0) == typed else typed

    wanted: dict[str, Any] = {name: chosen(name) for name in NAMES}
    return Dates(**wanted)


def _decide(request: WebRequest, competition: Competition, verb: str) -> HttpResponse:
    form = PauseForm(request.POST, auto_id="pause_%s")
    if not form.is_valid():
        return _page(request, competition, pausing=form, status=422)
    seen = request.POST.get("seen", "")
    try:
        found = _preview(request, competition, verb, form)
        if found is not None and seen != found.digest:
            return _page(request, competition, pausing=form, looked_at=verb, found=found)
        _act(request, competition, verb, form, seen)
    except Refused as refusal:
        typed = form if verb == "pause" else None
        return errors.refused(request, refusal, partial(_page, request, competition, pausing=typed))
    done = {
        "pause": _("Submissions are paused. Everybody has been told."),
        "resume": _("Submissions are open again. Everybody has been told."),
        "hold": _("The reveal is held. Everybody has been told."),
        "release": _("The reveal is no longer held. Everybody has been told."),
    }
    messages.success(request, done[verb])
    return redirect("desk_schedule", slug=competition.slug)


def _preview(
    request: WebRequest, competition: Competition, verb: str, form: PauseForm
) -> Preview | None:
    """What the verb would announce; None where it would change nothing."""
    who: dict[str, Any] = {"competition": competition, "user": find.person(request)}
    if verb == "pause":
        return preview_pause(reason=form.cleaned_data["reason"], **who)
    if verb == "resume":
        return preview_resume(**who)
    return preview_hold(held=verb == "hold", at=request.received_at, **who)


def _act(
    request: WebRequest, competition: Competition, verb: str, form: PauseForm, seen: str
) -> None:
    who: dict[str, Any] = {
        "competition": competition,
        "user": find.person(request),
        "seen": seen,
        "at": request.received_at,
    }
    if verb == "pause":
        pause(reason=form.cleaned_data["reason"], **who)
    elif verb == "resume":
        resume(**who)
    else:
        hold_reveal(held=verb == "hold", **who)


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    dates: DatesForm | None = None,
    pausing: PauseForm | None = None,
    looked_at: str = "",
    found: Preview | None = None,
    status: int = 200,
) -> HttpResponse:
    """`found` is what the verb `looked_at` would do, to be confirmed."""
    initial = {name: getattr(competition, name) for name in NAMES}
    form = dates or DatesForm(initial=initial)
    moves = found.moves if isinstance(found, Moves) else ()
    ctx = {
        "frame": frame.around(request, competition, tab="desk_schedule"),
        "competition": competition,
        "form": form,
        "pausing": pausing or PauseForm(auto_id="pause_%s"),
        "zone_name": f"{request.received_at.astimezone(competition.zoneinfo):%Z}",
        "looked_at": looked_at,
        "found": found,
        "moves": [(form[move.name].label, move.before, move.after) for move in moves],
    }
    return render(request, "desk/schedule.html", ctx, status=status)

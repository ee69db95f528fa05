"""The desk's way to enrol a class: a list, a look at what it would do, and passwords on paper."""

import base64
from contextlib import suppress
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.class_list import MAX_BYTES, MAX_PEOPLE
from leaderboard.actions.classes import ClassPlan, Enrolment, enrol_class, preview_class
from leaderboard.actions.refusals import Refused
from leaderboard.boards.exports import csv_file
from leaderboard.competitions.models import Competition
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.uploads import accepts_upload, carried, uncarried


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(
    2 * MAX_BYTES, sender=find.editors
)  # the second step carries the list as text, which is longer
def desk_enrol(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/enrol`: preview a list, then make its accounts; passwords show once."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    try:
        match request.POST.get("verb"):
            case "preview":
                return _preview(request, competition)
            case "enrol":
                return _enrol(request, competition)
            case _:
                return errors.bad_request(request)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_again, request, competition))


def _preview(request: WebRequest, competition: Competition) -> HttpResponse:
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, _("Choose a file."))
        return _page(request, competition, status=422)
    data = file.read()
    plan = preview_class(
        competition=competition, user=find.person(request), data=data, at=request.received_at
    )
    return _page(request, competition, plan=plan, data=data, status=422 if plan.problems else 200)


def _enrol(request: WebRequest, competition: Competition) -> HttpResponse:
    data = uncarried(request.POST.get("data", ""))
    if data is None:
        return errors.bad_request(request)
    enrolment = enrol_class(
        competition=competition,
        user=find.person(request),
        data=data,
        seen=request.POST.get("seen", ""),
        at=request.received_at,
    )
    ctx = {
        "frame": frame.around(request, competition, tab="desk_enrol"),
        "enrolment": enrolment,
        # In this very answer: nothing keeps the passwords that a second request could ask for.
        "csv": base64.b64encode(_slips_csv(enrolment)).decode(),
    }
    return render(request, "desk/enrolled.html", ctx)


def _again(request: WebRequest, competition: Competition) -> HttpResponse:
    """The list that was carried along, looked at anew where that may be."""
    data = uncarried(request.POST.get("data", "")) or b""
    plan = None
    if data:
        with suppress(Refused):
            plan = preview_class(
                competition=competition,
                user=find.person(request),
                data=data,
                at=request.received_at,
            )
    return _page(request, competition, plan=plan, data=data)


def _slips_csv(enrolment: Enrolment) -> bytes:
    rows = [(slip.username, slip.name, slip.team, slip.password) for slip in enrolment.slips]
    return csv_file({}, ("username", "name", "team", "password"), rows)


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    plan: ClassPlan | None = None,
    data: bytes = b"",
    status: int = 200,
) -> HttpResponse:
    ctx = {
        "frame": frame.around(request, competition, tab="desk_enrol"),
        "plan": plan,
        "data": carried(data),
        "limit": MAX_BYTES,
        "most": MAX_PEOPLE,
    }
    return render(request, "desk/enrol.html", ctx, status=status)

"""The desk's contest file: take the whole contest out, or begin another one like it."""

import tempfile
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.actions.refusals import Refused
from leaderboard.competitions import roles
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.contest_file.check import ImportPlan
from leaderboard.contest_file.cloning import clone, proposed_dates
from leaderboard.contest_file.everything import everything
from leaderboard.contest_file.export import Damaged, export_competition, package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import write_zip
from leaderboard.web import errors, find, frame, pieces
from leaderboard.web.desk.forms import CloneForm
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import spoken

PLACES = {"date_in_the_past": "opens_at"}  # fields of the form that a refusal is about


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_file(request: WebRequest, slug: str) -> HttpResponseBase:
    """`/c/<slug>/desk/file`: plain or full ZIP for owners, and a clone."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    match request.POST.get("verb"):
        case "plain" | "full" as kind:
            return _export(request, competition, full=kind == "full")
        case "clone":
            # The date is typed on the contest's own clock.
            with timezone.override(competition.zoneinfo):
                return _clone(request, competition)
        case _:
            return errors.bad_request(request)


def _export(request: WebRequest, competition: Competition, *, full: bool) -> HttpResponseBase:
    """By POST: golds leave because somebody pressed a button, and the log keeps who."""
    try:
        export_competition(
            competition=competition,
            user=find.person(request),
            full=full,
            at=request.received_at,
        )
        out = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
        write_zip(package(competition, full=full), out)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition))
    except Damaged:
        return _damaged(request, competition)
    out.seek(0)
    return FileResponse(
        out,
        as_attachment=True,
        filename=f"{competition.slug}-contest{'-full' if full else ''}.zip",
        content_type="application/zip",
    )


def _clone(request: WebRequest, competition: Competition) -> HttpResponse:
    person, at = find.person(request), request.received_at
    form = CloneForm(request.POST)
    if not roles.may_create(person):
        page = partial(_page, request, competition, form=form)
        return errors.refused(request, not_a_creator(), page)
    if not form.is_valid():
        return _page(request, competition, form=form, status=422)
    slug, opens_at = form.cleaned_data["slug"], form.cleaned_data["opens_at"]
    try:
        refuse_all_but_owners(competition, person)
        found = clone(competition, slug=slug, opens_at=opens_at, at=at)
        if found.contest is None:
            return _page(request, competition, form=form, found=found, status=422)
        export_competition(competition=competition, user=person, full=False, clone=slug, at=at)
        made = import_competition(contest=found.contest, owner=person, asked_by=person, at=at)
    except Damaged:
        return _damaged(request, competition)
    except Refused as refusal:
        if refusal.status != 403:
            form.add_error(PLACES.get(refusal.code, "slug"), spoken(refusal))
            return _page(request, competition, form=form, status=refusal.status)
        return errors.refused(request, refusal, partial(_page, request, competition, form=form))
    messages.success(request, str(pieces.SENTENCES["cloned"]))
    return redirect("desk", slug=made.slug)


def _damaged(request: WebRequest, competition: Competition) -> HttpResponse:
    said = _(
        "A stored file is damaged or gone, so nothing was exported. Please tell the administrator."
    )
    messages.error(request, said)
    return _page(request, competition, status=500)


def _owns(request: WebRequest, competition: Competition) -> bool:
    return find.visit(request, competition.slug).role == Organizer.Role.OWNER


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    form: CloneForm | None = None,
    found: ImportPlan | None = None,
    status: int = 200,
) -> HttpResponse:
    dates = proposed_dates(competition, at=request.received_at)
    ctx: dict[str, Any] = {
        "frame": frame.around(request, competition, tab="desk_file"),
        "is_owner": _owns(request, competition),
        "may_create": roles.may_create(request.user),
        "form": form or CloneForm(initial={"opens_at": dates["opens_at"]}),
        "dates": dates,
        "found": found,
    }
    return render(request, "desk/file.html", ctx, status=status)


@login_required
@require_safe
def desk_export(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/export`: what the ZIP holds, and the way to it."""
    competition = find.competition_to_run(request, slug)
    ctx = {"frame": frame.around(request, competition, tab="desk_export")}
    return render(request, "desk/export.html", ctx)


@login_required
@require_safe
def desk_export_zip(request: WebRequest, slug: str) -> HttpResponseBase:
    """`/c/<slug>/desk/export.zip`: packed into a temporary file, then sent from there."""
    competition = find.competition_to_run(request, slug)
    return FileResponse(
        everything(find.visit(request, slug)),
        as_attachment=True,
        filename=f"{competition.slug}-export.zip",
        content_type="application/zip",
    )

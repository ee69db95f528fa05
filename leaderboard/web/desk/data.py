"""The desk's files for participants: upload, description, order, removal."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods

from leaderboard.actions.data_files import (
    MADE_BY_THE_SERVER,
    add_data_file,
    describe_data_file,
    move_data_file,
    remove_data_file,
)
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition, DataFile, Organizer
from leaderboard.competitions.roles import role_of
from leaderboard.references.queries import live_version
from leaderboard.submissions.intake import Upload
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.forms import DescriptionForm
from leaderboard.web.find import WebRequest
from leaderboard.web.uploads import ORGANIZER_BYTES, accepts_upload
from scoring.table import lacks_mark

NO_MARK = gettext_noop(
    "%(name)s has no BOM, so Korean letters are garbled where a participant opens it in Korean "
    'Excel. Remove this file, save it as “CSV UTF-8” in Excel or with encoding="utf-8-sig" in '
    "Python, and upload it again."
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(ORGANIZER_BYTES, sender=find.editors)
def desk_data(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/data`: what participants may download, changed by a named verb."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    form = DescriptionForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, form=form, status=422)
    try:
        match request.POST.get("verb"):
            case "add":
                return _add(request, competition, form)
            case "describe" | "up" | "down" | "remove" as verb:
                _change(request, _file(request, competition), verb, form)
            case _:
                return errors.bad_request(request)
    except Refused as refusal:
        adding = form if request.POST["verb"] == "add" else None
        return errors.refused(request, refusal, partial(_page, request, competition, form=adding))
    return redirect("desk_data", slug=competition.slug)


def _add(request: WebRequest, competition: Competition, form: DescriptionForm) -> HttpResponse:
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, _("Choose a file."))
        return _page(request, competition, form=form, status=422)
    data = file.read()
    added = add_data_file(
        competition=competition,
        user=find.person(request),
        upload=Upload(name=file.name or "", data=data),
        description=form.cleaned_data["description"],
        description_en=form.cleaned_data["description_en"],
        at=request.received_at,
    )
    messages.success(request, _("%(name)s is added.") % {"name": added.name})
    if added.name.lower().endswith(".csv") and lacks_mark(data):
        messages.warning(request, _(NO_MARK) % {"name": added.name})
    return redirect("desk_data", slug=competition.slug)


def _file(request: WebRequest, competition: Competition) -> DataFile:
    try:
        wanted = UUID(request.POST.get("file_id", ""))
    except ValueError:
        raise Http404 from None
    return get_object_or_404(DataFile, competition=competition, pk=wanted)


def _change(request: WebRequest, file: DataFile, verb: str, form: DescriptionForm) -> None:
    user, at = find.person(request), request.received_at
    match verb:
        case "describe":
            describe_data_file(data_file=file, user=user, at=at, **form.cleaned_data)
            messages.success(request, _("Saved."))
        case "remove":
            remove_data_file(data_file=file, user=user, at=at)
            messages.success(request, _("%(name)s is removed.") % {"name": file.name})
        case _:
            move_data_file(data_file=file, user=user, places=-1 if verb == "up" else 1, at=at)


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    form: DescriptionForm | None = None,
    status: int = 200,
) -> HttpResponse:
    ctx = {
        "frame": frame.around(request, competition, tab="desk_data"),
        "files": competition.data_files.all(),
        "form": form or DescriptionForm(),
        "may_remove": role_of(request.user, competition) == Organizer.Role.OWNER,
        "sample": MADE_BY_THE_SERVER if live_version(competition) else "",
        "limit": ORGANIZER_BYTES,
    }
    return render(request, "desk/data.html", ctx, status=status)

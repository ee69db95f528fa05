"""Making a contest of a file: first what it would make and what is wrong with it, then that."""

import hashlib
import io

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.competitions import roles
from leaderboard.contest_file.check import ImportPlan, plan
from leaderboard.contest_file.document import Wrong
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import WEB, Archive
from leaderboard.web import errors, find
from leaderboard.web.desk.forms import ImportForm
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import accepts_upload, carried, uncarried
from leaderboard.worker.tasks import evaluate_next

IMPORT_BYTES = 50_000_000  # larger ones take longer than a page may: `manage.py import_contest`
CARRIED_BYTES = 3_000_000


def _creators(request: WebRequest, /) -> HttpResponse | None:
    """A `Sender`: who may make contests."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path())
    return None if roles.may_create(request.user) else errors.refused(request, not_a_creator())


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(IMPORT_BYTES, sender=_creators)
def import_contest(request: WebRequest) -> HttpResponse:
    """`/contests/import`: look at a file, then make what was seen."""
    if not roles.may_create(request.user):
        return errors.refused(request, not_a_creator())
    if request.method != "POST":
        return _page(request, ImportForm())
    form = ImportForm(request.POST, request.FILES)
    data = _sent(form) if form.is_valid() else None
    if data is None:
        if form.is_valid():
            form.add_error("file", _("Choose a file."))
        return _page(request, form, status=422)
    try:
        found = plan(
            Archive(io.BytesIO(data), WEB),
            slug=form.cleaned_data["slug"] or None,
            asked_by=find.person(request),
        )
    except Wrong as error:
        form.add_error("file", spoken(error))
        return _page(request, form, status=422)
    except Refused as refusal:
        form.add_error("file", f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        return _page(request, form, status=refusal.status)
    seen = hashlib.sha256(data).hexdigest()
    if found.contest is None or request.POST.get("verb") != "import":
        return _page(request, form, found, data, status=200 if found.contest else 422)
    if form.cleaned_data["seen"] != seen:
        form.add_error("file", _("This is not the file that was checked. Please look again below."))
        return _page(request, form, found, data, status=409)
    return _import(request, form, found)


def _sent(form: ImportForm) -> bytes | None:
    """The file as it was chosen now, or as the page carried it."""
    file = form.cleaned_data["file"]
    if file is not None:
        data: bytes = file.read()
        return data
    text = form.cleaned_data["carried"]
    return uncarried(text) if text else None


def _import(request: WebRequest, form: ImportForm, found: ImportPlan) -> HttpResponse:
    person = find.person(request)
    assert found.contest is not None
    try:
        with waking(evaluate_next):
            made = import_competition(
                contest=found.contest, owner=person, asked_by=person, at=request.received_at
            )
    except Refused as refusal:
        form.add_error("file", f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        return _page(request, form, status=refusal.status)
    said = (
        _("Competition imported. Evaluations to score: %(n)d.")
        if found.scorings
        else _("Competition imported.")
    )
    messages.success(request, said % {"n": found.scorings} if found.scorings else said)
    runs = roles.may_edit(person, made)
    return redirect("desk" if runs else "overview", slug=made.slug)


def _page(
    request: WebRequest,
    form: ImportForm,
    found: ImportPlan | None = None,
    data: bytes = b"",
    *,
    status: int = 200,
) -> HttpResponse:
    ctx = {
        "form": form,
        "found": found,
        "seen": hashlib.sha256(data).hexdigest(),
        "carried": carried(data) if data and len(data) <= CARRIED_BYTES else "",
        "limit": IMPORT_BYTES,
    }
    return render(request, "import_contest.html", ctx, status=status)

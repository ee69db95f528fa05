"""The desk's people: organizers and their roles, how people come in, who asked, the terms."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.people import Candidate, appoint, dismiss, preview_appointment
from leaderboard.actions.refusals import Refused
from leaderboard.actions.registration import decide_request
from leaderboard.competitions import roles
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.registration import newest_terms
from leaderboard.competitions.roles import organizers
from leaderboard.teams.membership import requests, who_came_by_address
from leaderboard.teams.models import JoinRequest
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.forms import AppointForm, RegistrationForm, TermsForm
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import spoken


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_people(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/people`: a form for each decision, by a named verb. Roles are for owners."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _page(request, competition)
    verb = VERBS.get(request.POST.get("verb", ""))
    return verb(request, competition) if verb else errors.bad_request(request)


def _who(request: WebRequest, competition: Competition) -> dict[str, Any]:
    return {
        "competition": competition,
        "user": find.person(request),
        "at": request.received_at,
    }


def _done(request: WebRequest, competition: Competition, said: str, part: str) -> HttpResponse:
    messages.success(request, said)
    return redirect(f"{reverse('desk_people', args=[competition.slug])}#{part}")


def _whole(refusal: Refused) -> str:
    return f"{spoken(refusal)} {spoken(refusal, 'next_step')}".strip()


def _appoint(request: WebRequest, competition: Competition) -> HttpResponse:
    form = AppointForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, appointing=form, status=422)
    name, role = form.cleaned_data["username"], form.cleaned_data["role"]
    who = _who(request, competition)
    try:
        if (seen := form.cleaned_data["seen"]) is None:
            found = preview_appointment(
                competition=competition, user=who["user"], username=name, role=role
            )
            return _page(request, competition, appointing=form, candidate=found)
        appoint(username=name, role=role, seen=seen, **who)
    except Refused as refusal:
        form.add_error("username", _whole(refusal))
        return _page(request, competition, appointing=form, status=refusal.status)
    said = _("Role of %(name)s: %(role)s") % {"name": name, "role": Organizer.Role(role).label}
    return _after_roles(request, competition, said)


def _facts(request: WebRequest, candidate: Candidate) -> dict[str, Any]:
    """The words about a candidate that are made for the page."""
    return {
        "role": Organizer.Role(candidate.role).label,
        "before": Organizer.Role(candidate.before).label if candidate.before else "",
        "days": max(0, (request.received_at - candidate.person.date_joined).days),
    }


def _dismiss(request: WebRequest, competition: Competition) -> HttpResponse:
    name = request.POST.get("username", "")
    try:
        dismiss(username=name, **_who(request, competition))
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition))
    said = _("%(name)s is no longer an organizer.") % {"name": name}
    return _after_roles(request, competition, said)


def _after_roles(request: WebRequest, competition: Competition, said: str) -> HttpResponse:
    """Back to the page, or, for an owner who gave the own role away, out of the desk."""
    if roles.may_edit(request.user, competition):
        return _done(request, competition, said, "organizers")
    messages.success(request, said)
    return redirect("home")


def _register(request: WebRequest, competition: Competition) -> HttpResponse:
    form = RegistrationForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, registering=form, status=422)
    try:
        change = change_registration(
            registration=form.cleaned_data["registration"],
            code=form.cleaned_data["code"],
            emails=form.cleaned_data["emails"].split("\n"),
            **_who(request, competition),
        )
    except Refused as refusal:
        place = "emails" if "emails" in refusal.code else "code"
        form.add_error(place, _whole(refusal))
        return _page(request, competition, registering=form, status=refusal.status)
    said = _("The way to join has been saved.")
    if change.total or change.removed:
        counts = _(
            "Addresses on the list: %(total)d (new %(new)d, removed %(removed)d, duplicates "
            "%(duplicates)d)."
        )
        said += " " + counts % {
            "total": change.total,
            "new": change.new,
            "removed": change.removed,
            "duplicates": change.duplicates,
        }
    return _done(request, competition, said, "registration")


def _decide(request: WebRequest, competition: Competition) -> HttpResponse:
    number = request.POST.get("request", "")
    key = int(number) if number.isdecimal() and len(number) < 19 else 0
    asked = get_object_or_404(JoinRequest, competition=competition, pk=key)
    approve = request.POST["verb"] == "approve"
    try:
        decide_request(
            request=asked,
            user=find.person(request),
            approve=approve,
            reason=request.POST.get("reason", "")[:200],
            at=request.received_at,
        )
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition))
    words = (
        _("Approved and notified: %(name)s") if approve else _("Declined and notified: %(name)s")
    )
    return _done(request, competition, words % {"name": asked.user.username}, "requests")


def _write_terms(request: WebRequest, competition: Competition) -> HttpResponse:
    form = TermsForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, wording=form, status=422)
    if request.POST["verb"] == "preview_terms":
        return _page(request, competition, wording=form, looked=True)
    before = newest_terms(competition)
    try:
        terms = change_terms(**form.cleaned_data, **_who(request, competition))
    except Refused as refusal:
        form.add_error("text", _whole(refusal))
        return _page(request, competition, wording=form, status=refusal.status)
    if terms == before:
        said = _("The terms are the same; nothing was changed.")
    elif terms is None:
        said = _("The terms were withdrawn. Nobody has to accept them any more.")
    else:
        said = _("Version %(number)d of the terms is saved.") % {"number": terms.number}
    return _done(request, competition, said, "terms")


VERBS: dict[str, Callable[[WebRequest, Competition], HttpResponse]] = {
    "appoint": _appoint,
    "dismiss": _dismiss,
    "register": _register,
    "approve": _decide,
    "decline": _decide,
    "preview_terms": _write_terms,
    "change_terms": _write_terms,
}


def _page(
    request: WebRequest,
    competition: Competition,
    *,
    appointing: AppointForm | None = None,
    candidate: Candidate | None = None,
    registering: RegistrationForm | None = None,
    wording: TermsForm | None = None,
    looked: bool = False,
    status: int = 200,
) -> HttpResponse:
    terms = newest_terms(competition)
    link = ""
    if competition.registration_code:
        path = reverse("join_by_code", args=[competition.registration_code])
        link = request.build_absolute_uri(path)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_people"),
        "competition": competition,
        "is_owner": roles.role_of(request.user, competition) == Organizer.Role.OWNER,
        "organizers": organizers(competition),
        "roles": Organizer.Role.choices,
        "requests": requests(competition),
        "listed": who_came_by_address(competition),
        "link": link,
        "terms": terms,
        "accepted": terms.acceptances.count() if terms else 0,
        "appointing": appointing or AppointForm(),
        "candidate": candidate,
        "candidate_facts": _facts(request, candidate) if candidate else {},
        "registering": registering or RegistrationForm(initial=_registration(competition)),
        "wording": wording
        or TermsForm(initial={"text": terms.text, "text_en": terms.text_en} if terms else None),
        "looked": looked,
    }
    return render(request, "desk/people.html", ctx, status=status)


def _registration(competition: Competition) -> dict[str, str]:
    emails = competition.allowed_emails.values_list("email", flat=True)
    return {
        "registration": competition.registration,
        "code": competition.registration_code,
        "emails": "\n".join(emails),
    }

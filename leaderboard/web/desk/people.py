"""The desk's people: organizers, how people come in, who asked, the terms, all participants."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.people import appoint, dismiss, preview_appointment
from leaderboard.actions.registration import decide_request
from leaderboard.boards.columns import Exported
from leaderboard.boards.exports import CHUNK, csv_file
from leaderboard.competitions import roles
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.registration import newest_terms
from leaderboard.competitions.roles import organizers
from leaderboard.submissions.queries import found_people, with_activity
from leaderboard.teams.membership import requests, waiting_requests, who_came_by_address
from leaderboard.teams.models import JoinRequest, Membership
from leaderboard.web import lookups
from leaderboard.web.contest.board import attachment
from leaderboard.web.forms import AppointForm, RegistrationForm, TermsForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry


@page("desk/people", "desk_people", Entry(PEOPLE, gettext_lazy("People"), 10))
class People(DeskPage):
    """`/c/<slug>/desk/people`: a form for each decision. Roles are for owners."""

    template = "desk/people.html"
    forms = {
        "appoint": AppointForm,
        "register": RegistrationForm,
        "change_terms": TermsForm,
        "preview_terms": TermsForm,
    }
    beside = {
        "appoint": "username",
        "change_terms": "text",
        "register": {"emails_invalid": "emails", "too_many_emails": "emails", "": "code"},
    }
    long_fields = ("emails",)

    def do_appoint(self) -> HttpResponse:
        name, role, seen = (self.typed()[key] for key in ("username", "role", "seen"))
        if seen is None:
            found = preview_appointment(
                competition=self.competition, user=self.user, username=name, role=role
            )
            return self.show(candidate=found, candidate_facts=self._facts(found, role))
        appoint(username=name, role=role, seen=seen, **self.who)
        said = _("Role of %(name)s: %(role)s")
        return self._after_roles(said % {"name": name, "role": Organizer.Role(role).label})

    def do_dismiss(self) -> HttpResponse:
        name = self.request.POST.get("username", "")
        dismiss(username=name, **self.who)
        return self._after_roles(_("%(name)s is no longer an organizer.") % {"name": name})

    def do_register(self) -> HttpResponse:
        typed = self.typed()
        change_registration(
            registration=typed["registration"],
            code=typed["code"],
            emails=typed["emails"].split("\n"),
            **self.who,
        )
        return self.done(_("The way to join has been saved."), "registration")

    def do_approve(self) -> HttpResponse:
        return self._decide(_("Approved and notified: %(name)s"), approve=True)

    def do_decline(self) -> HttpResponse:
        return self._decide(_("Declined and notified: %(name)s"), approve=False)

    def do_preview_terms(self) -> HttpResponse:
        return self.show(looked=True)

    def do_change_terms(self) -> HttpResponse:
        before = newest_terms(self.competition)
        terms = change_terms(**self.typed(), **self.who)
        if terms == before:
            said = _("The terms are the same; nothing was changed.")
        elif terms is None:
            said = _("The terms were withdrawn. Nobody has to accept them any more.")
        else:
            said = _("Version %(number)d of the terms is saved.") % {"number": terms.number}
        return self.done(said, "terms")

    def context(self) -> dict[str, Any]:
        competition, terms = self.competition, newest_terms(self.competition)
        link = ""
        if competition.registration_code:
            path = reverse("join_by_code", args=[competition.registration_code])
            link = self.request.build_absolute_uri(path)
        shown = "preview_terms" if self.verb == "preview_terms" else "change_terms"
        return {
            "is_owner": self.viewer.role == Organizer.Role.OWNER,
            "organizers": organizers(competition),
            "roles": Organizer.Role.choices,
            "requests": requests(competition),
            "listed": who_came_by_address(competition),
            "link": link,
            "terms": terms,
            "accepted": terms.acceptances.count() if terms else 0,
            "appointing": self.form("appoint"),
            "registering": self.form("register"),
            "wording": self.form(shown),
        }

    def stored(self, verb: str) -> dict[str, Any] | None:
        if verb == "register":
            emails = self.competition.allowed_emails.values_list("email", flat=True)
            return {
                "registration": self.competition.registration,
                "code": self.competition.registration_code,
                "emails": "\n".join(emails),
            }
        if verb == "appoint":
            return None
        terms = newest_terms(self.competition)
        return {"text": terms.text, "text_en": terms.text_en} if terms else {}

    def _decide(self, said: str, *, approve: bool) -> HttpResponse:
        key = lookups.number(self.request.POST.get("request", ""))
        asked = get_object_or_404(JoinRequest, competition=self.competition, pk=key)
        reason = self.request.POST.get("reason", "")[:200]
        decide_request(request=asked, user=self.user, approve=approve, reason=reason, at=self.at)
        return self.done(said % {"name": asked.user.username}, "requests")

    def _after_roles(self, said: str) -> HttpResponse:
        """Back to the page, or, for an owner who gave the own role away, out of the desk."""
        if roles.may_edit(self.user, self.competition):
            return self.done(said, "organizers")
        messages.success(self.request, said)
        return redirect("home")

    def _facts(self, person: User, role: str) -> dict[str, Any]:
        """The words about a candidate that are made for the page."""
        before = roles.role_of(person, self.competition)
        return {
            "value": role,
            "role": Organizer.Role(role).label,
            "before": Organizer.Role(before).label if before else "",
            "days": max(0, (self.at - person.date_joined).days),
        }


PAGE = 100
ONLY_WORDS: dict[str, str | Promise] = {
    "alone": gettext_lazy("alone in the team"),
    "silent": gettext_lazy("team without a submission"),
}
CSV_COLUMNS = (
    *("username", "name", "team", "captain", "members", "entries"),
    *("last_submission", "last_seen", "joined"),
)


class _People(DeskPage):
    """What the address asks for: `q` and `only`."""

    tab = "desk_participants"

    @property
    def asked(self) -> dict[str, str]:
        sent = self.request.GET
        only = sent.get("only", "")
        return {
            "query": sent.get("q", "")[:200].strip(),
            "only": only if only in ONLY_WORDS else "",
        }

    def found(self) -> QuerySet[Membership]:
        return found_people(self.competition, **self.asked)


@page("desk/participants", "desk_participants", Entry(PEOPLE, gettext_lazy("Participants"), 25))
class Participants(_People):
    """`/c/<slug>/desk/participants`: who is in which team, what it handed in, who was here when."""

    template = "desk/participants.html"

    def context(self) -> dict[str, Any]:
        found = lookups.page_of(self.request, self.found(), PAGE)
        return {
            **self.asked,
            "found": found,
            "lines": with_activity(found),
            "kinds": ONLY_WORDS.items(),
            "waiting": waiting_requests(self.competition),
        }


@page("desk/participants.csv", "desk_participants_csv")
class ParticipantsFile(_People):
    """`/c/<slug>/desk/participants.csv`: all who are found, in the same order."""

    def respond(self) -> HttpResponse:
        heading = {"competition": self.competition.slug, "as_of": self._local(self.at)}
        data = csv_file(heading, CSV_COLUMNS, map(self._row, self._people()))
        return attachment(data, f"{self.competition.slug}-participants.csv")

    def _people(self) -> Iterator[Any]:
        """All of them, each part's questions asked at once."""
        remaining = self.found().iterator(chunk_size=CHUNK)
        while part := list(islice(remaining, CHUNK)):
            yield from with_activity(part)

    def _local(self, at: Any) -> Any:
        return at and at.astimezone(self.competition.zoneinfo)

    def _row(self, one: Any) -> list[Exported]:
        return [
            one.user.username,
            one.listed_name,
            one.team.name,
            "yes" if one.is_captain else "no",
            one.crew,
            one.activity.entries,
            self._local(one.activity.last_received_at),
            self._local(one.last_seen_at),
            self._local(one.joined_at),
        ]

"""The desk's people: organizers, how people come in, who asked, the terms, all participants."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.people import appoint, dismiss
from leaderboard.actions.registration import decide_request
from leaderboard.boards.columns import Exported
from leaderboard.boards.exports import CHUNK, csv_file
from leaderboard.competitions import roles
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.registration import newest_terms
from leaderboard.competitions.roles import organizers
from leaderboard.submissions.queries import found_people, with_activity
from leaderboard.teams.membership import requests, who_came_by_address
from leaderboard.teams.models import JoinRequest
from leaderboard.web import lookups
from leaderboard.web.contest.board import attachment
from leaderboard.web.forms import AppointForm, RegistrationForm, TermsForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry


@page("desk/people", "desk_people", Entry(PEOPLE, gettext_lazy("How people join"), 10))
class Joining(DeskPage):
    """`/c/<slug>/desk/people`: who asked to join, and the way in."""

    template = "desk/people.html"
    forms = {"register": RegistrationForm}
    beside = {
        "register": {"emails_invalid": "emails", "too_many_emails": "emails", "": "code"},
    }
    long_fields = ("emails",)

    def do_register(self) -> HttpResponse:
        typed, sent = self.typed(), self.request.POST
        change_registration(
            registration=typed["registration"],
            code=typed["code"] if "code" in sent else None,
            emails=typed["emails"].split("\n") if "emails" in sent else None,
            **self.who,
        )
        return self.done(_("Saved."))

    def do_approve(self) -> HttpResponse:
        return self._decide(_("Approved and notified: %(name)s"), approve=True)

    def do_decline(self) -> HttpResponse:
        return self._decide(_("Declined and notified: %(name)s"), approve=False)

    def context(self) -> dict[str, Any]:
        competition, link = self.competition, ""
        if competition.registration_code:
            path = reverse("join_by_code", args=[competition.registration_code])
            link = self.request.build_absolute_uri(path)
        return {
            "requests": requests(competition),
            "listed": who_came_by_address(competition),
            "link": link,
            "form": self.form("register"),
        }

    def stored(self, verb: str) -> dict[str, Any]:
        emails = self.competition.allowed_emails.values_list("email", flat=True)
        return {
            "registration": self.competition.registration,
            "code": self.competition.registration_code,
            "emails": "\n".join(emails),
        }

    def _decide(self, said: str, *, approve: bool) -> HttpResponse:
        key = lookups.number(self.request.POST.get("request", ""))
        asked = get_object_or_404(JoinRequest, competition=self.competition, pk=key)
        reason = self.request.POST.get("reason", "")[:200]
        decide_request(request=asked, user=self.user, approve=approve, reason=reason, at=self.at)
        return self.done(said % {"name": asked.user.username}, "requests")


@page("desk/organizers", "desk_organizers", Entry(PEOPLE, gettext_lazy("Organizers"), 40))
class Organizers(DeskPage):
    """`/c/<slug>/desk/organizers`: roles, which owners give and take."""

    template = "desk/organizers.html"
    forms = {"appoint": AppointForm}
    beside = {"appoint": "username"}
    verbs = {"appoint": (appoint, gettext_lazy("Saved."))}
    previewed = ("appoint",)

    def do_dismiss(self) -> str:
        name = self.request.POST.get("username", "")
        dismiss(username=name, **self.who)
        return _("%(name)s is no longer an organizer.") % {"name": name}

    def done(self, said: str | None = None, part: str = "") -> HttpResponse:
        """Back to the page, or, for an owner who gave the own role away, out of the desk."""
        if roles.may_edit(self.user, self.competition):
            return super().done(said, part)
        messages.success(self.request, said or "")
        return redirect("home")

    def context(self) -> dict[str, Any]:
        return {
            "is_owner": self.viewer.role == Organizer.Role.OWNER,
            "organizers": organizers(self.competition),
            "form": self.form("appoint"),
        }


@page("desk/terms", "desk_terms", Entry(PEOPLE, gettext_lazy("Terms"), 50))
class TermsPage(DeskPage):
    """`/c/<slug>/desk/terms`: what participants accept."""

    template = "desk/terms.html"
    forms = {"change_terms": TermsForm}
    beside = {"change_terms": "text"}

    def do_change_terms(self) -> str:
        before = newest_terms(self.competition)
        terms = change_terms(**self.typed(), **self.who)
        if terms == before:
            return _("The terms are the same, so nothing was changed.")
        if terms is None:
            return _("The terms were withdrawn. Nobody has to accept them now.")
        return _("Version %(number)d of the terms is saved.") % {"number": terms.number}

    def context(self) -> dict[str, Any]:
        terms = newest_terms(self.competition)
        return {
            "terms": terms,
            "accepted": terms.acceptances.count() if terms else 0,
            "form": self.form("change_terms"),
        }

    def stored(self, verb: str) -> dict[str, Any]:
        terms = newest_terms(self.competition)
        return {"text": terms.text, "text_en": terms.text_en} if terms else {}


CSV_COLUMNS = (
    *("username", "name", "team", "captain", "members", "entries"),
    *("last_submission", "last_seen", "joined"),
)


@page("desk/participants.csv", "desk_participants_csv")
class ParticipantsFile(DeskPage):
    """`/c/<slug>/desk/participants.csv`: everybody, or who is found by `q` and `only`."""

    def respond(self) -> HttpResponse:
        heading = {"competition": self.competition.slug, "as_of": self._local(self.at)}
        data = csv_file(heading, CSV_COLUMNS, map(self._row, self._people()))
        return attachment(data, f"{self.competition.slug}-participants.csv")

    def _people(self) -> Iterator[Any]:
        """All of them, each part's questions asked at once."""
        asked = self.request.GET
        query, only = asked.get("q", "")[:200].strip(), asked.get("only", "")
        found = found_people(self.competition, query=query, only=only)
        remaining = found.iterator(chunk_size=CHUNK)
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

"""Coming into a contest or a team: joining, invitations, addresses with a code, the terms."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.accounts.names import may_be_number
from leaderboard.accounts.rate_limits import Limit, Use, seconds_to_wait, take, too_many_tries
from leaderboard.accounts.sign_in import address_of
from leaderboard.actions.invitations import accept, decline, held_by, invitation_unusable
from leaderboard.actions.registration import accept_terms, join, request_to_join, withdraw_request
from leaderboard.competitions import registration, roles, schedule
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import teams_grow_until
from leaderboard.refusals import Refused
from leaderboard.teams import invitations
from leaderboard.teams import queries as teams
from leaderboard.teams.membership import request_of
from leaderboard.teams.models import Invitation
from leaderboard.teams.queries import team_of, visible_to
from leaderboard.web import errors, lookups
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import ContestPage, Page, page

Kind = Competition.Registration
# Only wrong guesses of codes and listed addresses count, so a class that joins in one minute from
# one address is not stopped.
BY_ADDRESS = Limit("guess.address", 300, timedelta(minutes=1))
BY_PERSON = Limit("guess.person", 10, timedelta(minutes=5))
GUESSES = ("wrong_code", "not_on_list", "address_used")
NAME_PROBLEMS = ("name_empty", "name_invisible", "name_long", "name_reserved", "name_taken")


class ComingForm(forms.Form):
    """What the contest asks of who comes into it. The page takes away what it does not ask for."""

    email = forms.CharField(
        label=gettext_lazy("Mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text=gettext_lazy(
            "The address on the organizer's list. It is used in this competition only, and "
            "organizers see it."
        ),
    )
    terms = forms.IntegerField(required=False, widget=forms.HiddenInput)
    accepted = forms.BooleanField(required=False)


class JoinForm(ComingForm):
    """A team's name (or none: then the action makes one), and what the contest asks for."""

    code = forms.CharField(label=gettext_lazy("Code to join"), max_length=60)
    team_name = forms.CharField(
        label=gettext_lazy("Team name"),
        max_length=40,
        required=False,
        strip=True,
        help_text=gettext_lazy(
            "At most 40 characters, shown on the leaderboard. If you leave it empty, we use your "
            "username, or 참가자 (“participant”) if that looks like a student number."
        ),
    )


class AcceptForm(forms.Form):
    terms = forms.IntegerField(widget=forms.HiddenInput)
    accepted = forms.BooleanField(label=gettext_lazy("I have read the terms and accept them"))


# A stranger who wants to take part has no account yet; who has one finds the way on that page.
account_required = login_required(login_url="account_signup")


class Coming(Page):
    """A page by which somebody comes into a contest: its default verb sends `coming`."""

    coming: ClassVar[type[ComingForm]] = ComingForm
    competition: Competition
    code: str | None = None

    def bind(self) -> ComingForm | None:
        return self._form(self.request.POST) if self.verb == self.default else None

    def _form(self, sent: Any) -> ComingForm:
        form, kind = self.coming(sent), self.competition.registration
        if kind != Kind.CODE or self.code is not None:
            form.fields.pop("code", None)
        if kind != Kind.ALLOW_LIST or self.user.email or team_of(self.user, self.competition):
            del form.fields["email"]
        return form

    def accepted(self) -> int | None:
        """The number of the terms that were accepted with the form."""
        typed = self.typed()
        return typed["terms"] if typed["accepted"] else None

    def places(self) -> Mapping[str, str | None]:
        """Above the form stands what is said of a field that the contest does not ask for."""
        asked = self.bound.fields if self.bound is not None else {}
        return {code: at if at in asked else None for code, at in super().places().items()}

    def refuse(self, refusal: Refused) -> HttpResponse:
        if refusal.code in GUESSES:
            take(*guesses(self.request), at=self.at)
        return super().refuse(refusal)


@page("join", "join")
class Join(Coming, ContestPage):
    """`/c/<slug>/join`: what the contest asks for and one button; joining makes a team of one.

    `code`: the contest's, by which somebody came.
    """

    tab = "overview"
    template = "join.html"
    default = "join"
    guards = (account_required,)
    coming = JoinForm
    beside = {
        "join": {
            "wrong_code": "code",
            "not_on_list": "email",
            "address_used": "email",
            **dict.fromkeys(NAME_PROBLEMS, "team_name"),
            "": None,
        }
    }

    def respond(self) -> HttpResponseBase:
        if teams.team_of(self.user, self.competition) is not None:
            return redirect(safe_next(self.request, self.competition))
        return super().respond()

    def do_join(self) -> HttpResponse:
        if wait := seconds_to_wait(*guesses(self.request), at=self.at):
            return errors.refused(self.request, too_many_tries(wait), self.show)
        typed = self.typed()
        who = {**self.who, "team_name": typed["team_name"] or None, "terms": self.accepted()}
        asked = request_of(self.user, self.competition)
        if self.competition.registration == Kind.APPROVAL and not (asked and asked.approved):
            request_to_join(**who)
            return self.done(_("You asked to join. You get a notice when the organizers decide."))
        join(**who, code=self.code or typed.get("code", ""), email=typed.get("email", ""))
        messages.success(
            self.request, _("You have joined. The dialogues to summarize are on this page.")
        )
        return redirect("data", slug=self.competition.slug)

    def do_withdraw(self) -> str:
        withdraw_request(**self.who)
        return _("You have withdrawn your request.")

    def address(self) -> str:
        return reverse("join", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        competition = self.competition
        return {
            "form": self.bound or self._form(None),
            "is_organizer": roles.is_organizer(self.user, competition),
            "closed": not schedule.lets_join(competition, self.at),
            "late": schedule.is_late(competition, self.at),
            "asked": request_of(self.user, competition),
            "by_approval": competition.registration == Kind.APPROVAL,
            "by_list": competition.registration == Kind.ALLOW_LIST,
            "terms": registration.terms_due(self.user, competition),
        }


class JoinByCode(Join):
    """`/join/<code>`: the same for whoever has the contest's code, also if it is private."""

    def enter(self, **address: Any) -> HttpResponse | None:
        if wait := seconds_to_wait(*guesses(self.request), at=self.at):
            return errors.refused(self.request, too_many_tries(wait))
        self.code = address["code"]
        competition = registration.by_code(self.code)
        if competition is None:
            take(*guesses(self.request), at=self.at)
            raise Http404
        self.competition = competition
        return None

    def around(self) -> dict[str, Any]:
        zone = self.competition.zoneinfo
        return {"parent": "base.html", "competition": self.competition, "zone": zone}


def guesses(request: WebRequest) -> tuple[Use, ...]:
    """What a wrong code counts against: the address, and the person who is signed in."""
    by_address = Use(BY_ADDRESS, address_of(request))
    if not request.user.is_authenticated:
        return (by_address,)
    return by_address, Use(BY_PERSON, str(request.user.pk))


@page("terms", "terms")
class TermsPage(ContestPage):
    """`/c/<slug>/terms`: the newest wording; members accept it here when it has changed."""

    tab = "overview"
    template = "terms.html"
    default = "accept"
    forms = {"accept": AcceptForm}

    def open(self, **address: UUID) -> None:
        newest = registration.newest_terms(self.competition)
        if newest is None:
            raise Http404
        self.terms = newest
        self.accepts = lookups.takes_terms(self.viewer)

    def answer(self) -> HttpResponseBase:
        way = None if self.accepts else lookups.way_in(self.request, self.competition)
        return way or super().answer()

    def do_accept(self) -> str:
        accept_terms(**self.who, number=self.typed()["terms"])
        return _("You accepted the terms.")

    def address(self) -> str:
        return safe_next(self.request, self.competition)

    def context(self) -> dict[str, Any]:
        not_ticked = self.bound is not None and self.bound.errors
        accepted = self.terms.acceptances.filter(user=self.user.pk) if self.accepts else None
        return {
            "terms": self.terms,
            "error": _("Tick the box to accept.") if not_ticked else "",
            "accepts": self.accepts,
            "accepted": accepted and accepted.values_list("at", flat=True).first(),
            "next": self.address(),
        }


def safe_next(request: WebRequest, competition: Competition) -> str:
    """Where to go afterwards: the page asked for if it is ours, else where the dialogues are."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()})
    # `redirect` would take anything else for the name of a page.
    if is_ours and wanted.startswith("/"):
        return wanted
    return reverse("data", args=[competition.slug])


class Invited(Coming):
    """One invitation: contest, team and what accepting means; accepting is one button.

    Whoever cannot come in by it reads the same, whyever: a stranger who tries codes learns nothing.
    """

    template = "invited.html"
    default = "accept"
    beside = {"accept": {**dict.fromkeys(GUESSES, "email"), "": None}}
    invitation: Invitation

    def open(self, found: Invitation | None) -> HttpResponse | None:
        """Keep what was found, or the answer to who finds nothing that can be used."""
        user = self.request.user
        if found is not None and team_of(user, found.team.competition) == found.team:
            return redirect("team", slug=found.team.competition.slug)
        if found is None or not invitations.is_usable(found, self.at):
            return errors.refused(self.request, invitation_unusable())
        self.invitation = found
        self.competition = found.team.competition
        return None

    def do_accept(self) -> HttpResponse:
        email, terms = self.typed().get("email", ""), self.accepted()
        accept(invitation=self.invitation, email=email, terms=terms, **self.who)
        said = _("You are in the team %(team)s. The dialogues to summarize are on this page.")
        messages.success(self.request, said % {"team": self.invitation.team.name})
        return redirect("data", slug=self.competition.slug)

    def do_ask(self) -> str:
        """Of a contest with approval: only an organizer can let this person in."""
        sent = self.request.POST
        number = lookups.number(sent.get("terms", "")) or None if sent.get("accepted") else None
        request_to_join(competition=self.competition, terms=number, **self.who)
        return _("You asked to join. You get a notice when the organizers decide.")

    def do_decline(self) -> HttpResponse:
        decline(invitation=self.invitation, **self.who)
        messages.success(self.request, _("Declined."))
        return redirect("inbox")

    def refuse(self, refusal: Refused) -> HttpResponse:
        if refusal.code == "invitation_unusable":
            return errors.refused(self.request, refusal)
        return super().refuse(refusal)

    def context(self) -> dict[str, Any]:
        competition, user = self.competition, self.request.user
        signed_in = isinstance(user, User)
        inviter = self.invitation.created_by.username
        about = {
            "competition": competition,
            "zone": competition.zoneinfo,
            "invitation": self.invitation,
            "team": self.invitation.team,
            "until": min(self.invitation.expires_at, teams_grow_until(competition)),
            "people": self.invitation.team.memberships.count(),
            # To strangers without what may be a student number, as on the board.
            "inviter": "" if not signed_in and may_be_number(inviter) else inviter,
            "readable": visible_to(user).filter(pk=competition.pk).exists(),
        }
        if not isinstance(user, User):
            return about
        own = team_of(user, competition)
        asked = request_of(user, competition)
        approval = competition.registration == Kind.APPROVAL and own is None
        return about | {
            "form": self.bound or self._form(None),
            "own": own,
            "held": held_by(own) if own is not None else "",
            "is_organizer": roles.is_organizer(user, competition),
            "asked": asked,
            "needs_approval": approval and not (asked and asked.approved),
            "terms": registration.terms_due(user, competition) if own is None else None,
        }


class InvitedByCode(Invited):
    """`/join/<code>` with the code of a team. Before signing in it shows where it leads."""

    def enter(self, **address: Any) -> HttpResponse | None:
        if wait := seconds_to_wait(*guesses(self.request), at=self.at):
            return errors.refused(self.request, too_many_tries(wait))
        answer = self.open(invitations.by_code(address["code"]))
        if answer is not None and answer.status_code == 404:
            take(*guesses(self.request), at=self.at)
        return answer

    def answer(self) -> HttpResponseBase:
        if not isinstance(self.request.user, User):
            return redirect_to_login(self.request.path, "account_signup")
        return super().answer()


class InvitedByName(Invited):
    """`/invitations/<id>`: for the one person who was asked; a 404 for all others."""

    guards = (login_required,)

    def enter(self, **address: Any) -> HttpResponse | None:
        rows = Invitation.objects.select_related("team__competition", "created_by")
        found = rows.filter(pk=address["invitation_id"], invitee=self.user).first()
        if found is None:
            raise Http404
        return self.open(found)


_of_team, _of_contest = InvitedByCode.as_view(), JoinByCode.as_view()


def join_by_code(request: HttpRequest, code: str) -> HttpResponseBase:
    """`/join/<code>`: of a team, or of a contest, which asks for an account first."""
    is_team = invitations.is_code(code) and registration.by_code(code) is None
    return (_of_team if is_team else _of_contest)(request, code=code)

"""What whoever is invited into a team opens: by its code, also as a stranger, or by name."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.accounts.names import may_be_number
from leaderboard.accounts.rate_limits import seconds_to_wait, take
from leaderboard.actions.invitations import accept, decline, held_by
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.actions.registration import request_to_join
from leaderboard.competitions import registration, roles
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import teams_grow_until
from leaderboard.teams import invitations
from leaderboard.teams.membership import request_of
from leaderboard.teams.models import Invitation
from leaderboard.teams.queries import team_of, visible_to
from leaderboard.web import errors, find
from leaderboard.web.contest.join import GUESSES, JoinByCode, guesses, listed_address
from leaderboard.web.page import Page

Kind = Competition.Registration


class ComingForm(forms.Form):
    """What the contest asks of who comes into it. The page takes `email` away where it does not."""

    email = listed_address()
    terms = forms.IntegerField(required=False, widget=forms.HiddenInput)
    accepted = forms.BooleanField(required=False)


class Invited(Page):
    """One invitation: contest, team and what accepting means; accepting is one button.

    Whoever cannot come in by it reads the same, whyever: a stranger who tries codes learns nothing.
    """

    template = "invited.html"
    default = "accept"
    invitation: Invitation

    def open(self, found: Invitation | None) -> HttpResponse | None:
        """Keep what was found, or the answer to who finds nothing that can be used."""
        user = self.request.user
        if found is not None and team_of(user, found.team.competition) == found.team:
            return redirect("team", slug=found.team.competition.slug)
        if found is None or not invitations.is_usable(found, self.at):
            return errors.refused(self.request, Refused("invitation_unusable"))
        self.invitation = found
        self.competition = found.team.competition
        return None

    def do_accept(self) -> HttpResponse:
        form = self._form(self.request.POST)
        self.bound = form
        if not form.is_valid():
            return self.show(status=422)
        typed = form.cleaned_data
        terms = typed["terms"] if typed["accepted"] else None
        try:
            accept(
                invitation=self.invitation,
                user=self.user,
                email=typed.get("email", ""),
                terms=terms,
                at=self.at,
            )
        except Refused as refusal:
            return self._not_let_in(refusal, form)
        said = _("You are in the team %(team)s. The dialogues to summarize are on this page.")
        messages.success(self.request, said % {"team": self.invitation.team.name})
        return redirect("data", slug=self.competition.slug)

    def _not_let_in(self, refusal: Refused, form: forms.Form) -> HttpResponse:
        if refusal.key == "invitation_unusable":
            return errors.refused(self.request, refusal)
        if refusal.code in GUESSES:
            take(*guesses(self.request), at=self.at)
        field = "email" if "email" in form.fields and refusal.code in GUESSES else None
        return self.at_field(field, errors.whole(refusal), refusal.status)

    def do_ask(self) -> str:
        """Of a contest with approval: only an organizer can let this person in."""
        sent = self.request.POST
        number = find.number(sent.get("terms", "")) or None if sent.get("accepted") else None
        request_to_join(user=self.user, competition=self.competition, terms=number, at=self.at)
        return _("You asked to join. Your inbox will tell you what the organizers decide.")

    def do_decline(self) -> HttpResponse:
        decline(invitation=self.invitation, user=self.user, at=self.at)
        messages.success(self.request, _("Declined."))
        return redirect("inbox")

    def _form(self, sent: Any) -> forms.Form:
        form = ComingForm(sent)
        if not self._asks_for_email():
            del form.fields["email"]
        return form

    def _asks_for_email(self) -> bool:
        newcomer = team_of(self.user, self.competition) is None
        by_list = self.competition.registration == Kind.ALLOW_LIST
        return newcomer and by_list and not self.user.email

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
        found = invitations.for_person(address["invitation_id"], self.user)
        if found is None:
            raise Http404
        return self.open(found)


_of_team, _of_contest = InvitedByCode.as_view(), JoinByCode.as_view()


def join_by_code(request: HttpRequest, code: str) -> HttpResponseBase:
    """`/join/<code>`: of a team, or of a contest, which asks for an account first."""
    is_team = invitations.is_code(code) and registration.by_code(code) is None
    return (_of_team if is_team else _of_contest)(request, code=code)

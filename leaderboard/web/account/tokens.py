"""A person's tokens: made with a scope and an end, shown once, listed by their last use."""

from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken
from leaderboard.accounts.rate_limits import Limit, Use, take
from leaderboard.actions import people
from leaderboard.actions.refusals import Refused, too_many_tries
from leaderboard.web import errors, lookups
from leaderboard.web.account.sign_in import password_asked
from leaderboard.web.page import PersonPage

MADE = Limit("tokens_made", 30, timedelta(hours=1))


def _days() -> list[tuple[int, str]]:
    return [(days, ngettext("%(n)d day", "%(n)d days", days) % {"n": days}) for days in tokens.DAYS]


class TokenForm(forms.Form):
    """What a new token is called, what it may and for how long."""

    name = forms.CharField(
        label=pgettext_lazy("token", "Name"),
        max_length=80,
        help_text=gettext_lazy(
            "Where you will use it, so that you know later which one to revoke."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Scope"), choices=ApiToken.Scope.choices, initial=ApiToken.Scope.SUBMIT
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=256,
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=gettext_lazy("Only for a token that may run competitions."),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"), choices=_days, coerce=int, initial=90
    )


class Tokens(PersonPage):
    """`/settings/tokens`."""

    template = "tokens.html"
    forms = {"make": TokenForm}
    guards = (sensitive_post_parameters(), *PersonPage.guards, never_cache)

    def do_make(self) -> HttpResponse:
        key, session = self.request.POST.get("key", ""), self.request.session
        if key and session.get("token_form") == key:  # the page of a new token, loaded again
            return self.wrong(
                _("This token was shown once already. Make another one if you did not copy it.")
            )
        if wait := take(Use(MADE, str(self.user.pk)), at=self.at):
            raise too_many_tries(wait)
        asked: AbstractContextManager[None] = nullcontext()
        if self.typed()["scope"] == ApiToken.Scope.ORGANIZE:
            asked = password_asked(self.request, user=self.user, at=self.at)
        try:
            with asked:
                token, secret = people.make_token(user=self.user, at=self.at, **self.typed())
        except Refused as refusal:
            if refusal.code != "wrong_password":
                raise
            return self.at_field("password", errors.whole(refusal), refusal.status)
        session["token_form"] = key
        self.verb = ""  # the form is a new one again
        return self.show(made=token, secret=secret)

    def do_end(self) -> str:
        pk = lookups.number(self.request.POST.get("id", ""))
        people.end_token(user=self.user, pk=pk, at=self.at)
        return _("The token is revoked: nothing can use it any more.")

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("make"),
            "key": uuid4().hex,
            "tokens": tokens.of_person(self.user),
            "now": self.at,
            "zone": timezone.get_current_timezone(),
            "base_url": settings.BASE_URL,
        }

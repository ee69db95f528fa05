"""A person's own pages: display, sessions, tokens, password, closing the account."""

from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from leaderboard.accounts import rate_limits, sign_in, tokens
from leaderboard.accounts.accounts import prefer_language
from leaderboard.accounts.models import ApiToken, User
from leaderboard.accounts.passwords import usable_link
from leaderboard.accounts.sessions import begin_again, sessions
from leaderboard.actions import closing, people
from leaderboard.actions.people import link_unusable
from leaderboard.competitions.roles import owned_alone
from leaderboard.contest_file.everything import own_data
from leaderboard.web import lookups
from leaderboard.web.account.sign_in import password_asked
from leaderboard.web.forms import once_field
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import LinkPage, PersonPage
from leaderboard.web.page_chrome import theme_of

EXPORTS = rate_limits.Limit("own_data", 6, timedelta(hours=1))
YEAR = 365 * 24 * 60 * 60


def _password(
    label: Any, autocomplete: str, help_text: Any = "", *, required: bool = True
) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=256,
        strip=False,
        required=required,
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
        help_text=help_text,
    )


class NewPasswordForm(forms.Form):
    """A new password, twice. Whether it is good enough is the action's to say."""

    password1 = _password(
        gettext_lazy("New password"), "new-password", password_validators_help_text_html()
    )
    password2 = _password(gettext_lazy("New password again"), "new-password")

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        if (
            typed.get("password1")
            and typed.get("password2", typed["password1"]) != typed["password1"]
        ):
            self.add_error("password2", _("The two passwords differ."))
        return typed


class DisplayForm(forms.Form):
    """How a person reads the site. An empty theme follows the system."""

    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=User.Language.choices)
    theme = forms.ChoiceField(
        label=gettext_lazy("Theme"),
        choices=[
            ("", gettext_lazy("Auto")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ],
        required=False,
    )


class CloseAccountForm(forms.Form):
    password = _password(gettext_lazy("Password"), "current-password")
    sure = forms.BooleanField(label=gettext_lazy("I know that this cannot be undone."))


@require_safe
def lost_password(request: WebRequest) -> HttpResponse:
    """Says whom to ask for a new password; nothing is sent by mail."""
    return render(request, "account/lost_password.html")


def link_address(token: str) -> str:
    """Where a password link leads. The token stands in the query, which our logs leave out."""
    return f"{settings.BASE_URL}{reverse('password_link')}?token={token}"


class NewPassword(LinkPage):
    """`/accounts/password/link?token=…`: a new password, once, with the administrator's link."""

    template = "account/password_link.html"
    forms = {"use": NewPasswordForm}
    default = "use"
    guards = (sensitive_post_parameters(), never_cache)
    unusable = link_unusable

    def find(self) -> object | None:
        return usable_link(self.token, self.at)

    def do_use(self) -> HttpResponse:
        password = self.typed()["password1"]
        try:
            user = people.use_password_link(token=self.token, password=password, at=self.at)
        except ValidationError as weak:
            return self.at_field("password1", weak)
        messages.success(self.request, _("Your password was changed. Sign in with the new one."))
        answer = redirect("account_login")
        # Who guesses from elsewhere must not be able to keep the person out after this, too.
        user.refresh_from_db(fields=["password"])
        sign_in.remember_device(answer, request=self.request, user=user)
        return answer

    def context(self) -> dict[str, Any]:
        username = self.found.user.username
        return {"form": self.form("use"), "token": self.token, "username": username}


class OwnSettings(PersonPage):
    """`/settings`: language and display of one's own, and the ways to password and closing."""

    template = "settings.html"
    forms = {"display": DisplayForm}
    default = "display"

    def do_display(self) -> HttpResponse:
        language, theme = self.typed()["language"], self.typed()["theme"]
        prefer_language(user=self.user, language=language)
        with translation.override(language):
            answer = self.done(_("Saved."))
        _remember(answer, language=language, theme=theme)
        return answer

    def do_export(self) -> HttpResponseBase:
        rate_limits.count(EXPORTS, self.user.pk, self.at)
        packed = own_data(self.user, self.at)
        return FileResponse(packed, as_attachment=True, filename="my-data.zip")

    def post_end_sessions(self) -> HttpResponse:
        """Signing out in one other place (`session`), or in all of them."""
        number = self.request.POST.get("session", "")
        if number:
            people.end_session(user=self.user, pk=lookups.number(number))
            return self.done(_("That device is signed out."), "sessions")
        people.end_all_sessions(user=self.user, at=self.at)
        begin_again(self.request, self.user)
        return self.done(
            _("You are signed out everywhere else, and your API tokens are revoked."), "sessions"
        )

    def address(self) -> str:
        return reverse("settings")

    def context(self) -> dict[str, Any]:
        shown = {"language": translation.get_language(), "theme": theme_of(self.request)}
        this = self.request.session.session_key
        return {
            "form": self.form("display", initial=shown),
            "sessions": sessions(self.user, this=this, at=self.at),
            "tokens": self.user.api_tokens.filter(expires_at__gt=self.at),
        }


def _remember(answer: HttpResponse, *, language: str, theme: str) -> None:
    """The same cookies as the header's buttons set."""
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=YEAR,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    # Read by the script that changes it, hence not hidden from scripts.
    answer.set_cookie(
        "theme", theme, max_age=YEAR, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax"
    )


class CloseAccount(PersonPage):
    """`/accounts/close`: what goes, what stays, and the password once more."""

    template = "account/close.html"
    forms = {"close": CloseAccountForm}
    beside = {"close": {"wrong_password": "password"}}
    default = "close"
    guards = (sensitive_post_parameters(), login_required)

    def do_close(self) -> HttpResponse:
        password = self.typed()["password"]
        with password_asked(self.request, user=self.user, at=self.at):
            closing.close_account(user=self.user, password=password, at=self.at)
        logout(self.request)
        messages.success(self.request, _("Your account is closed. Thank you for taking part."))
        return redirect("home")

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("close"),
            "owned_alone": owned_alone(self.user),
            "days": settings.CLOSED_NAME_DAYS,
        }


MADE = rate_limits.Limit("tokens_made", 30, timedelta(hours=1))


def _days() -> list[tuple[int, str]]:
    return [(days, ngettext("%(n)d day", "%(n)d days", days) % {"n": days}) for days in tokens.DAYS]


class TokenForm(forms.Form):
    """What a new token is called, what it may and for how long."""

    name = once_field(
        label=pgettext_lazy("token", "Name"),
        max_length=80,
        help_text=gettext_lazy(
            "Enter where you will use it, so that you know later which one to revoke."
        ),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Scope"), choices=ApiToken.Scope.choices, initial=ApiToken.Scope.SUBMIT
    )
    password = _password(
        gettext_lazy("Password"),
        "current-password",
        gettext_lazy("Only for a token that can run competitions."),
        required=False,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"), choices=_days, coerce=int, initial=90
    )


class Tokens(PersonPage):
    """`/settings/tokens`."""

    template = "tokens.html"
    forms = {"make": TokenForm}
    beside = {"make": {"wrong_password": "password"}}
    guards = (sensitive_post_parameters(), *PersonPage.guards, never_cache)

    def do_make(self) -> HttpResponse:
        key, session = self.request.POST.get("key", ""), self.request.session
        if key and session.get("token_form") == key:  # the page of a new token, loaded again
            return self.wrong(
                _("This token was already shown once. If you did not copy it, create another one.")
            )
        rate_limits.count(MADE, self.user.pk, self.at)
        asked: AbstractContextManager[None] = nullcontext()
        if self.typed()["scope"] == ApiToken.Scope.ORGANIZE:
            asked = password_asked(self.request, user=self.user, at=self.at)
        with asked:
            token, secret = people.make_token(user=self.user, at=self.at, **self.typed())
        session["token_form"] = key
        self.verb = ""  # the form is a new one again
        return self.show(made=token, secret=secret)

    def do_end(self) -> str:
        pk = lookups.number(self.request.POST.get("id", ""))
        people.end_token(user=self.user, pk=pk, at=self.at)
        return _("The token is revoked and can no longer be used.")

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("make"),
            "key": uuid4().hex,
            "tokens": self.user.api_tokens.all(),
            "now": self.at,
        }

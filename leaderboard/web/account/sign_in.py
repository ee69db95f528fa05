"""The sign-in package's pages, with our limits: an answer to too many tries is a 429."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from allauth.account import forms as allauth
from allauth.account import views
from allauth.account.adapter import get_adapter
from django.forms import BaseForm
from django.http import HttpResponse, HttpResponseBase

from leaderboard.accounts import rate_limits, sign_in
from leaderboard.accounts.models import User
from leaderboard.refusals import Refused
from leaderboard.web.lookups import WebRequest


class ChangePasswordForm(allauth.ChangePasswordForm):
    """Whoever finds a signed-in browser may guess the password no more often than elsewhere."""

    def clean_oldpassword(self) -> str:
        typed: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, typed):
            raise get_adapter().validation_error("enter_current_password")
        return typed


@contextmanager
def password_asked(request: WebRequest, *, user: User, at: datetime) -> Iterator[None]:
    """Within it a password may be refused as `wrong_password`: such tries are limited as those of
    signing in are. Raises Refused."""
    every = rate_limits.Use(sign_in.SIGN_INS, sign_in.address_of(request))
    tries = sign_in.tries(request, user.username)
    if seconds := rate_limits.take(every, *tries, at=at):
        raise rate_limits.too_many_tries(seconds)
    is_guess = False
    try:
        yield
    except Refused as refusal:
        is_guess = refusal.code == "wrong_password"
        raise
    finally:
        if not is_guess:
            rate_limits.give_back(*tries, at=at)


class Waiting:
    """A form that was sent too often comes back as a 429 that says when, with what was typed."""

    def form_invalid(self, form: BaseForm) -> HttpResponseBase:
        answer: HttpResponseBase = super().form_invalid(form)  # type: ignore[misc]
        for errors in form.errors.as_data().values():
            for error in errors:
                if error.code == sign_in.WAIT and error.params:
                    answer.status_code = 429
                    answer["Retry-After"] = str(error.params["seconds"])
        return answer


class SignIn(Waiting, views.LoginView):
    """`/accounts/login/`."""


class SignInAgain(Waiting, views.ReauthenticateView):
    """`/accounts/reauthenticate/`."""


class SignUp(Waiting, views.SignupView):
    """`/accounts/signup/`. Only accounts that would be made are counted."""

    def form_valid(self, form: BaseForm) -> HttpResponseBase:
        use = rate_limits.Use(sign_in.SIGN_UPS, sign_in.address_of(self.request))
        if seconds := rate_limits.take(use, at=self.request.received_at):
            form.add_error(None, sign_in.wait(seconds, str(sign_in.TOO_MANY_ACCOUNTS)))
            return self.form_invalid(form)
        answer: HttpResponseBase = super().form_valid(form)
        return answer


class ChangePassword(Waiting, views.PasswordChangeView):
    """`/accounts/password/change/`. The device stays a known one under the new password."""

    form_class = ChangePasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        sign_in.remember_device(answer, request=self.request, user=form.user)
        return answer

"""What the sign-in package asks of us when a person signs up, signs in or changes the password."""

import ipaddress
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.contrib import messages
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.accounts import devices, rate_limits, sign_in
from leaderboard.accounts.accounts import name_taken, taken_problem
from leaderboard.accounts.models import User
from leaderboard.accounts.names import invalid, reserved_problem, tidy, username_problem

log = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Names follow our policy, guessing is slowed down, and a password that somebody else has seen
    must be replaced."""

    def authenticate(self, request: Any, **credentials: Any) -> User | None:
        """Who it is. After too many tries ValidationError, before the password is looked at.

        A try is counted first and given back if it was right: guesses made at once count as well.
        """
        at = request.received_at
        tries = sign_in.tries(request, credentials.get("username", ""))
        every = rate_limits.Use(sign_in.SIGN_INS, sign_in.address_of(request))
        if seconds := rate_limits.take(every, *tries, at=at):
            raise sign_in.wait(seconds, str(sign_in.TOO_MANY_TRIES))
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            rate_limits.give_back(*tries, at=at)
        return user

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address of who asks: where a proxy's header is not as TRUSTED_PROXIES says, that of
        the connection."""
        try:
            return str(ipaddress.ip_address(super().get_client_ip(request)))
        except (ImproperlyConfigured, PermissionDenied, ValueError) as error:
            log.warning("sign_in.proxies", error=type(error).__name__)
            return str(request.META["REMOTE_ADDR"])

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        """The way onward after signing in or up; from now on the device is a known one."""
        answer: HttpResponse = super().post_login(request, user, **kwargs)
        devices.remember(answer, request=request, user=user)
        return answer

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name as it is kept. Raises ValidationError, with cause and next step."""
        name = tidy(username)
        problem = (
            username_problem(name)
            or reserved_problem(name)
            or taken_problem(name, at=timezone.now())
        )
        if problem is not None:
            raise invalid(problem)
        cleaned: str = super().clean_username(name, shallow)
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Of two who take lookalike names at the same instant the later one chooses again."""
        try:
            with transaction.atomic():
                saved: User = super().save_user(request, user, form, commit)
        except IntegrityError:
            messages.error(request, str(name_taken()))
            raise ImmediateHttpResponse(redirect("account_signup")) from None
        return saved

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Refuses the printed password as the new one, beside what Django's validators refuse."""
        if user is not None and user.must_change_password and user.check_password(password):
            raise ValidationError(_("받은 비밀번호와 다른 것으로 정해 주세요."))
        cleaned: str = super().clean_password(password, user)
        return cleaned

    def set_password(self, user: User, password: str) -> None:
        """Keep the new password; the person need not change it any more."""
        user.set_password(password)
        user.must_change_password = False
        user.save(update_fields=["password", "must_change_password"])

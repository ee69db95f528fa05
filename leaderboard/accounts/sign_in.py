"""Signing in: known devices, how often a password may be tried, and what allauth asks of us.

Guessing is slow and nobody locks anybody out: a stranger who guesses fills the counts of his own
address and, from many addresses, those of the account. The owner passes both on a device that
signed in before: it is counted by itself. Names that nobody has are counted like all others, so a
limit tells nothing about who exists.

A device is known by a signed cookie, which opens nothing. It only passes the limits that strangers
can use up for an account, and for each account it ends with the password it was made under.
"""

import hashlib
import ipaddress
import secrets
from datetime import timedelta
from math import ceil
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import rate_limits
from leaderboard.accounts.accounts import name_taken, taken_problem
from leaderboard.accounts.models import User
from leaderboard.accounts.names import (
    invalid,
    name_problem,
    reserved_problem,
    tidy,
)
from leaderboard.accounts.rate_limits import Limit, Use
from leaderboard.texts import reader_language
from scoring.characters import nfkc

log = structlog.get_logger(__name__)

COOKIE = "device"
SALT = "leaderboard.accounts.devices"
SECONDS = 365 * 24 * 60 * 60
KEPT = 5  # accounts of one device, for example of a family


def remember_device(answer: HttpResponseBase, *, request: HttpRequest, user: User) -> None:
    """Let the browser that gets `answer` be known as a device of `user` from now on."""
    number, accounts = _device(request)
    accounts.pop(str(user.pk), None)
    newest = {str(user.pk): _password(user), **accounts}
    kept = dict(list(newest.items())[:KEPT])
    answer.set_cookie(
        COOKIE,
        signing.dumps([number or secrets.token_hex(16), kept], salt=SALT),
        max_age=SECONDS,
        path="/accounts/",  # where passwords are typed, and nowhere else
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _device(request: HttpRequest) -> tuple[str, dict[str, str]]:
    """The cookie's number, and its user ids with password digests, newest first; empty if its
    seal is not ours."""
    try:
        number, accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return "", {}
    return number, accounts


def _password(user: User) -> str:
    """Changes with the password. The stored form has a random salt, so nothing can be guessed."""
    return hashlib.sha256(f"{SALT}\n{user.password}".encode()).hexdigest()[:32]


MINUTE = timedelta(minutes=1)

# Wrong passwords.
BY_DEVICE = Limit("password.device", 10, 5 * MINUTE)
BY_ACCOUNT_AND_ADDRESS = Limit("password.account+address", 5, 5 * MINUTE)
BY_ACCOUNT = Limit("password.account", 30, 15 * MINUTE)
# One password tried on many names. A lecture hall shares an address: 200 people mistype thrice.
BY_ADDRESS = Limit("password.address", 600, 10 * MINUTE)
# Right ones too: each costs a slow hash.
SIGN_INS = Limit("sign_in.address", 300, MINUTE)
SIGN_UPS = Limit("sign_up.address", 200, MINUTE)

WAIT = "wait"  # the code of the error that says so
TOO_MANY_TRIES = _(
    "Too many attempts to sign in. Try again in %(minutes)s min. A device that has signed in to "
    "this account before can still sign in. The administrator can also give you a new password "
    "link."
)
TOO_MANY_ACCOUNTS = _(
    "Too many accounts are being created from this network. Try again in %(minutes)s min."
)
# Texts of allauth's own forms: being in our catalogue too, they are said in our words.
WORDS_OF_ALLAUTH = (
    _("Username"),
    _("Remember Me"),
    _("The username and/or password you specified are not correct."),
)


def tries(request: HttpRequest, name: str) -> tuple[Use, ...]:
    """What one try of a password for `name` counts as, until it turns out right."""
    account, address = folded(name), address_of(request)
    device, accounts = _device(request)
    for user in User.objects.filter(pk__in=accounts) if accounts else ():
        is_present = constant_time_compare(_password(user), accounts[str(user.pk)])
        if is_present and folded(user.username) == account:
            return (Use(BY_DEVICE, f"{user.pk} {device}"),)
    return (
        Use(BY_ACCOUNT_AND_ADDRESS, f"{account} {address}"),
        Use(BY_ACCOUNT, account),
        Use(BY_ADDRESS, address),
    )


def folded(name: str) -> str:
    """One form of all spellings that may find the same account in one database or another."""
    return nfkc(name.strip()).upper().casefold()


def address_of(request: HttpRequest) -> str:
    """The address that a request is counted under; of IPv6 the network that one customer gets."""
    typed: str = get_adapter().get_client_ip(request)
    address = ipaddress.ip_address(typed)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return str(address)


def wait(seconds: int, text: str) -> ValidationError:
    """A form's error that says in how many minutes to come back; `text` has a place for them."""
    params = {"seconds": seconds, "minutes": ceil(seconds / 60)}
    return ValidationError(text, code=WAIT, params=params)


class AccountAdapter(DefaultAccountAdapter):
    """Names follow our policy, guessing is slowed down, and a password that somebody else has seen
    must be replaced."""

    def authenticate(self, request: Any, **credentials: Any) -> User | None:
        """Who it is. After too many tries ValidationError, before the password is looked at.

        A try is counted first and given back if it was right: guesses made at once count as well.
        """
        at = request.received_at
        uses = tries(request, credentials.get("username", ""))
        every = Use(SIGN_INS, address_of(request))
        if seconds := rate_limits.take(every, *uses, at=at):
            raise wait(seconds, str(TOO_MANY_TRIES))
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            rate_limits.give_back(*uses, at=at)
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
        remember_device(answer, request=request, user=user)
        return answer

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name as it is kept. Raises ValidationError, with cause and next step."""
        name = tidy(username)
        problem = (
            name_problem(name) or reserved_problem(name) or taken_problem(name, at=timezone.now())
        )
        if problem is not None:
            raise invalid(problem)
        cleaned: str = super().clean_username(name, shallow)
        return cleaned

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Of two who take lookalike names at the same instant the later one chooses again."""
        # The password is hashed before the transaction: everybody else's write would wait for it.
        named: User = super().save_user(request, user, form, commit=False)
        try:
            with transaction.atomic():
                named.save()
        except IntegrityError:
            messages.error(request, name_taken().whole(reader_language()))
            raise ImmediateHttpResponse(redirect("account_signup")) from None
        return named

    def clean_password(self, password: str, user: User | None = None) -> str:
        """Refuses the printed password as the new one, beside what Django's validators refuse."""
        if user is not None and user.must_change_password and user.check_password(password):
            raise ValidationError(_("Choose a different password from the one you were given."))
        cleaned: str = super().clean_password(password, user)
        return cleaned

    def set_password(self, user: User, password: str) -> None:
        """Keep the new password; the person need not change it any more."""
        user.set_password(password)
        user.must_change_password = False
        user.save(update_fields=["password", "must_change_password"])

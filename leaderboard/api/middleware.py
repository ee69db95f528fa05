"""Who asks, of a program: the person of its token, and never that of a browser's session."""

import base64
import binascii
from collections.abc import Callable
from typing import cast

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken
from leaderboard.refusals import Forbidden, Refused
from leaderboard.web import errors
from leaderboard.web.errors import API, PROBLEM
from leaderboard.web.lookups import WebRequest

TOKEN_CHECKS: set[str] = set()
"""Paths that answer whether a token can be used. An app adds its own in its `ready()`."""


class ApiRequest(WebRequest):
    """A request below `/api/`. `token`: None for a visitor."""

    token: ApiToken | None


class Programs:
    """Set `request.user` by the token, before anything is decided about the request.

    A form of another site cannot send the header, so nothing here needs the CSRF check. A token
    that cannot be used is refused even where none is needed: its program should know.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(API):
            return self.get_response(request)
        asked = request.method
        if asked == "HEAD":  # the server sends no body
            request.method = "GET"
        try:
            _identify(cast(ApiRequest, request))
        except Refused as refusal:
            response = errors.refused(request, refusal)
        else:
            response = self.get_response(request)
        request.method = asked
        if response.status_code == 405 and response["Content-Type"] != PROBLEM:
            response = errors.wrong_method(request, response["Allow"])
        if "Authorization" in request.headers:
            patch_cache_control(response, private=True, no_store=True)
        patch_vary_headers(response, ["Authorization"])
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal as a problem, whichever view raised it."""
        if isinstance(exception, Refused) and request.path_info.startswith(API):
            return errors.refused(request, exception)
        return None


def _identify(request: ApiRequest) -> None:
    """Set the person by the token. Raises Refused."""
    request.user, request.token = AnonymousUser(), None
    said = request.headers.get("Authorization")
    token = _token(said, request) if said is not None else None
    if token is None:
        if said is None or request.path_info in TOKEN_CHECKS:
            return
        raise Refused(
            "token_unusable",
            _("The token is unknown, has expired or was revoked."),
            _("Make another token in the settings."),
            status=401,
        )
    if token.user.must_change_password:
        raise Forbidden(
            "password_first",
            _("Somebody else has seen this account's password."),
            _("Sign in on the site and choose another one first."),
        )
    request.user, request.token = token.user, token
    if "Accept-Language" not in request.headers:
        translation.activate(token.user.language)


def _token(header: str, request: ApiRequest) -> ApiToken | None:
    """As `Bearer`, or as the password of its person (`Basic`)."""
    scheme, _, said = header.strip().partition(" ")
    if scheme.lower() == "bearer":
        return tokens.usable(said.strip(), request.received_at)
    if scheme.lower() != "basic":
        return None
    try:
        name, _, secret = base64.b64decode(said, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    token = tokens.usable(secret, request.received_at)
    return token if token is not None and token.user.username == name else None

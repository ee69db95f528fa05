"""Middleware of the pages: entry time, an upload limit that answers a readable 413, and the way
to one's own password for who still has a printed one.

`UploadLimit` must stand above `CsrfViewMiddleware`: the CSRF check reads the form, and a form is
parsed only once, with the upload handlers set by then.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.web.uploads import TooLarge, UploadCap, drain
from leaderboard.web.views.errors import too_large

GetResponse = Callable[[HttpRequest], HttpResponse]

# Room for the multipart boundaries and the form's small fields around the file itself.
ENVELOPE_BYTES = 64 * 1024


class ReceivedAt:
    """Set `request.received_at`, the one time that every decision about this request uses."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.received_at = timezone.now()  # type: ignore[attr-defined]
        return self.get_response(request)


class UploadLimit:
    """Hold every request to its view's `accepts_upload` limit (none: the settings' own)."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        limit: int | None = getattr(view, "upload_limit", None)
        if limit is None or request.method != "POST":
            return None
        length = request.META.get("CONTENT_LENGTH") or ""
        sent = int(length) if length.isdecimal() else 0
        if sent > limit + ENVELOPE_BYTES:
            # Unread bytes would reset the connection before the answer is read.
            drain(request, at_most=2 * limit)
            return too_large(request, limit=limit, sent=sent)
        request.upload_handlers.insert(0, UploadCap(request, limit=limit))
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, TooLarge):
            return too_large(request, limit=error.limit, sent=None)
        return None


class OwnPassword:
    """Lead a person whose password somebody else has seen to the page where they choose another."""

    OPEN = frozenset(
        {
            "account_change_password",
            "account_logout",
            "account_inactive",
            "password_link",
            "set_language",
        }
    )

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        asked = request.resolver_match.view_name if request.resolver_match else ""
        if asked in self.OPEN:
            return None
        user = request.user
        if not isinstance(user, User) or not user.must_change_password:
            return None
        onward = request.get_full_path() if request.method == "GET" else "/"
        return redirect(f"{reverse('account_change_password')}?{urlencode({'next': onward})}")

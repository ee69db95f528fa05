"""The request as every view of this door sees it, for the type checker."""

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from leaderboard.accounts.models import User
from leaderboard.boards.visit import Visit


class WebRequest(HttpRequest):
    """An `HttpRequest` after our middleware: entry time, htmx details and the signed-in user."""

    received_at: datetime
    htmx: HtmxDetails
    user: User | AnonymousUser
    visit: Visit | None

"""What the sign-in package cannot know: there may be no mail server."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.web.request import WebRequest


@require_safe
def lost_password(request: WebRequest) -> HttpResponse:
    """Says whom to ask for a new password; nothing is sent by mail."""
    return render(request, "account/lost_password.html")

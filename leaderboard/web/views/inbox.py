"""The inbox: what a person should know, newest first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from leaderboard.inbox.queries import latest
from leaderboard.inbox.tell import mark_read
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def inbox(request: WebRequest) -> HttpResponse:
    """`/inbox`: the newest fifty; a POST marks all as read."""
    if request.method == "POST":
        mark_read(user=find.person(request), at=request.received_at)
        return redirect("inbox")
    ctx = {"notifications": latest(find.person(request), limit=50), "now": request.received_at}
    return render(request, "inbox.html", ctx)

"""The inbox: what a person should know, newest first."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from leaderboard.inbox.tell import latest, mark_read
from leaderboard.teams.queries import visible_to
from leaderboard.web import find
from leaderboard.web.find import WebRequest


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def inbox(request: WebRequest) -> HttpResponse:
    """`/inbox`: the newest fifty; a POST marks all as read."""
    if request.method == "POST":
        mark_read(user=find.person(request), at=request.received_at)
        return redirect("inbox")
    known = {contest.slug: contest for contest in visible_to(request.user)}
    own_zone = timezone.get_current_timezone()
    lines = [
        (
            notification,
            (contest := known.get(notification.competition_slug)),
            contest.zoneinfo if contest else own_zone,
        )
        for notification in latest(find.person(request), limit=50)
    ]
    return render(request, "inbox.html", {"lines": lines})

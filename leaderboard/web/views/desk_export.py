"""The desk's export: everything of the contest in one file."""

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.contest_file.everything import everything
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame


@login_required
@require_safe
def desk_export(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/export`: what the ZIP holds, and the way to it."""
    competition = find.competition_to_run(request, slug)
    ctx = {"frame": frame.around(request, competition, tab="desk_export")}
    return render(request, "desk/export.html", ctx)


@login_required
@require_safe
def desk_export_zip(request: WebRequest, slug: str) -> HttpResponseBase:
    """`/c/<slug>/desk/export.zip`: packed into a temporary file, then sent from there."""
    competition = find.competition_to_run(request, slug)
    return FileResponse(
        everything(find.visit(request, slug)),
        as_attachment=True,
        filename=f"{competition.slug}-export.zip",
        content_type="application/zip",
    )

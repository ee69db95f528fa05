"""The data page: the files that participants may have, and a sample made from the real ids."""

import csv
import io
from urllib.parse import urlencode
from uuid import UUID

from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from leaderboard.competitions import roles
from leaderboard.competitions.models import Competition, DataFile, Terms
from leaderboard.competitions.registration import terms_due
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.references import queries as references
from leaderboard.references.released import has_released_dialogues, released_set
from leaderboard.web import find, frame
from leaderboard.web.contest.explanation import reader_language
from leaderboard.web.find import WebRequest
from scoring.predictions import SAMPLE_TEXTS


@require_safe
def data(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/data`: what there is to download."""
    competition = find.competition(request, slug)
    if (way := way_in(request, competition, unjoined=True)) is not None:
        return way
    viewer = find.viewer(request, slug)
    version = references.live_version(competition)
    started = handed_out(request, competition)
    dev_set = released_set(competition) if started else None
    ctx = {
        "frame": frame.around(request, competition, tab="data"),
        "files": competition.data_files.all() if started else [],
        "handed_out": started,
        "dev_set": dev_set,
        "dev_dialogues": dev_set is not None and has_released_dialogues(dev_set),
        "version": version,
        "joined": viewer.team is not None or viewer.role is not None,
        "terms_due": _terms_due(request, competition),
    }
    return render(request, "data.html", ctx)


@require_safe
def sample(request: WebRequest, slug: str) -> HttpResponse:
    """`sample_submission.csv`: the real ids with a sentence to replace. The BOM is for Excel."""
    competition = find.competition(request, slug)
    if (way := way_to_files(request, competition, unjoined=True)) is not None:
        return way
    version = references.live_version(competition)
    if version is None or not handed_out(request, competition):
        raise Http404
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["fname", "summary"])
    rows.writerows(
        (example, SAMPLE_TEXTS[reader_language()]) for example in references.expected_ids(version)
    )
    return HttpResponse(
        text.getvalue().encode("utf-8-sig"),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="sample_submission.csv"'},
    )


@require_safe
def download(request: WebRequest, slug: str, file_id: UUID) -> HttpResponseBase:
    """One data file, as the organizer put it there."""
    competition = find.competition(request, slug)
    if (way := way_to_files(request, competition, unjoined=True)) is not None:
        return way
    if not handed_out(request, competition):
        raise Http404
    found = get_object_or_404(DataFile, competition=competition, pk=file_id)
    return FileResponse(
        found.file.open("rb"),
        as_attachment=True,
        filename=found.name,
        content_type="application/octet-stream",
    )


def way_in(
    request: WebRequest, competition: Competition, *, unjoined: bool = False
) -> HttpResponse | None:
    """None for a member or an organizer, else the way to become one.

    `unjoined`: None also for who may read a finished contest's files without taking part.
    """
    if roles.is_organizer(request.user, competition):
        return None
    if unjoined and find.reads_unjoined(request, competition):
        return None
    way = find.team_or_way_in(request, competition)
    return way if isinstance(way, HttpResponse) else None


def way_to_files(
    request: WebRequest, competition: Competition, *, unjoined: bool = False
) -> HttpResponse | None:
    """As `way_in`; who has terms to accept does that first and then comes back here."""
    if (way := way_in(request, competition, unjoined=unjoined)) is not None:
        return way
    if _terms_due(request, competition) is None:
        return None
    back = urlencode({"next": reverse("data", args=[competition.slug])})
    return redirect(f"{reverse('terms', args=[competition.slug])}?{back}")


def _terms_due(request: WebRequest, competition: Competition) -> Terms | None:
    """What this person has yet to accept."""
    if not find.takes_terms(request, competition):
        return None
    return terms_due(find.person(request), competition)


def handed_out(request: WebRequest, competition: Competition) -> bool:
    """Files are for participants from the start on, for organizers always."""
    started = phase(competition, request.received_at) is not Phase.UPCOMING
    return started or roles.is_organizer(request.user, competition)

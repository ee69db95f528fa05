"""The rehearsal of a scoring version: start it, look who moves, make it live or discard it."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.actions.discard import discard
from leaderboard.actions.make_live import make_live
from leaderboard.actions.refusals import Refused
from leaderboard.actions.rehearse import rehearse
from leaderboard.boards.rehearsal import preview
from leaderboard.evaluation import queries as evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find, frame
from leaderboard.worker.tasks import evaluate_next

BOARDS = ("public", "private")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rehearsal(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/golds/<id>/rehearsal`: the effect first, its cause second, then the gate."""
    competition = find.competition_to_run(request, slug)
    version = get_object_or_404(ScoringVersion, competition=competition, pk=version_id)
    if request.method == "POST":
        _decide(request, version, find.person(request))
        return redirect("rehearsal", slug=slug, version_id=version.pk)
    live = live_version(competition)
    board = request.GET.get("board", "public")
    if board not in BOARDS or live is None:
        raise Http404
    seen = preview(version, board, find.visit(request, slug))
    every = request.GET.get("all") == "1"
    moves = seen.moves if seen else ()
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "version": version,
        "live": live,
        "board": board,
        "preview": seen,
        "moves": moves if every else [move for move in moves if move.moves or move.changes],
        "every": every,
        "waiting": evaluation.unended(version),
        "failed": evaluation.failed_under(version),
    }
    return render(request, "desk/rehearsal.html", ctx)


def _decide(request: WebRequest, version: ScoringVersion, user: User) -> None:
    """The verb of the button that was pressed; a refusal is shown on the page."""
    verb, at = request.POST.get("verb"), request.received_at
    try:
        if verb == "rehearse":
            rehearse(version=version, user=user, at=at)
            evaluate_next.delay_on_commit()
            messages.success(request, _("예행 채점을 시작했습니다. 참가자에게는 보이지 않습니다."))
        elif verb == "discard":
            discard(version=version, user=user, at=at)
            messages.success(request, _("예행을 버렸습니다. 순위표는 그대로입니다."))
        elif verb == "make_live":
            accepted = request.POST.get("accept_failed") == "on"
            make_live(version=version, user=user, accept_failed=accepted, at=at)
            messages.success(request, _("새 기준을 적용하고 공지했습니다."))
    except Refused as refusal:
        messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")

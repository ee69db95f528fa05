"""The rehearsal of a scoring version: start it, look who moves and why, make it live or not.

The same pages tell afterwards who moved.
"""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.actions.versions import discard, make_live, rehearse
from leaderboard.boards.moves import Against, Cause, Causes, TeamMove, against
from leaderboard.boards.rehearsal import Rehearsed, board_changes, preview, rehearsed
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import queries as evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import expected_ids, next_number
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import SwitchForm
from leaderboard.worker.tasks import evaluate_next

BOARDS = ("public", "private")
TEAMS_PAGE = 50
SUBMISSIONS_PAGE = 50


@dataclass(frozen=True)
class MoveLine:
    """One team of the preview with the rows behind its difference."""

    move: TeamMove
    cause: Cause | None


@dataclass(frozen=True)
class RehearsedLine:
    """One submission of the list: how many rows changed value, how many ids its file lacks."""

    rehearsed: Rehearsed
    rows_changed: int | None
    missing: int


@dataclass(frozen=True)
class SignaturePart:
    """One part of a signature; `differs` where the other signature says something else."""

    text: str
    differs: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def rehearsal(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/golds/<id>/rehearsal`: the effect first, its cause second, then the gate."""
    competition = find.competition_to_run(request, slug)
    version = get_object_or_404(ScoringVersion, competition=competition, pk=version_id)
    if request.method != "POST":
        return _page(request, competition, version, SwitchForm())
    form = SwitchForm(request.POST)
    if request.POST.get("verb") == "make_live" and not form.is_valid():
        return _page(request, competition, version, form, status=422)
    try:
        _decide(request, version, find.person(request), form)
    except Refused as refusal:
        page = partial(_page, request, competition, version, form)
        return errors.refused(request, refusal, page)
    return redirect("rehearsal", slug=slug, version_id=version.pk)


def _page(
    request: WebRequest,
    competition: Competition,
    version: ScoringVersion,
    form: SwitchForm,
    *,
    status: int = 200,
) -> HttpResponse:
    board = request.GET.get("board", "public")
    seen = preview(version, board, find.viewer(request, competition.slug))
    if board not in BOARDS or seen is None:
        raise Http404
    live = seen.against.version
    every = request.GET.get("all") == "1"
    moves = [move for move in seen.moves if every or move.moves or move.changes]
    shown = find.page_of(request, moves, TEAMS_PAGE)
    causes = seen.causes_of(list(shown))
    failed = evaluation.failed_under(version)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "version": version,
        "title": _title(version, seen.against),
        "live": live,
        "switched_at": seen.against.switched_at,
        "number": version.number or next_number(competition),
        "board": board,
        "preview": seen,
        "lines": [MoveLine(move, causes.get(move.team_id)) for move in shown],
        "page": shown.number,
        "pages": shown.paginator.num_pages,
        "view": f"board={board}&all=1" if every else f"board={board}",
        "every": every,
        "waiting": evaluation.unended(version),
        "failed": failed,
        "ids_changed": sum(row.failure == row.IDS_CHANGED for row in failed),
        "signatures": _compared(live.signature, version.signature),
        "form": form,
    }
    return render(request, "desk/rehearsal.html", ctx, status=status)


@login_required
@require_safe
def rehearsed_submissions(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """`…/rehearsal/submissions`: every submission under both versions, what moves most first."""
    competition, version, other = _both(request, slug, version_id)
    board = request.GET.get("board", "public")
    found = rehearsed(version, board, find.viewer(request, slug))
    if board not in BOARDS or found is None:
        raise Http404
    shown = find.page_of(request, found, SUBMISSIONS_PAGE)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "version": version,
        "title": _title(version, other),
        "live": other.version,
        "board": board,
        "lines": _rehearsed_lines(other.version, version, board, list(shown)),
        "without": sum(one.state == "failed" for one in found),
        "total": len(found),
        "page": shown.number,
        "pages": shown.paginator.num_pages,
    }
    return render(request, "desk/rehearsed_submissions.html", ctx)


@login_required
@require_safe
def rehearsed_submission(
    request: WebRequest, slug: str, version_id: UUID, any_submission_id: UUID
) -> HttpResponse:
    """`…/rehearsal/<submission>`: one submission's totals, and the rows that make the change."""
    competition, version, other = _both(request, slug, version_id)
    submission = get_object_or_404(
        Submission.objects.select_related("team"),
        team__competition=competition,
        pk=any_submission_id,
    )
    found = board_changes(version, submission, find.viewer(request, slug))
    if found is None:
        raise Http404
    preview_of_golds = preview(version, "public", find.viewer(request, slug))
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "version": version,
        "title": _title(version, other),
        "live": other.version,
        "submission": submission,
        "boards": found,
        "changed_ids": {row.example_id for row in preview_of_golds.changes.rows}
        if preview_of_golds
        else set(),
        "profile_changed": bool(preview_of_golds and preview_of_golds.profile_changed),
        "missing": _missing(version, submission.pk),
    }
    return render(request, "desk/rehearsed_submission.html", ctx)


def _both(
    request: WebRequest, slug: str, version_id: UUID
) -> tuple[Competition, ScoringVersion, Against]:
    """The contest, the version and what it is compared with."""
    competition = find.competition_to_run(request, slug)
    version = get_object_or_404(ScoringVersion, competition=competition, pk=version_id)
    other = against(version, find.viewer(request, slug))
    if other is None:
        raise Http404
    return competition, version, other


def _title(version: ScoringVersion, other: Against) -> str:
    """A rehearsal, or what a version that was made live changed."""
    words = (
        _("What making %(name)s live changed") if other.switched_at else _("Rehearsal of %(name)s")
    )
    return words % {"name": version.label}


def _rehearsed_lines(
    live: ScoringVersion, version: ScoringVersion, board: str, shown: list[Rehearsed]
) -> list[RehearsedLine]:
    causes = Causes(live, version, board).of([one.submission.pk for one in shown], 0)
    ids = expected_ids(version) if any(one.ids_changed for one in shown) else ()
    return [
        RehearsedLine(
            rehearsed=one,
            rows_changed=cause.changed if (cause := causes.get(one.submission.pk)) else None,
            missing=len(set(ids) - texts(one.submission.pk).keys()) if one.ids_changed else 0,
        )
        for one in shown
    ]


def _missing(version: ScoringVersion, submission_id: UUID) -> list[str]:
    """The ids of the version that the submission's file does not have, in the set's order."""
    given = texts(submission_id)
    return [example_id for example_id in expected_ids(version) if example_id not in given]


def _compared(live: str, other: str) -> tuple[list[SignaturePart], list[SignaturePart]]:
    """Both signatures part by part, with what differs marked."""
    ours, theirs = live.split("|"), other.split("|")
    return (
        [SignaturePart(part, part not in theirs) for part in ours],
        [SignaturePart(part, part not in ours) for part in theirs],
    )


def _decide(request: WebRequest, version: ScoringVersion, user: User, form: SwitchForm) -> None:
    """The verb of the button that was pressed. Raises Refused."""
    verb, at = request.POST.get("verb"), request.received_at
    if verb == "rehearse":
        with waking(evaluate_next):
            rehearse(version=version, user=user, at=at)
        messages.success(request, _("The rehearsal has begun. Participants see nothing of it."))
    elif verb == "discard":
        discard(version=version, user=user, at=at)
        messages.success(request, _("The rehearsal was discarded. The leaderboard is as it was."))
    elif verb == "make_live":
        make_live(
            version=version,
            user=user,
            accept_failed=form.cleaned_data["accept_failed"],
            reason=form.cleaned_data["reason"],
            at=at,
        )
        messages.success(request, _("The new version is live and was announced."))

"""The desk's submissions: find one, see all about it, retry, exclude, restore."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.actions.discipline import exclude, restore
from leaderboard.actions.refusals import Refused
from leaderboard.actions.scoring import retry, retry_failed
from leaderboard.audit.log import about
from leaderboard.boards.scores import SplitResult, evaluation_scores
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import overview
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.duplicates import THRESHOLD, duplicates
from leaderboard.submissions.intake import exclusion_of
from leaderboard.submissions.models import Submission
from leaderboard.web import errors, find, frame, pieces
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import ExcludeForm
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.worker.tasks import evaluate_next


@dataclass(frozen=True)
class EvaluationLine:
    """One evaluation with its numbers by board, and whether it may be retried."""

    evaluation: Evaluation
    scores: tuple[SplitResult, ...]
    retriable: bool

    @property
    def state(self) -> str:
        return "waiting" if self.evaluation.state == "queued" else self.evaluation.state

    @property
    def counts(self) -> bool:
        """Whether its scores are those of the boards."""
        is_live = self.evaluation.scoring_version.state == ScoringVersion.State.LIVE
        return is_live and self.evaluation.state == Evaluation.State.DONE

    @property
    def seconds(self) -> float | None:
        """From the beginning of the last attempt to its end."""
        began, ended = self.evaluation.started_at, self.evaluation.finished_at
        return (ended - began).total_seconds() if began and ended else None


@dataclass(frozen=True)
class SubmissionLine:
    """One submission of the list: its state and totals under the live version, what failed."""

    submission: Submission
    state: str
    totals: dict[str, str]
    failed_elsewhere: tuple[str, ...]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_submissions(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/submissions`: search all; a POST lets everything failed be scored again."""
    competition = find.competition_to_run(request, slug)
    if request.method == "POST":
        if request.POST.get("verb") == "retry_failed":
            _retry_failed(request, competition)
        return redirect("desk_submissions", slug=slug)
    query, kind = request.GET.get("q", "")[:200].strip(), request.GET.get("kind", "")
    kind = kind if kind in overview.KINDS else ""
    found = overview.search(competition, query=query, kind=kind, page=find.page_number(request))
    ctx = {
        "frame": frame.around(request, competition, tab="desk_submissions"),
        "found": found,
        "lines": lines_of_submissions(request, competition, found.submissions),
        "query": query,
        "kind": kind,
        "kinds": _kinds(),
        "zone_name": f"{request.received_at.astimezone(competition.zoneinfo):%Z}",
        "view": urlencode({"q": query, "kind": kind}),
        "failed": overview.retriable(competition).count(),
    }
    return render(request, "desk/submissions.html", ctx)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_submission(request: WebRequest, slug: str, any_submission_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/submissions/<id>`: all about one; POST with `verb` decides about it."""
    competition = find.competition_to_run(request, slug)
    found = _find(competition, any_submission_id)
    form = ExcludeForm(request.POST if request.POST.get("verb") == "exclude" else None)
    if request.method == "POST" and (not form.is_bound or form.is_valid()):
        try:
            _decide(request, found, form)
        except Refused as refusal:
            return errors.refused(request, refusal, partial(_page, request, found, form))
        return redirect("desk_submission", slug=slug, any_submission_id=found.pk)
    return _page(request, found, form, status=422 if form.errors else 200)


def _page(
    request: WebRequest, found: Submission, form: ExcludeForm, *, status: int = 200
) -> HttpResponse:
    competition: Competition = found.team.competition
    lines = _evaluation_lines(request, competition, found)
    exclusion = exclusion_of(found.pk)
    visit = find.visit(request, competition.slug)
    counts = exclusion is None and any(line.counts for line in lines)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_submissions"),
        "submission": found,
        "exclusion": exclusion,
        "evaluations": lines,
        "pieces": [make(request, visit, found, counts) for make in pieces.DESK_SUBMISSION],
        "log": lines_of(competition, about(competition.pk, found.pk)),
        "form": form,
    }
    return render(request, "desk/submission.html", ctx, status=status)


@login_required
@require_safe
def desk_submission_file(
    request: WebRequest, slug: str, any_submission_id: UUID
) -> HttpResponseBase:
    """The file as it was sent, under the submission's id: never shown by the browser."""
    found = _find(find.competition_to_run(request, slug), any_submission_id)
    response = FileResponse(
        found.file.open("rb"),
        as_attachment=True,
        filename=f"{found.pk}.csv",
        content_type="text/plain; charset=utf-8",
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _evaluation_lines(
    request: WebRequest, competition: Competition, found: Submission
) -> list[EvaluationLine]:
    evaluations = overview.evaluations_of([found.pk]).get(found.pk, [])
    scores = evaluation_scores(evaluations, find.visit(request, competition.slug))
    again = set(
        overview.retriable(competition).filter(submission=found).values_list("pk", flat=True)
    )
    return [EvaluationLine(one, scores.get(one.pk, ()), one.pk in again) for one in evaluations]


def _find(competition: Competition, submission_id: UUID) -> Submission:
    return get_object_or_404(overview.of_competition(competition), pk=submission_id)


def _kinds() -> list[tuple[str, str]]:
    words = {
        "waiting": _("Waiting"),
        "running": _("Scoring"),
        "done": _("Scored"),
        "failed": _("Scoring failed"),
        "cancelled": pgettext("state", "Cancelled"),
        "excluded": _("Off the boards"),
        "late": _("Late entries"),
        "baseline": _("Baseline"),
    }
    return [(kind, words[kind]) for kind in overview.KINDS]


def lines_of_submissions(
    request: WebRequest, competition: Competition, submissions: Sequence[Submission]
) -> list[SubmissionLine]:
    """These submissions with state and totals, in three queries for any number."""
    evaluations = overview.evaluations_of([one.pk for one in submissions])
    live = {
        submission_id: one
        for submission_id, found in evaluations.items()
        for one in found
        if one.scoring_version.state == ScoringVersion.State.LIVE
    }
    scores = evaluation_scores(live.values(), find.visit(request, competition.slug))
    lines = []
    for submission in submissions:
        under_live = live.get(submission.pk)
        splits = scores.get(under_live.pk, ()) if under_live else ()
        state = under_live.state if under_live else Evaluation.State.QUEUED
        if getattr(submission, "cancellation", None):
            state = Evaluation.State.CANCELLED
        failed = tuple(
            one.scoring_version.label
            for one in evaluations.get(submission.pk, ())
            if one.state == Evaluation.State.FAILED
            and one.scoring_version.state == ScoringVersion.State.REHEARSING
        )
        lines.append(
            SubmissionLine(
                submission, state, {split.board: split.total for split in splits}, failed
            )
        )
    return lines


def _retry_failed(request: WebRequest, competition: Competition) -> None:
    try:
        with waking(evaluate_next):
            queued = retry_failed(
                competition=competition, user=find.person(request), at=request.received_at
            )
    except Refused as refusal:
        messages.error(request, spoken(refusal))
        return
    if not queued:
        messages.info(request, _("Nothing has failed that could be scored again."))
        return
    messages.success(request, _("Being scored again: %(n)d") % {"n": queued})


def _decide(request: WebRequest, found: Submission, form: ExcludeForm) -> None:
    """The verb of the button that was pressed. Raises Refused."""
    verb, user, at = request.POST.get("verb"), find.person(request), request.received_at
    if verb == "exclude":
        shown = form.cleaned_data["reason_shown"]
        reason = form.cleaned_data["reason"]
        exclude(submission=found, user=user, reason=reason, reason_shown=shown, at=at)
        messages.success(request, _("It is off the boards, and the team has been told."))
    elif verb == "restore":
        reason = request.POST.get("reason", "")[:300]
        restore(submission=found, user=user, reason=reason, at=at)
        messages.success(request, _("It is back on the boards, and the team has been told."))
    elif verb == "retry":
        with waking(evaluate_next):
            retry(evaluation=_evaluation(request, found), user=user, at=at)
        messages.success(request, _("It is being scored again. That uses no attempt."))
    elif verb in pieces.DESK_VERBS:
        messages.success(request, pieces.DESK_VERBS[verb](request, found))


def _evaluation(request: WebRequest, found: Submission) -> Evaluation:
    try:
        wanted = UUID(request.POST.get("evaluation", ""))
    except ValueError:
        raise Http404 from None
    rows = Evaluation.objects.select_related("submission__team__competition")
    return get_object_or_404(rows, submission=found, pk=wanted)


SHOWN = 200  # pairs of teams; the strongest come first


@login_required
@require_safe
def desk_duplicates(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/duplicates`: computed anew on each visit; nothing follows from it."""
    competition = find.competition_to_run(request, slug)
    report = duplicates(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_duplicates"),
        "report": report,
        "shown": report.likenesses[:SHOWN],
        "threshold": round(THRESHOLD * 100),
    }
    return render(request, "desk/duplicates.html", ctx)

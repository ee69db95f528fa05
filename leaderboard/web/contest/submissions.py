"""A team's own submissions: the list, one of them, its progress, its file, its note."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_POST, require_safe

from leaderboard.actions.refusals import Refused
from leaderboard.actions.submissions import FINALS, choose_finals, edit_note
from leaderboard.actions.submissions import cancel as cancel_action
from leaderboard.boards.results import (
    ComparedBoard,
    best_submission,
    compared,
    earlier_results,
    result,
    submission_scores,
)
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.evaluation import queries as evaluation
from leaderboard.submissions.intake import chosen, exclusions
from leaderboard.submissions.ledger import allowance, by_day
from leaderboard.submissions.models import Exclusion, Submission
from leaderboard.submissions.queries import (
    DifferingRow,
    differing_ids,
    differing_row,
    for_user,
    of_team,
    texts,
)
from leaderboard.teams.models import Team
from leaderboard.web import errors, find, frame, pieces
from leaderboard.web.charts.bars import histogram
from leaderboard.web.charts.lines import Point, history
from leaderboard.web.find import PageLink, WebRequest, pager
from leaderboard.web.forms import NoteForm

PAGE = 50  # rows of texts on one page


@dataclass(frozen=True)
class Comparison:
    """Two submissions; `rows` is one page of the `differing` ones out of `of`."""

    before: Submission
    after: Submission
    boards: tuple[ComparedBoard, ...]
    rows: tuple[DifferingRow, ...]
    differing: int
    of: int
    pager: tuple[PageLink, ...]


@dataclass(frozen=True)
class OwnSubmission:
    """One submission of the list, with the totals that its reader may see."""

    submission: Submission
    state: str
    public: str | None
    private: str | None
    is_best: bool
    is_final: bool
    exclusion: Exclusion | None
    previous: UUID | None

    @property
    def counts(self) -> bool:
        """Whether it may stand on a board or be a final, as `submissions.queries.counted` says."""
        return self.exclusion is None and not self.submission.is_late


@dataclass(frozen=True)
class RoadStep:
    """One step of a submission's road: past, here or still to come."""

    name: str
    state: str


@require_safe
def submissions(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions`: everything the team handed in, newest first."""
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    return _list(request, competition, team)


def _list(
    request: WebRequest,
    competition: Competition,
    team: Team,
    *,
    ticked: Collection[UUID] | None = None,
) -> HttpResponse:
    """The list; `ticked` are the finals as somebody chose them but they were not taken."""
    finals_now = chosen(team.id) if ticked is None else ticked
    lines = _lines(request, team, finals_now)
    ctx = {
        "frame": frame.around(request, competition, tab="submit"),
        "team": team,
        "lines": lines,
        "finals_chosen": sum(line.is_final for line in lines),
        "drawings": history(
            [
                Point(line.submission.received_at, line.public)
                for line in reversed(lines)
                if line.public is not None and line.counts
            ],
            competition.zoneinfo,
        ),
        "zone_name": f"{request.received_at.astimezone(competition.zoneinfo):%Z}",
        "finals_limit": FINALS,
        "shows_private": any(line.private is not None for line in lines),
    }
    return render(request, "submissions.html", ctx)


@require_safe
def submission(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponse:
    """`/c/<slug>/submissions/<id>`: progress while it runs, the result card afterwards."""
    competition, found = _find(request, slug, submission_id)
    return page_of(request, competition, found)


def page_of(
    request: WebRequest,
    competition: Competition,
    found: Submission,
    form: NoteForm | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """The page of one submission, with what somebody typed about it."""
    state = _state(request, found)
    viewer = find.viewer(request, competition.slug)
    ctx = {
        "frame": frame.around(request, competition, tab="submit"),
        "competition": competition,
        "submission": found,
        "beside": _with_earlier(request, found) if state["card"] else None,
        "exclusion": exclusions([found.pk]).get(found.pk),
        "pieces": [make(request, viewer, found) for make in pieces.SUBMISSION]
        if state["card"]
        else [],
        "earlier": earlier_results(found, viewer),
        "form": form or NoteForm(initial={"note": found.note, "method_name": found.method_name}),
        **state,
    }
    return render(request, "submission.html", ctx, status=status)


@require_safe
def progress(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponse:
    """The part of the submission page that htmx asks for each second until it is over."""
    competition, found = _find(request, slug, submission_id)
    ctx = {"competition": competition, "submission": found, **_state(request, found)}
    if ctx["progress"].is_over:
        # Rank and slots changed with the result: the last fragment brings the strip along.
        ctx["frame"] = frame.around(request, competition, tab="submit")
    return render(request, "parts/state.html", ctx)


@require_safe
def file(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponseBase:
    """The file as it was sent: never shown by the browser, only saved."""
    _competition, found = _find(request, slug, submission_id)
    response = FileResponse(
        found.file.open("rb"),
        as_attachment=True,
        filename=found.file_name,
        content_type="text/plain; charset=utf-8",
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_POST
def note(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponse:
    """Change what the team wrote beside its submission."""
    competition, found = _find(request, slug, submission_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return page_of(request, competition, found, form, status=422)
    try:
        edit_note(
            submission=found,
            user=find.person(request),
            note=form.cleaned_data["note"],
            method_name=form.cleaned_data["method_name"],
        )
    except Refused as refusal:
        page = partial(page_of, request, competition, found, form)
        return errors.refused(request, refusal, page)
    messages.success(request, _("The note was changed."))
    return redirect("submission", slug=competition.slug, submission_id=found.id)


@require_POST
def cancel(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponse:
    """Take back a submission that still waits."""
    competition, found = _find(request, slug, submission_id)
    try:
        cancel_action(submission=found, user=find.person(request), at=request.received_at)
    except Refused as refusal:
        page = partial(page_of, request, competition, found)
        return errors.refused(request, refusal, page)
    messages.success(request, _("Cancelled; the attempt was given back."))
    return redirect("submission", slug=competition.slug, submission_id=found.id)


@require_POST
def finals(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions/finals`: exactly the ticked ones are the team's finals."""
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    ticked = [_uuid(text) for text in request.POST.getlist("final")]
    try:
        choose_finals(
            team=team,
            user=find.person(request),
            submission_ids=ticked,
            at=request.received_at,
        )
    except Refused as refusal:
        page = partial(_list, request, competition, team, ticked=ticked)
        return errors.refused(request, refusal, page)
    messages.success(request, _("Your finals have changed."))
    return redirect("submissions", slug=competition.slug)


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def _lines(
    request: WebRequest, team: Team, finals_of_team: Collection[UUID]
) -> list[OwnSubmission]:
    viewer = find.viewer(request, team.competition.slug)
    own = list(of_team(team))
    best = best_submission(viewer)
    scores = submission_scores(own, viewer)
    excluded = exclusions(submission.id for submission in own)
    states = evaluation.states(submission.id for submission in own)
    totals = {
        submission_id: {split.board: split.total for split in splits}
        for submission_id, splits in scores.items()
    }
    return [
        OwnSubmission(
            submission=submission,
            state=states.get(submission.id, "waiting"),
            public=totals.get(submission.id, {}).get("public"),
            private=totals.get(submission.id, {}).get("private"),
            is_best=submission.id == best,
            is_final=submission.id in finals_of_team,
            exclusion=excluded.get(submission.id),
            previous=earlier.pk if earlier else None,
        )
        for submission, earlier in zip_longest(own, own[1:])
    ]


def _find(request: WebRequest, slug: str, submission_id: UUID) -> tuple[Competition, Submission]:
    competition = find.competition(request, slug)
    try:
        found = for_user(request.user).get(team__competition=competition, pk=submission_id)
    except Submission.DoesNotExist:
        raise Http404 from None
    return competition, found


def _with_earlier(request: WebRequest, found: Submission) -> Comparison | None:
    """The submission beside the one that the team handed in before it."""
    earlier = of_team(found.team).filter(received_at__lt=found.received_at).first()
    if earlier is None:
        return None
    return comparison(earlier, found, find.viewer(request, found.team.competition.slug))


def _steps(state: evaluation.Progress) -> list[RoadStep]:
    """The road of a submission with the step it is at."""
    names = {
        "received": pgettext("state", "Received"),
        "queued": _("Waiting"),
        "prepare": _("Preparing golds"),
        "cut": _("Cutting morphemes"),
        "score": pgettext("step", "Scoring"),
        "rank": _("Ranking"),
    }
    order = list(names)
    # A worker that has just taken it has not named its stage yet.
    here = order.index(state.stage) if state.stage in order else order.index("prepare")
    return [
        RoadStep(name, "past" if place < here else "here" if place == here else "")
        for place, name in enumerate(names.values())
    ]


def _state(request: WebRequest, found: Submission) -> dict[str, Any]:
    """Where the submission stands, with its result card once there is one."""
    state = evaluation.progress(found, at=request.received_at)
    viewer = find.viewer(request, found.team.competition.slug)
    card = result(found, viewer) if state.is_over else None
    version = viewer.version if card else None
    profile = version.profile() if version else None
    return {
        "progress": state,
        "steps": _steps(state),
        "card": card,
        # Only then does the card write plus signs between the parts.
        "adds_up": bool(profile and profile.metric_aggregation == "sum" and profile.scale == 1),
        "histogram": histogram(card.histogram) if card else None,
        "now": request.received_at,
        "zone": found.team.competition.zoneinfo,
    }


@require_safe
def ledger(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/ledger`: the whole ledger, a table for each contest day, newest first."""
    competition = find.competition(request, slug)
    team = find.team_or_way_in(request, competition)
    if isinstance(team, HttpResponse):
        return team
    ctx = {
        "frame": frame.around(request, competition, tab="submit"),
        "competition": competition,
        "team": team,
        "allowance": allowance(team, competition, request.received_at),
        "days": by_day(team),
        "on_desk": False,
    }
    return render(request, "ledger.html", ctx)


@require_safe
def compare(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions/compare?a=…&b=…`; without both, the page asks which."""
    viewer = find.viewer(request, slug)
    team = find.team_or_way_in(request, viewer.competition)
    if isinstance(team, HttpResponse):
        return team
    own = {submission.pk: submission for submission in of_team(team)}
    before, after = (_chosen(request, name, own) for name in ("a", "b"))
    ctx: dict[str, Any] = {
        "frame": frame.around(request, viewer.competition, tab="submit"),
        "own": list(own.values()),
        "before": before,
        "after": after,
        "zone": viewer.competition.zoneinfo,
    }
    if before and after and before != after:
        ctx["found"] = comparison(before, after, viewer, find.page_number(request))
        ctx["pieces"] = [make(request, viewer, before, after) for make in pieces.COMPARISON]
    return render(request, "compare.html", ctx)


def comparison(before: Submission, after: Submission, viewer: Viewer, page: int = 0) -> Comparison:
    """Both, with one page of the rows whose texts differ, by id; without them for page 0."""
    left, right = texts(before.pk), texts(after.pk)
    changed = differing_ids(left, right)
    pages = max(1, -(-len(changed) // PAGE))
    page = min(page, pages)
    asked = urlencode({"a": before.pk, "b": after.pk})
    return Comparison(
        before=before,
        after=after,
        boards=compared(before, after, viewer),
        rows=tuple(
            differing_row(example_id, left, right)
            for example_id in changed[max(page - 1, 0) * PAGE : page * PAGE]
        ),
        differing=len(changed),
        of=len(left.keys() | right.keys()),
        pager=tuple(pager(page, pages, f"?{asked}&page={{}}".format)),
    )


def _chosen(request: WebRequest, name: str, own: dict[UUID, Submission]) -> Submission | None:
    """The submission that the address names; a 404 for any that is not the team's own."""
    text = request.GET.get(name, "")
    if not text:
        return None
    try:
        return own[UUID(text)]
    except (ValueError, KeyError):
        raise Http404 from None

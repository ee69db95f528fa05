"""The desk's submissions: find one, see all about it, retry, exclude, restore."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

from leaderboard.actions import teams
from leaderboard.actions.discipline import exclude, restore
from leaderboard.actions.refusals import Refused
from leaderboard.actions.scoring import retry, retry_failed
from leaderboard.audit.log import about
from leaderboard.boards.results import SplitResult, evaluation_scores
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.evaluation import overview
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.intake import exclusions
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines
from leaderboard.web import fragments, lookups
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.forms import BaselineForm, ExcludeForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import PREDICTIONS_BYTES, as_sent
from leaderboard.worker.tasks import evaluate_next

PAGE = 50
MOST = 5000  # of a million files, older ones are searched


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


@page(
    "desk/submissions", "desk_submissions", Entry(SCORING, pgettext_lazy("list", "Submissions"), 30)
)
class Submissions(DeskPage):
    """`/c/<slug>/desk/submissions`: search all; a POST lets everything failed be scored again."""

    template = "desk/submissions.html"

    def do_retry_failed(self) -> HttpResponse:
        try:
            with waking(evaluate_next):
                queued = retry_failed(**self.who)
        except Refused as refusal:
            messages.error(self.request, spoken(refusal))
            return self.done()
        if queued:
            return self.done(_("Being scored again: %(n)d") % {"n": queued})
        messages.info(self.request, _("Nothing has failed that could be scored again."))
        return self.done()

    def unknown(self) -> HttpResponse:
        return self.done()

    def context(self) -> dict[str, Any]:
        asked = self.request.GET
        query, kind = asked.get("q", "")[:200].strip(), asked.get("kind", "")
        kind = kind if kind in overview.KINDS else ""
        matching = overview.search(self.competition, query=query, kind=kind)
        found = lookups.page_of(self.request, matching, PAGE, MOST)
        return {
            "found": found,
            "lines": lines_of_submissions(list(found), self.viewer),
            "query": query,
            "kind": kind,
            "kinds": _kinds(),
            "zone_name": f"{self.at.astimezone(self.competition.zoneinfo):%Z}",
            "view": urlencode({"q": query, "kind": kind}),
            "failed": overview.retriable(self.competition).count(),
        }


class OfSubmission(DeskPage):
    tab = "desk_submissions"
    submission: Submission

    def open(self, **address: UUID) -> None:
        known = overview.of_competition(self.competition)
        self.submission = get_object_or_404(known, pk=address["any_submission_id"])


@page("desk/submissions/<uuid:any_submission_id>", "desk_submission")
class OneSubmission(OfSubmission):
    """`/c/<slug>/desk/submissions/<id>`: all about one, and what may be decided about it."""

    template = "desk/submission.html"
    forms = {"exclude": ExcludeForm}

    def do_exclude(self) -> str:
        exclude(submission=self.submission, user=self.user, at=self.at, **self.typed())
        return _("It is off the boards, and the team has been told.")

    def do_restore(self) -> str:
        reason = self.request.POST.get("reason", "")[:300]
        restore(submission=self.submission, user=self.user, reason=reason, at=self.at)
        return _("It is back on the boards, and the team has been told.")

    def do_retry(self) -> str:
        rows = Evaluation.objects.select_related("submission__team__competition")
        wanted = self.key("evaluation")
        failed = get_object_or_404(rows, submission=self.submission, pk=wanted)
        with waking(evaluate_next):
            retry(evaluation=failed, user=self.user, at=self.at)
        return _("It is being scored again. That uses no attempt.")

    def unknown(self) -> HttpResponse:
        act = fragments.DESK_VERBS.get(self.verb)
        return self.done(act(self.request, self.submission) if act else None)

    def context(self) -> dict[str, Any]:
        found = self.submission
        evaluations = overview.evaluations_of([found.pk]).get(found.pk, [])
        scores = evaluation_scores(evaluations, self.viewer)
        failed = overview.retriable(self.competition).filter(submission=found)
        again = set(failed.values_list("pk", flat=True))
        lines = [
            EvaluationLine(one, scores.get(one.pk, ()), one.pk in again) for one in evaluations
        ]
        exclusion = exclusions([found.pk]).get(found.pk)
        counts = exclusion is None and any(line.counts for line in lines)
        return {
            "submission": found,
            "exclusion": exclusion,
            "evaluations": lines,
            "fragments": [
                make(self.request, self.viewer, found, counts) for make in fragments.DESK_SUBMISSION
            ],
            "log": lines_of(self.competition, about(self.competition.pk, found.pk)),
            "form": self.form("exclude"),
        }


@page("desk/submissions/<uuid:any_submission_id>/file", "desk_submission_file")
class SubmissionFile(OfSubmission):
    """The file as it was sent, under the submission's id."""

    def respond(self) -> HttpResponseBase:
        return as_sent(self.submission.file, f"{self.submission.pk}.csv")


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


def lines_of_submissions(submissions: Sequence[Submission], viewer: Viewer) -> list[SubmissionLine]:
    """These submissions with state and totals, in three queries for any number."""
    evaluations = overview.evaluations_of([one.pk for one in submissions])
    live = {
        submission_id: one
        for submission_id, found in evaluations.items()
        for one in found
        if one.scoring_version.state == ScoringVersion.State.LIVE
    }
    scores = evaluation_scores(live.values(), viewer)
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


@dataclass(frozen=True)
class BaselineLine:
    """One baseline with its files, newest first. Removed: none of them is on the board."""

    team: Team
    files: tuple[SubmissionLine, ...]

    @property
    def removed(self) -> bool:
        return all(getattr(one.submission, "exclusion", None) for one in self.files)


@page("desk/baselines", "desk_baselines", Entry(SCORING, pgettext_lazy("desk", "Baselines"), 40))
class Baselines(DeskPage):
    """`/c/<slug>/desk/baselines`: add one, rename, remove or restore it."""

    template = "desk/baselines.html"
    forms = {"add": BaselineForm}
    beside = {"add": "name"}
    upload_bytes = PREDICTIONS_BYTES
    brings = {"add": "file"}

    def do_add(self) -> str:
        with waking(evaluate_next):
            teams.add_baseline(upload=self.files[0], **self.typed(), **self.who)
        return _("Baseline added. It appears on the board once it is scored.")

    def do_rename(self) -> str:
        name = self.request.POST.get("name", "")
        teams.rename_baseline(team=self._baseline(), user=self.user, name=name, at=self.at)
        return _("Baseline renamed.")

    def do_remove(self) -> str:
        teams.remove_baseline(team=self._baseline(), user=self.user, at=self.at)
        return _("The baseline is off the boards.")

    def do_restore(self) -> str:
        teams.restore_baseline(team=self._baseline(), user=self.user, at=self.at)
        return _("The baseline is back on the boards.")

    def unknown(self) -> HttpResponse:
        return self.done()

    def context(self) -> dict[str, Any]:
        handed_in = overview.of_competition(self.competition)
        files: dict[UUID, list[SubmissionLine]] = {}
        for line in lines_of_submissions(
            list(handed_in.filter(team__kind=Team.Kind.BASELINE)), self.viewer
        ):
            files.setdefault(line.submission.team_id, []).append(line)
        return {
            "lines": [
                BaselineLine(team, tuple(files.get(team.pk, ())))
                for team in baselines(self.competition)
            ],
            "form": self.form("add"),
            "limit": PREDICTIONS_BYTES,
        }

    def _baseline(self) -> Team:
        return get_object_or_404(baselines(self.competition), pk=self.key("baseline"))

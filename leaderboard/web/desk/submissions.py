"""The desk's submissions: find one, see all about it, retry, exclude, restore."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from leaderboard.actions import teams
from leaderboard.actions.discipline import exclude, restore
from leaderboard.actions.scoring import retry, retry_failed
from leaderboard.audit.log import decisions
from leaderboard.boards.results import evaluation_scores
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import SHOWN
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import exclusions
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines
from leaderboard.web import fragments, lookups
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.forms import BaselineForm, ExcludeForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from leaderboard.web.uploads import PREDICTIONS_BYTES, as_sent
from leaderboard.worker.tasks import evaluate_next

State = Evaluation.State
PAGE = 50
MOST = 5000  # of a million files, older ones are searched


@page(
    "desk/submissions", "desk_submissions", Entry(SCORING, pgettext_lazy("list", "Submissions"), 30)
)
class Submissions(DeskPage):
    """`/c/<slug>/desk/submissions`: search all; a POST lets everything failed be scored again."""

    template = "desk/submissions.html"

    def do_retry_failed(self) -> str:
        with waking(evaluate_next):
            queued = retry_failed(**self.who)
        return _("Being scored again: %(n)d") % {"n": queued}

    def context(self) -> dict[str, Any]:
        asked = self.request.GET
        query, kind = asked.get("q", "")[:200].strip(), asked.get("kind", "")
        kind = kind if kind in evaluation.KINDS else ""
        matching = evaluation.search(self.competition, query=query, kind=kind)
        found = lookups.page_of(self.request, matching, PAGE, MOST)
        return {
            "found": found,
            "lines": lines_of_submissions(list(found), self.viewer),
            "query": query,
            "kind": kind,
            "kinds": _kinds(),
            "failed": evaluation.retriable(self.competition).count(),
        }


class OfSubmission(DeskPage):
    tab = "desk_submissions"
    submission: Submission

    def open(self, **address: UUID) -> None:
        known = evaluation.of_competition(self.competition)
        self.submission = get_object_or_404(known, pk=address["any_submission_id"])


@page("desk/submissions/<uuid:any_submission_id>", "desk_submission")
class OneSubmission(OfSubmission):
    """`/c/<slug>/desk/submissions/<id>`: all about one, and what may be decided about it."""

    about = "submission"
    template = "desk/submission.html"
    forms = {"exclude": ExcludeForm}
    verbs = {
        "exclude": (
            exclude,
            gettext_lazy("The submission was excluded, and the team was notified."),
        ),
    }
    previewed = ("exclude",)

    def do_restore(self) -> str:
        reason = self.request.POST.get("reason", "")[:300]
        restore(reason=reason, **self.who)
        return _("The submission was restored, and the team was notified.")

    def do_retry(self) -> str:
        rows = Evaluation.objects.select_related("submission__team__competition")
        wanted = self.key("evaluation")
        failed = get_object_or_404(rows, submission=self.submission, pk=wanted)
        with waking(evaluate_next):
            retry(evaluation=failed, user=self.user, at=self.at)
        return _("The submission is being scored again. This uses no attempt.")

    def unknown(self) -> HttpResponse:
        act = fragments.DESK_VERBS.get(self.verb)
        return self.done(act(self.request, self.submission) if act else None)

    def context(self) -> dict[str, Any]:
        found = self.submission
        evaluations = evaluation.evaluations_of([found.pk]).get(found.pk, [])
        scores = evaluation_scores(evaluations, self.viewer)
        live = ScoringVersion.State.LIVE
        failed = evaluation.retriable(self.competition).filter(submission=found)
        again = set(failed.values_list("pk", flat=True))
        lines = [
            {
                "evaluation": one,
                "scores": scores.get(one.pk, ()),
                "retriable": one.pk in again,
                "is_first": one.pk in again or one.scoring_version.state == live,
                "state": SHOWN[State(one.state)],
            }
            for one in evaluations
        ]
        exclusion = exclusions([found.pk]).get(found.pk)
        counts = exclusion is None and any(
            one.scoring_version.state == live and one.state == State.DONE for one in evaluations
        )
        return {
            "submission": found,
            "exclusion": exclusion,
            "evaluations": [line for line in lines if line["is_first"]],
            "under_others": [line for line in lines if not line["is_first"]],
            "fragments": [
                make(self.request, self.viewer, found, counts) for make in fragments.DESK_SUBMISSION
            ],
            "log": lines_of(
                self.competition, decisions(self.competition.pk).filter(subject=found.pk)
            ),
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
        "excluded": _("Excluded"),
        "late": _("Late entries"),
        "baseline": _("Baseline"),
    }
    return [(kind, words[kind]) for kind in evaluation.KINDS]


def lines_of_submissions(submissions: Sequence[Submission], viewer: Viewer) -> list[dict[str, Any]]:
    """Submissions with their state and totals under the live version, in three queries for any
    number."""
    evaluations = evaluation.evaluations_of([one.pk for one in submissions])
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
        state = under_live.state if under_live else State.QUEUED
        if getattr(submission, "cancellation", None):
            state = State.CANCELLED
        splits = scores.get(under_live.pk, ()) if under_live else ()
        totals = {split.board: split.total for split in splits}
        lines.append({"submission": submission, "state": state, "totals": totals})
    return lines


@page("desk/baselines", "desk_baselines", Entry(SCORING, pgettext_lazy("desk", "Baselines"), 40))
class Baselines(DeskPage):
    """`/c/<slug>/desk/baselines`: add one, rename, remove or restore it."""

    template = "desk/baselines.html"
    forms = {"add": BaselineForm}
    verbs = {
        "remove": (
            teams.remove_baseline,
            gettext_lazy("The baseline was excluded from the leaderboard."),
        ),
        "restore": (
            teams.restore_baseline,
            gettext_lazy("The baseline was restored to the leaderboard."),
        ),
    }
    beside = {"add": "name"}
    upload_bytes = PREDICTIONS_BYTES
    brings = {"add": "file"}

    def do_add(self) -> str:
        with waking(evaluate_next):
            teams.add_baseline(upload=self.files[0], **self.typed(), **super().who)
        return _("The baseline was added. It appears on the leaderboard once it is scored.")

    def do_rename(self) -> str:
        name = self.request.POST.get("name", "")
        teams.rename_baseline(name=name, **self.who)
        return _("Baseline renamed.")

    def context(self) -> dict[str, Any]:
        handed_in = evaluation.of_competition(self.competition)
        files: dict[UUID, list[dict[str, Any]]] = {}
        for line in lines_of_submissions(
            list(handed_in.filter(team__kind=Team.Kind.BASELINE)), self.viewer
        ):
            files.setdefault(line["submission"].team_id, []).append(line)
        return {
            "lines": [
                {
                    "team": team,
                    "files": (own := files.get(team.pk, [])),
                    # None of its files is on the board.
                    "removed": all(getattr(one["submission"], "exclusion", None) for one in own),
                }
                for team in baselines(self.competition)
            ],
            "form": self.form("add"),
            "limit": PREDICTIONS_BYTES,
        }

    @property
    def who(self) -> dict[str, Any]:
        team = get_object_or_404(baselines(self.competition), pk=self.key("baseline"))
        return {"team": team, "user": self.user, "at": self.at}

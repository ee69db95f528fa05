"""The rehearsal of a scoring version: start it, look who moves and why, make it live or not.

The same pages tell afterwards who moved.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.versions import discard, make_live, rehearse
from leaderboard.boards.moves import Against, Causes, against
from leaderboard.boards.rehearsal import Rehearsed, board_changes, preview, rehearsed
from leaderboard.boards.visibility import Board
from leaderboard.celery import waking
from leaderboard.evaluation import queries as evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import expected_ids, next_number
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from leaderboard.web import lookups
from leaderboard.web.forms import SwitchForm
from leaderboard.web.page import DeskPage, page
from leaderboard.worker.tasks import evaluate_next

TEAMS_PAGE = 50
SUBMISSIONS_PAGE = 50


class OfVersion(DeskPage):
    """What is about one scoring version and what it is compared with."""

    tab = "desk_golds"
    version: ScoringVersion

    def open(self, **address: UUID) -> None:
        self.version = get_object_or_404(
            ScoringVersion, competition=self.competition, pk=address["version_id"]
        )
        self.board = self.request.GET.get("board", "public")

    @property
    def who(self) -> dict[str, Any]:
        return {"version": self.version, "user": self.user, "at": self.at}

    def of_version(self, other: Against) -> dict[str, Any]:
        """A rehearsal, or what a version that was made live changed."""
        rehearsal = _("Rehearsal of %(name)s")
        title = _("What making %(name)s live changed") if other.switched_at else rehearsal
        return {
            "version": self.version,
            "title": title % {"name": self.version.label},
            "live": other.version,
            "board": self.board,
        }


@page("desk/golds/<uuid:version_id>/rehearsal", "rehearsal")
class Rehearsal(OfVersion):
    """`/c/<slug>/desk/golds/<id>/rehearsal`: the effect first, its cause second, then the gate."""

    template = "desk/rehearsal.html"
    forms = {"make_live": SwitchForm}
    verbs = {
        "discard": (
            discard,
            gettext_lazy("The rehearsal was discarded. The leaderboard is as it was."),
        ),
        "make_live": (make_live, gettext_lazy("The new version is live and was announced.")),
    }

    def do_rehearse(self) -> str:
        with waking(evaluate_next):
            rehearse(**self.who)
        return _("The rehearsal has begun. Participants see nothing of it.")

    def unknown(self) -> HttpResponse:
        return self.done()

    def context(self) -> dict[str, Any]:
        version, board = self.version, self.board
        seen = preview(version, board, self.viewer)
        if board not in Board.values or seen is None:
            raise Http404
        every = self.request.GET.get("all") == "1"
        moves = [move for move in seen.moves if every or move.moves or move.changes]
        shown = lookups.page_of(self.request, moves, TEAMS_PAGE)
        causes = seen.causes_of(list(shown))
        failed = evaluation.failed_under(version)
        return {
            **self.of_version(seen.against),
            "switched_at": seen.against.switched_at,
            "number": version.number or next_number(self.competition),
            "preview": seen,
            "lines": [(move, causes.get(move.team_id)) for move in shown],
            "page": shown.number,
            "pages": shown.paginator.num_pages,
            "view": f"board={board}&all=1" if every else f"board={board}",
            "every": every,
            "waiting": evaluation.unended(version),
            "failed": failed,
            "ids_changed": sum(row.failure == row.IDS_CHANGED for row in failed),
            "signatures": _compared(seen.against.version.signature, version.signature),
            "form": self.bound or SwitchForm(self.request.POST or None),
        }


class Compared(OfVersion):
    """A page that needs something to compare with."""

    def open(self, **address: UUID) -> None:
        super().open(**address)
        other = against(self.version, self.viewer)
        if other is None:
            raise Http404
        self.other = other


@page("desk/golds/<uuid:version_id>/rehearsal/submissions", "rehearsed_submissions")
class RehearsedSubmissions(Compared):
    """`…/rehearsal/submissions`: every submission under both versions, what moves most first."""

    template = "desk/rehearsed_submissions.html"

    def context(self) -> dict[str, Any]:
        found = rehearsed(self.version, self.board, self.viewer)
        if self.board not in Board.values or found is None:
            raise Http404
        shown = lookups.page_of(self.request, found, SUBMISSIONS_PAGE)
        return {
            **self.of_version(self.other),
            "lines": self._lines(list(shown)),
            "without": sum(one.state == "failed" for one in found),
            "total": len(found),
            "page": shown.number,
            "pages": shown.paginator.num_pages,
        }

    def _lines(self, shown: list[Rehearsed]) -> list[dict[str, Any]]:
        causes = Causes(self.other.version, self.version, self.board)
        changed = causes.of([one.submission.pk for one in shown], 0)
        ids = expected_ids(self.version) if any(one.ids_changed for one in shown) else ()
        return [
            {
                "rehearsed": one,
                "rows_changed": cause.changed
                if (cause := changed.get(one.submission.pk))
                else None,
                "missing": len(_missing(ids, one.submission.pk)) if one.ids_changed else 0,
            }
            for one in shown
        ]


@page("desk/golds/<uuid:version_id>/rehearsal/<uuid:any_submission_id>", "rehearsed_submission")
class RehearsedSubmission(Compared):
    """`…/rehearsal/<submission>`: one submission's totals, and the rows that make the change."""

    template = "desk/rehearsed_submission.html"

    def open(self, **address: UUID) -> None:
        super().open(**address)
        rows = Submission.objects.select_related("team").filter(team__competition=self.competition)
        self.submission = get_object_or_404(rows, pk=address["any_submission_id"])

    def context(self) -> dict[str, Any]:
        found = board_changes(self.version, self.submission, self.viewer)
        if found is None:
            raise Http404
        seen = preview(self.version, "public", self.viewer)
        return {
            **self.of_version(self.other),
            "submission": self.submission,
            "boards": found,
            "changed_ids": {row.example_id for row in seen.changes.rows} if seen else set(),
            "profile_changed": bool(seen and seen.profile_changed),
            "missing": _missing(expected_ids(self.version), self.submission.pk),
        }


def _missing(ids: Sequence[str], submission_id: UUID) -> list[str]:
    given = texts(submission_id)
    return [example_id for example_id in ids if example_id not in given]


def _compared(live: str, other: str) -> list[list[tuple[str, bool]]]:
    """Both signatures part by part, with whether the other one says something else."""
    ours, theirs = live.split("|"), other.split("|")
    pairs = ((ours, theirs), (theirs, ours))
    return [[(part, part not in rest) for part in parts] for parts, rest in pairs]

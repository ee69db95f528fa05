"""What a judge said: rows to look at, submissions beside each other, parts of other pages."""

import json
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.models import Placement
from leaderboard.boards.queries import BoardPage
from leaderboard.boards.results import ResultCard
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.judging import queries
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.asking.walk import stored_calls
from leaderboard.judging.board import JudgeColumn, active_config, judge_results
from leaderboard.judging.labelling import judged_submissions
from leaderboard.judging.models import Judgment
from leaderboard.judging.pages.config import JudgePage
from leaderboard.judging.pairs import judge_groups, judge_pairs
from leaderboard.judging.tasks import judge_next
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts_by_submission
from leaderboard.web import lookups
from leaderboard.web.contest.submissions import OwnSubmission
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import page

PAGE = 25
SHOWN = 4_000  # characters of one answer
# A flag without words here is shown as it is kept.
FLAGS = {
    "empty_summary": gettext_lazy("Empty summary"),
    "too_long": gettext_lazy("Summary too long"),
    "no_claims": gettext_lazy("No claims"),
    "evidence_missing": gettext_lazy("Evidence not found"),
    "judge_unreadable": gettext_lazy("Judge's answer unreadable"),
    "instruction_like": gettext_lazy("Text like an instruction"),
    "order_to_judge": gettext_lazy("Text that instructs the judge"),
    "unclaimed": gettext_lazy("Sentence not in any claim"),
    "unrelated_spans": gettext_lazy("Unrelated evidence"),
    "high_but_low_rouge": gettext_lazy("High judge value at the bottom of ROUGE"),
    "json_fragment": gettext_lazy("Fragment of JSON"),
    "role_tag": gettext_lazy("Role tag"),
    "master_key": gettext_lazy("Nearly empty answer"),
    "copied": gettext_lazy("Nearly a copy of the dialogue"),
    "same_ending": gettext_lazy("Most rows end alike"),
    "same_beginning": gettext_lazy("Most rows begin alike"),
}


@page("desk/judge/<uuid:judge_id>/flags", "desk_judge_flags")
class JudgeFlags(JudgePage):
    """`/c/<slug>/desk/judge/<id>/flags`: hostile text from two sources, shown as text."""

    template = "judging/flags.html"

    def context(self) -> dict[str, Any]:
        found = lookups.page_of(self.request, queries.flagged(self.config), PAGE)
        return {
            "total": found.paginator.count,
            "rows": _rows(list(found.object_list)),
            "submissions": [
                (one, [said(flag) for flag in one.flags])
                for one in queries.judgings(self.config).exclude(flags=[])[:PAGE]
            ],
            "page": found.number,
            "pages": found.paginator.num_pages,
        }


def said(flag: str) -> str:
    return str(FLAGS.get(flag, flag))


def _rows(judgments: list[Judgment]) -> list[dict[str, Any]]:
    """Each with its summary, its flags in words, and its answers; two queries in all."""
    stored = stored_calls(key for one in judgments for key in one.call_keys.values())
    written = texts_by_submission({one.judging.submission_id for one in judgments})
    return [
        {
            "judgment": one,
            "summary": written[one.judging.submission_id].get(one.example_id, ""),
            "flags": [said(flag) for flag in one.flags],
            "answers": [
                (call, _shown(stored[key].answer))
                for call, key in one.call_keys.items()
                if key in stored
            ],
        }
        for one in judgments
    ]


def _shown(answer: Any) -> str:
    text = json.dumps(answer, ensure_ascii=False, indent=1)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


LISTED = 300  # older ones are reached by their id in the address


@page("desk/judge/<uuid:judge_id>/compare", "desk_judge_compare")
class JudgeCompare(JudgePage):
    """`/c/<slug>/desk/judge/<id>/compare?a=…&b=…`; without either, every team's file in groups."""

    template = "judging/compare.html"

    def context(self) -> dict[str, Any]:
        judged = judged_submissions(self.config, [Placement.Board.PUBLIC])
        before, after = (_chosen(self.request, name, judged) for name in ("a", "b"))
        found: dict[str, Any] = {"judge": (), "groups": (), "is_pair": False}
        if before and after and before != after:
            pairs = judge_pairs(self.viewer, before.pk, after.pk, config=self.config)
            found |= {"judge": pairs, "is_pair": True}
        elif not before and not after:
            found["groups"] = judge_groups(self.viewer, self.config)
        return {"judged": judged[:LISTED], "before": before, "after": after, **found}


def _chosen(request: WebRequest, name: str, judged: QuerySet[Submission]) -> Submission | None:
    text = request.GET.get(name, "")
    return get_object_or_404(judged, pk=lookups.key(text)) if text else None


@page("submissions/<uuid:submission_id>/judge", "judge_request", does="judge")
class AskedToJudge(OwnSubmission):
    """`/c/<slug>/submissions/<id>/judge`: ask for the judge columns of an own submission."""

    def post_judge(self) -> str:
        return ask_for(self.request, self.submission)


def of_submission(
    request: WebRequest, viewer: Viewer, found: Submission, _card: ResultCard
) -> SafeString:
    return _judged(request, viewer, found)


def of_desk_submission(
    request: WebRequest, viewer: Viewer, found: Submission, counts: bool
) -> SafeString:
    return _judged(request, viewer, found, desk=True, may_judge=counts)


def _judged(request: WebRequest, viewer: Viewer, found: Submission, **desk: bool) -> SafeString:
    """A submission's values and the button that asks for them."""
    results = judge_results(viewer, found.pk)
    if not results:
        return SafeString()
    told = {board: {cell.metric: cell for cell in cells} for _, board, cells in results if cells}
    metrics = dict.fromkeys(metric for cells in told.values() for metric in cells)
    ctx = {
        "config": results[0][0],
        "boards": list(told),
        "rows": [(metric, [cells.get(metric) for cells in told.values()]) for metric in metrics],
        "unjudged": [board for _config, board, cells in results if not cells],
        "competition": viewer.competition,
        "submission": found,
        **desk,
    }
    return render_to_string("judging/judged.html", ctx, request)


def of_ranking(request: WebRequest, viewer: Viewer, board: BoardPage) -> SafeString:
    """Each team's values with their intervals, behind the ranking of a board."""
    shown = [n for n, column in enumerate(board.columns) if isinstance(column, JudgeColumn)]
    if not shown:
        return SafeString()
    ctx = {
        "config": active_config(viewer.competition),
        "labels": [board.columns[n].label for n in shown],
        "teams": [
            (entry, [entry.cells[n].value for n in shown]) for entry in (*board.pinned, *board.rows)
        ],
    }
    return render_to_string("judging/ranking.html", ctx, request)


def of_comparison(
    request: WebRequest, viewer: Viewer, before: Submission, after: Submission
) -> SafeString:
    pairs = judge_pairs(viewer, before.pk, after.pk)
    ctx = {"judge": pairs}
    return render_to_string("judging/compared.html", ctx, request) if pairs else SafeString()


def ask_for(request: WebRequest, found: Submission) -> str:
    with waking(judge_next):
        request_judging(
            submission_id=found.pk, user=lookups.person(request), at=request.received_at
        )
    return _("Judging has been requested. The values will appear on this page.")

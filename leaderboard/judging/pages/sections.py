"""What a judge adds to pages of submissions: sections of one and of two, and asking for it."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.board import judge_results
from leaderboard.judging.pairs import judge_pairs
from leaderboard.judging.tasks import judge_next
from leaderboard.submissions.models import Submission
from leaderboard.web import find
from leaderboard.web.contest.submissions import OwnSubmission
from leaderboard.web.find import WebRequest
from leaderboard.web.page import page


@page("submissions/<uuid:submission_id>/judge", "judge_request", does="judge")
class AskedToJudge(OwnSubmission):
    """`/c/<slug>/submissions/<id>/judge`: ask for the judge columns of an own submission."""

    def post_judge(self) -> str:
        return ask_for(self.request, self.submission)


def of_submission(
    request: WebRequest, viewer: Viewer, found: Submission, counts: bool | None = None
) -> SafeString:
    """What was said of a submission, and the button that asks for it.

    `counts`: for organizers, who ask without the team's limit, whether its scores count.
    """
    results = judge_results(viewer, found.pk)
    if not results:
        return SafeString()
    ctx = {
        "judge": results,
        "competition": viewer.competition,
        "submission": found,
        "desk": counts is not None,
        "may_judge": counts,
    }
    return render_to_string("judging/judged.html", ctx, request)


def of_comparison(
    request: WebRequest, viewer: Viewer, before: Submission, after: Submission
) -> SafeString:
    pairs = judge_pairs(viewer, before.pk, after.pk)
    ctx = {"judge": pairs}
    return render_to_string("judging/compared.html", ctx, request) if pairs else SafeString()


def ask_for(request: WebRequest, found: Submission) -> str:
    with waking(judge_next):
        request_judging(submission_id=found.pk, user=find.person(request), at=request.received_at)
    return _("Judging has been requested. The values will appear on this page.")

"""What a judge adds to pages of submissions: sections of one and of two, and asking for it."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.board import judge_results
from leaderboard.judging.comparisons import judge_pairs
from leaderboard.judging.tasks import judge_next
from leaderboard.submissions.models import Submission
from leaderboard.web import find
from leaderboard.web.contest.submissions import OwnSubmission
from leaderboard.web.find import WebRequest


class AskedToJudge(OwnSubmission):
    """`/c/<slug>/submissions/<id>/judge`: ask for the judge columns of an own submission."""

    def post_judge(self) -> str:
        return ask_for(self.request, self.submission)


judge_request = AskedToJudge.as_view("judge")


def of_submission(request: WebRequest, viewer: Viewer, found: Submission) -> SafeString:
    """What was said of a team's submission, and the button that asks for it."""
    return _judged(request, viewer, found)


def of_desk_submission(
    request: WebRequest, viewer: Viewer, found: Submission, counts: bool
) -> SafeString:
    """The same for organizers, who ask without the team's limit."""
    return _judged(request, viewer, found, desk=True, may_judge=counts)


def _judged(request: WebRequest, viewer: Viewer, found: Submission, **more: bool) -> SafeString:
    results = judge_results(viewer, found.pk)
    if not results:
        return SafeString()
    ctx = {"judge": results, "competition": viewer.competition, "submission": found, **more}
    return render_to_string("judging/judged.html", ctx, request)


def of_comparison(
    request: WebRequest, viewer: Viewer, before: Submission, after: Submission
) -> SafeString:
    """What was said of both, by the differences of their rows."""
    pairs = judge_pairs(viewer, before.pk, after.pk)
    ctx = {"judge": pairs}
    return render_to_string("judging/compared.html", ctx, request) if pairs else SafeString()


def ask_for(request: WebRequest, found: Submission) -> str:
    """Have one submission judged. Raises Refused."""
    with waking(judge_next):
        request_judging(submission_id=found.pk, user=find.person(request), at=request.received_at)
    return _("Judging has been requested. The values will appear on this page.")

"""What a judge adds to pages that are not its own: sections of a submission, of two compared."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.boards.visit import Visit
from leaderboard.celery import waking
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.board import judge_results
from leaderboard.judging.comparisons import judge_pairs
from leaderboard.judging.tasks import judge_next
from leaderboard.submissions.models import Submission
from leaderboard.web import find
from leaderboard.web.find import WebRequest


def of_submission(request: WebRequest, visit: Visit, found: Submission) -> SafeString:
    """What was said of a team's submission, and the button that asks for it."""
    return _judged(request, visit, found)


def of_desk_submission(
    request: WebRequest, visit: Visit, found: Submission, counts: bool
) -> SafeString:
    """The same for organizers, who ask without the team's limit."""
    return _judged(request, visit, found, desk=True, may_judge=counts)


def _judged(request: WebRequest, visit: Visit, found: Submission, **more: bool) -> SafeString:
    results = judge_results(visit, found.pk)
    if not results:
        return SafeString()
    ctx = {"judge": results, "competition": visit.competition, "submission": found, **more}
    return render_to_string("judging/judged.html", ctx, request)


def of_comparison(
    request: WebRequest, visit: Visit, before: Submission, after: Submission
) -> SafeString:
    """What was said of both, by the differences of their rows."""
    pairs = judge_pairs(visit, before.pk, after.pk)
    ctx = {"judge": pairs}
    return render_to_string("judging/compared.html", ctx, request) if pairs else SafeString()


def ask_for(request: WebRequest, found: Submission) -> str:
    """An organizer has one submission judged. Raises Refused."""
    with waking(judge_next):
        request_judging(submission_id=found.pk, user=find.person(request), at=request.received_at)
    return _("Judging has been requested. The values will appear on this page.")

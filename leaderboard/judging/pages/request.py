"""A team asks for a submission to be judged."""

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.judging.actions.judgings import request_judging
from leaderboard.judging.tasks import judge_next
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import for_user
from leaderboard.web import errors, find
from leaderboard.web.contest.submissions import page_of
from leaderboard.web.find import WebRequest


@require_POST
def judge_request(request: WebRequest, slug: str, submission_id: UUID) -> HttpResponse:
    """`/c/<slug>/submissions/<id>/judge`: ask for the judge columns of an own submission."""
    competition = find.competition(request, slug)
    try:
        found = for_user(request.user).get(team__competition=competition, pk=submission_id)
        with waking(judge_next):
            request_judging(
                submission_id=found.pk, user=find.person(request), at=request.received_at
            )
    except Submission.DoesNotExist:
        raise Http404 from None
    except Refused as refusal:
        return errors.refused(request, refusal, partial(page_of, request, competition, found))
    messages.success(request, _("Judging has been requested. The values will appear on this page."))
    return redirect("submission", slug=competition.slug, submission_id=found.pk)

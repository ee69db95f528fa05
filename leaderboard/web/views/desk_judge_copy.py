"""A judge column made out of another one."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from leaderboard.actions.copy_judge_config import copy_judge_config
from leaderboard.actions.refusals import Refused
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find
from leaderboard.web.views.desk_judge import config_of


@login_required
@require_POST
def desk_judge_copy(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/copy`: a draft that goes on from this config."""
    config = config_of(find.competition_to_run(request, slug), judge_id)
    try:
        copy = copy_judge_config(
            config_id=config.pk, user=find.person(request), at=request.received_at
        )
    except Refused as refusal:
        messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        return redirect("desk_judge_config", slug=slug, judge_id=config.pk)
    messages.success(
        request, _("초안을 만들었습니다. 달리할 것을 바꾸어 저장한 다음 검토를 시작해 주세요.")
    )
    return redirect("desk_judge_config", slug=slug, judge_id=copy.pk)

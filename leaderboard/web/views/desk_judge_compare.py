"""Submissions that one judge column has judged, of any teams: two side by side, all in groups."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from leaderboard.boards.judge_groups import judge_groups
from leaderboard.boards.judge_pairs import judge_pairs
from leaderboard.boards.models import Placement
from leaderboard.judging.trust.labelling import judged_submissions
from leaderboard.submissions.models import Submission
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find, frame
from leaderboard.web.views.desk_judge import config_of

LISTED = 300  # older ones are reached by their id in the address


@login_required
@require_safe
def desk_judge_compare(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/compare?a=…&b=…`; without either, every team's file in groups."""
    competition = find.competition_to_run(request, slug)
    config = config_of(competition, judge_id)
    judged = judged_submissions(config, [Placement.Board.PUBLIC])
    before, after = (_chosen(request, name, judged) for name in ("a", "b"))
    is_pair = before is not None and after is not None and before != after
    visit = find.visit(request, slug)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_judge"),
        "config": config,
        "judged": judged[:LISTED],
        "before": before,
        "after": after,
        "is_pair": is_pair,
        "judge": judge_pairs(visit, before.pk, after.pk, config=config)
        if before and after and is_pair
        else (),
        "groups": () if before or after else judge_groups(visit, config),
    }
    return render(request, "desk/judge_compare.html", ctx)


def _chosen(request: WebRequest, name: str, judged: QuerySet[Submission]) -> Submission | None:
    """The submission that the address names; a 404 for any that this column has not judged."""
    text = request.GET.get(name, "")
    if not text:
        return None
    try:
        return get_object_or_404(judged, pk=UUID(text))
    except ValueError:
        raise Http404 from None

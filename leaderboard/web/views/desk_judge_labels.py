"""The items that people label, as a file; the page of the comparison takes it back."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.actions.refusals import Refused
from leaderboard.judging.trust.labelling import judged_submissions
from leaderboard.operations.label_file import label_boards, label_file
from leaderboard.web.judge_forms import CHECKED, LabelItemsForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.views import find
from leaderboard.web.views.desk_judge import config_of
from leaderboard.web.views.exports import attachment


@login_required
@never_cache
@require_safe
def desk_judge_labels(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/labels.csv?submission=…&dialogues=50&rater=`: what to label.

    Without a submission those judged last. What cannot be given is said on the page it is asked on.
    """
    visit = find.visit(request, slug)
    config = config_of(find.competition_to_run(request, slug), judge_id)
    form = LabelItemsForm(request.GET)
    judged = judged_submissions(config, label_boards(visit)).values_list("pk", flat=True)
    form.offer(judged)
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            data = label_file(
                visit,
                config,
                submissions=wanted["submission"] or list(judged[:CHECKED]),
                number=wanted["dialogues"] or form.fields["dialogues"].initial,
                rater=wanted["rater"],
            )
        except Refused as refusal:
            messages.error(request, f"{spoken(refusal)} {spoken(refusal, 'next_step')}")
        else:
            return attachment(data, f"{slug}-j{config.number}-labels.csv")
    else:
        messages.error(request, _("제출과 대화 수를 다시 골라 주세요."))
    return redirect("desk_judge_agreement", slug=slug, judge_id=config.pk)

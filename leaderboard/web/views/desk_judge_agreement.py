"""The desk's comparison of a judge with people, and with itself: labels, repeats, reports."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from leaderboard.actions.refusals import Refused
from leaderboard.actions.upload_judge_labels import upload_judge_labels
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import AgreementReport, JudgeConfig
from leaderboard.judging.trust.agreement_report import ENOUGH_KAPPA, ENOUGH_RECALL
from leaderboard.judging.trust.labelling import judged_submissions
from leaderboard.judging.trust.labels import KINDS, LIMITS, METRICS, InvalidLabels
from leaderboard.operations.label_file import label_boards
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import Submission
from leaderboard.web.judge_forms import CHECKED, LabelItemsForm
from leaderboard.web.request import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import accepts_upload
from leaderboard.web.views import errors, find, frame
from leaderboard.web.views.desk_judge import config_of
from leaderboard.web.views.desk_judge_repeat import NAMES, VERBS, decide, repeat_part

LISTED = 50  # submissions to choose among
LABEL_BYTES = LIMITS.max_bytes or 0


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(LABEL_BYTES, sender=find.editors)
def desk_judge_agreement(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/agreement`: the newest report and repeat; POST uploads labels.

    With a `verb` it begins or stops a repeat.
    """
    competition = find.competition_to_run(request, slug)
    config = config_of(competition, judge_id)
    if request.method != "POST":
        return _page(request, competition, config)
    if request.POST.get("verb") in VERBS:
        return decide(request, config, request.POST["verb"])
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, _("파일을 골라 주세요."))
        return _page(request, competition, config, status=422)
    try:
        compared = upload_judge_labels(
            config_id=config.pk,
            user=find.person(request),
            upload=Upload(name=file.name or "", data=file.read()),
            at=request.received_at,
        )
    except InvalidLabels as invalid:
        return _page(request, competition, config, invalid=invalid, status=422)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition, config))
    messages.success(request, _("라벨을 읽고 비교했습니다."))
    for notice in compared.notices:
        messages.info(request, spoken(notice))
    return redirect("desk_judge_agreement", slug=slug, judge_id=config.pk)


def _page(
    request: WebRequest,
    competition: Competition,
    config: JudgeConfig,
    *,
    invalid: InvalidLabels | None = None,
    status: int = 200,
) -> HttpResponse:
    reports = AgreementReport.objects.filter(config=config).defer("labels")
    boards = label_boards(find.visit(request, competition.slug))
    newest = reports.select_related("uploaded_by").first()
    numbers = newest.numbers if newest else {}
    ctx = {
        "frame": frame.around(request, competition, tab="desk_judge"),
        "config": config,
        "report": newest,
        "numbers": numbers,
        "kinds": [(NAMES.get(one["kind"], one["kind"]), one) for one in _kinds(numbers)],
        "is_former": bool(numbers.get("kinds")) and not _kinds(numbers),
        "means": _named(competition, numbers.get("means", ())),
        "enough_kappa": ENOUGH_KAPPA,
        "enough_recall": ENOUGH_RECALL,
        "kinds_allowed": ", ".join(KINDS),
        "metrics_allowed": ", ".join(METRICS),
        "to_label": [
            (place < CHECKED, one)
            for place, one in enumerate(judged_submissions(config, boards)[:LISTED])
        ],
        "form": LabelItemsForm(auto_id="to_label_%s"),
        "invalid": invalid,
        "limit": LABEL_BYTES,
        **repeat_part(request, config),
    }
    return render(request, "desk/judge_agreement.html", ctx, status=status)


def _kinds(numbers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The kinds whose gate was measured; a report of before pooled them and knows of none."""
    return [one for one in numbers.get("kinds", ()) if "is_open" in one]


def _named(
    competition: Competition, means: list[dict[str, object]]
) -> list[tuple[Submission | None, dict[str, object]]]:
    """Each mean with the submission that it is of."""
    rows = Submission.objects.filter(team__competition=competition).select_related("team")
    known = {str(one.pk): one for one in rows.filter(pk__in=[one["submission"] for one in means])}
    return [(known.get(str(one["submission"])), one) for one in means]

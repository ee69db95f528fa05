"""The desk's comparison of a judge with people, and with itself: labels, repeats, reports."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.judging import estimate
from leaderboard.judging.actions.trust import (
    begin_judge_repeat,
    nothing_to_repeat,
    repeatable,
    stop_judge_repeat,
    upload_judge_labels,
    why_not_repeated,
)
from leaderboard.judging.asking.claim import REPEATABLE
from leaderboard.judging.label_file import label_boards, label_file
from leaderboard.judging.models import AgreementReport, JudgeConfig, Judging, Repeat
from leaderboard.judging.pages.columns import config_of
from leaderboard.judging.pages.forms import CHECKED, LabelItemsForm
from leaderboard.judging.tasks import judge_next
from leaderboard.judging.trust.agreement_report import ENOUGH_KAPPA, ENOUGH_RECALL
from leaderboard.judging.trust.labelling import judged_submissions
from leaderboard.judging.trust.repeating import SAMPLES, rows_to_repeat
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import Submission
from leaderboard.web import errors, find, frame
from leaderboard.web.contest.board import attachment
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import accepts_upload
from scoring.judges.flips import MOST
from scoring.judges.labels import KINDS, LIMITS, METRICS, InvalidLabels

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
        messages.error(request, _("Choose a file."))
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
    messages.success(request, _("The labels were read and compared."))
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
    boards = label_boards(find.viewer(request, competition.slug))
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
    return render(request, "judging/trust.html", ctx, status=status)


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


OFFERED = 50
VERBS = ("repeat", "stop")
NAMES = {
    "all": gettext_lazy("All items"),
    "claim": gettext_lazy("Claim"),
    "question": gettext_lazy("Question"),
    "content": gettext_lazy("Content"),
    "adherence": gettext_lazy("Instruction"),
}


def decide(request: WebRequest, config: JudgeConfig, verb: str) -> HttpResponse:
    """Begin a repeat, or stop the one that is under way."""
    user, at = find.person(request), request.received_at
    try:
        if verb == "repeat":
            wanted = _id(request.POST.get("judging", ""))
            with waking(judge_next):
                begin_judge_repeat(config_id=config.pk, judging_id=wanted, user=user, at=at)
            messages.success(
                request, _("The repeat begins. If anything waits to be judged, that comes first.")
            )
        else:
            stop_judge_repeat(config_id=config.pk, user=user, at=at)
            messages.success(request, _("The repeat is stopped."))
    except Refused as refusal:
        messages.error(request, errors.whole(refusal))
    return redirect("desk_judge_agreement", slug=config.competition.slug, judge_id=config.pk)


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None


def repeat_part(request: WebRequest, config: JudgeConfig) -> dict[str, Any]:
    """What the page shows: the newest result, progress, or what another repeat would cost."""
    repeats = Repeat.objects.filter(config=config, config_hash=config.config_hash)
    repeats = repeats.select_related("judging__submission__team", "begun_by").defer("said")
    done = repeats.filter(state=Repeat.State.COMPLETE).first()
    going = repeats.filter(state=Repeat.State.WAITING).first()
    numbers = done.numbers if done else {}
    return {
        "repeat": done,
        "repeat_numbers": numbers,
        "repeat_kinds": [
            (NAMES.get(one["kind"], one["kind"]), one) for one in numbers.get("kinds", ())
        ],
        "repeat_going": going,
        "most_flips": MOST,
        "samples": SAMPLES,
        **({} if going else _choice(request, config)),
    }


def _choice(request: WebRequest, config: JudgeConfig) -> dict[str, Any]:
    """The judgings to choose from, and what the chosen one takes: the newest, or `?judging=`."""
    if config.state not in REPEATABLE:
        return {}
    refusal = why_not_repeated(config)
    found = list(repeatable(config, request.received_at)[:OFFERED]) if refusal is None else []
    chosen = _chosen(request, found)
    rows = rows_to_repeat(chosen) if chosen else []
    if chosen is None or not rows:
        return {
            "repeatable": found,
            "chosen": chosen,
            "not_repeated": refusal or nothing_to_repeat(),
        }
    texts = {row.example_id: row.summary for row in rows}
    return {
        "repeatable": found,
        "chosen": chosen,
        "repeat_rows": len(rows),
        "repeat_dry": estimate.repeating(config, texts=texts, times=SAMPLES),
    }


def _chosen(request: WebRequest, found: list[Judging]) -> Judging | None:
    asked = request.GET.get("judging", "")
    return next((one for one in found if str(one.pk) == asked), found[0] if found else None)


@login_required
@never_cache
@require_safe
def desk_judge_labels(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/labels.csv?submission=…&dialogues=50&rater=`: what to label.

    Without a submission those judged last. What cannot be given is said on the page it is asked on.
    """
    viewer = find.viewer(request, slug)
    config = config_of(find.competition_to_run(request, slug), judge_id)
    form = LabelItemsForm(request.GET)
    judged = judged_submissions(config, label_boards(viewer)).values_list("pk", flat=True)
    form.offer(judged)
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            data = label_file(
                viewer,
                config,
                submissions=wanted["submission"] or list(judged[:CHECKED]),
                number=wanted["dialogues"] or form.fields["dialogues"].initial,
                rater=wanted["rater"],
            )
        except Refused as refusal:
            messages.error(request, errors.whole(refusal))
        else:
            return attachment(data, f"{slug}-j{config.number}-labels.csv")
    else:
        messages.error(request, _("Choose submissions and the number of dialogues again."))
    return redirect("desk_judge_agreement", slug=slug, judge_id=config.pk)

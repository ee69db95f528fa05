"""The desk's judge columns: all of them, why none can be made, a draft of a new one or a copy."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.judging import estimate
from leaderboard.judging.actions.configs import copy_judge_config, create_judge_config, why_no_judge
from leaderboard.judging.drafting import unsaved
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.pages.config_form import JudgeForm, initial_of
from leaderboard.judging.plan import ids_to_build, planned_ids
from leaderboard.judging.queries import endpoint_names
from leaderboard.judging.signs import answerers
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.templatetags.formatting import digest, written

MOST_DRY = 500  # submissions of a dry run: each one's texts are read


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_judge(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/judge`: the columns with their state; POST drafts one (`?from=` copies)."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        form = judge_form(request, competition, None, config=_copied(request, competition))
        return _page(request, competition, form)
    form = judge_form(request, competition, request.POST)
    if not form.is_valid():
        return _page(request, competition, form, status=422)
    if request.POST.get("verb") == "estimate":
        return _page(request, competition, form, before=unsaved(competition, form.wanted()))
    try:
        config = create_judge_config(
            competition=competition,
            user=find.person(request),
            wanted=form.wanted(),
            at=request.received_at,
        )
    except Refused as refusal:
        form.add_error(None, errors.whole(refusal))
        return _page(request, competition, form, status=refusal.status)
    except ValidationError as invalid:
        form.add_error(None, invalid)
        return _page(request, competition, form, status=422)
    messages.success(request, _("The draft is made. Nothing is asked or shown yet."))
    return redirect("desk_judge_config", slug=slug, judge_id=config.pk)


def judge_form(
    request: WebRequest, competition: Competition, data: Any, config: JudgeConfig | None = None
) -> JudgeForm:
    """The form with the servers and dialogues that this contest has now."""
    form = JudgeForm(data, initial=initial_of(config))
    sets = covering_sets(competition, live_version(competition))
    form.offer(
        endpoints=list(endpoint_names()),
        dialogues=[
            (str(one.pk), f"{one.file_name} · {digest(one.sha256)} · {_day(one, competition)}")
            for one in sets
        ],
    )
    return form


def _day(one: Any, competition: Competition) -> str:
    return written(one.uploaded_at, competition.zoneinfo)


def config_of(competition: Competition, judge_id: UUID) -> JudgeConfig:
    """The contest's config under this id; a 404 for any other."""
    rows = JudgeConfig.objects.select_related("dialogue_set", "created_by", "copied_from")
    config = get_object_or_404(rows, competition=competition, pk=judge_id)
    config.competition = competition
    return config


def _copied(request: WebRequest, competition: Competition) -> JudgeConfig | None:
    asked = request.GET.get("from", "")
    if not asked:
        return None
    try:
        return config_of(competition, UUID(asked))
    except ValueError:
        raise Http404 from None


def estimated(config: JudgeConfig | None, asked: str) -> dict[str, Any]:
    """The dry run of as many submissions as are `asked` for, on the public rows, for the page."""
    if config is None or not (
        asked.isascii() and asked.isdecimal() and 0 < int(asked[:7]) <= MOST_DRY
    ):
        return {"dry_most": MOST_DRY}
    public = planned_ids(config, "public")
    return {
        "dry_most": MOST_DRY,
        "dry": estimate.dry_run(config, submissions=int(asked), example_ids=public),
        "building": estimate.building(config, example_ids=ids_to_build(config)[1:]),
    }


def _page(
    request: WebRequest,
    competition: Competition,
    form: JudgeForm,
    *,
    before: JudgeConfig | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = JudgeConfig.objects.filter(competition=competition)
    configs = list(rows.select_related("created_by"))
    changed = answerers.changed_configs(competition)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_judge"),
        "configs": configs,
        "changed": [config for config in configs if config.pk in changed],
        "obstacle": why_no_judge(competition),
        "form": form,
        "before": before,
        **estimated(before, request.POST.get("n", "")),
    }
    return render(request, "judging/columns.html", ctx, status=status)


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
        messages.error(request, errors.whole(refusal))
        return redirect("desk_judge_config", slug=slug, judge_id=config.pk)
    messages.success(
        request, _("The draft is made. Change and save what is to differ, then begin the review.")
    )
    return redirect("desk_judge_config", slug=slug, judge_id=copy.pk)

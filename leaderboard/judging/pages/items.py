"""The desk's review of what every submission will be asked, one dialogue a page."""

from collections.abc import Iterable, Iterator
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.items import approve_artefacts, review_artefacts
from leaderboard.judging.items import review
from leaderboard.judging.items.review import Decision, NewItem
from leaderboard.judging.models import Artefact, JudgeConfig
from leaderboard.judging.pages.columns import config_of
from leaderboard.judging.pages.forms import NewItemForm
from leaderboard.judging.plan import ids_to_build
from leaderboard.references.models import Dialogue
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest

BLANKS = 2  # lines for own items


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_judge_items(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>/items?page=1`: the sections' items, then dialogue by dialogue."""
    competition = find.competition_to_run(request, slug)
    config = config_of(competition, judge_id)
    if request.method != "POST":
        return _page(request, competition, config)
    user, at = find.person(request), request.received_at
    try:
        if request.POST.get("verb") == "approve":
            number = approve_artefacts(config_id=config.pk, user=user, at=at)
            said = ngettext("%(n)d item approved.", "%(n)d items approved.", number)
            messages.success(request, said % {"n": number})
        else:
            added = [NewItemForm(request.POST, prefix=f"new{n}") for n in range(BLANKS)]
            if not all(form.is_valid() for form in added if form["text"].data):
                messages.error(request, _("Please correct the text of the added item."))
                return _page(request, competition, config, status=422)
            review_artefacts(
                config_id=config.pk,
                user=user,
                example_id=request.POST.get("example", ""),
                decisions=list(_decisions(request)),
                added=[_new(form) for form in added if form["text"].data],
                at=at,
            )
            messages.success(request, _("The review is saved."))
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_page, request, competition, config))
    back = reverse("desk_judge_items", args=[slug, config.pk])
    return redirect(f"{back}?page={find.page_number(request)}")


def _decisions(request: WebRequest) -> Iterator[Decision]:
    for name, text in request.POST.items():
        if name.startswith("text-") and isinstance(text, str):
            item_id = name.removeprefix("text-")
            kept = request.POST.get(f"keep-{item_id}") == "on"
            yield Decision(item_id, kept, " ".join(text.split()))


def _new(form: NewItemForm) -> NewItem:
    cleaned = form.cleaned_data
    return NewItem(
        kind=cleaned["kind"],
        text=" ".join(cleaned["text"].split()),
        rubric_id=cleaned["rubric_id"],
        section_id=cleaned["section_id"],
    )


def _as_typed(request: WebRequest, items: Iterable[Artefact]) -> list[Artefact]:
    """The items as somebody changed them, where their form comes back; saved is nothing."""
    shown = list(items)
    for item in shown:
        text = request.POST.get(f"text-{item.item_id}")
        if text is not None:
            item.text = text
            item.is_kept = request.POST.get(f"keep-{item.item_id}") == "on"
    return shown


def _page(
    request: WebRequest, competition: Competition, config: JudgeConfig, *, status: int = 200
) -> HttpResponse:
    places = ids_to_build(config)
    page = min(find.page_number(request), len(places))
    if page < 1:
        raise Http404
    example_id = places[page - 1]
    rubrics = Artefact.objects.filter(config=config, kind=Artefact.Kind.RUBRIC)
    texts = Dialogue.objects.filter(dialogue_set=config.dialogue_set, example_id=example_id)
    open_ids = set(
        Artefact.objects.filter(config=config, reviewed_by=None).values_list(
            "example_id", flat=True
        )
    )
    ctx = {
        "frame": frame.around(request, competition, tab="desk_judge"),
        "config": config,
        "example_id": example_id,
        "dialogue": texts.values_list("text", flat=True).first(),
        "items": _as_typed(request, review.items_of(config, example_id)),
        "built": config.built_dialogues.filter(example_id=example_id).first(),
        "rubrics": rubrics,
        "sections": config.sections.all(),
        "editable": config.state == JudgeConfig.State.REVIEWING,
        "blanks": [NewItemForm(request.POST or None, prefix=f"new{n}") for n in range(BLANKS)],
        "counts": review.counts(config),
        "next_open": next(
            (number for number, one in enumerate(places, 1) if one in open_ids and number != page),
            None,
        ),
        "page": page,
        "pages": len(places),
    }
    return render(request, "judging/items.html", ctx, status=status)

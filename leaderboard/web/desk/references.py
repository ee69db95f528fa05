"""The desk's golds: upload, what the checks say, all versions, what differs between two."""

from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.actions.references import check_golds_at_once, upload_golds
from leaderboard.actions.refusals import Refused
from leaderboard.actions.versions import discard, redraft
from leaderboard.actions.versions import make_live as make_live_action
from leaderboard.boards.moves import was_switched
from leaderboard.boards.rehearsal import BaselineTotal, baselines
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.queue import is_supported
from leaderboard.references import queries as references
from leaderboard.references.changes import Changes, SettingChange, changes, setting_changes
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import ReferenceChecks
from leaderboard.submissions.intake import Upload
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest
from leaderboard.web.forms import (
    GoldsForm,
    RedraftForm,
    beside_choices,
    preset_choices,
    tokenizer_choices,
)
from leaderboard.web.uploads import ORGANIZER_BYTES, accepts_upload
from leaderboard.worker.tasks import check_golds
from scoring.findings import InvalidReferences
from scoring.profile import preset_of

State = ScoringVersion.State
CHANGES_PAGE = 50


@dataclass(frozen=True)
class SelfCheck:
    """What the golds score when handed in themselves, one number a gold column, ready to print."""

    totals: tuple[str, ...]
    mean: str
    full_mark: str
    is_full: bool


@dataclass(frozen=True)
class VersionLine:
    """One version of the list. `against_live` is there while it may still become live.

    `changed`: settings other than the live one's. `switched`: it was made live in
    another's place, and who moved can be read.
    """

    version: ScoringVersion
    checks: ReferenceChecks
    self_check: SelfCheck | None
    against_live: Changes | None
    changed: tuple[SettingChange, ...]
    switched: bool
    baselines: list[BaselineTotal]
    supported: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_upload(ORGANIZER_BYTES, sender=find.editors)
def golds(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/golds`: upload golds, read what the checks say, see all versions."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        return _golds_page(request, competition, _golds_form(competition))
    match request.POST.get("verb"):
        case "redraft":
            return _redraft(request, competition)
        case "check":
            return _check(request, competition)
        case "discard":
            return _discard(request, competition)
        case _:
            return _upload(request, competition)


@login_required
@require_POST
def make_live(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """Let the board be scored with this version from now on."""
    competition = find.competition_to_run(request, slug)
    version = get_object_or_404(ScoringVersion, competition=competition, pk=version_id)
    try:
        make_live_action(version=version, user=find.person(request), at=request.received_at)
    except Refused as refusal:
        page = partial(_golds_page, request, competition, _golds_form(competition))
        return errors.refused(request, refusal, page)
    messages.success(
        request, _("%(name)s is live. Submissions are open now.") % {"name": version.label}
    )
    return redirect("desk_golds", slug=competition.slug)


@login_required
@require_safe
def gold_changes(request: WebRequest, slug: str, version_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/golds/<id>/changes?from=1`: the texts of two versions side by side."""
    competition = find.competition_to_run(request, slug)
    versions = references.versions(competition)
    version = next((one for one in versions if one.pk == version_id), None)
    if version is None:
        raise Http404
    others = [one for one in versions if one.pk != version.pk]
    other = _compared_with(request, version, others)
    found = changes(other.reference_set_id, version.reference_set_id) if other else Changes(())
    pages = max(1, -(-len(found.rows) // CHANGES_PAGE))
    page = min(find.page_number(request), pages)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "version": version,
        "other": other,
        "others": others,
        "changes": found,
        "rows": found.rows[(page - 1) * CHANGES_PAGE : page * CHANGES_PAGE],
        "page": page,
        "pages": pages,
    }
    return render(request, "desk/golds_changes.html", ctx)


def _compared_with(
    request: WebRequest, version: ScoringVersion, others: list[ScoringVersion]
) -> ScoringVersion | None:
    """The version that the address asks for; else the live one, else the one before."""
    asked = request.GET.get("from", "")
    if asked:
        found = next((one for one in others if str(one.draft_number) == asked), None)
        if found is None:
            raise Http404
        return found
    live = next((one for one in others if one.is_live), None)
    return live or next((one for one in others if one.draft_number < version.draft_number), None)


def _upload(request: WebRequest, competition: Competition) -> HttpResponse:
    form = GoldsForm(request.POST)
    files = [
        Upload(name=file.name or "", data=file.read()) for file in request.FILES.getlist("files")
    ]
    if not files:
        messages.error(request, _("Choose a file."))
        return _golds_page(request, competition, form, status=422)
    if not form.is_valid():
        return _golds_page(request, competition, form, status=422)
    try:
        version = upload_golds(
            competition=competition,
            user=find.person(request),
            files=files,
            preset=form.cleaned_data["preset"],
            tokenizer=form.cleaned_data["tokenizer"],
            beside=form.cleaned_data["beside"],
            seed=form.cleaned_data["seed"],
            at=request.received_at,
        )
    except InvalidReferences as invalid:
        return _golds_page(request, competition, form, invalid=invalid, status=422)
    except Refused as refusal:
        return errors.refused(request, refusal, partial(_golds_page, request, competition, form))
    _compute(version)
    messages.success(
        request,
        _("The golds were checked and kept: %(name)s. Nothing has changed yet.")
        % {"name": version.label},
    )
    return redirect("desk_golds", slug=competition.slug)


def _redraft(request: WebRequest, competition: Competition) -> HttpResponse:
    form = RedraftForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose a scoring version, a preset and a tokenizer."))
        return _golds_page(request, competition, _golds_form(competition), status=422)
    version = get_object_or_404(
        ScoringVersion, competition=competition, pk=form.cleaned_data["version"]
    )
    try:
        made = redraft(
            version=version,
            user=find.person(request),
            preset=form.cleaned_data["preset"],
            tokenizer=form.cleaned_data["tokenizer"],
            beside=form.cleaned_data["beside"],
            at=request.received_at,
        )
    except Refused as refusal:
        page = partial(_golds_page, request, competition, _golds_form(competition))
        return errors.refused(request, refusal, page)
    _compute(made)
    messages.success(
        request,
        _("Made with the golds of %(old)s: %(name)s. Nothing has changed yet.")
        % {"old": version.label, "name": made.label},
    )
    return redirect("desk_golds", slug=competition.slug)


def _check(request: WebRequest, competition: Competition) -> HttpResponse:
    if not _compute(_named(request, competition)):
        messages.info(request, _("A scoring worker is checking them. Reload in a little while."))
    return redirect("desk_golds", slug=competition.slug)


def _discard(request: WebRequest, competition: Competition) -> HttpResponse:
    version = _named(request, competition)
    try:
        discard(version=version, user=find.person(request), at=request.received_at)
    except Refused as refusal:
        page = partial(_golds_page, request, competition, _golds_form(competition))
        return errors.refused(request, refusal, page)
    messages.success(
        request,
        _("Discarded: %(name)s. The board is as it was.") % {"name": version.label},
    )
    return redirect("desk_golds", slug=competition.slug)


def _named(request: WebRequest, competition: Competition) -> ScoringVersion:
    """The version that the form names."""
    form = RedraftForm(request.POST)
    form.is_valid()
    key = form.cleaned_data.get("version")
    return get_object_or_404(ScoringVersion, competition=competition, pk=key)


def _compute(version: ScoringVersion) -> bool:
    """The golds' own figures, now or by a worker; True if they are there."""
    if is_supported(version) and check_golds_at_once(version=version):
        return True
    with waking(check_golds):  # the version itself was committed before
        return version.self_check is not None


def _golds_form(competition: Competition) -> GoldsForm:
    """Proposes what the board is scored with; before that, what the contest was made with."""
    return GoldsForm(initial={**_proposed(competition), "seed": 1})


def _proposed(competition: Competition) -> dict[str, Any]:
    live = references.live_version(competition)
    profile = competition.profile() if live is None else live.profile()
    beside = [metric.name for metric in profile.beside]
    if (preset := preset_of(profile)) is None:
        profile, preset = competition.profile(), competition.preset
    return {"preset": preset, "tokenizer": profile.tokenizer, "beside": beside}


def _golds_page(
    request: WebRequest,
    competition: Competition,
    form: GoldsForm,
    *,
    invalid: InvalidReferences | None = None,
    status: int = 200,
) -> HttpResponse:
    versions = references.versions(competition)
    ctx: dict[str, Any] = {
        "frame": frame.around(request, competition, tab="desk_golds"),
        "competition": competition,
        "form": form,
        "invalid": invalid,
        "lines": _lines(request, competition, versions),
        "has_live": any(version.is_live for version in versions),
        "number": references.next_number(competition),
        "proposed": _proposed(competition),
        "presets": preset_choices(),
        "tokenizers": tokenizer_choices(),
        "metrics": beside_choices(),
        "limit": ORGANIZER_BYTES,
    }
    return render(request, "desk/golds.html", ctx, status=status)


def _lines(
    request: WebRequest, competition: Competition, versions: list[ScoringVersion]
) -> list[VersionLine]:
    live = next((version for version in versions if version.is_live), None)
    by_version = baselines(versions, find.visit(request, competition.slug))
    switched = was_switched(versions)
    lines = []
    for version in versions:
        other = live if version.state in (State.DRAFT, State.REHEARSING) else None
        golds = version.reference_set_id
        lines.append(
            VersionLine(
                version=version,
                checks=references.checks(version.reference_set),
                self_check=_self_check(version),
                against_live=changes(other.reference_set_id, golds) if other else None,
                changed=setting_changes(other, version) if other else (),
                switched=version.pk in switched,
                baselines=by_version.get(version.pk, []),
                supported=is_supported(version),
            )
        )
    return lines


def _self_check(version: ScoringVersion) -> SelfCheck | None:
    stored = version.self_check
    if stored is None:
        return None
    return SelfCheck(
        totals=tuple(f"{total:.4f}" for total in stored["totals"]),
        mean=f"{stored['mean']:.4f}",
        full_mark=f"{stored['full_mark']:.4f}",
        is_full=all(f"{t:.4f}" == f"{stored['full_mark']:.4f}" for t in stored["totals"]),
    )

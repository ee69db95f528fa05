"""Golds of a contest: uploaded, rehearsed, made live. For owners and editors, as `desk`."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from ninja import Field, Router, Schema, Status

from leaderboard.actions import versions
from leaderboard.actions.references import check_references_at_once, upload_references
from leaderboard.api import calls
from leaderboard.api.calls import form_body, typed
from leaderboard.boards.columns import as_float
from leaderboard.boards.rehearsal import preview
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.claim import is_supported
from leaderboard.references import queries as references
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Invalid
from leaderboard.submissions.queries import Upload
from leaderboard.web.forms import ProfileForm
from leaderboard.worker.tasks import check_references, evaluate_next

router = Router(tags=["desk"], auth=calls.ORGANIZE)


class OddOut(Schema):
    """How often something was found, and the first ids."""

    count: int
    shown: list[str]


class OdditiesOut(Schema):
    """Lengths in characters, and what may be a mistake, as the golds page shows it."""

    golds: int
    shortest: int
    middle: int
    longest: int
    usual: int = Field(description="so many golds have most rows")
    fewer: OddOut = Field(description="rows with fewer golds than usual")
    few: OddOut = Field(description="rows with fewer than three golds")
    repeated: OddOut = Field(description="rows that hold one gold twice")
    shared: OddOut = Field(description="rows that have a gold in common")
    duplicates: OddOut = Field(description="rows whose golds are all the same")
    long: OddOut = Field(description="rows with a far longer gold")
    short: OddOut = Field(description="rows with a far shorter gold")


class Version(Schema):
    """A scoring version: golds and the profile that counts them."""

    id: UUID
    label: str
    number: int | None
    state: str = Field(examples=list(ScoringVersion.State.values))
    signature: str
    rows: int
    public_rows: int
    private_rows: int
    created_at: datetime
    made_live_at: datetime | None
    is_checked: bool = Field(description="whether the golds' own figures are there yet")
    is_supported: bool = Field(description="whether this server's analyzer can count under it")
    golds_min: int = Field(description="of a row")
    golds_max: int
    golds_score: list[float] = Field(description="each column of golds handed in itself")
    full_mark: float | None
    oddities: OdditiesOut
    notices: list[dict[str, Any]] = Field(description="what was remarked when they were read")


class MoveOut(Schema):
    """A team whose total or rank would change. Totals as printed."""

    team: str
    rank_before: int | None
    rank_after: int | None
    total_before: float | None
    total_after: float | None


class RehearsalOut(Schema):
    """What making the version live would change on a board, and what it still waits for."""

    version: Version
    board: str
    waiting: int
    failed: int
    moves: list[MoveOut]


class Queued(Schema):
    queued: int


class MakeLiveIn(calls.BodyIn):
    """Everybody reads the reason: no gold text. `accept_failed`: some stay without a score."""

    reason: str = Field("", max_length=200)
    accept_failed: bool = False


NO_SEED = "taken and not used: the server draws public and private rows by a secret seed"
AS_LIVE = "without it as the live version, before that as the contest was made"
SETTINGS: dict[str, dict[str, Any]] = {
    "preset": {"type": "string"},
    "tokenizer": {"type": "string"},
    "beside": {"type": "array", "items": {"type": "string"}},
    "tags": {"type": "string"},
    "tag_forms": {"type": "string"},
}


@router.get("/{slug:slug}/versions", response=list[Version], operation_id="versions")
def all_versions(request: HttpRequest, slug: str) -> Any:
    """Every scoring version of the contest, the newest first."""
    seen = calls.editor(request, slug)
    return [_version(one) for one in references.versions(seen.competition)]


@router.post(
    "/{slug:slug}/versions",
    response={201: Version},
    operation_id="upload_references",
    openapi_extra=form_body(
        *((name, {**kind, "description": AS_LIVE}) for name, kind in SETTINGS.items()),
        ("seed", {"type": "integer", "deprecated": True, "description": NO_SEED}),
        files="files",
    ),
)
def upload(request: HttpRequest, slug: str) -> Any:
    """Upload golds: a draft, which changes nothing yet."""
    seen = calls.editor(request, slug)
    files = request.FILES.getlist("files")
    if not files:
        raise Invalid(
            "no_file",
            _("There is no file in the request."),
            _("Send one or more in the field “files” of a form (multipart/form-data)."),
        )
    form = request.POST.copy()
    for name, value in references.proposed(seen.competition).items():
        form.setlistdefault(name, value if isinstance(value, list) else [value])
    wanted = typed(ProfileForm, form)
    sent = [Upload(one.name or "", one.read()) for one in files]
    version = upload_references(files=sent, **wanted, **calls.who(seen, request))
    if not (is_supported(version) and check_references_at_once(version=version)):
        with waking(check_references):
            return Status(201, _version(version))
    version.refresh_from_db(fields=["self_check"])
    return Status(201, _version(version))


@router.post("/{slug:slug}/versions/{uuid:version_id}/rehearse", response=Queued)
def rehearse(request: HttpRequest, slug: str, version_id: UUID) -> Any:
    """Score all submissions under it beside the live ones. Participants see nothing of it."""
    with waking(evaluate_next):
        queued = versions.rehearse(**_on_version(request, slug, version_id))
    return {"queued": queued}


@router.get("/{slug:slug}/versions/{uuid:version_id}/rehearsal", response=RehearsalOut)
def rehearsal(
    request: HttpRequest,
    slug: str,
    version_id: UUID,
    board: Literal["public", "private"] = "public",
) -> Any:
    """Who would move, on either board."""
    seen = calls.editor(request, slug)
    version = _known(seen, version_id)
    found = preview(version, board, seen)
    moves = [move for move in found.moves if move.moves or move.changes] if found else []
    return {
        "version": _version(version),
        "board": board,
        "waiting": evaluation.unended(version),
        "failed": len(evaluation.failed_under(version)),
        "moves": [
            {
                "team": move.team_name,
                "rank_before": move.rank_before,
                "rank_after": move.rank_after,
                "total_before": total_before,
                "total_after": total_after,
            }
            for move in moves
            for total_before, total_after in [map(as_float, move.printed)]
        ],
    }


@router.post("/{slug:slug}/versions/{uuid:version_id}/make-live", response=Version)
def make_live(request: HttpRequest, slug: str, version_id: UUID, wanted: MakeLiveIn) -> Any:
    """Make it the version that the board is scored with; everybody is told."""
    asked = _on_version(request, slug, version_id)
    return _version(versions.make_live(**asked, **wanted.dict()))


@router.post("/{slug:slug}/versions/{uuid:version_id}/discard", response={204: None})
def discard(request: HttpRequest, slug: str, version_id: UUID) -> Any:
    """Remove a draft, or end a rehearsal."""
    versions.discard(**_on_version(request, slug, version_id))
    return Status(204, None)


def _known(seen: Viewer, version_id: UUID) -> ScoringVersion:
    rows = ScoringVersion.objects.select_related("competition", "reference_set")
    return get_object_or_404(rows, competition=seen.competition, pk=version_id)


def _on_version(request: HttpRequest, slug: str, version_id: UUID) -> dict[str, Any]:
    seen = calls.editor(request, slug)
    version = _known(seen, version_id)
    return {"version": version, "user": calls.person(request), "at": seen.at}


def _version(one: ScoringVersion) -> dict[str, Any]:
    counted, check = one.reference_set, one.self_check or {}
    return {
        **calls.given(counted, Version),
        **calls.given(one, Version),
        "is_checked": one.self_check is not None,
        "is_supported": is_supported(one),
        "golds_score": check.get("totals", []),
        "full_mark": check.get("full_mark"),
        "notices": [calls.notice(kept) for kept in counted.notices],
    }

"""What runs a contest: golds, rehearsals, decisions about submissions and teams, exports.

For owners and editors with a token of the scope `organize`, announcements for assistants, too; for
all others it is a 404, as the desk is. A program shows nothing to anybody, so what a page would
show first is done at once.
"""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from django.http import FileResponse, Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from ninja import Field, Router, Schema, Status

from leaderboard.actions import announcements as announcing
from leaderboard.actions import discipline, scoring, teams, versions
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.references import check_references_at_once, upload_references
from leaderboard.api import calls
from leaderboard.api.calls import Paged, paged, typed
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards.columns import as_float
from leaderboard.boards.rehearsal import preview
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.community.announcements import people_of
from leaderboard.contest_file.everything import everything
from leaderboard.evaluation import queries as evaluation
from leaderboard.evaluation.claim import is_supported
from leaderboard.references import queries as references
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Invalid, Unknown
from leaderboard.submissions import ledger
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, found_teams, team_activities
from leaderboard.teams.models import Team
from leaderboard.web.desk.submissions import MOST, lines_of_submissions
from leaderboard.web.forms import ProfileForm
from leaderboard.worker.tasks import check_references, evaluate_next

router = Router(tags=["desk"], auth=calls.ORGANIZE)
VERSION = "/{slug:slug}/versions/{uuid:version_id}"
EXCLUSION = "/{slug:slug}/all-submissions/{uuid:any_submission_id}/exclusion"


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
    oddities: dict[str, Any] = Field(
        description="lengths, and how often something was found that may be a mistake"
    )
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


class DeskSubmission(Schema):
    """A submission as organizers see it; totals of the live version on both boards."""

    id: UUID
    team: str
    team_id: UUID
    file_name: str
    sha256: str
    received_at: datetime
    submitted_by: str
    is_late: bool
    state: str
    totals: dict[str, float]
    excluded: str | None


class DeskSubmissions(Paged):
    items: list[DeskSubmission]
    is_cut: bool = Field(description="there are more, which `q` and `kind` find")


class ReasonIn(calls.BodyIn):
    reason: str = Field(min_length=1, max_length=discipline.REASON_LENGTH, pattern=r"\S")


class ExclusionIn(ReasonIn):
    reason_shown: bool = True


class TeamOut(Schema):
    """A team with its people and what it handed in."""

    id: UUID
    name: str
    members: list[str]
    submissions: int
    last_received_at: datetime | None
    disqualified_at: datetime | None


class TeamsOut(Paged):
    items: list[TeamOut]


class GrantIn(ReasonIn):
    amount: int = Field(ge=1, le=teams.MOST_GRANTED)
    day: date | None = Field(None, description="of the contest; today without one")


class AttemptsOut(Schema):
    left_today: int
    total_left: int | None


class AnnouncementIn(calls.BodyIn):
    text: str = Field(min_length=1, max_length=announcing.LENGTH)
    text_en: str = Field("", max_length=announcing.LENGTH)
    audience: Literal["all", "no_submission", "teams"] = "all"
    teams: list[UUID] = Field([], max_length=1000)
    pinned: bool = False
    dry_run: bool = Field(False, description="tell nobody, and answer whom it would reach")


class AnnouncementOut(Schema):
    """`reached`: how many people. Of a dry run there is no `id`."""

    id: UUID | None
    text: str
    text_en: str
    audience: str
    pinned: bool
    reached: int


NO_SEED = "taken and not used: the server draws public and private rows by a secret seed"
AS_LIVE = "without it as the live version, before that as the contest was made"
TEXT = {"type": "string", "description": AS_LIVE}
GOLDS_FORM = {
    "type": "object",
    "required": ["files"],
    "properties": {
        **dict.fromkeys(("preset", "tokenizer", "tags", "tag_forms"), TEXT),
        "beside": {"type": "array", "items": {"type": "string"}, "description": AS_LIVE},
        "seed": {"type": "integer", "deprecated": True, "description": NO_SEED},
        "files": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "minItems": 1,
        },
    },
}
GOLDS_BODY = {"required": True, "content": {"multipart/form-data": {"schema": GOLDS_FORM}}}


@router.get("/{slug:slug}/versions", response=list[Version], operation_id="versions")
def all_versions(request: ApiRequest, slug: str) -> Any:
    """Every scoring version of the contest, the newest first."""
    seen = calls.editor(request, slug)
    return [_version(one) for one in references.versions(seen.competition)]


@router.post(
    "/{slug:slug}/versions",
    response={201: Version},
    operation_id="upload_references",
    openapi_extra={"requestBody": GOLDS_BODY},
)
def upload(request: ApiRequest, slug: str) -> Any:
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


@router.post(f"{VERSION}/rehearse", response=Queued)
def rehearse(request: ApiRequest, slug: str, version_id: UUID) -> Any:
    """Score all submissions under it beside the live ones. Participants see nothing of it."""
    with waking(evaluate_next):
        queued = versions.rehearse(**_on_version(request, slug, version_id))
    return {"queued": queued}


@router.get(f"{VERSION}/rehearsal", response=RehearsalOut)
def rehearsal(
    request: ApiRequest,
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


@router.post(f"{VERSION}/make-live", response=Version)
def make_live(request: ApiRequest, slug: str, version_id: UUID, wanted: MakeLiveIn) -> Any:
    """Make it the version that the board is scored with; everybody is told."""
    asked = _on_version(request, slug, version_id)
    return _version(versions.make_live(**asked, **wanted.dict()))


@router.post(f"{VERSION}/discard", response={204: None})
def discard(request: ApiRequest, slug: str, version_id: UUID) -> Any:
    """Remove a draft, or end a rehearsal."""
    versions.discard(**_on_version(request, slug, version_id))
    return Status(204, None)


@router.get("/{slug:slug}/all-submissions", response=DeskSubmissions)
def all_submissions(
    request: ApiRequest, slug: str, page: int = 1, q: str = "", kind: evaluation.Kind | None = None
) -> Any:
    """Everybody's submissions, 100 on a page, the newest first; of 5,000 at most (`is_cut`)."""
    seen = calls.editor(request, slug)
    rows = evaluation.search(seen.competition, query=q[:200].strip(), kind=kind or "")
    found = paged(rows, page, most=MOST)
    return found | {"items": _submissions(found["items"], seen)}


@router.post("/{slug:slug}/retry-failed", response=Queued)
def retry_failed(request: ApiRequest, slug: str) -> Any:
    """Score everything anew that failed on our side. That uses no attempt."""
    seen = calls.editor(request, slug)
    with waking(evaluate_next):
        return {"queued": scoring.retry_failed(**calls.who(seen, request))}


@router.put(EXCLUSION, response=DeskSubmission)
def exclude(request: ApiRequest, slug: str, any_submission_id: UUID, why: ExclusionIn) -> Any:
    """Take a submission off the boards; its team is told."""
    seen = calls.editor(request, slug)
    found = _submission(seen, any_submission_id)
    user = calls.person(request)
    discipline.exclude(submission=found, user=user, at=seen.at, **why.dict())
    return _submissions([_submission(seen, found.pk)], seen)[0]


@router.delete(EXCLUSION, response=DeskSubmission)
def restore(request: ApiRequest, slug: str, any_submission_id: UUID, reason: str = "") -> Any:
    """Put it back on the boards; its team is told."""
    seen = calls.editor(request, slug)
    found = _submission(seen, any_submission_id)
    user = calls.person(request)
    discipline.restore(submission=found, user=user, reason=reason[:300], at=seen.at)
    return _submissions([_submission(seen, found.pk)], seen)[0]


@router.get("/{slug:slug}/teams", response=TeamsOut, operation_id="teams")
def all_teams(request: ApiRequest, slug: str, page: int = 1, q: str = "") -> Any:
    """The teams with their people, 100 on a page; `q`: part of a name."""
    seen = calls.editor(request, slug)
    found = paged(found_teams(seen.competition, q[:200].strip()), page)
    return found | {
        "items": [
            {
                **calls.given(line["team"], TeamOut),
                "members": line["members"],
                "submissions": line["activity"].entries,
                "last_received_at": line["activity"].last_received_at,
            }
            for line in team_activities(found["items"])
        ]
    }


@router.post("/{slug:slug}/teams/{uuid:team_id}/grants", response={201: AttemptsOut})
def grant(request: ApiRequest, slug: str, team_id: UUID, new: GrantIn) -> Any:
    """Give a team more attempts on one day; its members are told, with the reason."""
    seen = calls.editor(request, slug)
    known = Team.objects.filter(competition=seen.competition, kind=Team.Kind.PARTICIPANT)
    team = get_object_or_404(known, pk=team_id)
    user = calls.person(request)
    teams.grant(team=team, user=user, amount=new.amount, on=new.day, reason=new.reason, at=seen.at)
    return Status(201, ledger.allowance(team, seen.competition, seen.at))


@router.get("/{slug:slug}/export.zip", response={200: None})
def export(request: ApiRequest, slug: str) -> HttpResponseBase:
    """Boards, submissions, teams, ledger, log and announcements as a ZIP of JSON and CSV."""
    seen = calls.editor(request, slug)
    name = f"{seen.competition.slug}-export.zip"
    return FileResponse(
        everything(seen), as_attachment=True, filename=name, content_type="application/zip"
    )


@router.post("/{slug:slug}/announcements", response={200: AnnouncementOut, 201: AnnouncementOut})
def announce(request: ApiRequest, slug: str, new: AnnouncementIn) -> Any:
    """Tell all, those without a submission, or chosen teams. Assistants may, too.

    A `dry_run` (200) tells nobody: it says how many it would reach.
    """
    seen = calls.viewer(request, slug)
    if seen.role is None:
        raise Http404
    wanted = new.dict()
    chosen = list(Team.objects.filter(competition=seen.competition, pk__in=wanted.pop("teams")))
    if len(chosen) != len(set(new.teams)):
        raise Unknown("unknown_team", _("There is no such team."))
    seen_before = "" if wanted.pop("dry_run") else None
    try:
        made = announcing.announce(
            teams=chosen, seen=seen_before, **wanted, **calls.who(seen, request)
        )
    except LookFirst as first:
        return Status(200, {**wanted, "id": None, "reached": first.preview.people})
    reached = people_of(seen.competition, made.audience, chosen).count()
    return Status(201, {**calls.given(made, AnnouncementOut), "reached": reached})


def _submission(seen: Viewer, key: UUID) -> Submission:
    return get_object_or_404(evaluation.of_competition(seen.competition), pk=key)


def _submissions(shown: list[Submission], seen: Viewer) -> list[dict[str, Any]]:
    return [
        {
            **calls.given(one, DeskSubmission),
            "team": one.team.name,
            "submitted_by": one.submitted_by.username,
            "state": evaluation.SHOWN[line["state"]],
            "totals": line["totals"],
            "excluded": one.exclusion.reason if hasattr(one, "exclusion") else None,
        }
        for line in lines_of_submissions(shown, seen)
        for one in [line["submission"]]
    ]


def _known(seen: Viewer, version_id: UUID) -> ScoringVersion:
    rows = ScoringVersion.objects.select_related("competition", "reference_set")
    return get_object_or_404(rows, competition=seen.competition, pk=version_id)


def _on_version(request: ApiRequest, slug: str, version_id: UUID) -> dict[str, Any]:
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

"""What runs a contest: golds, rehearsals, decisions about submissions and teams, exports.

For owners and editors with a token of the scope `organize`, announcements for assistants, too; for
all others it is a 404, as the desk is. A program shows nothing to anybody, so what a page would
show first is done at once.
"""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from ninja import Field, Router, Schema, Status

from leaderboard.actions import announcements as announcing
from leaderboard.actions import discipline, scoring, teams
from leaderboard.actions.decisions import LookFirst
from leaderboard.api import calls
from leaderboard.api.calls import Paged, paged
from leaderboard.api.golds import Queued
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.community.announcements import people_of
from leaderboard.contest_file.everything import everything
from leaderboard.evaluation import queries as evaluation
from leaderboard.refusals import Unknown
from leaderboard.submissions import ledger
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import exclusions, found_teams, team_activities
from leaderboard.teams.models import Team
from leaderboard.web.desk.submissions import MOST, lines_of_submissions
from leaderboard.worker.tasks import evaluate_next

router = Router(tags=["desk"], auth=calls.ORGANIZE)


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
    reason: str = Field(min_length=1, max_length=300, pattern=r"\S")


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


# --- Submissions ---------------------------------------------------------------------------------


@router.get("/{slug:slug}/all-submissions", response=DeskSubmissions)
def all_submissions(
    request: HttpRequest, slug: str, page: int = 1, q: str = "", kind: evaluation.Kind | None = None
) -> Any:
    """Everybody's submissions, 100 on a page, the newest first; of 5,000 at most (`is_cut`)."""
    seen = calls.editor(request, slug)
    rows = evaluation.search(seen.competition, query=q[:200].strip(), kind=kind or "")
    return paged(rows, page, lambda shown: _submissions(shown, seen), most=MOST)


@router.post("/{slug:slug}/retry-failed", response=Queued)
def retry_failed(request: HttpRequest, slug: str) -> Any:
    """Score everything anew that failed on our side. That uses no attempt."""
    seen = calls.editor(request, slug)
    with waking(evaluate_next):
        return {"queued": scoring.retry_failed(**calls.who(seen, request))}


@router.put(
    "/{slug:slug}/all-submissions/{uuid:any_submission_id}/exclusion", response=DeskSubmission
)
def exclude(request: HttpRequest, slug: str, any_submission_id: UUID, why: ExclusionIn) -> Any:
    """Take a submission off the boards; its team is told."""
    seen = calls.editor(request, slug)
    found = _submission(seen, any_submission_id)
    user = calls.person(request)
    discipline.exclude(submission=found, user=user, at=seen.at, **why.dict())
    return _submissions([_submission(seen, any_submission_id)], seen)[0]


@router.delete(
    "/{slug:slug}/all-submissions/{uuid:any_submission_id}/exclusion", response=DeskSubmission
)
def restore(request: HttpRequest, slug: str, any_submission_id: UUID, reason: str = "") -> Any:
    """Put it back on the boards; its team is told."""
    seen = calls.editor(request, slug)
    found = _submission(seen, any_submission_id)
    user = calls.person(request)
    discipline.restore(submission=found, user=user, reason=reason[:300], at=seen.at)
    return _submissions([_submission(seen, any_submission_id)], seen)[0]


@router.get("/{slug:slug}/export.zip", response={200: None})
def export(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Boards, submissions, teams, ledger, log and announcements as a ZIP of JSON and CSV."""
    seen = calls.editor(request, slug)
    name = f"{seen.competition.slug}-export.zip"
    return FileResponse(
        everything(seen), as_attachment=True, filename=name, content_type="application/zip"
    )


# --- Teams ---------------------------------------------------------------------------------------


@router.get("/{slug:slug}/teams", response=TeamsOut, operation_id="teams")
def all_teams(request: HttpRequest, slug: str, page: int = 1, q: str = "") -> Any:
    """The teams with their people, 100 on a page; `q`: part of a name."""
    seen = calls.editor(request, slug)
    return paged(found_teams(seen.competition, q[:200].strip()), page, _teams)


@router.post("/{slug:slug}/teams/{uuid:team_id}/grants", response={201: AttemptsOut})
def grant(request: HttpRequest, slug: str, team_id: UUID, wanted: GrantIn) -> Any:
    """Give a team more attempts on one day; its members are told, with the reason."""
    seen = calls.editor(request, slug)
    team = _team(seen, team_id)
    user = calls.person(request)
    teams.grant(
        team=team,
        user=user,
        amount=wanted.amount,
        on=wanted.day,
        reason=wanted.reason,
        at=seen.at,
    )
    return Status(201, ledger.allowance(team, seen.competition, seen.at))


@router.post("/{slug:slug}/announcements", response={200: AnnouncementOut, 201: AnnouncementOut})
def announce(request: HttpRequest, slug: str, new: AnnouncementIn) -> Any:
    """Tell all, those without a submission, or chosen teams. Assistants may, too.

    A `dry_run` (200) tells nobody: it says how many it would reach.
    """
    seen = calls.organizer(request, slug)
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
    off = exclusions(one.pk for one in shown)
    return [
        {
            **calls.given(line["submission"], DeskSubmission),
            "team": line["submission"].team.name,
            "submitted_by": line["submission"].submitted_by.username,
            "state": evaluation.SHOWN[evaluation.State(line["state"])],
            "totals": {board: float(total) for board, total in line["totals"].items()},
            "excluded": off[line["submission"].pk].reason if line["submission"].pk in off else None,
        }
        for line in lines_of_submissions(shown, seen)
    ]


def _teams(shown: list[Team]) -> list[dict[str, Any]]:
    return [
        {
            "id": one["team"].pk,
            "name": one["team"].name,
            "members": list(one["members"]),
            "submissions": one["activity"].entries,
            "last_received_at": one["activity"].last_received_at,
            "disqualified_at": one["team"].disqualified_at,
        }
        for one in team_activities(shown)
    ]


def _team(seen: Viewer, team_id: UUID) -> Team:
    known = Team.objects.filter(competition=seen.competition, kind=Team.Kind.PARTICIPANT)
    return get_object_or_404(known.select_related("competition"), pk=team_id)

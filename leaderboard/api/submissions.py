"""A team's submissions as programs have them: checked, handed in, described, chosen, read; with
limits, ledger and what a score means. And files scored against the dev set, of which nothing stays.
"""

import hashlib
import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from ninja import Field, Router, Schema, Status

from leaderboard.accounts import rate_limits
from leaderboard.actions import submissions as actions
from leaderboard.actions.checks import CHECKS, LAB_RUNS, check, practise
from leaderboard.api import calls
from leaderboard.api.calls import FileProblem, Paged, file_body, paged, sent_file, typed
from leaderboard.api.downloads import DOWNLOADS, download, is_known
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards import results
from leaderboard.boards.columns import as_float
from leaderboard.boards.visibility import Viewer
from leaderboard.celery import waking
from leaderboard.evaluation import queries as evaluation
from leaderboard.refusals import Invalid, Refused
from leaderboard.submissions import ledger
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import chosen, exclusions, of_team
from leaderboard.teams.models import Team
from leaderboard.web import errors, lookups
from leaderboard.web.forms import NoteForm, SubmitForm
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission
from scoring.ranking import as_printed

router = Router(tags=["submissions"], auth=calls.READ)
dev_router = Router(tags=["dev set"], auth=calls.CHECK)
ONE = "/{slug:slug}/submissions/{uuid:submission_id}"
KEY, KEY_LENGTH = "[!-~]", 64
# So often clients ask while a file waits or is scored: told within five seconds, whoever asks.
ASK_AGAIN = 3


class LimitsOut(Schema):
    """What the team may still hand in, as the submit page shows it."""

    used_today: int
    left_today: int
    of_today: int
    daily_limit: int
    granted_today: int
    total_used: int
    total_left: int | None
    resets_at: datetime
    late: bool = Field(description="the limits are those of late files")
    checks_left: int = Field(description="free checks of this hour")


class BoardScore(Schema):
    """The printed numbers of a file on one board, and the signature that made them."""

    total: float
    metrics: dict[str, float]
    signature: str


class StandingOut(Schema):
    """What a scored file means on the public board."""

    is_best: bool = Field(description="whether the team stands there with this file")
    rank: int | None = Field(description="of this file, as if the team stood there with it")
    rank_before: int | None = Field(description="the team's before this file")
    teams: int = Field(description="that stand on the board")
    difference: float | None = Field(description="against the team's best file before this one")
    gap_to_next: float | None = Field(description="to the next better total; null for the first")
    gap_to_first: float | None = Field(description="to the best total")


class SubmissionOut(Schema):
    """One submission of one's own team. Numbers of a board are there when it may be seen."""

    id: UUID
    competition: str
    file_name: str
    size: int
    sha256: str
    received_at: datetime
    submitted_by: str
    method_name: str
    note: str
    state: str = Field(examples=["waiting", "running", "done", "failed", "cancelled"])
    is_late: bool
    is_final: bool
    excluded: str | None = Field(description="why it is off the boards, where the team is told")
    notices: list[dict[str, Any]]
    scores: dict[str, BoardScore]
    url: str = Field(description="its page")


class Submitted(SubmissionOut):
    """A submission with what is left afterwards, and once it is scored what it means."""

    limits: LimitsOut
    standing: StandingOut | None = None


class SubmissionList(Paged):
    """A page of the team's submissions, the newest first."""

    items: list[SubmissionOut]
    limits: LimitsOut


class State(Schema):
    """Where a submission stands. Ask again after `Retry-After` seconds, with the ETag."""

    id: UUID
    state: str
    stage: str
    rows_done: int
    rows_total: int
    attempt: int
    place_in_queue: int | None
    expected_wait_seconds: int | None
    finished_at: datetime | None
    reference_id: str | None = Field(description="quote it when you ask about a failure")
    is_over: bool


class Finals(Schema):
    submissions: list[UUID]
    most: int


class LedgerOut(Schema):
    """One line of the attempts' ledger, the newest day first."""

    at: datetime = Field(alias="entry.at")
    day: date = Field(alias="on")
    kind: str = Field(alias="entry.kind")
    amount: int
    submission: UUID | None = Field(alias="entry.submission_id")
    ko: str
    en: str

    @staticmethod
    def resolve_ko(line: ledger.LedgerLine) -> str:
        return line.entry.message("ko")

    @staticmethod
    def resolve_en(line: ledger.LedgerLine) -> str:
        return line.entry.message("en")


@router.get("/{slug:slug}/submissions", response=SubmissionList)
def submissions(request: ApiRequest, slug: str, page: int = 1) -> Any:
    """The team's submissions, 100 on a page, the newest first."""
    found = calls.viewer(request, slug)
    team = calls.team(found)
    shown = paged(of_team(team), page)
    items = lines_of(shown["items"], found)
    return {**shown, "items": items, "limits": limits_of(team, found.at)}


@router.get(ONE, response=Submitted)
def submission(request: ApiRequest, slug: str, submission_id: UUID) -> Any:
    """One submission, with its scores and what they mean once it is scored."""
    own = own_submission(request, slug, submission_id)
    return whole(own, calls.viewer(request, slug))


@router.get(
    f"{ONE}/state",
    response={200: State, 304: None},
)
def state(request: ApiRequest, response: HttpResponse, slug: str, submission_id: UUID) -> Any:
    """Where the submission stands, at once: poll with `If-None-Match`, after `Retry-After`."""
    own = own_submission(request, slug, submission_id)
    progress = evaluation.progress(own, at=request.received_at)
    told = {"id": own.pk} | {name: progress[name] for name in State.model_fields & progress.keys()}
    # What it is expected to take changes with each second, and is no news.
    news = {name: value for name, value in told.items() if name != "expected_wait_seconds"}
    tag = f'W/"{hashlib.sha256(repr(sorted(news.items())).encode()).hexdigest()[:32]}"'
    same = is_known(request, tag)
    answer = HttpResponse(status=304) if same else response
    answer["ETag"] = tag
    if not progress["is_over"]:
        answer["Retry-After"] = str(ASK_AGAIN)
    return answer if same else told


@router.get(f"{ONE}/file", **DOWNLOADS)
def submission_file(request: ApiRequest, slug: str, submission_id: UUID) -> HttpResponseBase:
    """The file as it was sent. Takes `Range` and `If-None-Match`."""
    own = own_submission(request, slug, submission_id)
    return download(
        request, own.file, name=own.file_name or "predictions.csv", sha256=own.sha256, size=own.size
    )


@router.get("/{slug:slug}/finals", response=Finals)
def finals(request: ApiRequest, slug: str) -> Any:
    """The team's finals."""
    return finals_of(calls.member(request, slug))


@router.get("/{slug:slug}/limits", response=LimitsOut)
def limits(request: ApiRequest, slug: str) -> Any:
    """What the team may still hand in today, and in all."""
    found = calls.viewer(request, slug)
    return limits_of(calls.team(found), found.at)


@router.get("/{slug:slug}/ledger", response=list[LedgerOut], operation_id="ledger")
def ledger_of_team(request: ApiRequest, slug: str) -> Any:
    """Each attempt that was used, given back or granted."""
    team = calls.member(request, slug)
    return [line for day in ledger.by_day(team) for line in day["lines"]]


def own_submission(request: ApiRequest, slug: str, submission_id: UUID) -> Submission:
    return calls.own_submission(request, team__competition__slug=slug, pk=submission_id)


def finals_of(team: Team) -> dict[str, Any]:
    return {"submissions": sorted(chosen(team.pk)), "most": actions.FINALS}


def limits_of(team: Team, at: datetime, known: ledger.Allowance | None = None) -> dict[str, Any]:
    """What is left, as `LimitsOut`; `known` where the ledger was read already."""
    left = known or ledger.allowance(team, team.competition, at)
    found = {
        **calls.given(left, LimitsOut),
        "checks_left": rate_limits.left(CHECKS, team.pk, at).number,
    }
    return LimitsOut.model_validate(found).model_dump(mode="json")


def lines_of(own: Sequence[Submission], seen: Viewer) -> list[dict[str, Any]]:
    """These submissions of the viewer's team, in four queries for any number."""
    states = evaluation.states(one.pk for one in own)
    finals = chosen(calls.team(seen).pk)
    excluded = exclusions(one.pk for one in own)
    scores = results.submission_scores(own, seen)
    return [
        {
            **calls.given(one, SubmissionOut),
            "competition": seen.competition.slug,
            "submitted_by": one.submitted_by.username,
            "state": states.get(one.pk, "waiting"),
            "is_final": one.pk in finals,
            "excluded": (off.reason if off.reason_shown else "") if off else None,
            "notices": [calls.notice(kept) for kept in one.notices],
            "scores": {split.board: _score(split) for split in scores.get(one.pk, ())},
            "url": reverse("submission", args=[seen.competition.slug, one.pk]),
        }
        for one in own
        for off in [excluded.get(one.pk)]
    ]


def _score(split: results.SplitResult) -> dict[str, Any]:
    total, *metrics = map(as_float, split.printed)
    return {
        "total": total,
        "metrics": dict(zip(split.keys, metrics, strict=True)),
        "signature": split.signature,
    }


def whole(own: Submission, seen: Viewer) -> dict[str, Any]:
    card = results.result(own, seen)
    standing = None
    if card is not None:
        standing = {
            **calls.given(card, StandingOut),
            "rank": card.rank_now,
            "difference": as_float(card.to_best),
            "gap_to_next": as_float(card.to_next),
            "gap_to_first": as_float(card.to_first),
        }
    left = limits_of(calls.team(seen), seen.at)
    return {**lines_of([own], seen)[0], "limits": left, "standing": standing}


# --- Handing in ----------------------------------------------------------------------------------


class RefusalOut(Schema):
    """A rule that says no, as the problem of handing in would say it."""

    code: str = Field(examples=["daily_limit"])
    ko: calls.Words
    en: calls.Words


class Checked(Schema):
    """What handing this file in would be answered now. Nothing was kept or charged."""

    ok: bool
    rows: int
    problems: list[FileProblem]
    total_problems: int
    notices: list[FileProblem]
    encoding: str | None
    refusal: RefusalOut | None = Field(
        description="what stands in the way, whatever the file holds"
    )
    same_as: UUID | None = Field(description="the team's submission of the same file")
    is_late: bool
    preview: list[tuple[str, str]]
    limits: LimitsOut


class FinalsIn(calls.BodyIn):
    """Exactly these count; none: the best public one does."""

    submissions: list[UUID] = Field(max_length=100)


class NoteIn(calls.BodyIn):
    note: str = Field("", max_length=500)
    method_name: str = Field("", max_length=80)


@router.post(
    "/{slug:slug}/validate",
    response=Checked,
    auth=calls.CHECK,
    openapi_extra=file_body(),
)
def validate(request: ApiRequest, slug: str, file_name: str = "") -> Any:
    """Check a file, for free: every problem with its lines, and what is left today.

    As a form with `file`, or as the body itself (`text/csv`).
    """
    team, at = lookups.own_team(request, slug) or calls.member(request, slug), request.received_at
    upload = sent_file(request, file_name)
    verdict = check(team=team, user=calls.person(request), upload=upload, at=at)
    refusal = verdict.refusal
    return {
        **calls.given(verdict, Checked),
        "rows": verdict.predictions_rows,
        "problems": [one.to_dict() for one in verdict.problems],
        "notices": [one.to_dict() for one in verdict.notices],
        "refusal": {"code": refusal.code, **_said(refusal)} if refusal else None,
        "same_as": verdict.same_as.pk if verdict.same_as else None,
        "limits": limits_of(team, at, verdict.allowance),
    }


@router.post(
    "/{slug:slug}/submissions",
    response={201: Submitted},
    auth=calls.CHECK,
    openapi_extra=file_body(
        note={"type": "string", "maxLength": 500}, method_name={"type": "string", "maxLength": 80}
    )
    | {
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "The same key answers the same submission, charged once.",
                "schema": {"type": "string", "maxLength": KEY_LENGTH, "pattern": f"^{KEY}+$"},
            }
        ]
    },
)
def submit(
    request: ApiRequest, slug: str, file_name: str = "", note: str = "", method_name: str = ""
) -> Any:
    """Hand a file in; it uses one of today's attempts. Retry with the same `Idempotency-Key`.

    As a form with `file`, `note` and `method_name`, or as the body itself (`text/csv`) with the
    others in the query.
    """
    found = calls.viewer(request, slug)
    team = calls.team(found)
    sent = {"note": note, "method_name": method_name, **request.POST.dict(), "key": _key(request)}
    fields = typed(SubmitForm, sent, where="form" if request.POST else "query")
    upload = sent_file(request, file_name)
    try:
        with waking(evaluate_next):
            submission = actions.submit(
                team=team,
                user=calls.person(request),
                upload=upload,
                at=found.at,
                now=request.now,
                **fields,
            )
    except (InvalidSubmission, Refused) as no:
        left = limits_of(team, found.at)
        if isinstance(no, Refused):
            return errors.refused(request, no, limits=left)
        return errors.invalid(request, no, limits=left)
    submission.team = team
    answer = {**lines_of([submission], found)[0], "limits": limits_of(team, found.at)}
    return Status(201, answer)


@router.post(f"{ONE}/cancel", response=Submitted, auth=calls.SUBMIT)
def cancel(request: ApiRequest, slug: str, submission_id: UUID) -> Any:
    """Take a waiting file back; its attempt is given back, once."""
    own = own_submission(request, slug, submission_id)
    at = request.received_at
    actions.cancel(submission=own, user=calls.person(request), at=at, now=request.now)
    return whole(own, calls.viewer(request, slug))


@router.patch(ONE, response=Submitted, auth=calls.SUBMIT)
def describe(request: ApiRequest, slug: str, submission_id: UUID, what: NoteIn) -> Any:
    """Another note and name of the method. The file itself never changes."""
    own = own_submission(request, slug, submission_id)
    fields = typed(NoteForm, what.dict(), where="body")
    actions.edit_note(submission=own, user=calls.person(request), **fields)
    own.refresh_from_db(fields=["note", "method_name"])
    return whole(own, calls.viewer(request, slug))


@router.put("/{slug:slug}/finals", response=Finals, auth=calls.SUBMIT)
def choose_finals(request: ApiRequest, slug: str, wanted: FinalsIn) -> Any:
    """Make exactly these the team's finals, until the close."""
    found = calls.viewer(request, slug)
    team = calls.team(found)
    actions.choose_finals(
        team=team,
        user=calls.person(request),
        submission_ids=wanted.submissions,
        at=found.at,
        now=request.now,
    )
    return finals_of(team)


def _key(request: ApiRequest) -> str:
    """What makes repeated requests one; a new one for who sends none. Raises Refused."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return uuid4().hex
    if len(key) <= KEY_LENGTH and re.fullmatch(f"{KEY}+", key):
        return key
    raise Invalid(
        "key_form",
        _("An Idempotency-Key has 1 to {most} visible ASCII characters, without blanks."),
        _("Send another one, such as a new UUID for each file."),
        most=KEY_LENGTH,
    )


def _said(refusal: Refused) -> dict[str, dict[str, str]]:
    return {
        language: {"detail": refusal.message(language), "next_step": refusal.next_step(language)}
        for language in ("ko", "en")
    }


# --- The dev set ---------------------------------------------------------------------------------


class DevRow(Schema):
    """One row of the dev set, as this file has it, in the order of the set. Not rounded."""

    id: str
    total: float
    metrics: dict[str, float]


class DevScore(Schema):
    """A file scored against the dev set, as the lab prints it. Nothing was kept."""

    total: float
    metrics: dict[str, float]
    signature: str
    notices: list[FileProblem]
    rows: list[DevRow]
    runs_left: int | None = Field(description="files and rows of this hour; null: no limit")


@dev_router.post(
    "/{slug:slug}/score-dev",
    response=DevScore,
    openapi_extra=file_body(),
)
def score_dev(request: ApiRequest, slug: str, file_name: str = "") -> Any:
    """Score a file against the released dev set, for free: its numbers and those of each row."""
    found = practising(request, slug)
    team = found.team
    if team is None:  # whose runs are not counted: then the calls of the token are
        calls.SUBMIT(request)
    practice = practise(
        competition=found.competition,
        team=team,
        data=sent_file(request, file_name).data,
        at=found.at,
    )
    report, names = practice.report, practice.profile.metrics
    return {
        "total": float(as_printed(report.total)),
        "metrics": {name: float(as_printed(report.metrics[name])) for name in names},
        "signature": report.signature,
        "notices": [one.to_dict() for one in practice.notices],
        "rows": [
            {"id": one, "total": total, "metrics": dict(zip(names, metrics, strict=True))}
            for one, (metrics, total) in practice.values.items()
        ],
        "runs_left": rate_limits.left(LAB_RUNS, team.pk, found.at).number if team else None,
    }


def practising(request: ApiRequest, slug: str) -> Viewer:
    """Who has a team or helps to run the contest. Http404, or raises Refused."""
    return calls.files_reader(request, slug, unjoined=False)

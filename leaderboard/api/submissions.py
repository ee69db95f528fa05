"""Handing in: look at a file for free, hand it in, take it back, choose finals."""

import re
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest
from ninja import Field, Schema, Status

from leaderboard.actions import submissions as actions
from leaderboard.actions.checks import check
from leaderboard.actions.refusals import Refused
from leaderboard.api import calls, own_submissions
from leaderboard.api.calls import FileProblem
from leaderboard.api.forms import file_body, sent_file, typed
from leaderboard.api.own_submissions import (
    Finals,
    LimitsOut,
    Submitted,
    finals_of,
    limits_of,
    lines_of,
    own_submission,
    whole,
)
from leaderboard.celery import waking
from leaderboard.web import errors
from leaderboard.web.forms import NoteForm, SubmitForm
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission

router = own_submissions.router  # an address that takes what is handed in lists it, too
KEY, KEY_LENGTH = "[!-~]", 64


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
    operation_id="validate",
)
def validate(request: HttpRequest, slug: str, file_name: str = "") -> Any:
    """Check a file, for free: every problem with its lines, and what is left today.

    As a form with `file`, or as the body itself (`text/csv`).
    """
    team, at = calls.own_team(request, slug), calls.at(request)
    verdict = check(
        team=team, user=calls.person(request), upload=sent_file(request, file_name), at=at
    )
    refusal = verdict.refusal
    return {
        **{
            name: getattr(verdict, name) for name in ("ok", "total_problems", "encoding", "is_late")
        },
        "rows": verdict.predictions_rows,
        "problems": [one.to_dict() for one in verdict.problems],
        "notices": [one.to_dict() for one in verdict.notices],
        "refusal": {"code": refusal.code, **_said(refusal)} if refusal else None,
        "same_as": verdict.same_as.pk if verdict.same_as else None,
        "preview": verdict.preview,
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
    operation_id="submit",
)
def submit(
    request: HttpRequest, slug: str, file_name: str = "", note: str = "", method_name: str = ""
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
                now=calls.now(request),
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


@router.post(
    "/{slug:slug}/submissions/{uuid:submission_id}/cancel",
    response=Submitted,
    auth=calls.SUBMIT,
    operation_id="cancel",
)
def cancel(request: HttpRequest, slug: str, submission_id: UUID) -> Any:
    """Take a waiting file back; its attempt is given back, once."""
    own = own_submission(request, slug, submission_id)
    actions.cancel(
        submission=own,
        user=calls.person(request),
        at=calls.at(request),
        now=calls.now(request),
    )
    return whole(own, calls.viewer(request, slug))


@router.patch(
    "/{slug:slug}/submissions/{uuid:submission_id}",
    response=Submitted,
    auth=calls.SUBMIT,
    operation_id="describe",
)
def describe(request: HttpRequest, slug: str, submission_id: UUID, what: NoteIn) -> Any:
    """Another note and name of the method. The file itself never changes."""
    own = own_submission(request, slug, submission_id)
    fields = typed(NoteForm, what.dict(), where="body")
    actions.edit_note(submission=own, user=calls.person(request), **fields)
    own.refresh_from_db(fields=["note", "method_name"])
    return whole(own, calls.viewer(request, slug))


@router.put("/{slug:slug}/finals", response=Finals, auth=calls.SUBMIT, operation_id="choose_finals")
def choose_finals(request: HttpRequest, slug: str, wanted: FinalsIn) -> Any:
    """Make exactly these the team's finals, until the close."""
    found = calls.viewer(request, slug)
    team = calls.team(found)
    actions.choose_finals(
        team=team,
        user=calls.person(request),
        submission_ids=wanted.submissions,
        at=found.at,
        now=calls.now(request),
    )
    return finals_of(team)


def _key(request: HttpRequest) -> str:
    """What makes repeated requests one; a new one for who sends none. Raises Refused."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return uuid4().hex
    if len(key) <= KEY_LENGTH and re.fullmatch(f"{KEY}+", key):
        return key
    raise Refused("key_form", most=KEY_LENGTH)


def _said(refusal: Refused) -> dict[str, dict[str, str]]:
    return {
        language: {"detail": refusal.message(language), "next_step": refusal.next_step(language)}
        for language in ("ko", "en")
    }

"""From the queue to the board: claim, score, finish or fail, and try again."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from structlog.contextvars import bound_contextvars

from leaderboard import logs
from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding
from leaderboard.audit.log import KINDS
from leaderboard.boards.standings import place_all
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import queue
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import StoreAway
from leaderboard.evaluation.claim import (
    ENDED,
    WAITING,
    LeaseLost,
    change,
    exhausted,
    heartbeat,
    next_claim,
    save,
    wait_again,
)
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import retriable
from leaderboard.evaluation.run import IdsChanged, VersionFailed, run, telling
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.references.models import ScoringVersion
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import refund
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.submissions.queries import locked_team_of, store_is_missing
from leaderboard.teams.models import Team
from scoring.pipeline import Report

KINDS |= {
    "evaluation.retried": _("Retried a failed scoring"),
    "evaluation.all_retried": _("Retried all failed scorings"),
}

logger = structlog.get_logger(__name__)

STORE_AWAY = timedelta(seconds=10)  # until a file that could not be read has its turn again
NAME_LENGTH = 40  # of a file's name, in a notice


def evaluate_next(*, now: Callable[[], datetime]) -> UUID | None:
    """Score the head of the queue; answers its id, or None when nothing could be claimed.

    Never raises for what a submission holds: an error is logged with ids, tried again up to three
    times, then ends as a failure of ours with the attempt given back. Without the folder of files
    nothing is claimed: a worker that has it scores.
    """
    if store_is_missing():
        logger.error("store_not_mounted")
        return None
    claim = next_claim(at=now())
    if claim is None:
        return None

    ids = {"evaluation": str(claim.pk), "submission": str(claim.submission_id)}
    late = Evaluation.TEXT_TIME_LIMIT
    with bound_contextvars(**ids, attempt=claim.attempt):  # in every line logged meanwhile
        try:
            with telling(lambda: fail(claim=claim, failure=late, at=now())):
                report = run(claim)
            finish(claim=claim, report=report, at=now())
            logger.info("scored")
        except LeaseLost:
            logger.warning("lease_lost")
        except (SystemExit, KeyboardInterrupt):
            with suppress(LeaseLost):
                wait_again(claim)  # a clean shutdown costs no attempt
            raise
        except Exception as error:
            try:
                _give_up(claim, error, now())
            except LeaseLost:  # whatever came of it
                logger.warning("lease_lost")
    return claim.pk


def _give_up(claim: Evaluation, error: Exception, at: datetime) -> None:
    """The message may quote a participant's text, so the log gets type, lines and ids alone."""
    heartbeat(claim)  # its contest may have been deleted
    if isinstance(error, StoreAway) or (isinstance(error, OSError) and store_is_missing()):
        logger.warning("store_away")
        wait_again(claim, after=STORE_AWAY)
    elif isinstance(error, VersionFailed):  # not the file's failure: it waits, see `run`
        wait_again(claim)
    elif isinstance(error, IdsChanged):
        fail(claim=claim, failure=Evaluation.IDS_CHANGED, at=at)
        logger.info("ids_changed")
    else:
        logger.error("scoring_failed", **logs.origin(error))
        fail(claim=claim, failure=type(error).__name__[:40], at=at)


def finish(*, claim: Evaluation, report: Report, at: datetime) -> None:
    """Save what scoring found and place the team. Raises LeaseLost and then writes nothing."""
    with transaction.atomic():
        team = locked_team_of(claim.submission_id)
        save(claim=claim, report=report, at=at)
        version = ScoringVersion.objects.select_related("competition").get(
            pk=claim.scoring_version_id
        )
        place_all(teams=[team], version=version)
        if version.state == ScoringVersion.State.LIVE:  # a rehearsal has no side effects
            tell_scored(
                team=team,
                submission=Submission.objects.select_related("submitted_by").get(
                    pk=claim.submission_id
                ),
                total=report.splits["public"].total,
                at=at,
            )


def tell_scored(*, team: Team, submission: Submission, total: float | None, at: datetime) -> None:
    """Leave the public total of a submission in its team's inbox, once; None: scoring failed."""
    imported_at = team.competition.imported_at
    if imported_at is not None and submission.received_at < imported_at:
        return  # it came with the contest's file: its team was told elsewhere
    sender = submission.submitted_by
    file = Truncator(submission.file_name).chars(NAME_LENGTH)
    data: dict[str, Any] = {"values": {"file": file, "username": sender.username, "by": sender.pk}}
    if total is not None:
        data["public"] = f"{total:.4f}"
    tell(
        users=User.objects.filter(memberships__team=team),
        kind=Notification.Kind.FAILED if total is None else Notification.Kind.SCORED,
        subject=submission.pk,
        competition=team.competition_id,
        competition_slug=team.competition.slug,
        data=data,
        at=at,
    )


def fail(*, claim: Evaluation, failure: str, at: datetime) -> bool:
    """Queue the evaluation again, or end it after the last attempt. True if it ended.

    `failure` is a short code for us, never a message. A file that lacks ids of the golds ends at
    once and nothing is paid back: the team had its score under the golds that it was made for. So
    does one that took an analyzer too long. Raises LeaseLost and then writes nothing.
    """
    ids_changed = failure == Evaluation.IDS_CHANGED
    again = failure not in (Evaluation.IDS_CHANGED, Evaluation.TEXT_TIME_LIMIT)
    if again and claim.attempt < settings.SCORING_MAX_ATTEMPTS:
        wait_again(claim, after=timedelta(seconds=2 ** (claim.attempt - 1)), is_spent=True)
        return False
    with transaction.atomic():
        team = locked_team_of(claim.submission_id)
        change(claim, state=Evaluation.State.FAILED, finished_at=at, **ENDED, failure=failure)
        if not ids_changed:
            _pay_back(team, claim.submission_id, claim.scoring_version_id, at)
    return True


def fail_exhausted(*, at: datetime) -> int:
    """End every evaluation whose last attempt fell silent; answers how many. Safe to run twice."""
    ended = 0
    for row in exhausted():
        with transaction.atomic():
            team = locked_team_of(row.submission_id)
            ends = {**ENDED, "state": Evaluation.State.FAILED, "failure": "worker_lost"}
            still = exhausted().filter(pk=row.pk, attempt=row.attempt)
            if still.update(**ends, finished_at=at) == 1:
                _pay_back(team, row.submission_id, row.scoring_version_id, at)
                ended += 1
    return ended


def _pay_back(team: Team, submission_id: UUID, version_id: UUID, at: datetime) -> None:
    version = ScoringVersion.objects.get(pk=version_id)
    if version.state != ScoringVersion.State.LIVE:  # a rehearsal has no side effects
        return
    submission = Submission.objects.select_related("team", "submitted_by").get(pk=submission_id)
    refund(submission=submission, at=at, reason=QuotaEntry.Reason.FAILED)
    tell_scored(team=team, submission=submission, total=None, at=at)
    queue(Webhook.Event.FAILED, competition=team.competition_id, at=at)


def _queue_again(evaluation: Evaluation) -> bool:
    """Failed to queued with no attempt spent; False if it is not the failure that was looked at."""
    failed = Evaluation.objects.filter(
        pk=evaluation.pk, state=Evaluation.State.FAILED, attempt=evaluation.attempt
    )
    ended = dict.fromkeys(("last_sign_at", "started_at", "finished_at"))
    return failed.update(**WAITING, **ended, attempt=0, not_before=Now(), failure="") == 1


def retry(*, evaluation: Evaluation, user: User, at: datetime) -> None:
    """Failed to queued with all attempts anew; a refund stays. Raises Refused."""
    submission = evaluation.submission
    with deciding(submission.team.competition, user, at) as decision:
        found = retriable(decision.competition).filter(pk=evaluation.pk).first()
        if found is None or not _queue_again(found):
            raise Refused(
                "not_failed",
                _("This failure cannot be rescored."),
                _("To rescore finished submissions, rehearse a version."),
            )
        decision.record(
            "evaluation.retried",
            submission.pk,
            before={"failure": found.failure, "attempt": found.attempt},
            after={
                "team": str(submission.team_id),
                "file": submission.file_name,
                **found.scoring_version.named,
            },
        )


def retry_failed(*, competition: Competition, user: User, at: datetime) -> int:
    """All that failed under the live and the rehearsing versions; answers how many, or none."""
    with deciding(competition, user, at) as decision:
        queued = sum(map(_queue_again, retriable(decision.competition)))
        if queued:
            decision.record("evaluation.all_retried", competition.pk, after={"submissions": queued})
    return queued

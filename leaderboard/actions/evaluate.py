"""One turn of a worker: claim the head of the queue, score it, finish or fail it."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

import structlog

from leaderboard.actions.fail import end_with_changed_ids, fail
from leaderboard.actions.finish import finish
from leaderboard.evaluation.claim import Claim, LeaseLost, give_back, next_claim
from leaderboard.evaluation.run import IdsChanged, run

logger = structlog.get_logger(__name__)


def evaluate_next(*, now: Callable[[], datetime]) -> UUID | None:
    """Score the head of the queue; answers its id, or None when nothing could be claimed.

    Never raises for what a submission holds: an error is logged with ids, tried again up to three
    times, then ends as a failure of ours with the attempt given back.
    """
    claim = next_claim(at=now())
    if claim is None:
        return None
    try:
        _score(claim, now)
    except LeaseLost:
        logger.warning("lease_lost", **_ids(claim))
    return claim.evaluation_id


def _score(claim: Claim, now: Callable[[], datetime]) -> None:
    try:
        report = run(claim)
        finish(claim=claim, report=report, at=now())
    except LeaseLost:
        raise
    except (SystemExit, KeyboardInterrupt):
        give_back(claim)  # a clean shutdown costs no attempt
        raise
    except IdsChanged:
        end_with_changed_ids(claim=claim, at=now())
        logger.info("ids_changed", **_ids(claim))
    except Exception as error:
        # The message may quote a participant's text, so the log gets the type and ids alone.
        logger.error("scoring_failed", error=type(error).__name__, **_ids(claim))
        fail(claim=claim, failure=type(error).__name__[:40], at=now())
    else:
        logger.info("scored", **_ids(claim))


def _ids(claim: Claim) -> dict[str, str | int]:
    return {
        "evaluation": str(claim.evaluation_id),
        "submission": str(claim.submission_id),
        "attempt": claim.attempt,
    }

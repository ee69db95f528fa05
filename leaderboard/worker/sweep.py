"""What the sweeper does each time round. Every step is safe when run twice."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.conf import settings

from leaderboard.accounts import rate_limits
from leaderboard.actions.schedule import announce_reveals
from leaderboard.actions.scoring import fail_exhausted
from leaderboard.evaluation.claim import ask_missing
from leaderboard.evaluation.health import stalled
from leaderboard.evaluation.queries import waits_since
from leaderboard.submissions.orphans import discard_orphans, orphan_round
from leaderboard.worker.tasks import evaluate_next

logger = structlog.get_logger(__name__)

Step = Callable[[datetime], int]


def wake_for_waiting(at: datetime) -> int:
    """Wake one when an evaluation has waited longer than a message needs, or a lease ran out."""
    number = waits_since(at - timedelta(seconds=settings.SWEEP_WAKE_AFTER_SECONDS))
    if number:
        evaluate_next.wake()
    return number


class Orphans:
    """The step of a sweeper that stays: some of the folder of files each time, all once an hour."""

    EVERY = timedelta(hours=1)
    PARTS = 4  # of a round of the folder, in one round of the sweeper

    def __init__(self) -> None:
        self._round: Iterator[int] = iter(())
        self._next_at: datetime | None = None

    def __call__(self, at: datetime) -> int:
        """How many files this part moved to the trash."""
        parts = list(islice(self._round, self.PARTS))
        if not parts and (self._next_at is None or at >= self._next_at):
            self._next_at = at + self.EVERY
            self._round = orphan_round(at=at)
            parts = list(islice(self._round, self.PARTS))
        return sum(parts)


class Stalled:
    """The step of a sweeper that stays: says in the log that scoring stands still, and goes on."""

    AGAIN = timedelta(minutes=1)

    def __init__(self) -> None:
        self._said_at: datetime | None = None

    def __call__(self, at: datetime) -> int:
        """1 when something was said; to be heard in its first minute, and not in each round."""
        stall = stalled(at, rehearsals=True)
        if stall is None:
            ended, self._said_at = self._said_at is not None, None
            if ended:
                logger.warning("scoring_goes_on")  # where the alert was heard
            return int(ended)
        if self._said_at is not None and at - self._said_at < self.AGAIN:
            return 0
        self._said_at = at
        logger.error(
            "scoring_stands_still",
            waiting=stall.waiting,
            oldest_seconds=round((at - stall.since).total_seconds()),
            workers_alive=stall.workers,
        )
        return 1


STEPS: list[tuple[str, Step]] = [
    ("exhausted", lambda at: fail_exhausted(at=at)),
    ("missing", lambda at: ask_missing(at=at)),
    ("woken", wake_for_waiting),
    ("stalled", lambda at: Stalled()(at)),
    ("reveals", lambda at: announce_reveals(at=at)),
    ("rate_limits", lambda at: rate_limits.forget(at=at)),
    ("orphans", lambda at: discard_orphans(at=at)),
]
"""Name and step, in order. An app above this one appends its own in its `ready()`."""


def steps_of_a_loop() -> Sequence[tuple[str, Step]]:
    """STEPS for a process that does them again and again, with those that remember."""
    staying: dict[str, Step] = {"stalled": Stalled(), "orphans": Orphans()}
    return tuple((name, staying.get(name, step)) for name, step in STEPS)


def sweep(at: datetime, steps: Sequence[tuple[str, Step]] = STEPS) -> dict[str, int]:
    """Run every step; an error in one is logged and does not stop the others."""
    found: dict[str, int] = {}
    for name, step in steps:
        try:
            found[name] = step(at)
        except Exception as error:
            logger.error("sweep_step_failed", step=name, error=type(error).__name__)
    return found

"""What the sweeper does each time round. Every step is safe when run twice."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from threading import Thread
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections

from leaderboard import logs
from leaderboard.accounts import rate_limits
from leaderboard.actions.ending import being_deleted
from leaderboard.actions.mails import by_mail
from leaderboard.actions.schedule import announce_reveals
from leaderboard.actions.scoring import fail_exhausted
from leaderboard.boards.figures import DERIVED
from leaderboard.celery import Task
from leaderboard.community.webhooks import call
from leaderboard.evaluation.claim import ask_missing
from leaderboard.evaluation.health import last_ended
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import waits_since
from leaderboard.inbox.mails import collect
from leaderboard.logs import turn_over
from leaderboard.operations.alarms import Alarms, ring
from leaderboard.outbox.sending import Channel, send_due
from leaderboard.references.queries import scored_versions
from leaderboard.worker.tasks import erase, evaluate_next, make_derived

logger = structlog.get_logger(__name__)

Step = Callable[[datetime], int]
SLOW_MESSAGE = timedelta(seconds=settings.SWEEP_WAKE_AFTER_SECONDS)


def wake(task: Task, waiting: int) -> int:
    """Wake a worker if anything waits for this task. Return how much does."""
    if waiting:
        task.wake()
    return waiting


def wake_for_derived(at: datetime, *, files: bool = True, since: datetime | None = None) -> int:
    """Wake a worker if a derived figure is missing. 1 if so.

    files: whether submissions are asked, too; `since`: only those that were scored from then on.
    """
    lacks = any(one.lacks(at, since) for one in DERIVED if files or not one.of_files)
    return wake(make_derived, int(lacks))


class Missing:
    """Step of a sweeper that keeps running: create the evaluations that submissions lack.

    It asks the submissions since its last round, and all of them every EVERY, when a version began
    to be scored and in its first round. Two sweepers may ask about the same submissions.
    """

    EVERY = timedelta(minutes=10)
    # Longer than a transaction may wait before its rows are seen, and than clocks may differ.
    OVERLAP = timedelta(minutes=2)

    def __init__(self) -> None:
        self._whole_at: datetime | None = None
        self._looked_at: datetime | None = None
        self._versions: set[UUID] = set()

    def __call__(self, at: datetime) -> int:
        """How many evaluations were missing."""
        versions = {version.pk for version in scored_versions()}
        whole, looked, since = self._whole_at, self._looked_at, None
        if whole and looked and whole <= at < whole + self.EVERY and versions <= self._versions:
            since = looked - self.OVERLAP
        asked = ask_missing(at=at, since=since)
        # Only now: a round that failed looked at nothing.
        self._looked_at, self._versions = at, versions
        if since is None:
            self._whole_at = at
        return asked


class Lacking:
    """Step of a sweeper that keeps running: `wake_for_derived`.

    Asking every submission reads all rows of a board, so mostly those are asked that were scored
    since the last round. All are asked every EVERY: an organizer's decision may let another
    submission count.
    """

    EVERY = timedelta(minutes=5)

    def __init__(self) -> None:
        self._whole_at: datetime | None = None
        self._looked_at: datetime | None = None
        self._newest: datetime | None = None

    def __call__(self, at: datetime) -> int:
        """1 when a worker was woken."""
        newest = last_ended(Evaluation.State.DONE)
        whole, since = self._whole_at, None
        is_whole = whole is None or not whole <= at < whole + self.EVERY
        if not is_whole and newest != self._newest and self._looked_at is not None:
            since = self._looked_at - Missing.OVERLAP
        found = wake_for_derived(at, files=is_whole or since is not None, since=since)
        if not found:
            self._looked_at, self._newest = at, newest
            self._whole_at = at if is_whole else whole
        elif since is None:
            self._whole_at = None
        return found


def channels() -> dict[str, Channel]:
    """The channels that the outbox may send to now; other messages wait."""
    wanted: dict[str, Channel] = {"webhook": lambda: nullcontext(call)}
    if settings.MAIL_ON:
        wanted["mail"] = by_mail
    if settings.ALARM_WEBHOOK:
        wanted["alarm"] = lambda: nullcontext(ring)
    return wanted


def send_messages(at: datetime) -> int:
    """Send the waiting messages, one lane after the other. Return how many arrived."""
    return send_due(channels(), at=at)


def _alone(name: str, work: Callable[[], None]) -> None:
    """Run in a thread: log its errors, close its database connections."""
    try:
        work()
    except Exception as error:
        logger.error("sweep_step_failed", step=name, **logs.origin(error))
    finally:
        connections.close_all()


class Beside:
    """Run a step that waits for other servers in its own thread, while the sweeper goes on."""

    def __init__(self, name: str, step: Step) -> None:
        self._name, self._step = name, step
        self._thread: Thread | None = None
        self._found = 0

    def __call__(self, at: datetime) -> int:
        """Return what the last run that ended found."""
        if self._thread is not None and self._thread.is_alive():
            return 0
        found, self._found = self._found, 0
        self._thread = Thread(target=_alone, args=(self._name, lambda: self._do(at)), daemon=True)
        self._thread.start()
        return found

    def _do(self, at: datetime) -> None:
        self._found = self._step(at)


STEPS: list[tuple[str, Step]] = [
    ("exhausted", lambda at: fail_exhausted(at=at)),
    ("missing", lambda at: ask_missing(at=at)),
    # What has waited for longer than a message takes, or whose lease ran out.
    ("woken", lambda at: wake(evaluate_next, waits_since(at - SLOW_MESSAGE))),
    ("derived", wake_for_derived),
    ("erasing", lambda at: wake(erase, being_deleted().count())),
    ("reveals", lambda at: announce_reveals(at=at)),
    ("rate_limits", lambda at: rate_limits.forget(at=at)),
    ("alarms", lambda at: Alarms()(at)),
    ("mails", lambda at: collect(at=at) if settings.MAIL_ON else 0),
    ("outbox", send_messages),
    ("logs", lambda at: turn_over(settings.DATA_DIR / "log", days=settings.LOG_DAYS, at=at)),
]
"""Name and step, in order. An app above this one appends its own in its `ready()`."""


def steps_of_a_loop() -> Sequence[tuple[str, Step]]:
    """STEPS for a process that repeats them, with the steps that remember their last round."""
    staying: dict[str, Step] = {
        "missing": Missing(),
        "derived": Lacking(),
        "alarms": Beside("alarms", Alarms()),
        "outbox": Beside("outbox", send_messages),
    }
    return tuple((name, staying.get(name, step)) for name, step in STEPS)


def sweep(at: datetime, steps: Sequence[tuple[str, Step]] = STEPS) -> dict[str, int]:
    """Run every step; an error in one is logged and does not stop the others."""
    found: dict[str, int] = {}
    for name, step in steps:
        try:
            found[name] = step(at)
        except Exception as error:
            logger.error("sweep_step_failed", step=name, **logs.origin(error))
    return found

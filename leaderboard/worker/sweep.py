"""What the sweeper does each time round. Every step is safe when run twice."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from threading import Thread

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


def wake_for_derived(at: datetime, since: datetime | None = None) -> int:
    """Wake a worker if a derived figure is missing. 1 if so.

    `since`: of submissions, only those that were scored from then on; an organizer's decision may
    let another one count.
    """
    newest = last_ended(Evaluation.State.DONE) if since else None
    is_quiet = since is not None and (newest is None or newest < since)
    asked = (one for one in DERIVED if not (is_quiet and one.of_files))
    return wake(make_derived, int(any(one.lacks(at, since) for one in asked)))


class Since:
    """Step of a sweeper that keeps running: ask about what came since its last round.

    It asks about everything every `every`, in its first round, when what `of` answers changed, and
    again while there is something to find. Two sweepers may ask about the same submissions.
    """

    # Longer than a transaction may wait before its rows are seen, and than clocks may differ.
    OVERLAP = timedelta(minutes=2)

    def __init__(
        self,
        ask: Callable[[datetime, datetime | None], int],
        every: timedelta,
        of: Callable[[], object] = lambda: None,
    ) -> None:
        self._ask, self._every, self._of = ask, every, of
        self._whole_at: datetime | None = None
        self._looked_at: datetime | None = None
        self._known: object = None

    def __call__(self, at: datetime) -> int:
        """How much was missing."""
        whole, looked, known, since = self._whole_at, self._looked_at, self._of(), None
        if whole and looked and whole <= at < whole + self._every and known == self._known:
            since = looked - self.OVERLAP
        found = self._ask(at, since)
        if not found:  # and only now: a round that failed looked at nothing
            self._looked_at, self._known = at, known
            self._whole_at = whole if since else at
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
        self._thread = Thread(target=self._run, args=(at,), daemon=True)
        self._thread.start()
        return found

    def _run(self, at: datetime) -> None:
        try:
            self._found = self._step(at)
        except Exception as error:
            logger.error("sweep_step_failed", step=self._name, **logs.origin(error))
        finally:
            connections.close_all()


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
        "missing": Since(
            lambda at, since: ask_missing(at=at, since=since),
            timedelta(minutes=10),
            of=lambda: {version.pk for version in scored_versions()},
        ),
        "derived": Since(wake_for_derived, timedelta(minutes=5)),
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

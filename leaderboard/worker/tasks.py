"""Tasks without an argument: scoring, the figures of new references, derived figures, deletions.

Below them, what a worker's parent process does beside Celery. An add-on has its own tasks in its
`tasks` module.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Event, Lock, Thread
from typing import Any

import structlog
from celery import Task, bootsteps
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import worker_init, worker_process_init, worker_process_shutdown
from celery.worker import state
from django.conf import settings
from django.db import connection, connections
from django.utils import timezone

from leaderboard import logs
from leaderboard.actions.ending import PUT_OFF, being_deleted
from leaderboard.actions.ending import erase as erase_contest
from leaderboard.actions.references import check_next_references
from leaderboard.actions.scoring import evaluate_next as evaluate_head
from leaderboard.boards.figures import DERIVED
from leaderboard.celery import app
from leaderboard.evaluation.claim import files_wait
from leaderboard.evaluation.health import SIGN_SECONDS
from leaderboard.evaluation.queries import waits_since
from leaderboard.evaluation.run import text_limit, warm
from leaderboard.operations import installation, signs

logger = structlog.get_logger(__name__)

turn = Lock()
"""One of a child's two threads scores at a time: an analyzer is not made for both."""

TURN_SECONDS = 20  # after this the child goes back to the pool and wakes another


@app.task(bind=True, name="leaderboard.evaluate_next")
def evaluate_next(self: Task, schema: int = 1) -> int:
    """Score from the head of the queue until it is empty or the turn is over.

    The message has no id: duplicates, losses and order of messages do not matter. `schema` is the
    version of the message's form. Return how many evaluations were taken.
    """
    began = time.monotonic()
    taken = 0
    with turn:
        while evaluate_head(now=timezone.now) is not None:
            taken += 1
            if taken == 1 and files_wait():
                self.wake()  # wakes an idle child beside this one, once
            if time.monotonic() - began > TURN_SECONDS:
                self.wake()
                break
    return taken


@app.task(bind=True, name="leaderboard.check_golds")
def check_references(self: Task, schema: int = 1) -> bool:
    """Compute the figures of the oldest references that have none, and wake for the next. False
    when there were none.
    """
    with turn:
        found = check_next_references()
    if found:
        self.wake()
    return found


# The task keeps its first name: messages under way carry it.
@app.task(bind=True, name="leaderboard.make_bands")
def make_derived(self: Task, schema: int = 1) -> bool:
    """Compute some derived figures that are missing, unless submissions wait; wake for the next."""
    if files_wait():
        return False
    at = timezone.now()
    with turn:
        made = any(one.make(at) for one in DERIVED)
    if made:
        self.wake()
    return made


ERASING_SECONDS = 540  # files go one by one, however slow the store is


@app.task(
    name="leaderboard.erase",
    soft_time_limit=ERASING_SECONDS - 20,
    time_limit=ERASING_SECONDS,
)
def erase(schema: int = 1) -> int:
    """Delete rows and files of deleted contests; how many are gone. The sweeper asks again for the
    rest."""
    gone = 0
    for contest in list(being_deleted().values_list("pk", flat=True)):
        try:
            erase_contest(contest)
            gone += 1
        except (*PUT_OFF, SoftTimeLimitExceeded) as error:
            logger.warning("erasing_put_off", error=type(error).__name__)
    return gone


POLL_SECONDS = 5.0
UNHEARD = timedelta(seconds=POLL_SECONDS)
PATIENCE = 30.0  # seconds for the file at hand when the child is asked to end


class Polling(Thread):
    """Thread of a child: take submissions that waited longer than a message needs.

    A broker may be gone for hours. A message is taken within a tenth of a second; what waits for
    seconds has lost its own, so each idle child asks the database, whatever the broker's state.
    """

    def __init__(self, take: Callable[[], bool], now: Callable[[], datetime]) -> None:
        super().__init__(name="polling", daemon=True)
        self._take, self._now = take, now
        self._ends = Event()

    def run(self) -> None:
        # Children that were started together should not ask together.
        while not self._ends.wait(POLL_SECONDS * random.uniform(0.5, 1.5)):  # noqa: S311
            try:
                self.look()
            except Exception as error:  # the database is away, too, or what nobody foresaw
                logger.warning("poll_failed", **logs.origin(error))
            finally:
                connections.close_all()

    def look(self) -> int:
        """Score waiting submissions, one after the other. Return how many."""
        taken = 0
        while not self._ends.is_set() and turn.acquire(blocking=False):
            try:
                if not waits_since(self._now() - UNHEARD) or not self._take():
                    break
                taken += 1
            finally:
                turn.release()
        if taken:
            logger.info("polled", scored=taken)
        return taken

    def stop(self) -> None:
        """Take no further submission, and wait for the current one."""
        self._ends.set()
        with suppress(RuntimeError):  # it was never started
            self.join(PATIENCE)


@worker_init.connect
def before_children(sender: Any, **_: object) -> None:
    """Celery swallows what a receiver raises, Django's failed checks among it, but no exit."""
    if refused := installation.half_set():
        sys.exit(installation.lines(refused))
    name = _name(sender)
    worker_process_init.connect(lambda **_: prepare_child(name), weak=False)


def _name(parent: Any) -> str:
    """Such as `celery@host:4711`, of a worker's parent process, which asks."""
    return f"{parent.hostname}:{os.getpid()}"


def prepare_child(parent: str) -> None:
    """Load analyzer and references before the first message, so that nobody waits for them.

    A worker of other queues cuts no text, and on a machine that scores as well it stands back.
    """
    connections.close_all()  # a connection opened before the fork must not be shared
    if app.conf.task_default_queue in app.amqp.queues.consume_from:
        signs.show_for_parent(parent)
        text_limit.start()
        warm()
        polling = Polling(lambda: evaluate_head(now=timezone.now) is not None, timezone.now)
        polling.start()
        worker_process_shutdown.connect(lambda **_: polling.stop(), weak=False)
    else:
        os.nice(10)  # of 19: scores are more urgent than a judge


LOOK_SECONDS = 2.0


class Watch:
    """Remembers since when each reserved message waits for a child."""

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._since: dict[str, float] = {}

    def stuck(self, reserved: set[str], started: set[str]) -> bool:
        """Whether a message was reserved for longer than `patience` seconds without a start."""
        now = self._clock()
        waiting = reserved - started
        self._since = {name: self._since.get(name, now) for name in waiting}
        return any(now - since > self._patience for since in self._since.values())


def look(watch: Watch) -> None:
    """One look. A stuck parent cannot shut down in order: its children will never answer."""
    reserved = {request.id for request in state.reserved_requests}
    started = {request.id for request in state.active_requests}
    if watch.stuck(reserved, started):
        logger.error("worker_stuck", reserved=len(reserved), started=len(started))
        os._exit(1)


class Parent(bootsteps.StartStopStep):
    """Signs and looks in the parent's event loop, so that a parent that hangs falls silent.

    A thread would be the other way: a child that is forked while it writes could never write.
    While the broker is away the loop stands still; children that score sign then (`signs`).
    """

    requires = {"celery.worker.components:Timer"}

    def start(self, parent: Any) -> None:
        self.name = _name(parent)
        queue = ",".join(sorted(parent.app.amqp.queues.consume_from))

        def sign() -> None:
            signs.touch(self.name.partition("@")[0])
            signs.show(self.name, queue)
            connection.close()  # a child that is forked later must not find it open

        sign()
        watch = Watch(settings.WORKER_STUCK_SECONDS)
        self.timers = [
            parent.timer.call_repeatedly(SIGN_SECONDS, sign),
            parent.timer.call_repeatedly(LOOK_SECONDS, look, (watch,)),
        ]

    def stop(self, parent: Any) -> None:
        for timer in self.timers:
            timer.cancel()
        signs.take_away(self.name)
        connection.close()


app.steps["worker"].add(Parent)

"""Wake-up calls without an argument: for scoring, for the figures of new references.

An app above this one has its own in its `tasks` module.
"""

import time

from celery import Task
from celery.signals import worker_process_init
from django.db import connections

from leaderboard.actions.references import check_next_golds
from leaderboard.actions.scoring import evaluate_next as evaluate_head
from leaderboard.celery import app
from leaderboard.evaluation.queue import anything_waits
from leaderboard.evaluation.run import warm
from leaderboard.operations import clock
from leaderboard.operations.processes import stand_back
from leaderboard.worker.parent import Heartbeat, Watchdog

TURN_SECONDS = 20  # after this the child goes back to the pool and wakes another


@app.task(bind=True, name="leaderboard.evaluate_next")
def evaluate_next(self: Task, schema: int = 1) -> int:
    """Score from the head of the queue until nothing is left or the turn is over.

    The message carries no id: duplicates, losses and order of messages do not matter. `schema` is
    the version of this message's form. Answers how many evaluations were taken.
    """
    began = time.monotonic()
    taken = 0
    now = clock.shared()
    while evaluate_head(now=now) is not None:
        taken += 1
        if taken == 1 and anything_waits():
            self.wake()  # wakes an idle child beside this one, once
        if time.monotonic() - began > TURN_SECONDS:
            self.wake()
            break
    return taken


@app.task(name="leaderboard.check_golds")
def check_golds(schema: int = 1) -> bool:
    """Compute the figures of the oldest references that have none. False when there were none."""
    return check_next_golds()


app.steps["worker"].update({Watchdog, Heartbeat})


@worker_process_init.connect
def prepare_child(**_: object) -> None:
    """Load analyzer and references before the first message, so that nobody waits for them.

    A worker of other queues cuts no text, and on a machine that scores as well it stands back.
    """
    connections.close_all()  # a connection opened before the fork must not be shared
    if app.conf.task_default_queue in app.amqp.queues.consume_from:
        warm()
    else:
        stand_back()

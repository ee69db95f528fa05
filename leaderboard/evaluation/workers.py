"""Signs of life: each worker leaves one every few seconds, for staff to read.

Nothing is decided by them: who scores what stands in the leases (`claim`), and whether scoring
stands still in what was done (`stall`). All times are the database's.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models.functions import Now

from leaderboard.evaluation.models import Worker

SIGN_SECONDS = 10.0
SILENT_AFTER = timedelta(seconds=3 * SIGN_SECONDS)
FORGOTTEN_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class WorkerSign:
    """A worker as its last sign shows it at some instant."""

    worker: Worker
    lives: bool


def begin(*, name: str, queue: str) -> None:
    """The first sign of a worker that starts; those silent for a day are forgotten."""
    Worker.objects.filter(last_sign_at__lt=Now() - FORGOTTEN_AFTER).delete()
    Worker.objects.create(name=name, queue=queue, started_at=Now(), last_sign_at=Now())


def sign(*, name: str, queue: str) -> None:
    """This worker lives."""
    if not Worker.objects.filter(name=name).update(last_sign_at=Now()):
        begin(name=name, queue=queue)


def leave(*, name: str) -> None:
    """This worker ends as it should: nobody need miss it."""
    Worker.objects.filter(name=name).delete()


def workers(at: datetime) -> list[WorkerSign]:
    """All that are known, the living first, the newest sign first."""
    rows = Worker.objects.order_by("-last_sign_at", "name")
    signs = [WorkerSign(row, row.last_sign_at >= at - SILENT_AFTER) for row in rows]
    return sorted(signs, key=lambda one: not one.lives)


def living(at: datetime) -> int:
    """How many workers that score have shown themselves lately."""
    scoring = Worker.objects.filter(queue__contains=settings.CELERY_TASK_DEFAULT_QUEUE)
    return scoring.filter(last_sign_at__gte=at - SILENT_AFTER).count()

"""Two answers for machines: does the process live, and may it be given work."""

import shutil
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.evaluation import queries as evaluation_queries
from leaderboard.operations import clock
from leaderboard.submissions import orphans

log = structlog.get_logger(__name__)

# Five uploads of the largest size a contest may allow: below that the next one could fail.
MINIMUM_FREE_BYTES = 5 * 5 * 1024 * 1024
# So long a file waits while no worker does anything, until that is said.
WITHOUT_WORKER = timedelta(seconds=30)


@require_safe
@never_cache
def livez(request: HttpRequest) -> HttpResponse:
    """This process answers. Asks nobody else, so that a slow database never restarts it."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when uploads can be accepted, else 503 with the names of what is missing.

    `remarks` name what somebody should look at and what is no reason to refuse uploads.
    """
    at = timezone.now()
    problems = _database_problems()
    scoring, ahead, remarks = None, None, []
    if not problems:
        scoring = asdict(evaluation_queries.health(at))
        if evaluation_queries.waits_without_worker(at - WITHOUT_WORKER):
            remarks.append("waiting_without_worker")
        if orphans.stopped():
            remarks.append("orphans_stopped")
        difference = clock.difference()
        ahead = round(difference.ahead.total_seconds(), 3)
        if difference.is_wrong:  # the host takes no file
            problems.append("clock differs")
        elif difference.is_said:
            remarks.append("clock_differs")
    problems += _storage_problems()
    found = {
        "ready": not problems,
        "problems": problems,
        "remarks": remarks,
        "scoring": scoring,
        "clock_ahead_seconds": ahead,
    }
    return JsonResponse(found, status=503 if problems else 200)


PROBES = {"/livez": livez, "/readyz": readyz}


def probes(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a probe asks a machine by whatever name or number it has, so before anybody looks
    at the Host, which is never read for it. All other addresses go the usual way."""

    def answer(request: HttpRequest) -> HttpResponse:
        return PROBES.get(request.path_info, get_response)(request)

    return answer


def _database_problems() -> list[str]:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        log.warning("ready.database", error=type(error).__name__)
        return ["database unreachable"]
    return ["migrations missing"] if plan else []


def _storage_problems() -> list[str]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    return ["storage full"] if free < MINIMUM_FREE_BYTES else []

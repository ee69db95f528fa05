"""Two answers for machines: does the process live, and may it be given work."""

import shutil
from dataclasses import asdict

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.evaluation import queries as evaluation_queries

log = structlog.get_logger(__name__)

# Five uploads of the largest size a contest may allow: below that the next one could fail.
MINIMUM_FREE_BYTES = 5 * 5 * 1024 * 1024


@require_safe
@never_cache
def livez(request: HttpRequest) -> HttpResponse:
    """This process answers. Asks nobody else, so that a slow database never restarts it."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when uploads can be accepted, else 503 with the names of what is missing."""
    problems = _database_problems()
    # A queue that waits is no reason to refuse uploads: it is told, not counted as a problem.
    scoring = None if problems else asdict(evaluation_queries.health(timezone.now()))
    problems += _storage_problems()
    status = 503 if problems else 200
    return JsonResponse(
        {"ready": not problems, "problems": problems, "scoring": scoring}, status=status
    )


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

"""Two answers for machines: does the process live, and may it be given work."""

from collections import Counter
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.evaluation import queries as evaluation_queries
from leaderboard.evaluation import run as version_failures
from leaderboard.evaluation.health import workers
from leaderboard.evaluation.queries import server_scoring
from leaderboard.operations import checks
from leaderboard.operations.installation import is_loopback, version


@require_safe
@never_cache
def livez(request: HttpRequest) -> HttpResponse:
    """This process answers. Asks nobody else, so that a slow database never restarts it."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when uploads can be accepted, else 503 with the names of what is missing.

    `remarks` are no reason to refuse uploads; `proxies`: how many say whom they ask for. With
    `?verbose` a program on this machine reads what staff read on `/status` (`figures`).
    """
    at = timezone.now()
    is_near = _is_of_this_machine(request)
    found = _found(at)
    proxies = len([*filter(None, request.headers.get("X-Forwarded-For", "").split(","))])
    more = is_near and found["scoring"] is not None and "verbose" in request.GET
    said = {**found, "proxies": proxies, **(figures(at) if more else {})}
    return JsonResponse(said, status=200 if found["ready"] else 503)


def _found(at: datetime) -> dict[str, Any]:
    """What everybody may read."""
    problems, remarks = list[str](), list[str]()
    found = checks.found(at, [check for check in checks.CHECKS if check.words])
    for check, fault in found:
        word = f"{check.ask.__name__} failed" if fault.code == "check" else None
        if word := check.words.get(fault.key, word):
            (problems if check.refuses else remarks).append(word)
    scoring, ahead = None, None
    if not any(check.ask is checks.database for check, _ in found):
        scoring, ahead = evaluation_queries.health(at), checks.clock_ahead()
        if abs(ahead) > checks.CLOCK_SAID:
            remarks.append("clock_differs")
    return {
        "version": version(),
        "ready": not problems,
        "problems": problems,
        "remarks": remarks,
        "scoring": scoring,
        "clock_ahead_seconds": None if ahead is None else round(ahead.total_seconds(), 3),
    }


def _is_of_this_machine(request: HttpRequest) -> bool:
    """Whether nobody stands between. A proxy on this machine names whom it asks for (see the docs).

    Who may ask is not told by a session: a probe is answered before anything looks for one.
    """
    if "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META:
        return False
    return is_loopback(request.META.get("REMOTE_ADDR", ""))  # a socket file has no address


def figures(at: datetime) -> dict[str, Any]:
    """Workers, queue and failures, times in seconds before `at`; no contest and nobody by name."""

    def ago(instant: datetime | None) -> float | None:
        return None if instant is None else round((at - instant).total_seconds(), 1)

    server = server_scoring(at)
    queue = server["queue"]
    failures: Counter[str] = Counter()
    for failure in server["failures"]:
        failures[failure["code"]] += failure["number"]  # whatever the contest
    return {
        "workers": [
            {
                "name": one.name,
                "queue": one.queue,
                "version": one.version,
                "lives": one.lives,
                "started_seconds": ago(one.started_at),
                "last_sign_seconds": ago(one.last_sign_at),
            }
            for one in workers(at)
        ],
        "queue": {
            "waiting": sum(line["waiting"] for line in queue),
            "rehearsals_waiting": sum(line["rehearsals"] for line in queue),
            "running": sum(line["running"] for line in queue),
            "oldest_seconds": ago(min((line["oldest_at"] for line in queue), default=None)),
            "last_scored_seconds": ago(server["last_scored_at"]),
        },
        "failures_of_a_day": dict(failures.most_common()),
        "version_failures": version_failures.by_code(),
    }

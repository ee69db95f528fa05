"""`/metrics`: figures for Prometheus, each asked of the database when somebody asks for them.

Requests alone are counted as they are answered. One table in memory for all processes of a
gunicorn: it is made before they are forked, so any of them tells the whole. Each machine and
container has its own.
"""

import fcntl
import hmac
import mmap
import shutil
import tempfile
import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import accumulate, product
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.celery import broker_trouble
from leaderboard.evaluation.health import ended_since
from leaderboard.evaluation.models import Evaluation
from leaderboard.operations.health import figures
from leaderboard.operations.installation import version
from leaderboard.operations.models import Alarm, Backup
from leaderboard.submissions.models import submission_storage

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds; one more for what took longer
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "other")
CLASSES = ("2xx", "3xx", "4xx", "5xx")
NO_ROUTE = "none"  # static files, probes, and addresses that lead nowhere
_CELLS = len(BUCKETS) + 2  # the last one: the sum of seconds


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus's text for who has METRICS_TOKEN; nothing is there without the variable."""
    token: str = settings.METRICS_TOKEN
    if not token:
        return HttpResponse("not found\n", status=404, content_type="text/plain")
    said = request.headers.get("Authorization", "").encode()
    if not hmac.compare_digest(said, f"Bearer {token}".encode()):
        refused = HttpResponse("a token is missing\n", status=401, content_type="text/plain")
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    try:
        text = written(timezone.now())
    except DatabaseError:
        return HttpResponse("database unreachable\n", status=503, content_type="text/plain")
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def written(at: datetime) -> bytes:
    """All figures as Prometheus reads them."""
    try:
        from prometheus_client import core, generate_latest
    except ImportError:
        raise ImproperlyConfigured(
            "METRICS_TOKEN needs a package: pip install -r requirements-prod.txt"
        ) from None
    families: list[Any] = []
    for name, text, rows, label in measures(at):
        gauge = core.GaugeMetricFamily(f"leaderboard_{name}", text, labels=[label] if label else [])
        for value, number in rows.items():
            gauge.add_metric([value] if label else [], number)
        families.append(gauge)
    seconds = core.HistogramMetricFamily(
        "leaderboard_request_seconds",
        "Requests that this server answered, and how long they took.",
        labels=("route", "method", "status"),
    )
    for row in request_table().counted():
        seconds.add_metric(*row)
    known: Any = SimpleNamespace(collect=lambda: [*families, seconds])
    return bytes(generate_latest(known))


def measures(at: datetime) -> Iterator[tuple[str, str, Mapping[str, float], str]]:
    """Name and text of each, and its figures by the values of a label, the last; "" of one alone.

    The same few queries for any number of contests.
    """

    def single(name: str, text: str, number: float) -> tuple[str, str, dict[str, float], str]:
        return name, text, {"": number}, ""

    yield "info", "The running version.", {version(): 1}, "version"
    found = figures(at)
    queue = found["queue"]
    waiting = {"live": queue["waiting"], "rehearsing": queue["rehearsals_waiting"]}
    yield "queue_waiting", "Evaluations that wait, by version.", waiting, "version"
    yield single("queue_running", "Evaluations under way.", queue["running"])
    text = "Since the oldest of what waits or runs was received."
    yield single("queue_oldest_seconds", text, queue["oldest_seconds"] or 0)
    live = Evaluation.objects.filter(scoring_version__state="live").order_by()
    states = dict(live.values_list("state").annotate(Count("pk")))
    yield "submissions", "By their state under the live version.", states, "state"
    failures = found["failures_of_a_day"]
    yield "failures_of_a_day", "Evaluations that failed, by code.", failures, "code"
    text = "What could not be made of a scoring version and is tried again later, by work and code."
    yield "version_failures", text, found["version_failures"], "code"
    done, failed = ended_since(at)
    ended = {"done": done, "failed": failed}
    yield "evaluations_of_an_hour", "That ended, by their end.", ended, "end"
    # The newest last, which counts.
    signs = {one["queue"]: one["last_sign_seconds"] for one in reversed(found["workers"])}
    text = "Since the newest sign of a process, by its work; of the sweeper: since a round."
    yield "last_sign_seconds", text, signs, "work"
    rings = Alarm.objects.all()
    ringing = dict.fromkeys(rings.values_list("kind", flat=True), 1.0)
    yield "alarm", "Alarms that ring.", ringing, "kind"
    made_at = Backup.objects.filter(made_at__lte=at).values_list("made_at", flat=True).first()
    if made_at is not None:
        age = (at - made_at).total_seconds()
        yield single("backup_age_seconds", "Since the newest backup was made.", age)
    free = shutil.disk_usage(settings.DATA_DIR).free
    yield single("disk_free_bytes", "Of the disk that DATA_DIR lies on.", free)
    yield single("store_writable", "1 or 0.", not submission_storage().trouble())
    yield single("broker_up", "1 or 0.", not broker_trouble())


class Table:
    """Numbers in a file without a name, which the kernel unlocks when a process is killed."""

    def __init__(self, routes: list[str]) -> None:
        keys = product(routes, METHODS, CLASSES)
        self._places = {key: number * _CELLS for number, key in enumerate(keys)}
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (it stays open)
        self._file.truncate(8 * _CELLS * len(self._places))
        self._cells = memoryview(mmap.mmap(self._file.fileno(), 0)).cast("d")
        self._threads = threading.Lock()  # the file's lock knows processes alone

    def count(self, request: HttpRequest, status: int, seconds: float) -> None:
        route = request.resolver_match.view_name if request.resolver_match else NO_ROUTE
        method = request.method if request.method in METHODS else "other"
        place = self._places.get((route, str(method), f"{status // 100}xx"))
        if place is None:
            return  # a status of no class, such as 101
        with self._threads:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                self._cells[place + bisect_left(BUCKETS, seconds)] += 1
                self._cells[place + _CELLS - 1] += seconds
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def counted(self) -> Iterator[tuple[tuple[str, ...], list[tuple[str, float]], float]]:
        """Route, method and class of status of what was asked for at all; how many requests took
        no longer than each bound; the sum of their seconds.
        """
        bounds = [*map(str, BUCKETS), "+Inf"]
        for key, place in self._places.items():
            *cells, seconds = self._cells[place : place + _CELLS]
            if any(cells):
                yield key, list(zip(bounds, accumulate(cells), strict=True)), seconds


@cache
def request_table() -> Table:
    """This server's; asked for once before the processes are forked."""
    return Table([*_names(get_resolver(), ""), NO_ROUTE])


def _names(resolver: Any, prefix: str) -> list[str]:
    """Every name that `resolver_match.view_name` may have; of one without, its function's path."""
    found: dict[str, None] = {}
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            own = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            found |= dict.fromkeys(_names(pattern, own))
        else:
            found[f"{prefix}{pattern.name or pattern.lookup_str}"] = None
    return list(found)

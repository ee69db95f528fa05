"""`/metrics`: figures for Prometheus, each asked of the database when somebody asks for them.

Requests alone are counted as they are answered (`requests`), by all processes of this server.
"""

import hmac
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.celery import broker_trouble
from leaderboard.evaluation.health import ended_since
from leaderboard.evaluation.models import Evaluation
from leaderboard.operations import requests
from leaderboard.operations.health import figures
from leaderboard.operations.installation import version
from leaderboard.operations.models import Alarm, Backup
from leaderboard.submissions.models import submission_storage


class Measure(NamedTuple):
    """One figure, or several that a label tells apart."""

    name: str
    text: str
    rows: Mapping[str, float]
    label: str = ""


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
        from prometheus_client import CollectorRegistry, Gauge, generate_latest
        from prometheus_client.core import HistogramMetricFamily
    except ImportError:
        raise ImproperlyConfigured(
            "METRICS_TOKEN needs a package: pip install -r requirements-prod.txt"
        ) from None
    registry = CollectorRegistry()
    for one in measures(at):
        labels = [one.label] if one.label else []
        gauge = Gauge(f"leaderboard_{one.name}", one.text, labels, registry=registry)
        for value, number in one.rows.items():
            (gauge.labels(value) if one.label else gauge).set(number)
    seconds = HistogramMetricFamily(
        "leaderboard_request_seconds",
        "Requests that this server answered, and how long they took.",
        labels=("route", "method", "status"),
    )
    for row in requests.table().counted():
        seconds.add_metric(row.labels, row.buckets, row.seconds)
    registry.register(_Ready(seconds))
    return bytes(generate_latest(registry))


class _Ready:
    """A figure that is known already, as a registry takes it."""

    def __init__(self, figure: Any) -> None:
        self._figure = figure

    def collect(self) -> list[Any]:
        return [self._figure]


def measures(at: datetime) -> Iterator[Measure]:
    """The same few queries for any number of contests."""

    def single(name: str, text: str, number: float) -> Measure:
        return Measure(name, text, {"": number})

    yield Measure("info", "The running version.", {version(): 1}, "version")
    found = figures(at)
    queue = found["queue"]
    waiting = {"live": queue["waiting"], "rehearsing": queue["rehearsals_waiting"]}
    yield Measure("queue_waiting", "Evaluations that wait, by version.", waiting, "version")
    yield single("queue_running", "Evaluations under way.", queue["running"])
    text = "Since the oldest of what waits or runs was received."
    yield single("queue_oldest_seconds", text, queue["oldest_seconds"] or 0)
    live = Evaluation.objects.filter(scoring_version__state="live").order_by()
    states = dict(live.values_list("state").annotate(Count("pk")))
    yield Measure("submissions", "By their state under the live version.", states, "state")
    failures = found["failures_of_a_day"]
    yield Measure("failures_of_a_day", "Evaluations that failed, by code.", failures, "code")
    text = "What could not be made of a scoring version and is tried again later, by work and code."
    yield Measure("version_failures", text, found["version_failures"], "code")
    done, failed = ended_since(at)
    ended = {"done": done, "failed": failed}
    yield Measure("evaluations_of_an_hour", "That ended, by their end.", ended, "end")
    # The newest last, which counts.
    signs = {one["queue"]: one["last_sign_seconds"] for one in reversed(found["workers"])}
    text = "Since the newest sign of a process, by its work; of the sweeper: since a round."
    yield Measure("last_sign_seconds", text, signs, "work")
    rings = Alarm.objects.all()
    ringing = dict.fromkeys(rings.values_list("kind", flat=True), 1.0)
    yield Measure("alarm", "Alarms that ring.", ringing, "kind")
    made_at = Backup.objects.filter(made_at__lte=at).values_list("made_at", flat=True).first()
    if made_at is not None:
        age = (at - made_at).total_seconds()
        yield single("backup_age_seconds", "Since the newest backup was made.", age)
    free = shutil.disk_usage(settings.DATA_DIR).free
    yield single("disk_free_bytes", "Of the disk that DATA_DIR lies on.", free)
    yield single("store_writable", "1 or 0.", not submission_storage().trouble())
    yield single("broker_up", "1 or 0.", not broker_trouble())

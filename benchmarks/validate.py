"""`python -m benchmarks.validate`: what checking a file by program costs over reading it.

499 rows (99 KB, as in `benchmarks.rush`) as a form, through the whole stack of middleware, the
operation and its answer; against `scoring.predictions.read` of the same bytes and a view that takes
the same form and answers nothing. Seconds of this process's processor, medians of turns. The last
line says what it would take if Django had not to write the statements, only to send them.
"""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import django

from tests.servers import ROOT
from tests.stack import Stack

ROWS, TURNS = 499, 60
DAY = timedelta(days=1)
GOAL = 1.3


def main() -> int:
    """Print the times and their ratio; 1 if it is above the goal."""
    if sys.argv[1:] == ["here"]:
        return here()
    with Stack(only=()) as stack:
        command = [sys.executable, "-m", "benchmarks.validate", "here"]
        return subprocess.run(command, cwd=ROOT, env=stack.env, check=False).returncode


def here() -> int:
    """The same on the database of this process's environment."""
    django.setup()
    from django.http import HttpRequest, HttpResponse
    from django.test import Client, override_settings
    from django.urls import path
    from django.utils import timezone
    from django.views.decorators.csrf import csrf_exempt

    from benchmarks.bench import medians
    from benchmarks.filled import golds, predictions
    from leaderboard import urls
    from leaderboard.accounts import tokens
    from leaderboard.accounts.rate_limits import Limit
    from leaderboard.actions import checks, submissions
    from leaderboard.api import calls, own_submissions
    from leaderboard.references.queries import expected_ids, live_version
    from leaderboard.web import lookups
    from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
    from scoring.findings import Limits
    from scoring.predictions import read
    from tests.leaderboard import builders

    @accepts_upload(PREDICTIONS_BYTES, sender=calls.sender(calls.CHECK, calls.member))
    @csrf_exempt
    def nothing(request: HttpRequest, slug: str) -> HttpResponse:
        return HttpResponse(request.FILES["file"].read()[:0])

    urls.urlpatterns.append(path("api/nothing/<slug:slug>", nothing))
    checks.CHECKS = Limit("too_many_checks", 10**9, timedelta(hours=1))
    at = timezone.now()
    made = builders.competition("talk", opens_at=at - DAY, closes_at=at + DAY, reveals_at=at + DAY)
    builders.live(made, golds(ROWS))
    builders.team(made, "alice")
    secret = tokens.make(user=builders.user("alice"), name="x", scope="submit", days=1, at=at)[1]
    alice, data = Client(headers={"authorization": f"Bearer {secret}"}), predictions(ROWS, 7)
    version = live_version(made)
    assert version is not None
    ids = expected_ids(version)

    def post(where: str) -> None:
        file = io.BytesIO(data)
        file.name = "predictions.csv"
        answer = alice.post(where, {"file": file})
        assert answer.status_code == 200, answer.text

    checking = partial(post, "/api/v1/competitions/talk/validate")
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        took = medians(
            {
                "read": lambda: read(data, ids, Limits()),
                "empty view": lambda: post("/api/nothing/talk"),
                "validate": checking,
            },
            TURNS,
        )
        for module, name in (
            (lookups, "own_team"),
            *((checks, name) for name in ("count", "allowance", "same_bytes")),
            *((submissions, name) for name in ("terms_due", "waiting_of_team", "scored_versions")),
            (own_submissions, "checks_left"),
        ):
            setattr(module, name, sent_alone(getattr(module, name)))
        checking()
        took |= medians({"sent alone": checking}, TURNS)
    for name, seconds in took.items():
        ratio = seconds / (took["read"] + took["empty view"])
        print(f"{name:12} {seconds * 1000:7.2f} ms {ratio:7.2f} times read and empty view")
    print(f"goal {GOAL} times")
    return int(took["validate"] > GOAL * (took["read"] + took["empty view"]))


def sent_alone(ask: Callable[..., Any]) -> Callable[..., Any]:
    """`ask`, which asks the database in the words of its first time, and answers as then."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    kept: list[tuple[list[str], Any]] = []

    def again(*args: Any, **named: Any) -> Any:
        if not kept:
            with CaptureQueriesContext(connection) as queries:
                answer = ask(*args, **named)
            said = [one["sql"] for one in queries if one["sql"][:6] in ("SELECT", "UPDATE")]
            kept.append((said, answer))
        statements, answer = kept[0]
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                cursor.fetchall()
        return answer

    return again


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    sys.exit(main())

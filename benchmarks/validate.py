"""`python -m benchmarks.validate`: what checking a file by program costs over reading it.

499 rows as a form, through the whole stack of middleware, the operation and its answer; against
`scoring.predictions.read` of the same bytes and a view that takes the same form and answers
nothing. Seconds of this process's processor, medians of turns.
"""

import io
import os
import subprocess
import sys
from datetime import timedelta

import django

from tests.servers import ROOT
from tests.stack import Stack

ROWS, TURNS = 499, 60
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
    from leaderboard import urls
    from leaderboard.accounts import tokens
    from leaderboard.accounts.rate_limits import Limit
    from leaderboard.actions import checks
    from leaderboard.api import calls
    from leaderboard.references.queries import expected_ids, live_version
    from leaderboard.web.uploads import PREDICTIONS_BYTES, accepts_upload
    from scoring.findings import Limits
    from scoring.predictions import read
    from tests.faults.drive import contest, upload
    from tests.leaderboard import builders

    @accepts_upload(PREDICTIONS_BYTES, sender=calls.sender(calls.CHECK, calls.member))
    @csrf_exempt
    def nothing(request: HttpRequest, slug: str) -> HttpResponse:
        return HttpResponse(request.FILES["file"].read()[:0])

    urls.urlpatterns.append(path("api/nothing/<slug:slug>", nothing))
    checks.CHECKS = Limit("too_many_checks", 10**9, timedelta(hours=1))
    made = contest("talk", ROWS)
    builders.team(made, "alice")
    at = timezone.now()
    secret = tokens.make(user=builders.user("alice"), name="x", scope="submit", days=1, at=at)[1]
    alice, data = Client(headers={"authorization": f"Bearer {secret}"}), upload(ROWS, 7).data
    version = live_version(made)
    assert version is not None
    ids = expected_ids(version)

    def post(where: str) -> None:
        file = io.BytesIO(data)
        file.name = "predictions.csv"
        answer = alice.post(where, {"file": file})
        assert answer.status_code == 200, answer.text

    with override_settings(ALLOWED_HOSTS=["testserver"]):
        took = medians(
            {
                "read": lambda: read(data, ids, Limits()),
                "empty view": lambda: post("/api/nothing/talk"),
                "validate": lambda: post("/api/v1/competitions/talk/validate"),
            },
            TURNS,
        )
    ratio = took["validate"] / (took["read"] + took["empty view"])
    for name, seconds in took.items():
        print(f"{name:12} {seconds * 1000:7.2f} ms")
    print(f"{'ratio':12} {ratio:7.2f}    goal {GOAL}")
    return int(ratio > GOAL)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    sys.exit(main())

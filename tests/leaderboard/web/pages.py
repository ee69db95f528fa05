"""What page tests start from: a contest that runs now, and people's browsers."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.kept_rows import built_once


@built_once
def running(slug: str = "talk", **fields: Any) -> Competition:
    """A contest with live golds that opened two days ago and closes in five."""
    now = timezone.now()
    dates = {
        "opens_at": now - timedelta(days=2),
        "closes_at": now + timedelta(days=5),
        "reveals_at": now + timedelta(days=6),
    }
    return builders.open_competition(slug, **{**dates, **fields})


def hand_in(
    by: Team, texts: Mapping[str, str] | None = None, *, after: timedelta = timedelta()
) -> Submission:
    """A file handed in now, or `after` now: what a contest that is `running` takes on any date."""
    return builders.hand_in(by, texts, at=timezone.now() + after)


def browser(name: str | None = None, language: str = "ko") -> Client:
    """A browser, signed in as this person if a name is given."""
    client = Client(headers={"accept-language": language})
    if name is not None:
        client.force_login(builders.user(name), "django.contrib.auth.backends.ModelBackend")
    return client


def csv_file(data: bytes | None = None, name: str = "predictions.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, builders.prediction_csv() if data is None else data)


def confirmed(client: Client, where: str, sent: Mapping[str, Any]) -> HttpResponse:
    """Both steps of what is looked at first: what the page shows is what is then done."""
    shown = client.post(where, sent)
    assert shown.status_code == 200, shown.text
    found = re.search(r'name="seen" value="([0-9a-f]{64})"', shown.text)
    assert found, "nothing was shown that could be confirmed"
    answer: HttpResponse = client.post(where, {**sent, "seen": found[1]})
    return answer


HTMX = {"HX-Request": "true"}

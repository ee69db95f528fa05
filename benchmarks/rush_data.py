"""A contest whose people are signed in already: `python -m benchmarks.rush_data 2000 499`.

Prints a session key a line. Passwords are hashed once for all: signing in is measured elsewhere.
"""

import sys
from datetime import timedelta
from importlib import import_module

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import (  # noqa: E402
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
)
from django.utils import timezone  # noqa: E402

from benchmarks.filled import golds  # noqa: E402
from leaderboard.accounts.models import User  # noqa: E402
from leaderboard.accounts.passwords import hashed  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

SLUG = "rush"


def main(people: int, rows: int) -> None:
    """A live contest with a team of one for each of `people`."""
    now = timezone.now()
    made = builders.competition(
        SLUG,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=1),
        reveals_at=now + timedelta(days=2),
        daily_limit=1000,
    )
    builders.live(made, golds(rows))
    one = hashed("purple-otter-9")
    User.objects.bulk_create(
        [User(username=f"person{n}", password=one) for n in range(people)], batch_size=500
    )
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for n in range(people):
        builders.team(made, f"person{n}")
        user = User.objects.get(username=f"person{n}")
        session = store()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        print(session.session_key)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

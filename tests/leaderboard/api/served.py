"""What the client's process tests find on a stack: python -m tests.leaderboard.api.served prepare

prepare    a contest, teams and tokens; JSON: the token of each person
charges    JSON: how many submissions of a person were kept, and how many were charged
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.submissions.models import QuotaEntry, Submission  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.api.calling import token  # noqa: E402

PEOPLE = ("alice", "bob", "charlie", "frank")


def prepare() -> None:
    now = timezone.now()
    dates = {"opens_at": now - timedelta(days=2), "closes_at": now + timedelta(days=5)}
    dates["reveals_at"] = now + timedelta(days=6)
    contest = builders.open_competition(daily_limit=20, **dates)
    for name in PEOPLE:
        builders.team(contest, name)
    olivia = token("olivia", "organize")
    print(json.dumps({"olivia": olivia, **{name: token(name) for name in PEOPLE}}))


def charges(name: str) -> None:
    kept = Submission.objects.filter(submitted_by__username=name, team__competition__slug="talk")
    charged = QuotaEntry.objects.filter(submission__in=kept, kind="charge")
    print(json.dumps([kept.count(), charged.count()]))


if __name__ == "__main__":
    {"prepare": prepare, "charges": charges}[sys.argv[1]](*sys.argv[2:])

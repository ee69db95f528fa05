"""Contests that end while requests are still coming, run as a process of its own.

python -m tests.faults.held prepare         # JSON: Alice's session and token, her files by contest
python -m tests.faults.held found           # JSON: what counts in each contest now
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.accounts import tokens  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.submissions.models import Cancellation, Submission  # noqa: E402
from leaderboard.submissions.queries import chosen  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

CONTESTS = {"late": True, "strict": False, "slow": False}  # whether late files are taken


def prepare() -> None:
    """In each contest two scored files, and one that waits for a worker that never comes."""
    now = timezone.now()
    files = {}
    teams = []
    for slug, late in CONTESTS.items():
        made = builders.open_competition(
            slug,
            opens_at=now - timedelta(days=1),
            closes_at=now + timedelta(days=1),
            reveals_at=now + timedelta(days=2),
            daily_limit=50,
            late_entries=late,
        )
        teams.append(builders.team(made, "alice"))
        files[slug] = [str(builders.hand_in(teams[-1], at=now).pk) for _ in range(2)]
    builders.score_all(at=now)
    for slug, team in zip(CONTESTS, teams, strict=True):
        files[slug].append(str(builders.hand_in(team, at=now).pk))
    alice = Client()
    alice.force_login(builders.user("alice"))
    _, secret = tokens.make(
        user=builders.user("alice"), name="a", scope="submit", days=1, at=timezone.now()
    )
    session = alice.cookies["sessionid"].value
    print(json.dumps({"files": files, "session": session, "token": secret}))


def found() -> None:
    answer = {}
    for contest in Competition.objects.all():
        own = Submission.objects.filter(team__competition=contest)
        answer[contest.slug] = {
            "finals": sorted(map(str, chosen(own[0].team_id))),
            "in_time": own.filter(received_at__lt=contest.closes_at, is_late=False).count(),
            "late": own.filter(received_at__gte=contest.reveals_at, is_late=True).count(),
            "files": own.count(),
            "cancelled": Cancellation.objects.filter(submission__in=own).count(),
        }
    print(json.dumps(answer))


if __name__ == "__main__":
    {"prepare": prepare, "found": found}[sys.argv[1]](*sys.argv[2:])

"""The contest of the crawls, open now, in a stack's database: python -m tests.browser.every_page

`unsettled` behind it: in the state where pages show their other forms. Prints, as JSON, the address
of every page for some roles.
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.actions.announcements import announce  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.asks import pages  # noqa: E402

ROLES = ("olivia", "alice", "charlie", "visitor")
DAY = timedelta(days=1)


def build(*, unsettled: bool) -> stage.Stage:
    built, now = stage.build(), timezone.now()
    olivia = builders.user("olivia")
    announce(competition=built.contest, user=olivia, text="공지", at=builders.NOON)
    if unsettled:
        stage.unsettle(built)
    dates = {"opens_at": now - 3 * DAY, "closes_at": now + 3 * DAY, "reveals_at": now + 4 * DAY}
    Competition.objects.filter(pk=built.contest.pk).update(**dates)
    return built


if __name__ == "__main__":
    made = build(unsettled="unsettled" in sys.argv)
    json.dump({role: pages(made, role) for role in ROLES}, sys.stdout)

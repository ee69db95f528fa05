"""Contests for a crowd that hands in at once, and what the tables say afterwards.

python -m tests.faults.crowd prepare             # contests with a team of Alice and Bob
python -m tests.faults.crowd tables many         # JSON: the rows of that contest
"""

import json
import sys
from datetime import UTC, datetime
from uuid import UUID

import django

django.setup()

from django.db.models import Sum  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.competitions.models import Competition  # noqa: E402
from leaderboard.evaluation.models import Evaluation  # noqa: E402
from leaderboard.submissions.ledger import allowance  # noqa: E402
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage  # noqa: E402
from tests.faults.drive import contest  # noqa: E402
from tests.leaderboard import builders  # noqa: E402

ROWS = 20
CONTESTS = {
    "many": {"daily_limit": 12, "max_waiting": 50},
    "three": {"daily_limit": 12, "max_waiting": 3},
    "one-key": {"daily_limit": 12, "max_waiting": 50},
}


def zone_at_noon(now: datetime) -> str:
    """A zone whose midnight is far from `now`, so that a run never spans two contest days."""
    ahead = 12 - now.astimezone(UTC).hour
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"  # the sign of these names is turned


def prepare() -> None:
    for slug, limits in CONTESTS.items():
        made = contest(slug, ROWS, zone=zone_at_noon(timezone.now()), **limits)
        builders.team(made, "alice", "bob")


def tables(slug: str) -> None:
    """What the database and the folder of files hold of one contest, and of all."""
    found = Competition.objects.get(slug=slug)
    (team,) = found.teams.all()
    own = Submission.objects.filter(team=team)
    ledger = QuotaEntry.objects.filter(team=team)
    left = allowance(team, found, timezone.now())
    files = set(submission_storage().listdir("")[1])
    print(
        json.dumps(
            {
                "submissions": own.count(),
                "by": sorted({by.submitted_by.username for by in own}),
                "evaluations": Evaluation.objects.filter(submission__team=team).count(),
                "charged": ledger.filter(kind="charge").aggregate(sum=Sum("amount"))["sum"],
                "other_lines": ledger.exclude(kind="charge").count(),
                "charged_once": len({line.submission_id for line in ledger}),
                "left_today": left.left_today,
                "without_file": own.exclude(file__in=files).count(),
                "files_of_nobody": len(files) - Submission.objects.count(),
                "newest": str(max((row.pk for row in own), default=UUID(int=0))),
            }
        )
    )


COMMANDS = {"prepare": prepare, "tables": tables}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])

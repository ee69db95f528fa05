"""A contest for somebody who comes with the stock `kaggle` command, run as a process of its own.

python -m tests.leaderboard.kaggle.contest prepare ROWS     # JSON: a token of hers
python -m tests.leaderboard.kaggle.contest handed_in        # JSON: what is there now
"""

import json
import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.accounts import tokens  # noqa: E402
from leaderboard.submissions.models import QuotaEntry, Submission  # noqa: E402
from tests.faults import drive  # noqa: E402
from tests.leaderboard import builders  # noqa: E402


def prepare(rows: str) -> None:
    made = drive.contest("talk", int(rows), daily_limit=2)
    builders.data_file(made)
    builders.team(made, "alice")
    at = timezone.now()
    _, secret = tokens.make(
        user=builders.user("alice"), name="kaggle", scope="submit", days=1, at=at
    )
    print(json.dumps(secret))


def handed_in() -> None:
    notes = list(Submission.objects.order_by("received_at").values_list("note", flat=True))
    print(json.dumps({"notes": notes, "charges": QuotaEntry.objects.count()}))


if __name__ == "__main__":
    {"prepare": prepare, "handed_in": handed_in}[sys.argv[1]](*sys.argv[2:])

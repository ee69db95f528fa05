"""What a test of a webhook asks of a stack's database, run as a process of its own.

python -m tests.faults.calling prepare 8065 30   # a contest whose webhook has so much to say there
python -m tests.faults.calling mark              # something for another step of the sweeper
python -m tests.faults.calling later             # what waits for a time or a lease need not wait
python -m tests.faults.calling states            # JSON: how many messages are in which state
"""

import json
import sys
from collections import Counter
from datetime import timedelta

import django

django.setup()

from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.accounts.models import RateCount  # noqa: E402
from leaderboard.actions.webhooks import set_webhook  # noqa: E402
from leaderboard.community.models import Webhook  # noqa: E402
from leaderboard.community.webhooks import queue  # noqa: E402
from leaderboard.outbox.models import Message  # noqa: E402
from tests.faults.mailing import mark  # noqa: E402
from tests.leaderboard.builders import competition, user  # noqa: E402


def prepare(port: str, number: str) -> None:
    now = timezone.now()
    contest = competition()
    set_webhook(
        competition=contest,
        user=user("olivia"),
        url=f"http://127.0.0.1:{port}/",
        format="json",
        language="ko",
        events=list(Webhook.Event),
        at=now,
    )
    with transaction.atomic():  # all at once: the sweeper is there already
        for n in range(int(number)):
            queue(Webhook.Event.ASKED, competition=contest.pk, title=f"질문 {n}", at=now)


def later() -> None:
    now = timezone.now() - timedelta(seconds=1)
    Message.objects.filter(state="waiting").update(next_at=now, lease_until=None)


def states() -> None:
    found = Counter(Message.objects.values_list("state", flat=True))
    marked = RateCount.objects.filter(key="ended").count()
    print(json.dumps({"waiting": 0, "sent": 0, **found, "marked": marked}))


if __name__ == "__main__":
    named = {"prepare": prepare, "mark": mark, "later": later, "states": states}
    named[sys.argv[1]](*sys.argv[2:])

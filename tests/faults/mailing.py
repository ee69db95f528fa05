"""What a test of mail asks of a stack's database, run as a process of its own.

python -m tests.faults.mailing prepare 1000     # so many people with an address, all told something
python -m tests.faults.mailing later            # what waits for a time or for a lease need not wait
python -m tests.faults.mailing states           # JSON: how many mails are in which state
"""

import json
import sys
from collections import Counter
from datetime import timedelta
from uuid import uuid4

import django

django.setup()

from django.utils import timezone  # noqa: E402

from leaderboard.accounts.models import RateCount, User  # noqa: E402
from leaderboard.inbox.models import MailAddress, Notification  # noqa: E402
from leaderboard.inbox.tell import tell  # noqa: E402
from leaderboard.outbox.models import Message  # noqa: E402


def prepare(number: str) -> None:
    now = timezone.now()
    names = [f"person{n}" for n in range(int(number))]
    people = User.objects.bulk_create([User(username=name, skeleton=name) for name in names])
    times = {"asked_at": now, "confirmed_at": now, "expires_at": now, "next_at": now}
    MailAddress.objects.bulk_create(
        MailAddress(
            user=one, address=f"{one.username}@school.example", token_sha256=one.username, **times
        )
        for one in people
    )
    tell(
        users=people,
        kind=Notification.Kind.ANNOUNCED,
        subject=uuid4(),
        competition=uuid4(),
        competition_slug="talk",
        data={"ko": "내일 점검합니다"},
        at=now,
    )
    mark()


def mark() -> None:
    """Something that another step of the sweeper takes away."""
    ended = timezone.now() - timedelta(minutes=1)
    RateCount.objects.get_or_create(key="ended", defaults={"ends_at": ended})


def later() -> None:
    Message.objects.filter(state="waiting").update(next_at=timezone.now(), lease_until=None)
    mark()


def states() -> None:
    found = Counter(Message.objects.values_list("state", flat=True))
    marked = RateCount.objects.filter(key="ended").count()
    print(json.dumps({**found, "marked": marked}))


if __name__ == "__main__":
    {"prepare": prepare, "later": later, "states": states}[sys.argv[1]](*sys.argv[2:])

"""A contest of whose texts each is hostile, in a stack's database: python -m tests.browser.hostile

Prints, as JSON, the addresses that some roles may open, by the table of roles and addresses.
"""

import json
from datetime import timedelta

import django

django.setup()

from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from leaderboard.accounts.models import RateCount  # noqa: E402
from leaderboard.actions.announcements import announce  # noqa: E402
from leaderboard.actions.forum import reply  # noqa: E402
from leaderboard.competitions.models import Competition  # noqa: E402
from tests.browser.payloads import PAYLOADS  # noqa: E402
from tests.leaderboard import builders  # noqa: E402
from tests.leaderboard.web import stage  # noqa: E402
from tests.leaderboard.web.addresses import address, known_values, url_list  # noqa: E402
from tests.leaderboard.web.expectations import TABLE  # noqa: E402
from tests.leaderboard.web.hostile import put_everywhere  # noqa: E402

ROLES = ("alice", "olivia")
POSTS = 20  # on a page of a thread
DAY = timedelta(days=1)


def build() -> stage.Stage:
    """The contest of the crawls with decisions of all kinds, open now, each of its texts hostile.

    Its rules and a thread hold every payload as Markdown.
    """
    built = stage.build()
    olivia, contest = builders.user("olivia"), built.contest
    announce(competition=contest, user=olivia, text="공지", at=builders.NOON)
    stage.unsettle(built)
    put_everywhere()
    for number, payload in enumerate(PAYLOADS):
        RateCount.objects.all().delete()  # nobody could write so much at once
        at = builders.NOON + timedelta(minutes=number)
        reply(thread=built.reply.thread, user=builders.user("alice"), text=payload, at=at)
    now = timezone.now()
    dates = {"opens_at": now - 3 * DAY, "closes_at": now + 3 * DAY, "reveals_at": now + 4 * DAY}
    Competition.objects.filter(pk=contest.pk).update(rules="\n\n".join(PAYLOADS), **dates)
    return built


def addresses(built: stage.Stage, role: str) -> list[str]:
    """Each page that answers this role, and all pages of the thread."""
    values = known_values(built)
    found = [
        address(one, values)
        for one in url_list()
        if one.name in TABLE and TABLE[one.name].get[role] == "200"
    ]
    thread = f"/c/{built.contest.slug}/forum/{built.reply.thread_id}"
    pages = -(-len(PAYLOADS) // POSTS) + 1
    return [*found, *(f"{thread}?page={number}" for number in range(2, pages + 1))]


if __name__ == "__main__":
    with transaction.atomic():
        made = build()
    print(json.dumps({role: addresses(made, role) for role in ROLES}))

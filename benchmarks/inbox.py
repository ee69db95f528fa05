"""`python -m benchmarks.inbox`: what the inbox costs among a million notices, on both databases.

Generated: 1,000,000 notices of 1,001 people in 20 contests over 100 days; one person has 200,000 of
them, half unread, the others 800 each. Both kinds of person ask through the whole stack of
middleware, view and template, each page 60 times after five that are not counted; beside the time
stands that of this process's processor. Last, the one with most marks all as read: of the writes
that takes, how long the longest held the others up.
"""

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import django

from tests.servers import ROOT, Postgres

ROWS, MOST, PEOPLE, CONTESTS = 1_000_000, 200_000, 1000, 20
ASKED, WARM_UP = 60, 5
GOALS = {"queries": 12, "p95_ms": 50.0}
PAGES = {
    "all": "",
    "page 10": "?page=10",
    "unread": "?unread=1",
}


def _rows(now: datetime, people: list[int], contests: list[UUID]) -> Iterator[tuple[Any, ...]]:
    dice = random.Random(7)
    kinds = (
        ["scored"] * 60 + ["failed"] * 2 + ["announced"] * 10 + ["posted"] * 25 + ["granted"] * 3
    )
    for number in range(ROWS):
        place = 0 if number < MOST else 1 + number % (len(people) - 1)
        at = now - timedelta(seconds=dice.randrange(100 * 86_400))
        contest = dice.randrange(len(contests))
        yield (
            UUID(int=number + 1),
            people[place],
            "warned" if number % 50_000 == 0 else dice.choice(kinds),
            UUID(int=10_000_000 + number),
            contests[contest],
            f"c{contest}",
            '{"public": "1.2345"}',
            at,
            None if number % 2 else at,
            False,
        )


COLUMNS = "id user_id kind subject competition competition_slug data created_at read_at to_mail"


def _fill(now: datetime) -> tuple[int, int]:
    """The keys of the one with most and of one of the others."""
    from django.db import connection, transaction

    from leaderboard.accounts.models import User
    from leaderboard.competitions.models import Competition
    from leaderboard.inbox.models import Notification
    from tests.leaderboard import builders

    names = [User(username=f"person{number}", skeleton=f"p{number}") for number in range(PEOPLE)]
    people = [builders.user("alice").pk]
    people += [one.pk for one in User.objects.bulk_create(names)]
    for number in range(CONTESTS):
        made = builders.competition(f"c{number}", title=f"대회 {number}", max_waiting=5)
        for name in ("alice", "person1"):
            builders.team(made, name)
    contests = [Competition.objects.get(slug=f"c{number}").pk for number in range(CONTESTS)]
    Notification.objects.all().delete()
    rows = _rows(now, people, contests)
    names_of = ", ".join(COLUMNS.split())
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = 0")
            with cursor.copy(f"COPY inbox_notification ({names_of}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(COLUMNS.split()))
            slim = ([one.hex if isinstance(one, UUID) else one for one in row] for row in rows)
            cursor.executemany(
                f"INSERT INTO inbox_notification ({names_of}) VALUES ({marks})",
                (
                    [
                        f"{one:%Y-%m-%d %H:%M:%S.%f}" if isinstance(one, datetime) else one
                        for one in row
                    ]
                    for row in slim
                ),
            )
    if connection.vendor == "postgresql":  # the product never asks SQLite to
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return people[0], people[2]


def measure() -> bool:
    """Inside a process whose settings name an empty database; whether all goals are met."""
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from leaderboard.accounts.models import User
    from leaderboard.inbox import lines
    from leaderboard.inbox.models import Notification

    call_command("migrate", verbosity=0)
    people = _fill(timezone.now())
    met = True
    load = os.getloadavg()[0]
    print(f"{connection.vendor}: {Notification.objects.count():,} notices, load average {load:.1f}")
    print("| who | page | queries | cpu ms | median ms | p95 ms |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for who, key in zip(("200,000 of one", "800 of one"), people, strict=True):
        client = Client(headers={"host": "localhost"})
        client.force_login(User.objects.get(pk=key))
        for name, query in PAGES.items():
            address = f"/inbox{query}"
            taken, busy = [], []
            for _ in range(WARM_UP + ASKED):
                began, worked = time.perf_counter(), time.process_time()
                assert client.get(address).status_code == 200
                busy.append((time.process_time() - worked) * 1000)
                taken.append((time.perf_counter() - began) * 1000)
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            taken = sorted(taken[WARM_UP:])
            p95 = taken[int(len(taken) * 0.95)]
            met = met and len(queries) <= GOALS["queries"] and p95 < GOALS["p95_ms"]
            cpu, middle = statistics.median(busy[WARM_UP:]), statistics.median(taken)
            shown = f"{len(queries)} | {cpu:.1f} | {middle:.1f} | {p95:.1f}"
            print(f"| {who} | {name} | {shown} |", flush=True)
    with CaptureQueriesContext(connection) as queries:
        marked = lines.mark_read(user=User.objects.get(pk=people[0]), at=timezone.now())
    longest = max(float(query["time"]) for query in queries) * 1000
    print(
        f"{marked:,} marked as read in {len(queries) // 2 + 1} writes, the longest {longest:.0f} ms"
    )
    return met


def main() -> int:
    if "--here" in sys.argv:
        return 0 if measure() else 1
    missed = 0
    server = Postgres()
    with ExitStack() as stack:
        stack.callback(server.close)
        for database in (None, server.url):
            env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "LOG_LEVEL": "ERROR"}
            env |= {"TEST_DATABASE_URL": database} if database else {}
            words = [sys.executable, "-m", "benchmarks.inbox", "--here"]
            missed |= subprocess.run(words, cwd=ROOT, env=env, check=False).returncode
    return missed


if __name__ == "__main__":
    sys.exit(main())

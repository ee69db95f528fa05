"""`python -m benchmarks.forum`: what a forum's pages cost with 100,000 posts.

Generated: 12,000 threads of one contest, one of them with 4,000 posts, by 300 people over 30 days,
the posts as they came; some 300 characters of Korean prose with some Markdown a post, every
twentieth thread an inquiry, each eighth post an organizer's, each thousandth reported. Then a
visitor, a member and an organizer ask through the whole stack of middleware, view and template: the
first, middle and last page of the list, another thread each time, both ends of the long one, words
that stand in many posts, in few and in none, and the desk. Each is timed ASKED times, on SQLite,
and on PostgreSQL where it is installed.
"""

import argparse
import contextlib
import gc
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import django

from tests.servers import ROOT, Postgres

ASKED = 60
WARM_UP = 5
POSTS = 100_000
THREADS = 12_000
LONG = 4_000
PEOPLE = 300
SEED = 20261123
ASKS = ("question", "inquiry")
PROSE = (
    "요약 모델 문장 데이터 점수 대화 제출 형태소 정답 학습 평가 길이 참고 질문 코드 결과 방법 오류 "
    "토큰 실험 배치 기준 순위 파일 설정 버전 의견 감사합니다 궁금합니다 확인했습니다 그런데 그래서"
)
GOALS: dict[str, Any] = {"queries": 12, "p95_ms": 50.0, "search_p95_ms": 400.0}


def answer() -> None:
    """Inside a process whose settings name an empty database: make the forum, then ask.

    One line of JSON is printed for each thing that was asked: its name and figures.
    """
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.utils import timezone

    from tests.leaderboard import builders

    call_command("migrate", verbosity=0)
    threads, long = _forum(timezone.now())
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    gc.collect()
    gc.freeze()  # as gunicorn.conf.py does
    clients = {}
    for who in ("", "person-1", "olivia"):
        clients[who] = Client(headers={"host": "localhost"})
        if who:
            clients[who].force_login(builders.user(who))
    chance = random.Random(SEED)

    def any_thread() -> str:
        return f"forum/{chance.choice(threads)}"

    asks: dict[str, tuple[str, Callable[[], str]]] = {
        "list, visitor": ("", lambda: "forum"),
        "a thread, visitor": ("", any_thread),
        "list": ("person-1", lambda: "forum"),
        "list, middle": ("person-1", lambda: "forum?page=190"),
        "list, last page": ("person-1", lambda: "forum?page=999999"),
        "list of code": ("person-1", lambda: "forum?kind=code"),
        "a thread": ("person-1", any_thread),
        "long thread": ("person-1", lambda: f"forum/{long}"),
        "long thread, last page": ("person-1", lambda: f"forum/{long}?page=999999"),
        "search, many": ("person-1", lambda: "forum?q=형태소"),
        "search, one": ("person-1", lambda: "forum?q=하나뿐인낱말"),
        "search, none": ("person-1", lambda: "forum?q=어디에도없는낱말"),
        "list, organizer": ("olivia", lambda: "forum"),
        "a thread, organizer": ("olivia", any_thread),
        "desk": ("olivia", lambda: "desk/forum"),
        "desk, last page": ("olivia", lambda: "desk/forum?page=999999"),
        "desk, announcements": ("olivia", lambda: "desk/announcements"),
    }
    for name, (who, address) in asks.items():
        times, busy = [], []
        for _ in range(WARM_UP + ASKED):
            where = f"/c/forum/{address()}"
            began, worked = time.perf_counter(), time.process_time()
            assert clients[who].get(where).status_code == 200, where
            busy.append(time.process_time() - worked)
            times.append(time.perf_counter() - began)
        with CaptureQueriesContext(connection) as queries:
            clients[who].get(f"/c/forum/{address()}")
        ordered = sorted(times[WARM_UP:])
        figures = {
            "queries": len(queries),
            "cpu_ms": round(statistics.median(busy[WARM_UP:]) * 1000, 1),
            "median_ms": round(statistics.median(ordered) * 1000, 1),
            "p95_ms": round(ordered[int(len(ordered) * 0.95)] * 1000, 1),
        }
        print(json.dumps([name, figures]), flush=True)


def _forum(now: datetime) -> tuple[list[str], str]:
    """The threads' ids that everybody reads, and that of the long one."""
    from leaderboard.accounts.models import User
    from leaderboard.community import forum
    from leaderboard.community.models import Post, PostReport, Thread
    from leaderboard.teams.models import Membership, Team
    from tests.leaderboard import builders

    contest = builders.competition(
        "forum",
        forum_readers="public",
        opens_at=now - timedelta(days=30),
        closes_at=now + timedelta(days=3),
        reveals_at=now + timedelta(days=4),
    )
    builders.live(contest)
    chance = random.Random(SEED)
    people = User.objects.bulk_create(
        User(username=f"person-{n}", skeleton=f"person-{n}", password="!") for n in range(PEOPLE)
    )
    at = now - timedelta(days=30)
    teams = Team.objects.bulk_create(
        Team(
            **{"competition": contest, "name": f"team-{n}", "skeleton": f"team-{n}"},
            **{"sort_key": f"team-{n:09}", "captain": who, "created_at": at},
        )
        for n, who in enumerate(people)
    )
    Membership.objects.bulk_create(
        Membership(team=team, competition=contest, user=team.captain, joined_at=at)
        for team in teams
    )
    kinds = ["question", "talk", "code", "question"] * 5
    kinds[0] = "inquiry"
    rest = POSTS - LONG - THREADS + 1
    sizes = [1] * (THREADS - 1)
    for _ in range(rest):
        sizes[chance.randrange(THREADS - 1)] += 1
    olivia = builders.user("olivia")
    month = (now - at).total_seconds()
    threads, posts = [], []
    for number, size in enumerate([LONG, *sizes]):
        times = sorted(at + timedelta(seconds=chance.uniform(0, month)) for _ in range(size))
        if number:  # a thread lives for some days
            first = chance.uniform(0, month)
            later = [min(month, first + chance.expovariate(1 / 86_400)) for _ in times[1:]]
            times = [at + timedelta(seconds=one) for one in sorted([first, *later])]
        kind = "talk" if number == 0 else kinds[number % 20]
        thread = Thread(
            competition=contest,
            kind=kind,
            title=" ".join(chance.choices(PROSE.split(), k=5)),
            author=chance.choice(people),
            created_at=times[0],
            posts=size,
            last_post_at=times[-1],
            pinned_at=times[0] if 0 < number % 4_000 < 2 else None,
            waiting_since=times[0] if kind in ASKS and number % 50 == 0 else None,
        )
        threads.append(thread)
        for place, written_at in enumerate(times):
            text = _prose(chance) + ("하나뿐인낱말" if (number, place) == (7, 0) else "")
            official = place > 0 and chance.random() < 1 / 8
            other = olivia if official else chance.choice(people)
            posts.append(
                Post(
                    competition=contest,
                    thread=thread,
                    author=thread.author if place == 0 else other,
                    by_organizer=official,
                    opens=place == 0,
                    at=written_at,
                    text=text,
                    folded=forum.fold(text if place else f"{thread.title}\n{text}"),
                )
            )
    posts.sort(key=lambda post: post.at)
    Thread.objects.bulk_create(threads, batch_size=500)
    Post.objects.bulk_create(posts, batch_size=500)
    PostReport.objects.bulk_create(
        PostReport(competition=contest, post=post, user=olivia, at=post.at, reason="광고")
        for post in posts[::1000]
    )
    read = [str(one.pk) for one in threads if one.kind != "inquiry"]
    return read, str(threads[0].pk)


def _prose(chance: random.Random) -> str:
    words = chance.choices(PROSE.split(), k=90)
    words[3], words[40] = f"**{words[3]}**", f"`{words[40]}`"
    return f"{' '.join(words[:60])}.\n\n- {' '.join(words[60:75])}\n- {' '.join(words[75:])}\n"


def measure(database: str | None) -> dict[str, Any]:
    """`answer` in a process of its own."""
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LOG_LEVEL": "ERROR",
    }
    if database is not None:
        env["TEST_DATABASE_URL"] = database
    words = [sys.executable, "-m", "benchmarks.forum", "--answer"]
    done = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def show(engine: str, found: dict[str, Any]) -> bool:
    """Print one engine's table; True if every goal is met."""
    load = os.getloadavg()[0]
    print(f"{engine}: {POSTS:,} posts in {THREADS:,} threads, load average {load:.1f}")
    print(f"  {'asked':24} {'queries':>8} {'cpu ms':>7} {'median ms':>10} {'p95 ms':>8}")
    met = True
    for name, row in found.items():
        times = f"{row['cpu_ms']:>7} {row['median_ms']:>10} {row['p95_ms']:>8}"
        print(f"  {name:24} {row['queries']:>8} {times}")
        goal = GOALS["search_p95_ms" if name.startswith("search") else "p95_ms"]
        met &= row["queries"] <= GOALS["queries"] and row["p95_ms"] <= goal
    return met


def main() -> int:
    """Print the tables; 0 if every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answer", action="store_true", help="inside: make the forum and answer")
    if parser.parse_args().answer:
        answer()
        return 0
    met = show("SQLite", measure(None))
    if shutil.which("pg_config") or shutil.which("psql"):
        with contextlib.closing(Postgres()) as server:
            met &= show("PostgreSQL", measure(server.new_database("forum")))
    else:
        print("PostgreSQL: not measured, it is not installed")
    print(json.dumps({"goals": GOALS, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())

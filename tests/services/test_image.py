"""The committed Dockerfile, built and run: a contest to its reveal, a backup and a restore."""

import csv
import io
import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from leaderboard.demo.contests import GOLDS, RUNNING_SLUG, load_csv
from leaderboard.operations.processes import Daemon, stop
from tests.image import BASE, Images, output
from tests.servers import ROOT, Redis, connects, free_port, wait_for
from tests.services.test_compose import command, environment, services

pytestmark = [pytest.mark.services, pytest.mark.slow]
MOST_MEGABYTES = 500  # above the base image
PEOPLE = """
from django.utils import timezone
from leaderboard.accounts import tokens
from leaderboard.accounts.models import User
at = timezone.now()
alice = User.objects.get(username="alice")
print(tokens.make(user=alice, name="test", scope="submit", days=7, at=at)[1])
"""
REVEAL = f"""
from django.utils import timezone
from leaderboard.competitions.models import Competition
at = timezone.now()
contest = Competition.objects.filter(slug="{RUNNING_SLUG}")
print(contest.update(closes_at=at, reveals_at=at))
"""


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Images]:
    """With the image `leaderboard`, of what is committed."""
    folder = tmp_path_factory.mktemp("image")
    context = folder / "committed"
    context.mkdir()
    output("git", "archive", "--output", folder / "committed.tar", "HEAD")
    output("tar", "-xf", folder / "committed.tar", "-C", context)
    with closing(Images(folder)) as found:
        found.build("leaderboard", context)
        yield found


@contextmanager
def postgres(images: Images, folder: Path) -> Iterator[str]:
    """A server of the major version that the image's programs are for, from the same Debian."""
    port, become = free_port(), "setpriv --reuid=postgres --regid=postgres --clear-groups"
    programs = "/usr/lib/postgresql/17/bin"
    script = (
        "apt-get update -qq && apt-get install -qq --no-install-recommends postgresql-17 "
        f"&& {become} {programs}/initdb -D /tmp/data -A trust -U app -E UTF8 --locale=C.UTF-8 "
        f"&& exec {become} {programs}/postgres -D /tmp/data -k /tmp -h 127.0.0.1 -p {port}"
    )
    here = {"DEBIAN_FRONTEND": "noninteractive"}
    words = images.command(BASE, "sh", "-c", script, env=here)
    server = Daemon("postgres", words, folder / "postgres.log", os.environ, ROOT)
    server.start()
    try:
        url = f"postgres://app@127.0.0.1:{port}"
        wait_for(lambda: connects(f"{url}/postgres"), 300, "PostgreSQL 17")
        yield url
    finally:
        stop([server], patience=10)


class Program:
    """Alice's program, as the proxy of compose.yaml would pass it on."""

    def __init__(self, port: int, token: str) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Host": "contest.example.org",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "127.0.0.1",
        }

    def ask(self, path: str, body: bytes | None = None) -> tuple[int, Any]:
        """Status and JSON of an address of the contest."""
        headers = self.headers | ({"Content-Type": "text/csv"} if body else {})
        url = f"{self.address}/api/v1/competitions/{RUNNING_SLUG}/{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)

    def total(self, board: str) -> float | None:
        """The total of the own team on a board."""
        own = self.ask(f"leaderboard?board={board}")[1]["own"]
        return own and own["total"]


def test_the_image_is_small(images: Images) -> None:
    assert images.megabytes("leaderboard") - images.megabytes(BASE) <= MOST_MEGABYTES


def test_a_contest_runs_to_its_reveal_and_comes_back_from_its_backup(
    images: Images, redis_server: Redis, tmp_path: Path
) -> None:
    port = free_port()
    volumes = {tmp_path / "data": "/data", tmp_path / "again": "/again"}
    for folder in volumes:
        folder.mkdir()
        os.chown(folder, 10001, 10001)  # the image's user
    with postgres(images, tmp_path) as server:
        there = {
            "DATABASE_URL": f"{server}/postgres",
            "CELERY_BROKER_URL": redis_server.url,
            "PORT": str(port),
        }
        env = {name: environment(services()[name]) | there for name in ("web", "worker", "sweeper")}

        def run(*words: str, **other: str) -> str:
            full = images.command("leaderboard", *words, env=env["web"] | other, volumes=volumes)
            done = subprocess.run(full, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
            return done.stdout.strip()

        manage = ("python", "manage.py")
        shell = (*manage, "shell", "--no-imports", "-c")
        run(*manage, "migrate", "--no-input", "--verbosity=0")
        run(*manage, "seed_demo")
        program = Program(port, run(*shell, PEOPLE).splitlines()[-1])
        daemons = [
            Daemon(
                name,
                images.command(
                    "leaderboard", *command(services()[name]), env=env[name], volumes=volumes
                ),
                tmp_path / f"{name}.log",
                os.environ,
                ROOT,
            )
            for name in env
        ]
        try:
            for daemon in daemons:
                daemon.start()
            wait_for(lambda: ready(port), 120, "web ready")
            status, submitted = program.ask("submissions", one_reference_of_each())
            assert status == 201, submitted
            # A file of references scores 1 by each of the three metrics.
            wait_for(lambda: program.total("public") == 3, 120, "the score")
            assert program.ask("leaderboard?board=private")[0] == 404
            assert run(*shell, REVEAL) == "1"
            assert program.total("private") == 3
            private = program.ask("leaderboard?board=private")[1]["rows"]
            run(*manage, "backup", "/data/backups")
        finally:
            stop(daemons, patience=20)
        run(
            "python",
            "-c",
            f"import psycopg; psycopg.connect('{server}/postgres', autocommit=True)"
            ".execute('CREATE DATABASE again')",
        )
        again = {"DATABASE_URL": f"{server}/again", "DATA_DIR": "/again"}
        again["STORAGE_URL"] = "file:///again/files"
        run(*manage, "restore", "/data/backups", **again)
        run(*manage, "rebuild_standings", "--check", **again)
        count = "from leaderboard.boards.models import Standing; print(Standing.objects.count())"
        assert run(*shell, count, **again) == run(*shell, count)
        assert len(private) > 1


def ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def one_reference_of_each() -> bytes:
    """A file that holds the first reference of each dialogue of the demo."""
    out = io.StringIO()
    rows = csv.writer(out, quoting=csv.QUOTE_ALL)
    rows.writerow(("fname", "summary"))
    rows.writerows((row["fname"], row["summary1"]) for row in load_csv(GOLDS))
    return out.getvalue().encode()

"""The committed Dockerfile, built and run: the demo is scored, backed up and restored in it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.image import BASE, Images, output
from tests.services.test_compose import environment, services

pytestmark = [pytest.mark.services, pytest.mark.slow]
MOST_MEGABYTES = 500  # above the base image
COUNT = "from leaderboard.boards.models import Standing; print(Standing.objects.count())"


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


def test_the_image_is_small(images: Images) -> None:
    assert images.megabytes("leaderboard") - images.megabytes(BASE) <= MOST_MEGABYTES


def test_the_demo_is_scored_and_comes_back_from_its_backup(images: Images, tmp_path: Path) -> None:
    """As the image's user. That a contest runs with these commands on servers: test_compose."""
    volumes = {tmp_path / "data": "/data", tmp_path / "again": "/again"}
    for folder in volumes:
        folder.mkdir()
        os.chown(folder, 10001, 10001)  # the image's user
    here = {"DATABASE_URL": "sqlite:////data/db.sqlite3", "CELERY_BROKER_URL": "folder://localhost"}
    env = environment(services()["web"]) | here

    def run(*words: str, **other: str) -> str:
        full = images.command("leaderboard", *words, env=env | other, volumes=volumes)
        done = subprocess.run(full, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return done.stdout.strip()

    manage = ("python", "manage.py")
    count = (*manage, "shell", "--no-imports", "-v0", "-c", COUNT)
    run(*manage, "migrate", "--no-input", "--verbosity=0")
    run(*manage, "seed_demo")
    run(*manage, "backup", "/data/backups")
    again = {"DATABASE_URL": "sqlite:////again/db.sqlite3", "DATA_DIR": "/again"}
    again["STORAGE_URL"] = "file:///again/files"
    run(*manage, "restore", "/data/backups", **again)
    run(*manage, "rebuild_standings", "--check", **again)
    assert int(run(*count, **again)) == int(run(*count)) > 1
    assert " 17." in run("pg_dump", "--version")

"""What is set for several machines in one variable and for one in another does not start."""

import os
import secrets
from pathlib import Path

import pytest
from django.conf import LazySettings

from leaderboard.operations.installation import half_set, lines
from leaderboard.operations.variables import FORMS, Env
from tests.servers import product

DATABASE = {"DATABASE_URL": "postgres://u:p@db.example.org/contest"}
BROKER = {"CELERY_BROKER_URL": "redis://:p@redis.example.org:6379/0"}
KEY = {"SECRET_KEY": "a-long-text-" * 6}
SHORT, MONOTONOUS = {"SECRET_KEY": "a-long-text-" * 4}, {"SECRET_KEY": "abcd" * 16}
HTTPS = {"BASE_URL": "https://contest.example.org"}
SHARED = {"STORAGE_URL": "file:///srv/leaderboard"}
HERE = {
    "DATABASE_URL": "postgres://u:p@127.0.0.1:5432/contest",
    "CELERY_BROKER_URL": "redis://:p@localhost:6379/0",
}
SOCKET = {"DATABASE_URL": "postgres:////var/run/postgresql/contest"}
START = {
    "web": ["-m", "gunicorn", "leaderboard.wsgi"],
    "worker": ["-m", "celery", "-A", "leaderboard", "worker", "--concurrency=1"],
    "sweeper": ["manage.py", "sweeper", "--once"],
    "run": ["-m", "leaderboard.operations.up"],
    "migrate": ["manage.py", "migrate"],
}


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
@pytest.mark.parametrize(
    ("env", "ids"),
    [
        ({}, ""),
        (HERE, ""),
        (SOCKET, ""),
        (DATABASE, "10 12"),
        (BROKER, "10 11 13"),
        (DATABASE | BROKER, "10 11"),
        (DATABASE | BROKER | KEY, "11"),
        (DATABASE | BROKER | KEY | SHARED, ""),
        (DATABASE | KEY | {"CELERY_BROKER_URL": "folder://localhost"}, ""),
        ({"CELERY_BROKER_URL": "sentinel://127.0.0.1:1;sentinel://r.example.org:1"}, "10 11 13"),
        ({"DEBUG": "1"}, ""),
        ({"DEBUG": "1"} | HTTPS, "14"),
        (HTTPS, ""),  # the key that is made here
        (HTTPS | KEY, ""),
        (HTTPS | SHORT, "15"),
        (HTTPS | MONOTONOUS, "15"),
        (HTTPS | {"SECRET_KEY": "django-insecure-" + KEY["SECRET_KEY"]}, "15"),
        (DATABASE | BROKER | SHARED | SHORT, "15"),
        (SHORT, ""),  # a trial on this machine
        ({"CELERY_BROKER_URL": "redis://:a#b@redis.example.org:6379/0"}, "17"),
        (BROKER | KEY | SHARED | {"DATABASE_URL": "postgres://u:a#b[c@db.example.org/x"}, ""),
    ],
)
def test_the_missing_variables_are_named(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings, env: dict[str, str], ids: str
) -> None:
    """That processes start with the settings that stand for these variables: the next tests."""
    for name in os.environ.keys() & (FORMS.keys() | {"Database_Uri"}):
        monkeypatch.delenv(name)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    settings.DATABASES = {"default": Env.db_url_config(env.get("DATABASE_URL", "sqlite:///x"))}
    settings.CELERY_BROKER_URL = env.get("CELERY_BROKER_URL", "folder://localhost")
    settings.SECRET_KEY = env.get("SECRET_KEY", secrets.token_urlsafe(64))
    settings.DEBUG, settings.HTTPS = "DEBUG" in env, "BASE_URL" in env
    assert " ".join(each.id[-2:] for each in half_set()) == ids


@pytest.mark.faults
@pytest.mark.parametrize("service", START)
def test_no_process_starts_half_set(tmp_path: Path, service: str) -> None:
    env = DATABASE | BROKER | SHARED | SHORT | {"DATA_DIR": str(tmp_path), "PORT": "0"}
    done = product(*START[service], **env)
    assert done.returncode != 0
    said = [line for line in (done.stdout + done.stderr).splitlines() if "SECRET_KEY" in line]
    assert "Set SECRET_KEY to a random text of 50 characters" in "".join(said), done.stderr
    assert SHORT["SECRET_KEY"] not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    if service == "run":
        assert done.stderr.splitlines() == said


def test_this_one_is_set() -> None:
    assert lines(half_set()) == ""

"""Settings and logs: what is switched by one variable, made once, or hidden."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.operations import database
from leaderboard.operations.variables import Env
from tests.servers import ROOT, product


def settings_of(script: str, **env: str) -> str:
    """What `script` prints in a fresh process with these variables."""
    done = product("-c", f"from django.conf import settings as s\n{script}", **env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


HTTPS = """
import json
print(json.dumps([
    s.SECURE_SSL_REDIRECT, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS,
    s.CSRF_TRUSTED_ORIGINS, "contest.example.org" in s.ALLOWED_HOSTS, s.DEMO,
]))
"""


@pytest.mark.faults
def test_one_variable_switches_https_on(tmp_path: Path) -> None:
    plain = json.loads(settings_of(HTTPS, DATA_DIR=str(tmp_path)))
    assert plain == [False, False, False, 0, ["http://127.0.0.1:8000"], False, True]
    url = "https://contest.example.org"
    secure = json.loads(settings_of(HTTPS, DATA_DIR=str(tmp_path), BASE_URL=url))
    assert secure == [True, True, True, 31_536_000, [url], True, False]


@pytest.mark.faults
def test_https_is_promised_for_this_name_alone_unless_asked(tmp_path: Path) -> None:
    script = """
import django; django.setup()
from django.test import Client
answer = Client().get("/cli", secure=True, headers={"host": "127.0.0.1"})
print(answer["Strict-Transport-Security"])
"""
    env = {"DATA_DIR": str(tmp_path), "BASE_URL": "https://contest.example.org"}
    assert settings_of(script, **env).splitlines()[-1] == "max-age=31536000"
    asked = settings_of(script, **env, HSTS_SUBDOMAINS="1", HSTS_PRELOAD="1").splitlines()[-1]
    assert asked == "max-age=31536000; includeSubDomains; preload"


@pytest.mark.faults
def test_processes_that_start_together_make_one_secret_key(tmp_path: Path) -> None:
    script = "from django.conf import settings as s; print(s.SECRET_KEY)"
    env = {**os.environ, "DATA_DIR": str(tmp_path), "ENV_FILE": os.devnull}
    env["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    keys = {process.communicate(timeout=60)[0].strip() for process in started}
    assert len(keys) == 1
    assert len(keys.pop()) > 60
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


@pytest.mark.faults
def test_sqlite_is_opened_as_the_specification_asks(tmp_path: Path) -> None:
    script = """
import django; django.setup()
from django.db import connection
with connection.cursor() as c:
    print(*[c.execute(f"PRAGMA {name}").fetchone()[0] for name in
        ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")])
"""
    assert settings_of(script, DATA_DIR=str(tmp_path)) == "wal 2 20000 1"


def connected(url: str, *, pooled: bool = False, prepared: bool = True) -> dict[str, Any]:
    return database.connection(Env.db_url_config(url), pooled=pooled, prepared=prepared)


POSTGRES = "postgres://u:p@db.example.org/contest"


def test_what_the_address_of_the_database_says_wins() -> None:
    found = connected(f"{POSTGRES}?sslmode=require&connect_timeout=30&conn_max_age=0")
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["connect_timeout"] == 30
    assert found["CONN_MAX_AGE"] == 0
    assert found["CONN_HEALTH_CHECKS"] is True
    assert "statement_timeout=15000" in found["OPTIONS"]["options"]
    found = connected("sqlite:////var/other.sqlite3?timeout=3")
    assert found["OPTIONS"]["timeout"] == 3
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_behind_a_pooler_nothing_is_left_on_a_connection() -> None:
    options = connected(POSTGRES)["OPTIONS"]
    assert (options["server_side_binding"], options["prepare_threshold"]) == (True, 5)
    found = connected(POSTGRES, pooled=True, prepared=False)
    assert found["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert found["OPTIONS"].keys() == {"connect_timeout", "application_name"}
    options = connected(POSTGRES, pooled=True)["OPTIONS"]  # PgBouncer from 1.21 on
    assert "options" not in options
    assert options["prepare_threshold"] == 5


def test_the_limits_of_a_role_in_the_docs_are_those_of_a_connection() -> None:
    said = dict(
        re.findall(
            r"^ALTER ROLE leaderboard SET (\w+) = '(\w+)';$",
            (ROOT / "docs/operating.md").read_text(),
            re.MULTILINE,
        )
    )
    seconds = {name: f"{limit // 1000}s" for name, limit in database.LIMITS.items()}
    assert said == seconds | database.PLANNED


def must_hide(folder: Path, secrets: dict[str, str]) -> None:
    """None of these stands in a message or a traceback of a process that was given them."""
    script = """
import sys; sys.stderr = sys.stdout
import django; django.setup()
import logging, os, urllib.parse
for name, value in os.environ.items():
    if name.startswith("CANARY_"):
        logging.getLogger("other.package").warning("cannot reach %s", value)
        try:
            raise ValueError({"connecting": urllib.parse.unquote(value)})
        except ValueError:
            logging.getLogger("other.package").exception("failed with %r", value)
print("said")
"""
    logged = {f"CANARY_{name}": value for name, value in secrets.items()}
    printed = settings_of(script, DATA_DIR=str(folder), **secrets, **logged)
    assert printed.endswith("said")
    assert printed.count("***") >= 2 * (len(secrets) - 1)
    assert "canary" not in printed
    for line in printed.splitlines()[:-1]:
        json.loads(line)


@pytest.mark.faults
def test_known_secrets_stand_in_no_message_and_no_traceback(tmp_path: Path) -> None:
    secrets = {
        "SECRET_KEY": "canary-key-of-the-site",
        "SECRET_KEY_FALLBACKS": "canary-older-key",
        "DATABASE_URL": "postgres://app:canary%2Fdata%22base@db.example.org/contest",
        "CELERY_BROKER_URL": "redis://:canary-broker@r.example.org:6379/0",
        "STORAGE_URL": "s3://key:canary%2Fstore@files?endpoint=https://s3.example.org",
    }
    must_hide(tmp_path, secrets)


def test_the_redis_of_compose_takes_nobody_without_its_password() -> None:
    """Redis tells the workers what to do; the tests' own Redis has a password, too."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    addresses = {
        value
        for service in services.values()
        for value in service.get("environment", {}).values()
        if str(value).startswith("redis")
    }
    assert addresses == {"redis://:${REDIS_PASSWORD:?}@redis:6379/0"}
    assert "--requirepass ${REDIS_PASSWORD:?}" in services["redis"]["command"]

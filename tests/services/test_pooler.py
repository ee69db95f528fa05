"""Behind PgBouncer in transaction mode: no two transactions need meet the same connection."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults.drive import upload
from tests.person import Person
from tests.servers import PgBouncer, Postgres, product
from tests.services.test_postgres import manage
from tests.stack import Stack

pytestmark = pytest.mark.services

ASK = "from django.db import connection as c; print(*c.cursor().execute({!r}).fetchone())"


@pytest.fixture(scope="module")
def bouncer(postgres: Postgres) -> Iterator[PgBouncer]:
    server = PgBouncer(postgres)
    yield server
    server.close()


def ask(env: dict[str, str], statement: str) -> subprocess.CompletedProcess[str]:
    """What one statement answers in a fresh process of the product."""
    return product("manage.py", "shell", "-v0", "-c", ASK.format(statement), **env)


def test_without_the_variable_it_refuses_each_connection(
    bouncer: PgBouncer, postgres: Postgres
) -> None:
    env = bouncer.pooled(postgres.new_database("unpooled"))
    refused = ask({**env, "DATABASE_POOLED": "0"}, "SELECT 1")
    assert "unsupported startup parameter: options" in refused.stderr
    assert ask(env, "SELECT 1").stdout.split() == ["1"]


def audit(stack: Stack) -> dict[str, Any]:
    return dict(stack.drive("faults.drive", "audit"))


def test_a_file_is_handed_in_scored_and_ranked(
    bouncer: PgBouncer, postgres: Postgres, tmp_path: Path
) -> None:
    env = bouncer.pooled(postgres.new_database("pooled", migrated=True))
    with Stack(broker="redis", env=env) as stack:
        stack.drive("faults.drive", "prepare", "4", "40")
        person = Person.signed_in(stack.url, "person0")
        token = person.token("/c/faults/submit")
        taken = person.upload("/c/faults/submit", token, upload(40, 7).data)
        assert taken.location, taken.text
        stack.wait_for(lambda: audit(stack)["states"] == ["done"], 60, "all scored")
        assert audit(stack)["submissions"] == 5
        board = Person(stack.url, "nobody").get("/c/faults/leaderboard").text
        assert all(f"person{number}" in board for number in range(4))
        # Long lists are read through a cursor; one of the server would end with its transaction.
        stack.manage("export_contest", "faults", str(tmp_path / "contest.zip"), "--full")
        stack.manage("rebuild_standings", "--check")
        for name in ("web", "worker", "sweeper"):
            assert '"where"' not in stack.log(name)  # an error that nobody foresaw


SLOW = """
from django.db import migrations

class Migration(migrations.Migration):
    operations = [migrations.RunSQL("SELECT pg_sleep(1.2)", "")]
"""
NOT_ATOMIC = """
from django.db import migrations

class Migration(migrations.Migration):
    atomic = False
    dependencies = [("slowly", "0001_slow")]
    operations = [migrations.RunSQL("SELECT pg_sleep(1.2)", "")]
"""


@pytest.mark.parametrize("pooled", [False, True], ids=["directly", "pooled"])
def test_a_migration_takes_its_time(
    bouncer: PgBouncer, postgres: Postgres, tmp_path: Path, pooled: bool
) -> None:
    """The limit of a page is made one second here, by the role or at the start of a connection."""
    name = f"slow_{pooled}".lower()
    url = postgres.new_database(name, migrated=True)
    folder = tmp_path / "slowly" / "migrations"
    folder.mkdir(parents=True)
    for file in (folder / "__init__.py", folder.parent / "__init__.py"):
        file.touch()
    (folder / "0001_slow.py").write_text(SLOW)
    if not pooled:  # a pooled connection keeps nothing from one statement to the next
        (folder / "0002_slow.py").write_text(NOT_ATOMIC)
    (tmp_path / "slow_settings.py").write_text(
        "from leaderboard.settings import *\nINSTALLED_APPS += ['slowly']\n"
    )
    env = bouncer.pooled(url) if pooled else {"DATABASE_URL": url}
    if pooled:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE app IN DATABASE {name} SET statement_timeout = 1000")
    else:
        env["DATABASE_URL"] += "?options=-c%20statement_timeout=1000"
    assert "statement timeout" in ask(env, "SELECT pg_sleep(1.2)").stderr
    database = env.pop("DATABASE_URL")
    settings = {"DJANGO_SETTINGS_MODULE": "slow_settings", "PYTHONPATH": str(tmp_path)}
    manage(database, "migrate", "slowly", "--verbosity=0", **env, **settings)
    shown = ask({**env, "DATABASE_URL": database}, "SHOW statement_timeout")
    assert shown.stdout.split() == ["1s"]

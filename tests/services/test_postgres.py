"""What PostgreSQL does otherwise than SQLite: locks, constraints, our own SQL, plans."""

import os
import subprocess
import sys

import psycopg
import pytest
from django.apps import apps

from tests.servers import MIGRATED, ROOT, Postgres, product

pytestmark = pytest.mark.services

# Acts that meet on connections of their own, which wait for locks and for constraints; of these
# files the tests that are no one transaction.
RACES = (
    *(f"actions/test_{name}.py" for name in ("races", "merge_races", "rehearsal", "submit")),
    *("actions/test_password_link.py", "actions/test_ending.py", "submissions/test_at_once.py"),
)
# SQL of our own, the order of rows, and the database's clock.
ORDERS = (
    *("boards/test_listing.py", "evaluation/test_claim.py", "evaluation/test_queue.py"),
    *("teams/test_order.py", "operations/test_clock.py"),
)
# The others ask what no engine answers otherwise; that their transactions keep to the order of
# locks, test_walk_on_postgres.py tries with every verb.
MANY = ("actions", "inbox", "boards", "community", "evaluation")
OTHERS = (
    *("submissions", "teams", "competitions", "references"),
    *(f"operations/test_{name}.py" for name in ("clock", "backup", "alarms", "metrics")),
)
NOT_SLOW = "not slow"


def optional() -> list[str]:
    """Of the apps that may be left out those that are installed."""
    names = ("insight", "judging")
    return [name for name in names if apps.is_installed(f"leaderboard.{name}")]


@pytest.mark.parametrize(
    ("names", "which"),
    [
        pytest.param(RACES, f"{NOT_SLOW} and django_db(transaction=True)", id="races"),
        pytest.param(ORDERS, NOT_SLOW, id="orders"),
        pytest.param(MANY, NOT_SLOW, marks=pytest.mark.slow, id="many"),
        pytest.param(OTHERS, NOT_SLOW, marks=pytest.mark.slow, id="others"),
    ],
)
def test_the_apps_pass_on_postgresql(
    postgres: Postgres, names: tuple[str, ...], which: str
) -> None:
    folders = [f"tests/leaderboard/{name}" for name in names]
    if names is OTHERS:
        folders += [f"tests/leaderboard/{name}" for name in optional()]
    database = {"TEST_DATABASE_URL": postgres.url, "TEST_DATABASE_TEMPLATE": MIGRATED}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", which, *folders],
        cwd=ROOT,
        env={**os.environ, **database},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout.splitlines()[-1])
    assert done.returncode == 0, done.stdout[-5000:]


def manage(database: str, *words: str, **env: str) -> str:
    """What a command of `manage.py` prints, with the product's own settings on this database."""
    done = product("manage.py", *words, DATABASE_URL=database, **env)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_migrations_run_forward_and_back(postgres: Postgres) -> None:
    database = postgres.new_database("migrations")
    manage(database, "migrate", "--verbosity=0")
    names = ("boards", "evaluation", "submissions", "references", "teams", "competitions")
    for app in [*optional(), *names]:
        manage(database, "migrate", app, "zero", "--verbosity=0")
    manage(database, "migrate", "--verbosity=0")
    assert "No planned migration operations" in manage(database, "migrate", "--plan")


def test_a_statement_asked_again_is_prepared(postgres: Postgres) -> None:
    script = """
from django.contrib.contenttypes.models import ContentType
from django.db import connection
for id in range(8):
    ContentType.objects.filter(pk=id).exists()
with connection.cursor() as cursor:
    cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s",
        ["%django_content_type%"])
    print("prepared:", cursor.fetchone()[0])
"""
    database = postgres.new_database("prepared", migrated=True)
    for switch, prepared in (("1", "1"), ("0", "0")):
        shown = manage(database, "shell", "-c", script, DATABASE_PREPARED_STATEMENTS=switch)
        assert shown.splitlines()[-1] == f"prepared: {prepared}"


PLANS = """
from django.db import connection
from leaderboard.accounts.models import User
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Membership, Team
with connection.cursor() as cursor:
    cursor.execute("SET enable_seqscan = off")
for rows, name in ((Submission, "file_name"), (Team, "name"), (Membership, "listed_name"),
        (User, "username")):
    print(rows.objects.order_by().filter(**{f"{name}__icontains": "kobart"}).explain())
"""


def test_parts_of_words_are_found_by_an_index_where_the_account_may_make_it(
    postgres: Postgres,
) -> None:
    database = postgres.new_database("words", migrated=True)
    assert manage(database, "shell", "-c", PLANS).count("_parts") == 4


@pytest.mark.slow
def test_the_index_goes_and_comes_where_the_extension_is_there_already(postgres: Postgres) -> None:
    database = postgres.new_database("words_again", migrated=True)
    manage(database, "migrate", "submissions", "0007", "--verbosity=0")
    assert "_parts" not in manage(database, "shell", "-c", PLANS)
    manage(database, "migrate", "--verbosity=0")
    assert "_parts" in manage(database, "shell", "-c", PLANS)


def test_an_account_that_may_make_no_extension_has_everything_else(postgres: Postgres) -> None:
    database = postgres.new_database("few_rights")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE ROLE tenant LOGIN")
        connection.execute("GRANT ALL ON SCHEMA public TO tenant")
    database = database.replace("//app@", "//tenant@")
    manage(database, "migrate", "--verbosity=0")
    assert "_parts" not in manage(database, "shell", "-c", PLANS)
    assert "No planned migration operations" in manage(database, "migrate", "--plan")

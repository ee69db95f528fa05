"""The tests of the rooms once more, on PostgreSQL: locks and constraints differ between engines."""

import os
import subprocess
import sys

import pytest

from tests.servers import ROOT, Postgres

pytestmark = pytest.mark.services

LOCKING = ("actions", "boards", "evaluation", "submissions")
OTHERS = ("competitions", "judging", "references", "teams")


@pytest.mark.parametrize("names", [LOCKING, pytest.param(OTHERS, marks=pytest.mark.slow)])
def test_the_rooms_pass_on_postgresql(postgres: Postgres, names: tuple[str, ...]) -> None:
    rooms = [f"tests/leaderboard/{name}" for name in names]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *rooms],
        cwd=ROOT,
        env={**os.environ, "TEST_DATABASE_URL": postgres.new_database(f"rooms_{names[0]}")},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout.splitlines()[-1])
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.slow
def test_migrations_run_forward_and_back(postgres: Postgres) -> None:
    env = {
        **os.environ,
        "DATABASE_URL": postgres.new_database("migrations"),
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    }

    def manage(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    manage("migrate", "--verbosity=0")
    rooms = "boards judging evaluation submissions references teams competitions"
    for room in rooms.split():
        manage("migrate", room, "zero", "--verbosity=0")
    manage("migrate", "--verbosity=0")
    assert "No planned migration operations" in manage("migrate", "--plan")

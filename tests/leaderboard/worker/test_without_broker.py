"""A Celery worker whose broker is away: it lives, and scores what it finds in the database."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.evaluation import health
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.operations import up
from leaderboard.operations.up import Daemon, stop
from tests.conftest import database_url
from tests.leaderboard import builders
from tests.servers import ROOT, free_port, wait_for
from tests.stack import FAST

pytestmark = pytest.mark.faults


@pytest.mark.parametrize(
    "seconds", [1, pytest.param(75, marks=pytest.mark.slow)], ids=["a_round", "75_seconds"]
)
@pytest.mark.django_db(transaction=True)
def test_a_worker_lives_and_scores_while_its_broker_is_away(seconds: int, tmp_path: Path) -> None:
    """Its parent waits for the broker then; who is silent for 30 s would be restarted."""
    env = {**os.environ, **FAST, "DATABASE_URL": database_url(), "DATA_DIR": str(tmp_path)}
    env |= {"DJANGO_SETTINGS_MODULE": "leaderboard.settings", "WORKER_CONCURRENCY": "1"}
    env |= {"STORAGE_URL": f"file://{settings.DATA_DIR}/files", "SECRET_KEY": "a-key" * 10}
    env["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{free_port()}/0"
    command = up.commands()["worker"]
    daemon = Daemon("worker", command, tmp_path / "worker.log", env, ROOT)
    daemon.start()

    def is_healthy() -> bool:
        """As the container asks."""
        ask = [sys.executable, "-IS", "leaderboard/operations/alive.py", "worker"]
        return subprocess.run(ask, cwd=ROOT, env=env).returncode == 0

    try:
        wait_for(is_healthy, 60, "a first sign")
        time.sleep(seconds)
        now = timezone.now()
        if seconds == 1:
            Worker.objects.update(last_sign_at=now - 2 * health.SILENT_AFTER)
            (sign,) = tmp_path.glob("celery@*.sign")
            os.utime(sign, (now.timestamp() - 30.5,) * 2)
            assert not is_healthy()
            wait_for(is_healthy, 30, "the child's sign of its parent")
        lately = Worker.objects.filter(last_sign_at__gt=now - health.SILENT_AFTER)
        wait_for(lately.exists, 5, "its sign in the database")
        assert is_healthy()
        day, now = timedelta(days=1), timezone.now()
        dates = {"opens_at": now - day, "closes_at": now + day, "reveals_at": now + 2 * day}
        builders.hand_in(builders.team(builders.open_competition(**dates), "alice"), at=now)
        wait_for(lambda: Evaluation.objects.get().state == "done", 60, "scored without a broker")
    finally:
        stop([daemon], patience=10)

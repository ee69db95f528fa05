"""Every line of a log is one JSON object with the same clock, whoever writes it."""

import json
from datetime import datetime
from pathlib import Path

from django.utils import timezone

from tests.servers import product

# As a worker starts its logs; the last three are what Celery gives handlers of its own.
LINES = """
import logging, structlog, warnings
import django
django.setup()
from billiard.util import error
from celery.utils.log import get_task_logger
from leaderboard.celery import app
app.log.setup(loglevel="INFO", redirect_stdouts=True)
with structlog.contextvars.bound_contextvars(request="abc"):
    structlog.get_logger("leaderboard").error("event", password="hunter2", team="팀")
logging.getLogger("gunicorn.error").info("gunicorn's")
logging.getLogger("django.server").info("django's")
warnings.warn("python's", stacklevel=1)
logging.getLogger("celery.worker").info("celery's")
get_task_logger("a").warning("a task's")
print("printed")
error("Process %r exited with %r", "ForkPoolWorker-1", "signal 9")
"""


def test_every_line_is_json_in_utc(tmp_path: Path) -> None:
    done = product("-c", LINES, DATA_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (done.stdout + done.stderr).splitlines()]
    assert [one["logger"] for one in lines] == [
        "leaderboard",
        "gunicorn.error",
        "django.server",
        "py.warnings",
        "celery.worker",
        "a",
        "celery.redirected",
        "multiprocessing",
    ]
    ours = {"event": "event", "password": "***", "team": "팀", "request": "abc"}
    assert ours.items() <= lines[0].items()
    for one in lines:
        assert one["timestamp"].endswith("Z")
        assert abs((timezone.now() - datetime.fromisoformat(one["timestamp"])).seconds) < 300

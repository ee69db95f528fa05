"""gunicorn reads this file by itself, whoever starts it: `./run`, the tests or the image."""

import gc
import os
import sys
from importlib import import_module
from typing import Any

from leaderboard import logs
from leaderboard.operations import variables

variables.check()
bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
worker_class = "gthread"
workers = int(os.environ.get("WEB_WORKERS", "2"))
# Without a proxy each slow body holds one of these. On PostgreSQL each holds a connection.
threads = int(os.environ.get("WEB_THREADS", "32"))
worker_connections = 500
timeout = 30
graceful_timeout = 30
keepalive = 5
max_requests = 2000
max_requests_jitter = 200
limit_request_line = 4094
limit_request_fields = 50
# Imported once, then forked: half the start time and memory of two separate imports.
preload_app = True
# The heartbeat file must not wait for a disk. macOS has no /dev/shm and takes the default.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
# Its own lines like all others. Django's settings, read after it, know the secrets to be masked.
logconfig_dict = logs.configuration(level="INFO")
# It would be written into the home folder of whoever starts the server.
control_socket_disable = True
# A proxy says whether it was https, and nothing else: any client could claim another SCRIPT_NAME,
# since few proxies take the header away.
secure_scheme_headers = {"X-FORWARDED-PROTO": "https"}
forwarder_headers = ""
forwarded_allow_ips = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1")


def when_ready(server: Any) -> None:
    """Before the first fork: what was imported is never garbage, so no collection looks at it.

    Unfrozen, each full collection stopped a worker for a tenth of a second, every 25 pages or so.
    """
    gc.collect()
    gc.freeze()


def _signs() -> Any:
    """What tells operators that the pages live, where the application is ours."""
    ours = "leaderboard.wsgi" in sys.modules
    return import_module("leaderboard.operations.signs") if ours else None


def post_worker_init(worker: Any) -> None:
    if signs := _signs():
        signs.show_beside_pages()


def on_exit(server: Any) -> None:
    if signs := _signs():
        signs.take_away(signs.own_name("web"))

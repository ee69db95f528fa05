"""The whole product as separate processes, for tests in a browser and tests that kill things.

    with Stack(db="postgres", broker="redis") as stack:
        stack.manage("shell", "-c", "…")
        stack.kill("worker", tree=True)
        stack.restart("worker")

Everything lies in a temporary folder and listens on free ports; leaving the block ends every
process that it started. Times are short: a lease of 3 s, a heartbeat and a sweep of 0.5 s.
"""

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from leaderboard.operations import up
from tests.forked import Commands
from tests.once import made_once
from tests.servers import ROOT, Postgres, Redis, Server, free_port, wait_for

T = TypeVar("T")
# Which processes there are depends on settings; a benchmark started by hand names none.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

FAST = {
    "SCORING_LEASE_SECONDS": "3",
    "SCORING_HEARTBEAT_SECONDS": "0.5",
    "SWEEP_SECONDS": "0.5",
    "SWEEP_WAKE_AFTER_SECONDS": "1",
    "DEMO": "0",
}
# What a developer's shell (or tests/settings.py) may have set must not leak into the stack.
_OURS = ("BASE_URL", "ALLOWED_HOSTS", "CELERY_BROKER_URL", "STORAGE_URL", "SECRET_KEY", "LOG_LEVEL")

DATABASE, STATIC = "db.sqlite3", "static"


def _environment(folder: Path) -> dict[str, str]:
    """What the product is told that keeps everything in this folder."""
    return {name: value for name, value in os.environ.items() if name not in _OURS} | {
        **FAST,
        "ENV_FILE": os.devnull,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATA_DIR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder}/{DATABASE}",
    }


def _made(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, *words], cwd=ROOT, env=_environment(folder), check=True)


# The hundred migrations take 17 s, their models' tables two; tests/leaderboard/operations compares.
TABLES = """
import django
django.setup()
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
known = sorted(MigrationLoader(None).disk_migrations)
settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
call_command("migrate", run_syncdb=True, interactive=False, verbosity=0)
recorder = MigrationRecorder(connection)
recorder.ensure_schema()
with transaction.atomic():
    for app, name in known:
        recorder.record_applied(app, name)
"""


def migrated() -> Path:
    """A database of SQLite with all its tables, to be copied."""
    return made_once("tables", lambda folder: _made(folder, "-c", TABLES)) / DATABASE


def static_files() -> Path:
    """What the web server hands out, to be copied."""
    words = ["manage.py", "collectstatic", "--no-input", "--verbosity=0"]
    return made_once("static", lambda folder: _made(folder, *words)) / STATIC


def group_members(group: int) -> list[int]:
    """The living processes of a process group. A slim Linux has no `ps`, macOS no /proc."""
    listed = _from_proc() if Path("/proc/self/stat").exists() else _from_ps()
    return [pid for pid, state, own in listed if own == group and not state.startswith("Z")]


def _from_proc() -> Iterator[tuple[int, str, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            # The name before these fields may hold blanks and brackets itself: proc(5).
            state, _, group, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            yield int(folder.name), state, int(group)


def _from_ps() -> Iterator[tuple[int, str, int]]:
    command = ["ps", "-A", "-o", "pid=,stat=,pgid="]
    for line in subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines():
        pid, state, group = line.split()
        yield int(pid), state, int(group)


class Stack:
    """Web, worker and sweeper over a database and a broker of their own."""

    def __init__(
        self,
        db: Literal["sqlite", "postgres"] = "sqlite",
        broker: Literal["folder", "redis"] = "folder",
        *,
        env: Mapping[str, str] | None = None,
        only: tuple[str, ...] = ("web", "worker", "sweeper"),
        disk: Path | None = None,
        tree: Path = ROOT,
    ) -> None:
        self.tree = tree
        self.folder = Path(tempfile.mkdtemp(prefix="leaderboard-stack-", dir=disk))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.servers: dict[str, Server] = {}
        self.env = _environment(self.folder) | {"HOST": "127.0.0.1", "PORT": str(self.port)}
        self._full = ""  # the URL of a database that has all its tables
        self._commands: Commands | None = None
        atexit.register(self.close)
        if db == "postgres":
            self.servers["postgres"] = postgres = Postgres()
            self._full = postgres.migrated
            self.env["DATABASE_URL"] = postgres.url if tree != ROOT else self._full
        if broker == "redis":
            self.servers["redis"] = server = Redis()
            self.env["CELERY_BROKER_URL"] = server.url
        self.env |= env or {}
        self.daemons = {
            name: up.Daemon(name, command, self.folder / "log" / f"{name}.log", self.env, tree)
            for name, command in up.commands().items()
            if name in only
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            print(self.logs(), file=sys.stderr)
        self.close()

    def start(self) -> None:
        """Migrate, collect static files, start everything; wait for web and the worker."""
        self._prepare()
        for daemon in self.daemons.values():
            daemon.start()
        if "web" in self.daemons:
            wait_for(self.ready, 60, "web ready")
        if "worker" in self.daemons:
            wait_for(lambda: self.children("worker"), 60, "worker ready")

    def _prepare(self) -> None:
        """Database and static files: copies of those that were made once, where they can be."""
        url = self.env["DATABASE_URL"]
        if (self.folder / STATIC).exists() or self.tree != ROOT:
            self.manage("migrate", "--no-input", "--verbosity=0")
            self.manage("collectstatic", "--no-input", "--verbosity=0")
            return
        shutil.copytree(static_files(), self.folder / STATIC)
        if url == f"sqlite:///{self.folder}/{DATABASE}":
            shutil.copy(migrated(), self.folder / DATABASE)
        elif url != self._full:
            self.manage("migrate", "--no-input", "--verbosity=0")

    def use(self, tree: Path) -> None:
        """Start all again with the code of another tree, on what the last one left."""
        self.tree = tree
        for daemon in self.daemons.values():
            daemon.kill_remains()
            daemon.cwd = tree
        self.start()

    def ready(self) -> bool:
        """Whether /readyz answers 200."""
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def manage(self, *arguments: str, text: str | None = None) -> str:
        """Run `manage.py` against this stack; returns what it printed, raises if it failed."""
        done = self._run("manage.py", *arguments, text=text)
        assert done.returncode == 0, f"manage.py {arguments[0]}: {done.stdout}{done.stderr}"
        return done.stdout

    def drive(self, module: str, *words: str) -> Any:
        """Run `python -m tests.MODULE` against this stack; its JSON answer, if it prints one."""
        done = self._run(f"tests.{module}", *words)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout) if done.stdout.strip() else None

    def _run(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """By this tree's code in a child of one process; by that of another in one of its own."""
        if self.tree != ROOT:
            before = [] if words[0] == "manage.py" else ["-m"]
            return subprocess.run(
                [sys.executable, *before, *words],
                cwd=self.tree,
                env=self.env,
                input=text,
                capture_output=True,
                text=True,
                timeout=900,
                check=False,
            )
        if self._commands is not None and self._commands.env != self.env:
            self._commands.close()
            self._commands = None
        self._commands = self._commands or Commands(self.env, ROOT)
        return self._commands.run(*words, text=text, timeout=900)

    def popen(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `manage.py` without waiting: for races between processes."""
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=self.tree,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def pid(self, name: str) -> int:
        """The parent process of a service or server."""
        process = self._daemon(name).process
        assert process is not None, f"{name} is not running"
        return process.pid

    def children(self, name: str) -> list[int]:
        """The other processes in the service's group, such as the worker's children."""
        group = self.pid(name)
        return [pid for pid in group_members(group) if pid != group]

    def kill(
        self, name: str, number: signal.Signals = signal.SIGKILL, *, tree: bool = False
    ) -> None:
        """Send a signal to one service: its parent process alone, or (`tree`) its whole group."""
        pid = self.pid(name)
        if tree:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
        process = self._daemon(name).process
        if process is not None and number == signal.SIGKILL:
            process.wait(10)

    def restart(self, name: str) -> None:
        """End what is left of a service and start it again; of web, wait until it is ready."""
        if name in self.servers:
            self.servers[name].daemon.kill_remains()
            self.servers[name].start()
            return
        daemon = self.daemons[name]
        daemon.kill_remains()
        daemon.start()
        if name == "web":
            wait_for(self.ready, 60, "web ready again")

    def log(self, name: str) -> str:
        file = self._daemon(name).log
        return file.read_text(errors="replace") if file.exists() else ""

    def logs(self) -> str:
        """The ends of all logs, for a failing test."""
        names = [*self.daemons, *self.servers]
        return "\n".join(f"--- {name}\n{self.log(name)[-3000:]}" for name in names)

    def wait_for(self, look: Callable[[], T], seconds: float, what: str = "the condition") -> T:
        return wait_for(look, seconds, what)

    def close(self) -> None:
        """End every process of this stack and delete its folder. Safe to call again."""
        atexit.unregister(self.close)
        up.stop(list(self.daemons.values()), patience=5)
        for server in (*self.servers.values(), *filter(None, [self._commands])):
            server.close()
        self._commands = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _daemon(self, name: str) -> up.Daemon:
        return self.servers[name].daemon if name in self.servers else self.daemons[name]

"""The launcher behind `./run`: prepares the data folder, starts the services, keeps them running.

python -m leaderboard.operations.up            until Ctrl-C, TERM or HUP
python -m leaderboard.operations.up reset      deletes the data folder, after asking

Nothing here imports a model: it also runs before the database exists.
"""

import ctypes
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.operations import installation

ROOT = Path(__file__).resolve().parent.parent.parent
# A worker finishes what it is scoring; one turn at the queue lasts 20 s (worker/tasks.py).
PATIENCE_SECONDS = 30
READY_WITHIN_SECONDS = 60
# A service that has run for this long has started well: its next fall begins with a short pause.
_SETTLED_SECONDS = 60


class CannotStart(Exception):
    """One line for the person at the terminal: what is wrong and what to do."""


def commands() -> dict[str, list[str]]:
    """The long-running processes by name, in the order they are started."""
    return {name: [sys.executable, *words] for name, words in settings.SERVICES.items()}


@dataclass
class Daemon:
    """One long-running process in a session of its own, restarted when it falls."""

    name: str
    command: list[str]
    log: Path
    env: Mapping[str, str]
    cwd: Path
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0  # monotonic seconds
    falls: int = 0
    again: float = 0.0  # monotonic seconds: not before
    groups: set[int] = field(default_factory=set)

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process; its output goes to the end of its log file."""
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.cwd,
                env=dict(self.env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
        self.started = time.monotonic()
        self.groups.add(self.process.pid)
        return self.process

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def look(self) -> str | None:
        """Start again what fell, after its pause. Returns a line to print when it has fallen."""
        self.groups = {*filter(_group_exists, self.groups)}
        if self.running():
            return None
        now = time.monotonic()
        if self.process is None:
            if now >= self.again:
                self.start()
            return None
        code = self.process.returncode
        self.process = None
        self.falls = 1 if now - self.started > _SETTLED_SECONDS else self.falls + 1
        pause = min(2 ** (self.falls - 1), 30)
        self.again = now + pause
        ending = (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        return f"{self.name} {ending}; starting it again in {pause} s (log: {self.log})"

    def kill_remains(self) -> None:
        """End whatever is left of this service, children of fallen parents included."""
        for group in filter(_group_exists, self.groups):
            os.killpg(group, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def stop(daemons: list[Daemon], patience: float, hurry: Callable[[], bool] = lambda: False) -> None:
    """Stop all: gently, then by force after `patience` seconds, or when `hurry()` turns true."""
    for daemon in daemons:
        if daemon.process is not None:
            daemon.process.terminate()
    deadline = time.monotonic() + patience
    while any(map(Daemon.running, daemons)) and time.monotonic() < deadline and not hurry():
        time.sleep(0.05)
    for daemon in daemons:
        daemon.kill_remains()


def _group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _end_with_parent() -> None:
    """On Linux, a launcher that is killed takes its services along instead of orphaning them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG of <linux/prctl.h>


def run(data: Path) -> None:
    """Prepare and start all, then keep all running until asked to stop."""
    asked = list[int]()  # the signals that asked to stop
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: asked.append(number))

    def daemon(name: str, *words: str) -> Daemon:
        env = {**os.environ, "PORT": str(settings.PORT), "HOST": settings.HOST}
        env["PYTHONUNBUFFERED"] = "1"
        return Daemon(name, [*words], data / "log" / f"{name}.log", env, ROOT)

    step = daemon("start", sys.executable, "manage.py", "prepare")
    daemons = [daemon(name, *command) for name, command in commands().items()]
    try:
        _prepare(step, asked, first=not (data / "static").exists())
        ready, deadline = False, time.monotonic() + READY_WITHIN_SECONDS
        while not asked:
            for one in daemons:
                if line := one.look():
                    say(line)
            if not ready and (ready := _is_ready()):
                _greet(data)
            if not ready and time.monotonic() > deadline:
                raise CannotStart(f"Not ready after a minute: look into {data / 'log'}")
            time.sleep(0.5 if ready else 0.1)
    finally:
        say("Stopping (work in progress is finished first; Ctrl-C again to end it now) …")
        stop([step, *daemons], PATIENCE_SECONDS, hurry=lambda: len(asked) > 1)
        say(f"Stopped. Everything is kept in {data}")


def _prepare(step: Daemon, asked: list[int], *, first: bool) -> None:
    """Bring database, static files and demo up to date, unless somebody asks to stop."""
    say(f"Preparing{' database and demo, the first time half a minute' if first else ''} …")
    process = step.start()
    while step.running() and not asked:
        time.sleep(0.05)
    if process.returncode and not asked:
        last = step.log.read_text(errors="replace").rstrip().rpartition("\n")[2]
        refused = last.removeprefix("CommandError: ")  # one line, written for whoever starts
        if refused == last:
            refused = f"This failed: the reason stands at the end of {step.log}"
        raise CannotStart(refused)


def _is_ready() -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{settings.PORT}/readyz", timeout=5):
            return True
    except OSError:  # among them an answer of 503
        return False


def _greet(data: Path) -> None:
    """Print the address, the accounts (their passwords only the first time) and how to stop."""
    for said, path in settings.GREETINGS.items():
        say(f"  {said}: {settings.BASE_URL}{path}")
    say(f"\n  {settings.BASE_URL}")
    accounts, shown = data / "demo-accounts.json", data / ".demo-accounts-shown"
    if settings.DEMO and accounts.exists():
        where = str(accounts)
        if not shown.exists():
            rows = json.loads(accounts.read_text())["accounts"]
            where = ", ".join("{username} {password}".format(**row) for row in rows)
            shown.touch(mode=0o600)
        say(f"  Accounts and passwords: {where}")
    say("  Ctrl-C stops; the data stays.\n")


def say(line: str) -> None:
    print(line, flush=True)


def _refuse_taken_ports() -> None:
    ports = [("PORT", settings.HOST, settings.PORT)]
    ports += [(name, "127.0.0.1", port) for name, port in settings.LOOPBACK_PORTS.items()]
    for name, host, port in ports:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise CannotStart(
                    f"Port {port} is taken ({error.strerror}): {name}={port + 1} ./run"
                ) from None


def _reset(data: Path, *, sure: bool) -> None:
    """Delete the data folder: database, uploads, queue, secret key."""
    if not sure and input(f"Delete {data} with all submissions? [y/N] ").strip().lower() != "y":
        say("Nothing deleted.")
        return
    shutil.rmtree(data)
    say(f"Deleted {data}")


def main(arguments: list[str]) -> int:
    """What `./run` calls. Returns the exit code."""
    os.chdir(ROOT)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    try:
        try:
            data = Path(settings.DATA_DIR)  # the first look at the settings
        except (ImproperlyConfigured, ValueError, OSError) as error:
            raise CannotStart(f"A variable of the environment or .env is wrong: {error}") from error
        if refused := installation.half_set():
            raise CannotStart(installation.lines(refused))
        with (data / "run.lock").open("w") as lock:  # it ends with the process
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CannotStart(
                    f"Already running on {data}: stop that one first, or set DATA_DIR to another."
                ) from None
            if arguments[:1] == ["reset"]:
                _reset(data, sure="--yes" in arguments)
            else:
                _refuse_taken_ports()
                run(data)
    except CannotStart as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The launcher behind `./run`: prepares the data folder, starts the services, keeps them running.

python -m leaderboard.operations.up            until Ctrl-C, TERM or HUP
python -m leaderboard.operations.up reset      deletes the data folder, after asking
"""

import fcntl
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.operations import installation, processes

ROOT = Path(__file__).resolve().parent.parent.parent
# A worker finishes what it is scoring; one turn at the queue lasts 20 s (worker/tasks.py).
PATIENCE_SECONDS = 30
READY_WITHIN_SECONDS = 60


class Stopped(Exception):
    """Somebody asked to stop while a step was running."""


class CannotStart(Exception):
    """One line for the person at the terminal: what is wrong and what to do."""


class StopRequest:
    """Counts the signals that asked to stop; `wait` returns early when one comes.

    A pipe, because a handler that touches a lock may find it held by the very code it interrupted.
    """

    def __init__(self) -> None:
        self.count = 0
        self._read, self._write = os.pipe()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        os.write(self._write, b".")

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`. True when somebody asked to stop, now or before."""
        if not self.count:
            select.select([self._read], [], [], seconds)
        return self.count > 0


class Launcher:
    """One `./run`: its data folder, services, and whether it was asked to stop."""

    def __init__(self, data: Path, host: str) -> None:
        self.data = data
        port = str(settings.PORT)
        self.env = {**os.environ, "PORT": port, "HOST": host, "PYTHONUNBUFFERED": "1"}
        self.stop_request = StopRequest()
        self.daemons = [
            processes.Daemon(name, command, data / "log" / f"{name}.log", self.env, ROOT)
            for name, command in processes.commands().items()
        ]

    def prepare(self) -> None:
        """Bring database, static files and demo up to date; the output is kept in a log."""
        log = self.data / "log" / "start.log"
        first = not (self.data / "static").exists()
        say(f"Preparing{' database and demo, the first time half a minute' if first else ''} …")
        step = processes.Daemon("prepare", processes.manage("prepare"), log, self.env, ROOT)
        process = step.start()
        while step.running():
            if self.stop_request.wait(0.05):
                processes.stop([step], patience=PATIENCE_SECONDS)
                raise Stopped
        if process.returncode:
            last = log.read_text(errors="replace").rstrip().rpartition("\n")[2]
            refused = last.removeprefix("CommandError: ")  # one line, written for whoever starts
            raise CannotStart(
                refused
                if refused != last
                else f"This failed: the reason stands at the end of {log}"
            )

    def wait_until_ready(self) -> None:
        """Poll /readyz; a service that falls meanwhile is started again as at any other time."""
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not self.stop_request.count and not _is_ready(settings.PORT):
            self.look()
            if time.monotonic() > deadline:
                raise CannotStart(f"Not ready after a minute: look into {self.data / 'log'}")
            self.stop_request.wait(0.1)

    def look(self) -> None:
        for daemon in self.daemons:
            line = daemon.look()
            if line:
                say(line)

    def run(self) -> None:
        """Start all, then keep all running until asked to stop."""
        try:
            self.prepare()
            for daemon in self.daemons:
                daemon.start()
            self.wait_until_ready()
            if not self.stop_request.count:
                self.greet()
            while not self.stop_request.wait(0.5):
                self.look()
        except Stopped:
            pass
        finally:
            say("Stopping (work in progress is finished first; Ctrl-C again to end it now) …")
            processes.stop(
                self.daemons,
                patience=PATIENCE_SECONDS,
                hurry=lambda: self.stop_request.count > 1,
            )
        say("Stopped. Everything is kept in " + str(self.data))

    def greet(self) -> None:
        """Print the address and, only the first time, the demo's passwords."""
        say(f"\n  {settings.BASE_URL}\n")
        accounts, shown = self.data / "demo-accounts.json", self.data / ".demo-accounts-shown"
        if settings.DEMO and accounts.exists():
            if not shown.exists():
                for account in json.loads(accounts.read_text())["accounts"]:
                    say("  {role:<12} {username:<12} {password}".format(**account))
                shown.touch(mode=0o600)
            say(f"  Passwords of the demo: {accounts}")
        for said, path in settings.GREETINGS.items():
            say(f"  {said}: {settings.BASE_URL}{path}")
        say("  Ctrl-C stops.\n")


def say(line: str) -> None:
    print(line, flush=True)


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _lock(data: Path) -> int:
    """Hold the data folder for this launcher alone; the lock ends with the process."""
    descriptor = os.open(data / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise CannotStart(
            f"Already running on {data}: stop that one first, or set DATA_DIR to another folder."
        ) from None
    return descriptor


def _refuse_a_taken_port(host: str, port: int, *, name: str = "PORT") -> None:
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
        lock = _lock(data)
        if arguments[:1] == ["reset"]:
            _reset(data, sure="--yes" in arguments)
        else:
            host = os.environ.get("HOST", "127.0.0.1")
            _refuse_a_taken_port(host, settings.PORT)
            for name, port in settings.LOOPBACK_PORTS.items():
                _refuse_a_taken_port("127.0.0.1", port, name=name)
            Launcher(data, host).run()
        os.close(lock)
    except CannotStart as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

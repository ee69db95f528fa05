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
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from leaderboard.operations import installation, processes

ROOT = Path(__file__).resolve().parent.parent.parent
# A worker finishes what it is scoring; one turn at the queue lasts 20 s (worker/tasks.py).
PATIENCE_SECONDS = 30
READY_WITHIN_SECONDS = 60


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
            signal.signal(number, lambda *_: self._come())

    def _come(self) -> None:
        self.count += 1
        os.write(self._write, b".")

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`. True when somebody asked to stop, now or before."""
        if not self.count:
            select.select([self._read], [], [], seconds)
        return self.count > 0


def run(data: Path) -> None:
    """Prepare and start all, then keep all running until asked to stop."""
    stop = StopRequest()

    def daemon(name: str, command: list[str]) -> processes.Daemon:
        env = {**os.environ, "PORT": str(settings.PORT), "HOST": settings.HOST}
        env["PYTHONUNBUFFERED"] = "1"
        return processes.Daemon(name, command, data / "log" / f"{name}.log", env, ROOT)

    step = daemon("start", processes.manage("prepare"))
    daemons = [daemon(name, command) for name, command in processes.commands().items()]
    try:
        if not _prepare(step, stop, first=not (data / "static").exists()):
            return
        ready, deadline = False, time.monotonic() + READY_WITHIN_SECONDS
        while not stop.wait(0.5 if ready else 0.1):
            for one in daemons:
                if line := one.look():
                    say(line)
            if not ready and (ready := _is_ready()):
                _greet(data)
            if not ready and time.monotonic() > deadline:
                raise CannotStart(f"Not ready after a minute: look into {data / 'log'}")
    finally:
        say("Stopping (work in progress is finished first; Ctrl-C again to end it now) …")
        processes.stop([step, *daemons], PATIENCE_SECONDS, hurry=lambda: stop.count > 1)
        say(f"Stopped. Everything is kept in {data}")


def _prepare(step: processes.Daemon, stop: StopRequest, *, first: bool) -> bool:
    """Bring database, static files and demo up to date; False where somebody asked to stop."""
    say(f"Preparing{' database and demo, the first time half a minute' if first else ''} …")
    process = step.start()
    while step.running():
        if stop.wait(0.05):
            return False
    if process.returncode:
        last = step.log.read_text(errors="replace").rstrip().rpartition("\n")[2]
        refused = last.removeprefix("CommandError: ")  # one line, written for whoever starts
        if refused == last:
            refused = f"This failed: the reason stands at the end of {step.log}"
        raise CannotStart(refused)
    return True


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


@contextmanager
def _locked(data: Path) -> Iterator[None]:
    """Hold the data folder for this launcher alone; the lock ends with the process."""
    with (data / "run.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotStart(
                f"Already running on {data}: stop that one first, or set DATA_DIR to another one."
            ) from None
        yield


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
        with _locked(data):
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

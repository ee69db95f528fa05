"""The processes of the product, and how one of them is started, watched and stopped.

Nothing here imports a model: it also runs before the database exists.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_STANDS_BACK = 10  # of 19, the priority of a process that any other may overtake
_BACK_OFF = (1, 2, 4, 8, 16, 30)
# A service that has run for this long has started well: its next fall begins with a short pause.
_SETTLED_SECONDS = 60


def manage(*arguments: str) -> list[str]:
    """The command line of `manage.py`, with this interpreter."""
    return [sys.executable, "manage.py", *arguments]


def commands() -> dict[str, list[str]]:
    """The long-running processes by name, in the order they are started."""
    return {name: [sys.executable, *words] for name, words in settings.SERVICES.items()}


def stand_back() -> None:
    """Let every other process of the machine go first: scores are more urgent than a judge."""
    os.nice(_STANDS_BACK)


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
        self.groups = {group for group in self.groups if _group_exists(group)}
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
        pause = _BACK_OFF[min(self.falls, len(_BACK_OFF)) - 1]
        self.again = now + pause
        ending = (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        return f"{self.name} {ending}; starting it again in {pause} s (log: {self.log})"

    def kill_remains(self) -> None:
        """End whatever is left of this service, children of fallen parents included."""
        for group in self.groups:
            if _group_exists(group):
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
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

"""Folders that are made once in a run of the tests and copied by whoever needs one like them."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

# Set by the first process of a run: its workers share what any of them made.
PLACE = "TESTS_MADE_ONCE"


def place() -> Path:
    """Where they lie until the process that asked first ends."""
    if PLACE not in os.environ:
        os.environ[PLACE] = tempfile.mkdtemp(prefix="leaderboard-once-")
        atexit.register(shutil.rmtree, os.environ[PLACE], ignore_errors=True)
    return Path(os.environ[PLACE])


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name, filled by `make`; who comes meanwhile waits for it."""
    made = place() / name
    with made.with_suffix(".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not made.exists():
            half = made.with_suffix(".half")
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir()
            make(half)
            half.rename(made)
    return made

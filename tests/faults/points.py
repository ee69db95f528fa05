"""Five places where a process of a stack can be held, so that a fault comes exactly then.

The product knows nothing of them: a stack with `tests.faults.settings` puts them around its own
functions. A test arms a place by a file of its name in `FAULT_POINTS`; the first process that comes
by takes it, leaves its id in `<place>.held` and stays until there is a file `<place>.go`.

Files of some names end the process that scores them, as a fault in native code would.
"""

import ctypes
import functools
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from django.apps import AppConfig

DEATHS: dict[str, Callable[[], object]] = {
    "abort.csv": os.abort,
    "segfault.csv": lambda: ctypes.string_at(0),
}
LONGEST = 60  # seconds; whoever armed it may be gone
WEB = ("after_file_before_row", "after_commit_before_publish")
WORKER = ("after_claim", "before_result", "after_result_before_commit")


def hold(name: str) -> None:
    """Stay here if this place is armed."""
    folder = Path(os.environ["FAULT_POINTS"])
    try:
        (folder / name).rename(folder / f"{name}.taken")
    except FileNotFoundError:
        return
    (folder / f"{name}.writing").write_text(str(os.getpid()))
    (folder / f"{name}.writing").rename(folder / f"{name}.held")
    until = time.monotonic() + LONGEST
    while not (folder / f"{name}.go").exists() and time.monotonic() < until:
        time.sleep(0.02)


def around(
    owner: Any, attribute: str, *, before: str = "", after: str = "", web: bool = False
) -> None:
    """Let calls of this function stay before or after it; `web`: of the web server's alone."""
    inner: Callable[..., Any] = getattr(owner, attribute)

    @functools.wraps(inner)
    def held(*words: Any, **names: Any) -> Any:
        here = not web or "gunicorn.arbiter" in sys.modules
        if before and here:
            hold(before)
        found = inner(*words, **names)
        if after and here:
            hold(after)
        return found

    setattr(owner, attribute, held)


def deadly(owner: Any, attribute: str) -> None:
    """Let this function, given the claim of a file with such a name, be its process's last."""
    inner: Callable[..., Any] = getattr(owner, attribute)

    @functools.wraps(inner)
    def last(claim: Any) -> Any:
        DEATHS.get(claim.submission.file_name, int)()
        return inner(claim)

    setattr(owner, attribute, last)


class Points(AppConfig):
    """An app that only puts the places there."""

    name = "tests.faults"
    label = "fault_points"

    def ready(self) -> None:
        # Not before all apps are there: these import models.
        submissions = import_module("leaderboard.actions.submissions")
        around(submissions.Incoming, "keep", before="after_file_before_row")
        waker = import_module("leaderboard.celery").Task
        around(waker, "wake", before="after_commit_before_publish", web=True)
        scoring = import_module("leaderboard.actions.scoring")
        around(scoring, "run", before="after_claim")
        deadly(scoring, "run")
        around(scoring, "finish", before="before_result")
        around(scoring, "place_all", after="after_result_before_commit")

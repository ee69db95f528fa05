"""The names of our variables, and those in the environment that look like one and are none."""

import difflib
import os
from typing import Any

import environ

# Read by others than `env`: gunicorn.conf.py, and what finds the file of variables.
NAMES = {"ENV_FILE", "FORWARDED_ALLOW_IPS", "HOST", "WEB_WORKERS"}
ALIKE = 0.85  # of 1; `DATABASE_URI` and `ALLOWED_HOST` are, `HOSTNAME` is not


class Env(environ.Env):
    """A reader of the environment that remembers which names it was asked for."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        NAMES.add(var)
        return super().get_value(var, *args, **kwargs)


def misspelt() -> list[tuple[str, str]]:
    """Each name that nobody reads and that is near to one; `.env` is in the environment by now."""
    found = []
    for name in sorted(os.environ.keys() - NAMES):
        if near := difflib.get_close_matches(name.upper(), NAMES, n=1, cutoff=ALIKE):
            found.append((name, near[0]))
    return found

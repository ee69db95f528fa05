"""The names of our variables, and those in the environment that look like one and are none."""

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

# Read by others than `env`: gunicorn.conf.py, and what finds the file of variables.
NAMES = {"ENV_FILE", "FORWARDED_ALLOW_IPS", "HOST", "WEB_WORKERS"}
ALIKE = 0.85  # of 1; `DATABASE_URI` and `ALLOWED_HOST` are, `HOSTNAME` is not


@contextmanager
def readable(name: str) -> Iterator[None]:
    """End the process with one line where what the variable holds is not what it may hold.

    The value is not shown: it may be a password.
    """
    try:
        yield
    except (ValueError, LookupError, ImproperlyConfigured):
        raise SystemExit(f"{name} cannot be read as it is set: see docs/operating.md.") from None


class Env(environ.Env):
    """A reader of the environment that remembers which names it was asked for."""

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        NAMES.add(var)
        with readable(var):
            return super().get_value(var, *args, **kwargs)


def misspelt() -> list[tuple[str, str]]:
    """Each name that nobody reads and that is near to one; `.env` is in the environment by now."""
    found = []
    for name in sorted(os.environ.keys() - NAMES):
        if near := difflib.get_close_matches(name.upper(), NAMES, n=1, cutoff=ALIKE):
            found.append((name, near[0]))
    return found

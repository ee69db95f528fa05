"""Refuse to start where variables contradict: some for several machines, some for one.

Later no machine could tell why: another one does not know its cookies, lacks its files, or wakes no
worker. So each process looks before it starts. A variable that is set is believed. Which version a
process runs is said here, too.
"""

import hashlib
import ipaddress
import os
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.checks.security.base import SECRET_KEY_MIN_LENGTH, check_secret_key

from leaderboard import __version__

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("leaderboard", "scoring", "templates")
KINDS = frozenset({".py", ".html", ".js", ".css", ".mo"})


def broken(*rules: tuple[bool, str, str, str]) -> list[CheckMessage]:
    """An error for each rule that does not hold: whether it does, what is wrong, a hint, its id."""
    return [
        Error(text, hint=hint or None, id=name) for holds, text, hint, name in rules if not holds
    ]


def half_set(**kwargs: Any) -> list[CheckMessage]:
    """An error for each variable that is missing, in one line with its hint."""
    database = not _is_here(settings.DATABASES["default"].get("HOST", ""))
    # Several addresses of one broker stand between semicolons.
    brokers = [urlsplit(url) for url in settings.CELERY_BROKER_URL.split(";")]
    broker = not all(one.scheme == "folder" or _is_here(one.hostname or "") for one in brokers)
    elsewhere = "The database" if database else "The broker"
    rules = (
        (
            is_said("SECRET_KEY") or not (database or broker),
            f"{elsewhere} is on another machine, and each machine would make its own SECRET_KEY.",
            "Set SECRET_KEY to one long random text, the same on all machines.",
            "leaderboard.E010",
        ),
        (
            is_said("STORAGE_URL") or not broker,
            "The broker is on another machine, and files would stay in a folder of this one.",
            "Set STORAGE_URL: s3://… or, for a folder that all machines share, file:///its/path.",
            "leaderboard.E011",
        ),
        (
            is_said("CELERY_BROKER_URL") or not database,
            "The database is on another machine, and only workers of this one would be woken.",
            "Set CELERY_BROKER_URL: redis://… or, for one machine alone, folder://localhost.",
            "leaderboard.E012",
        ),
        (
            is_said("DATABASE_URL") or not broker,
            "The broker is on another machine, and the database would be a file of this one.",
            "Set DATABASE_URL: postgres://…",
            "leaderboard.E013",
        ),
        (
            not (settings.DEBUG and settings.HTTPS),
            "DEBUG shows settings and code to everybody, and BASE_URL is https.",
            "Set DEBUG=0.",
            "leaderboard.E014",
        ),
        (
            not check_secret_key(None) or not (settings.HTTPS or database or broker),
            "SECRET_KEY can be guessed, and who has it signs in as anybody.",
            f"Set SECRET_KEY to a random text of {SECRET_KEY_MIN_LENGTH} characters or more, as of:"
            " python3 -c 'import secrets; print(secrets.token_urlsafe(64))'",
            "leaderboard.E015",
        ),
        *(
            (
                "#" not in os.environ.get(name, ""),
                f"What stands behind the # of {name} is not read.",
                "Write %23 for a # of the password.",
                "leaderboard.E017",
            )
            for name in ("CELERY_BROKER_URL", "STORAGE_URL")
        ),
    )
    return broken(*rules)


def lines(found: list[CheckMessage]) -> str:
    """The text of a refused start."""
    return "\n".join(f"{each.msg} {each.hint}" for each in found)


def is_said(name: str) -> bool:
    """Whether the environment or `.env` gives that variable a value."""
    return bool(os.environ.get(name))


def database_name() -> str:
    """The database's kind, name and host for people, without a password."""
    found = settings.DATABASES["default"]
    kind = found["ENGINE"].rpartition(".")[2]
    return " ".join(filter(None, (kind, str(found["NAME"]), found.get("HOST", ""))))


def _is_here(host: str) -> bool:
    """A loopback address, or a socket file."""
    return host in ("", "localhost") or host.startswith("/") or is_loopback(host)


def is_loopback(host: str) -> bool:
    """Whether it is an address of this machine alone; of a name or "" it is not."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@cache
def version() -> str:
    """Such as `0.1.0+7c1b0e65`: the package's version, and a hash of the code as it is at the
    start."""
    digest = hashlib.sha256()
    files = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*"))
    for file in sorted(file for file in files if file.suffix in KINDS):
        digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"

"""Logs: one JSON object a line on stderr, with ids and never a participant's text or a secret."""

import json
import logging
import os
import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from leaderboard import traces

_SECRET = re.compile(r"passw|token|secret|authorization|cookie|api_?key|csrf|session", re.I)


# Tokens of programs, and signed addresses, in whatever somebody asked for.
_ALWAYS = (r"slb_[\w:.-]{20,}",)
# A shorter value would be found inside ordinary words, and protects nothing.
_SHORTEST_SECRET = 6


def without(values: Iterable[str], render: Processor) -> Processor:
    """The last processor: what `render` writes, without the values of keys that name a secret, and
    without any of `values`, wherever they stand.

    A message of another package has no keys that tell.
    """
    known = {value for value in values if len(value) >= _SHORTEST_SECRET}
    known |= {repr(value)[1:-1] for value in known}  # as others show an argument
    known |= {json.dumps(value, ensure_ascii=False)[1:-1] for value in known}
    named = map(re.escape, sorted(known, key=len, reverse=True))
    found = re.compile("|".join([*named, *_ALWAYS]))

    def line(logger: WrappedLogger, method: str, event: EventDict) -> str:
        event = {key: "***" if _SECRET.search(key) else value for key, value in event.items()}
        written = str(render(logger, method, event))
        return found.sub("***", written)

    return line


def turn_over(folder: Path, *, days: int, at: datetime) -> int:
    """Begin the logs of this folder anew, half as often as a line may be old; answers how many.

    What was written until then stays beside it as `.log.1`, until the next time. A process goes on
    writing to the file that it has open, at its new end.
    """
    turned = 0
    for log in folder.glob("*.log"):
        earlier = log.with_suffix(".log.1")
        if not earlier.exists():
            earlier.touch(mode=0o600)  # says since when
        elif at.timestamp() - earlier.stat().st_mtime > days * 86_400 / 2:
            shutil.copy(log, earlier)
            os.truncate(log, 0)
            turned += 1
    return turned


def passwords(*urls: str) -> set[str]:
    """The passwords in these addresses, as they stand there and as they are meant.

    >>> sorted(passwords("redis://:p%40ss@127.0.0.1/0", "sqlite:///file"))
    ['p%40ss', 'p@ss']
    """
    written = {urlsplit(url).password or "" for url in urls} - {""}
    return written | {unquote(each) for each in written}


_shared: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configuration(*, level: str, secrets: Iterable[str] = ()) -> dict[str, Any]:
    """The value of Django's LOGGING: everything as JSON lines on stderr, `secrets` masked."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _shared,
                "pass_foreign_args": True,
                "processors": [
                    traces.without_words,
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    without(secrets, structlog.processors.JSONRenderer(ensure_ascii=False)),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # gunicorn writes its lines by handlers of its own unless it is told otherwise.
            "gunicorn.error": {"handlers": [], "level": level, "propagate": True},
            # Celery gives these a handler and a format of its own where they have none.
            "celery.task": {"handlers": ["stderr"], "level": level, "propagate": False},
            "multiprocessing": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
        },
    }


def configure() -> None:
    """Send structlog's loggers and Python's warnings by the standard library's: one format."""
    logging.captureWarnings(True)
    traces.log_uncaught()
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )

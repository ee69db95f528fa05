"""Logs: one JSON object a line on stderr, with ids and never a participant's text or a secret.

Of an error its class and lines of code, and none of its words: a message of an exception may quote
a participant's text, a reference or a score, and so may what another package writes about one.
"""

import json
import logging
import os
import re
import shutil
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from traceback import walk_tb
from typing import Any
from urllib.parse import unquote, urlsplit

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

ROOT = Path(__file__).resolve().parent.parent
OURS = ("leaderboard", "scoring")
MOST = 5  # of our lines, and of errors behind an error
_HOMES = (ROOT, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")))
_HEAD = "Traceback (most recent call last)"


def origin(error: BaseException, traceback: Any = None) -> dict[str, Any]:
    """For a line of the log: the `error`'s class, `where` (the innermost lines of ours and the one
    that raised it, that one last), and the same of the errors behind it, `because`.

    >>> try:
    ...     int("민수는 비밀")
    ... except ValueError as error:
    ...     origin(error)["error"]
    'ValueError'
    """
    found: dict[str, Any] = _alone(error, traceback)
    behind = [_alone(each) for each in _chain(error)][1:]
    return {**found, "because": behind} if behind else found


def _alone(error: BaseException, traceback: Any = None) -> dict[str, Any]:
    frames = walk_tb(traceback or error.__traceback__)
    lines = [(Path(frame.f_code.co_filename), number) for frame, number in frames]
    ours = [line for line in lines if _is_ours(line[0])][-MOST:]
    raised = [line for line in lines[-1:] if not _is_ours(line[0])]
    where = [f"{_short(file)}:{number}" for file, number in (*ours, *raised)]
    return {"error": type(error).__name__, "where": where}


def _is_ours(file: Path) -> bool:
    return file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in OURS


def _short(file: Path) -> str:
    """Without the folder that all of its kind lie in, of those the nearest."""
    return min((str(file).removeprefix(f"{home}/") for home in _HOMES), key=len)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it came from, and so on."""
    found: BaseException | None = error
    for _ in range(MOST):
        if found is None:
            return
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def _unquoted(message: Any, arguments: Any, error: BaseException | None) -> str:
    """The line that another package logs, with names of classes where it speaks of errors."""
    values = arguments.values() if isinstance(arguments, Mapping) else arguments
    errors = [found for value in (message, *values, error) if (found := _error_in(value))]
    if isinstance(arguments, Mapping):
        arguments = {name: _argument(value) for name, value in arguments.items()}
    else:
        arguments = tuple(_argument(value) for value in arguments or ())
    message = str(_argument(message))
    text: str = message % arguments if arguments else message
    for words, name in sorted(_words(errors), key=lambda pair: -len(pair[0])):
        text = text.replace(words, name)
    return text


def _error_in(value: Any) -> BaseException | None:
    """Celery carries some in an object of its own."""
    held = (value, getattr(value, "exception", None))
    return next((found for found in held if isinstance(found, BaseException)), None)


def _argument(value: Any) -> Any:
    if error := _error_in(value):
        return type(error).__name__
    return "…" if isinstance(value, str) and _HEAD in value else value


def _words(errors: list[BaseException]) -> Iterator[tuple[str, str]]:
    """What each says, itself and in what others make of it."""
    for first in errors:
        for error in _chain(first):
            texts = {str(error), *(each for each in error.args if isinstance(each, str))}
            # Shorter ones stand inside other words.
            for words in {repr(error), *(text for text in texts if len(text) > 3)}:
                yield words, type(error).__name__


def log_uncaught() -> None:
    """What ends a thread, or an object's last breath, becomes a line of the log like all else."""
    log = logging.getLogger(__name__)

    def in_thread(given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None:
            log.error("thread_ended", exc_info=given.exc_value)

    def unraisable(given: Any) -> None:
        if given.exc_value is not None:
            log.error("error_ignored", exc_info=given.exc_value)

    threading.excepthook = in_thread
    sys.unraisablehook = unraisable


_SECRET = re.compile(r"passw|token|secret|authorization|cookie|api_?key|csrf|session", re.I)


# Tokens of programs, and signed addresses, in whatever somebody asked for.
_ALWAYS = (r"slb_[\w:.-]{20,}",)
# A shorter value would be found inside ordinary words, and protects nothing.
_SHORTEST_SECRET = 6


def without(values: Iterable[str]) -> Processor:
    """The last processor: one JSON object, without the values of keys that name a secret, and
    without any of `values`, wherever they stand. A message of another package has no
    keys that tell.

    In place of a traceback stands the `origin` of its error; in the words of another package the
    error's class in place of its message.
    """
    render = structlog.processors.JSONRenderer(ensure_ascii=False)
    known = {value for value in values if len(value) >= _SHORTEST_SECRET}
    known |= {repr(value)[1:-1] for value in known}  # as others show an argument
    known |= {json.dumps(value, ensure_ascii=False)[1:-1] for value in known}
    named = map(re.escape, sorted(known, key=len, reverse=True))
    found = re.compile("|".join([*named, *_ALWAYS]))

    def line(logger: WrappedLogger, method: str, event: EventDict) -> str:
        given = event.pop("exc_info", None)
        if given is True:
            given = sys.exc_info()
        elif isinstance(given, BaseException):
            given = (type(given), given, given.__traceback__)
        error = given[1] if given else None
        arguments, record = event.pop("positional_args", ()), event.pop("_record")
        if not event.pop("_from_structlog"):
            event["event"] = _unquoted(record.msg, arguments, error)
        if error is not None:
            event = {**origin(error, given[2]), **event}
        event = {key: "***" if _SECRET.search(key) else value for key, value in event.items()}
        written = str(render(logger, method, event))
        return found.sub("***", written)

    return line


def turn_over(folder: Path, *, days: int, at: datetime) -> int:
    """Begin the logs of this folder anew, half as often as a line may be old; answers how many.
    What was written until then stays beside it as `.log.1`, until the next time."""
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
                "processors": [without(secrets)],
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
    log_uncaught()
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

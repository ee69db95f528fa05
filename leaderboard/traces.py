"""Where an error came from, for the log: its class and lines of code, and none of its words.

A message of an exception may quote a participant's text, a reference or a score, and so may what
another package writes about one.
"""

import logging
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from traceback import walk_tb
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OURS = ("leaderboard", "scoring")
MOST = 5  # of our lines, and of errors behind an error
_HOMES = (ROOT, *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")))
_HEAD = "Traceback (most recent call last)"


def of(error: BaseException, traceback: Any = None) -> dict[str, Any]:
    """For a line of the log: the `error`'s class, `where` (the innermost lines of ours and the one
    that raised it, that one last), and the same of the errors behind it, `because`.

    >>> try:
    ...     int("민수는 비밀")
    ... except ValueError as error:
    ...     of(error)["error"]
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
    return min((_below(file, home) for home in _HOMES), key=len)


def _below(file: Path, home: Path) -> str:
    return str(file.relative_to(home) if file.is_relative_to(home) else file)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it came from, and so on."""
    found: BaseException | None = error
    for _ in range(MOST):
        if found is None:
            return
        yield found
        found = found.__cause__ or (None if found.__suppress_context__ else found.__context__)


def without_words(logger: Any, method: str, event: Any) -> Any:
    """A processor of structlog: in place of a traceback `of` its error; in the words of another
    package the error's class in place of its message.
    """
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    elif isinstance(given, BaseException):
        given = (type(given), given, given.__traceback__)
    error = given[1] if given else None
    arguments = event.pop("positional_args", ())
    if not event.get("_from_structlog"):
        event["event"] = _unquoted(event["_record"].msg, arguments, error)
    if error is None:
        return event
    return {**of(error, given[2]), **event}


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
    """What ends a thread, or an object's last breath, becomes a line of the log like all else.

    An error that ends a command is told to who started it, in Python's own way.
    """
    log = logging.getLogger(__name__)

    def in_thread(given: threading.ExceptHookArgs) -> None:
        if given.exc_value is not None:
            log.error("thread_ended", exc_info=given.exc_value)

    def unraisable(given: Any) -> None:
        if given.exc_value is not None:
            log.error("error_ignored", exc_info=given.exc_value)

    threading.excepthook = in_thread
    sys.unraisablehook = unraisable

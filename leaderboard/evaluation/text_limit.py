"""A text that takes its analyzer too long ends the worker's child; first it is written down whose.

A call into an analyzer cannot be interrupted, so the process goes and Celery's parent starts
another. Other processes than a worker's child cut texts too; nothing is counted there.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.db import connections

from leaderboard import logs
from leaderboard.evaluation.models import Evaluation
from scoring.tokenizers.time_limit import TimeLimit

logger = structlog.get_logger(__name__)

CODE = Evaluation.TEXT_TIME_LIMIT
_told: list[Callable[[], object]] = []


@contextmanager
def telling(what: Callable[[], object]) -> Iterator[None]:
    """What is to be written down when a text that is cut meanwhile takes too long.

    Of blocks inside one another the innermost alone: where the references take too long while a
    file waits for them, that is not the file's failure.
    """
    _told.append(what)
    try:
        yield
    finally:
        _told.remove(what)


def _over(text: str) -> None:
    """The log gets no text. The process ends whatever becomes of what is written down."""
    try:
        logger.error(CODE, characters=len(text), seconds=settings.SCORING_TEXT_SECONDS)
        try:
            if _told:
                _told[-1]()
        except Exception as error:
            logger.error("text_time_limit_not_told", **logs.origin(error))
        connections.close_all()
    finally:
        os._exit(1)


limit = TimeLimit(settings.SCORING_TEXT_SECONDS, _over)
"""Of this process; a worker's child starts it."""

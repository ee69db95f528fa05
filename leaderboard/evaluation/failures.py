"""What making something of a scoring version raised: kept as that version's, and no other waits.

It is tried again after five minutes, since memory, threads or files may have been short, and after
an hour where a text took too long. Files of a version whose references fail wait until then. The
organizer and the operator see what is kept.

A text that takes its analyzer too long ends the worker's child, for no call into an analyzer can be
interrupted; Celery's parent starts another. First it is written down whose text it was. Other
processes than a worker's child cut texts too; nothing is counted there.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard import logs
from leaderboard.competitions.storage import StoreAway
from leaderboard.evaluation.claim import LeaseLost
from leaderboard.evaluation.models import Evaluation, KeptFailure
from leaderboard.references.models import ScoringVersion
from scoring.tokenizers.time_limit import TimeLimit

logger = structlog.get_logger(__name__)

Work = KeptFailure.Work
AGAIN = timedelta(minutes=5)
SLOW_AGAIN = timedelta(hours=1)  # each try takes a worker for as long as a text may take
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
        logger.error(
            Evaluation.TEXT_TIME_LIMIT, characters=len(text), seconds=settings.SCORING_TEXT_SECONDS
        )
        try:
            if _told:
                _told[-1]()
        except Exception as error:
            logger.error("text_time_limit_not_told", **logs.origin(error))
        connections.close_all()
    finally:
        os._exit(1)


text_limit = TimeLimit(settings.SCORING_TEXT_SECONDS, _over)
"""Of this process; a worker's child starts it."""


class VersionFailed(Exception):
    """Something of a version could not be made, and why is kept."""


@contextmanager
def keeping(version: ScoringVersion, work: Work) -> Iterator[None]:
    """Raises VersionFailed for whatever the block raises, once that is kept.

    A database or a store that is away and a lease that was lost are nobody's failure and raise as
    they are.
    """
    try:
        late = Evaluation.TEXT_TIME_LIMIT
        with telling(lambda: _keep(version, work, late, SLOW_AGAIN)):
            yield
    except (DatabaseError, StoreAway, LeaseLost, VersionFailed):
        raise
    except Exception as error:
        code = type(error).__name__[: KeptFailure.CODE_LENGTH]
        version_id = str(version.pk)
        logger.error("version_failed", work=work.value, version=version_id, **logs.origin(error))
        _keep(version, work, code, AGAIN)
        raise VersionFailed(code) from error


def _keep(version: ScoringVersion, work: Work, code: str, again: timedelta) -> None:
    try:
        with transaction.atomic():
            KeptFailure.objects.update_or_create(
                scoring_version_id=version.pk,
                work=work,
                defaults={"code": code, "at": Now(), "again_at": Now() + again},
            )
    except IntegrityError:  # the version was deleted meanwhile
        logger.warning("version_gone", version=str(version.pk))


def workable(work: Work) -> QuerySet[ScoringVersion]:
    """The versions of which this work may be tried now: neither it nor their references failed."""
    failing = KeptFailure.objects.filter(work__in=(Work.GOLDS, work), again_at__gt=Now())
    return ScoringVersion.objects.exclude(pk__in=failing.values("scoring_version"))


def kept_failures(versions: Iterable[ScoringVersion] | None = None) -> QuerySet[KeptFailure]:
    """What waits to be tried again, of these versions or of all that are not retired."""
    found = KeptFailure.objects.filter(again_at__gt=Now()).order_by("work")
    if versions is not None:
        return found.filter(scoring_version__in=[version.pk for version in versions])
    return found.exclude(scoring_version__state=ScoringVersion.State.RETIRED)


def by_code() -> dict[str, int]:
    """How many there are of each `work:code`."""
    return dict(Counter(f"{one.work}:{one.code}" for one in kept_failures()))

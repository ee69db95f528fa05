"""Scoring one claim: references prepared once a process, tokens kept once a submission.

Cutting is most of the work of a scoring, and the same for every version with that tokenizer: a
rehearsal of corrected references is several times faster with the tokens kept, with a Java
analyzer a hundred times. They are kept under the tokenizer's signature, so
another engine or dictionary never reads them.

What making something of a scoring version raised is kept as that version's, and no other waits. It
is tried again after five minutes, since memory, threads or files may have been short, and after an
hour where a text took too long. Files of a version whose references fail wait until then. The
organizer and the operator see what is kept.

A text that takes its analyzer too long ends the worker's child, for no call into an analyzer can be
interrupted; Celery's parent starts another. First it is written down whose text it was. Other
processes than a worker's child cut texts too; nothing is counted there.
"""

import json
import os
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard import logs
from leaderboard.competitions.storage import StoreAway
from leaderboard.evaluation.claim import LeaseLost, heartbeat
from leaderboard.evaluation.models import Evaluation, KeptFailure
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import stored_references
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.pipeline import PreparedReferences, Progress, Report, prepare, score
from scoring.profile import Profile
from scoring.tokenizers import TimeLimit, Tokenizer

logger = structlog.get_logger(__name__)

PROGRESS_SECONDS = 0.5  # at most two writes a second for the progress bar
FILE_TEXTS = 4  # a file may take an analyzer as long as so many texts at their limit
QUICK = ("chars", "whitespace")  # tokenizers that cut sooner than a kept row is read

Tokens = tuple[str, ...]


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


class IdsChanged(Exception):
    """The submission was made for other ids: it lacks predictions for rows of these references.

    Nobody's fault and nothing to try again; happens only under a version uploaded later.
    """


def run(claim: Evaluation) -> Report:
    """Score the claimed submission. Raises LeaseLost, IdsChanged, VersionFailed, or what scoring
    raises."""
    every = min(PROGRESS_SECONDS, settings.SCORING_HEARTBEAT_SECONDS)
    last = time.monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        """Renew the lease, not more often than needed."""
        nonlocal last
        if (now := time.monotonic()) - last >= every:
            last = now
            heartbeat(claim, stage=stage, rows_done=done, rows_total=total)

    version, profile = claim.scoring_version, claim.scoring_version.profile()
    is_known = (version.reference_set_id, profile) in _cache
    # Where they fail, the contest's other files need not try.
    with nullcontext() if is_known else keeping(version, Work.GOLDS):
        prepared = prepared_references(version.reference_set_id, profile, progress)
    given = texts(claim.submission_id)
    ids = prepared.references.ids
    if not given.keys() >= set(ids):
        raise IdsChanged
    predictions = {example_id: given[example_id] for example_id in ids}
    known = kept_tokens(claim.submission_id, prepared.tokenizer, given)
    before = len(known)
    with text_limit.of_all(FILE_TEXTS * settings.SCORING_TEXT_SECONDS):
        report = score(predictions, prepared, progress, known)
    if len(known) > before:
        keep_tokens(claim.submission_id, prepared.tokenizer, given, known)
    return report


def prepared_references(
    reference_set_id: UUID, profile: Profile, progress: Progress | None = None
) -> PreparedReferences:
    """References cut and indexed, once for each set and profile in this process."""
    key = reference_set_id, profile
    found = _cache.pop(key, None)  # another thread may do the same now
    if found is None:
        tokenizer = text_limit.timed(profile.analyzer())
        found = prepare(stored_references(reference_set_id), profile, progress, tokenizer)
        while len(_cache) >= CACHED_SETS:
            _cache.pop(next(iter(_cache)))
    _cache[key] = found  # the newest use stands last
    return found


CACHED_SETS = 8
_cache: dict[tuple[UUID, Profile], PreparedReferences] = {}


def warm() -> int:
    """Prepare the live versions' references that this process can score; answers how many."""
    live = workable(Work.GOLDS).filter(state=ScoringVersion.State.LIVE).order_by("-made_live_at")
    ready = 0
    for version in live[:CACHED_SETS]:
        if is_cheap(version.profile()):
            with suppress(VersionFailed), keeping(version, Work.GOLDS):
                prepared_references(version.reference_set_id, version.profile())
                ready += 1
    return ready


def is_cheap(profile: Profile) -> bool:
    """Whether any process may cut with it at any time.

    A Java analyzer needs seconds and hundreds of megabytes: in a worker, when its turn comes.
    """
    return profile.tokenizer in ("mecab-ko", "chars", "whitespace")


def kept_tokens(
    submission_id: UUID, tokenizer: Tokenizer, given: Mapping[str, str]
) -> dict[str, Tokens]:
    """The tokens of each text that this tokenizer has cut before; empty if none were kept."""
    name = f"{submission_id}.{tokenizer.digest}"
    if not storages["tokens"].exists(name):
        return {}
    with storages["tokens"].open(name) as kept:
        rows = json.loads(zlib.decompress(kept.read()))
    return {
        text: tuple(row)
        for (_, text), row in zip(sorted(given.items()), rows, strict=True)
        if row is not None and not any(isinstance(each, int) for each in row[:1])  # earlier ones
    }


def keep_tokens(
    submission_id: UUID, tokenizer: Tokenizer, given: Mapping[str, str], known: Mapping[str, Tokens]
) -> None:
    """Store the tokens, if the store will: None for a row that was not cut. Safe to run twice."""
    if tokenizer.name in QUICK:
        return
    name = f"{submission_id}.{tokenizer.digest}"
    rows = [known.get(text) for _, text in sorted(given.items())]
    blob = zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode())
    try:
        storages["tokens"].save(name, ContentFile(blob))
        if not Submission.objects.filter(pk=submission_id).exists():  # deleted meanwhile
            storages["tokens"].delete(name)
    except OSError as error:  # they are cut again the next time
        logger.warning("tokens_not_kept", **logs.origin(error))

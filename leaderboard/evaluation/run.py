"""Scoring one claim: references prepared once a process, tokens kept once a submission.

Cutting is most of the work of a scoring, and the same for every version with that tokenizer: a
rehearsal of corrected references is several times faster with the tokens kept, with a Java
analyzer a hundred times. They are kept under the tokenizer's signature, so
another engine or dictionary never reads them.
"""

import hashlib
import json
import time
import zlib
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from uuid import UUID

import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from leaderboard import logs
from leaderboard.evaluation.claim import heartbeat
from leaderboard.evaluation.failures import VersionFailed, Work, keeping, text_limit, workable
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import stored_references
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts
from scoring.pipeline import PreparedReferences, Progress, Report, prepare, score
from scoring.profile import Profile
from scoring.tokenizers import Tokenizer

logger = structlog.get_logger(__name__)

PROGRESS_SECONDS = 0.5  # at most two writes a second for the progress bar
FILE_TEXTS = 4  # a file may take an analyzer as long as so many texts at their limit
QUICK = ("chars", "whitespace")  # tokenizers that cut sooner than a kept row is read

Tokens = tuple[str, ...]


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
    name = _name(submission_id, tokenizer)
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
    rows = [known.get(text) for _, text in sorted(given.items())]
    blob = zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode())
    try:
        storages["tokens"].save(_name(submission_id, tokenizer), ContentFile(blob))
        if not Submission.objects.filter(pk=submission_id).exists():  # deleted meanwhile
            storages["tokens"].delete(_name(submission_id, tokenizer))
    except OSError as error:  # they are cut again the next time
        logger.warning("tokens_not_kept", **logs.origin(error))


def _name(submission_id: UUID, tokenizer: Tokenizer) -> str:
    return f"{submission_id}.{hashlib.sha256(tokenizer.signature.encode()).hexdigest()[:16]}"

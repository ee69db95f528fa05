"""Running the workshop on one claim."""

import functools
import time
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from django.conf import settings

from leaderboard.evaluation import token_cache
from leaderboard.evaluation.claim import Claim, heartbeat
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import workshop_references
from leaderboard.submissions.queries import texts
from scoring.pipeline import PreparedReferences, Report, prepare, score
from scoring.profile import Profile

PROGRESS_SECONDS = 0.5  # at most two writes a second for the progress bar


class Pulse:
    """Turns the workshop's progress into heartbeats, not more often than needed."""

    def __init__(self, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._claim = claim
        self._clock = clock
        self._every = min(PROGRESS_SECONDS, settings.SCORING_HEARTBEAT_SECONDS)
        self._last = clock()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Raises LeaseLost when somebody else owns the evaluation by now."""
        now = self._clock()
        if now - self._last < self._every:
            return
        self._last = now
        heartbeat(self._claim, stage=stage, done=done, total=total)


class IdsChanged(Exception):
    """The submission was made for other ids: it has no prediction for some rows of these golds.

    Nobody's fault and nothing to try again; happens only under a version uploaded later.
    """


def run(claim: Claim) -> Report:
    """Score the claimed submission. Raises LeaseLost, IdsChanged, or what the workshop raises.

    Predictions for ids that the golds no longer have count for nothing.
    """
    version = ScoringVersion.objects.get(pk=claim.scoring_version_id)
    pulse = Pulse(claim)
    prepared = prepared_references(version.reference_set_id, version.profile(), pulse)
    given = texts(claim.submission_id)
    ids = prepared.references.ids
    if not given.keys() >= set(ids):
        raise IdsChanged
    predictions = {example_id: given[example_id] for example_id in ids}
    known = token_cache.load(claim.submission_id, prepared.tokenizer, given)
    before = len(known)
    remembering = replace(prepared, tokenizer=token_cache.remembering(prepared.tokenizer, known))
    report = score(predictions, remembering, progress=pulse)
    if len(known) > before:
        token_cache.keep(claim.submission_id, prepared.tokenizer, given, known)
    return report


Progress = Callable[[str, int, int], None]


def prepared_references(
    reference_set_id: UUID, profile: Profile, progress: Progress | None = None
) -> PreparedReferences:
    """Golds cut and indexed, once for each set and profile in this process."""
    found = _cache.get((reference_set_id, profile))
    if found is None:
        found = prepare(workshop_references(reference_set_id), profile, progress=progress)
        while len(_cache) >= CACHED_SETS:
            _cache.pop(next(iter(_cache)))
    else:
        _cache.pop((reference_set_id, profile), None)  # another thread may do the same now
    _cache[(reference_set_id, profile)] = found  # the newest use stands last
    return found


CACHED_SETS = 8
_cache: dict[tuple[UUID, Profile], PreparedReferences] = {}


def warm() -> int:
    """Prepare the live versions' golds that this process can score; answers how many."""
    live = ScoringVersion.objects.filter(state=ScoringVersion.State.LIVE).order_by("-made_live_at")
    ready = 0
    for version in live[:CACHED_SETS]:
        if is_cheap(version.profile()):
            prepared_references(version.reference_set_id, version.profile())
            ready += 1
    return ready


@functools.cache
def is_cheap(profile: Profile) -> bool:
    """Whether any process may cut with it at any time.

    A Java analyzer needs seconds and hundreds of megabytes: in a worker, when its turn comes.
    """
    return profile.tokenizer in ("mecab-ko", "chars", "whitespace")

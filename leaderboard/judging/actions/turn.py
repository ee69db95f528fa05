"""One turn of the judge's worker: claim, ask for a while, save how far it came."""

import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from leaderboard import logs
from leaderboard.competitions.locking import lock
from leaderboard.competitions.schedule import day
from leaderboard.judging import judge, signs
from leaderboard.judging.actions.running import switch_on_when_made
from leaderboard.judging.asking import budget, circuit, claim
from leaderboard.judging.asking.chunk import TIME, Chunk
from leaderboard.judging.asking.circuit import Way
from leaderboard.judging.asking.claim import Claimed, JudgingLost, next_claim, release
from leaderboard.judging.asking.replies import Connect, Misconfigured, Transient
from leaderboard.judging.building import BuildWork
from leaderboard.judging.judge import JudgingWork
from leaderboard.judging.models import Build, Judging, Repeat
from leaderboard.judging.repeating import RepeatWork, report

logger = structlog.get_logger(__name__)

Work = JudgingWork | BuildWork | RepeatWork
_WORK: dict[type[Judging] | type[Build] | type[Repeat], Callable[[Claimed], Work]] = {
    Judging: JudgingWork,
    Build: BuildWork,
    Repeat: RepeatWork,
}


def judge_next(*, now: Callable[[], datetime], connect: Connect) -> UUID | None:
    """Work for a while on what comes first; its id, None when nothing can be done now.

    Never raises for what a server or a submission says.
    """
    taken = next_claim()
    if taken is None:
        return None
    budget.leave_unsettled()
    try:
        _work(taken, now, connect)
    except JudgingLost:
        logger.warning("judge_lease_lost", id=str(taken.pk), attempt=taken.attempt)
    except Exception as error:
        # The message may quote a participant's text, so the log gets type, lines and ids alone.
        logger.error("judging_failed", id=str(taken.pk), **logs.origin(error))
        _give_back(taken, paused=claim.SERVER, after=settings.JUDGE_REQUEUE_SECONDS)
    except BaseException:
        _give_back(taken)  # a clean shutdown: whoever comes next need not wait for the lease
        raise
    return taken.pk


def _give_back(taken: Claimed, *, paused: str = "", after: float | None = None) -> None:
    with contextlib.suppress(JudgingLost):
        release(taken, paused=paused, after=after)


def _work(taken: Claimed, now: Callable[[], datetime], connect: Connect) -> None:
    work = _WORK[taken.table](taken)
    way = circuit.way(work.config.pk)
    if way is Way.OPEN:
        release(taken, paused=claim.CIRCUIT)
        return
    try:
        client = connect(settings.JUDGE_ENDPOINTS[work.config.endpoint])
    except Misconfigured as failure:
        circuit.block(work.config.pk, reason=failure.code)
        release(taken, paused=claim.CONFIGURATION)
        return
    except Transient:
        circuit.failed(work.config.pk)
        release(taken, paused=claim.SERVER, after=settings.JUDGE_REQUEUE_SECONDS)
        return
    chunk = Chunk(work, client, now=now)
    try:
        chunk.run(way)
    finally:
        client.close()
    paused, after = _pause(chunk, work, now())
    if isinstance(work, JudgingWork):
        _finish_judging(work, paused, after, now())
    elif isinstance(work, RepeatWork) and work.is_done:
        # Every row was asked as often as it should be.
        numbers = report(work.said, list(work.claims))
        release(taken, state=Repeat.State.COMPLETE, finished_at=now(), numbers=numbers)
    else:
        release(taken, paused=paused, after=after)
        if isinstance(work, BuildWork):
            switch_on_when_made(work.config.pk, now())


def _pause(chunk: Chunk, work: Work, at: datetime) -> tuple[str, float | None]:
    if chunk.stopped == claim.BUDGET:
        exhausted = chunk.payments.exhausted
        if exhausted is None or not exhausted.ends_with_the_day:
            return claim.BUDGET, None
        midnight = day(work.config.competition, at).ends_at
        return claim.BUDGET, (midnight - at) / timedelta(seconds=1)
    if chunk.stopped and chunk.stopped != TIME:
        return chunk.stopped, None
    if chunk.payments.unanswered and not chunk.stopped:
        return claim.SERVER, settings.JUDGE_REQUEUE_SECONDS
    return "", None


def _finish_judging(work: JudgingWork, paused: str, after: float | None, at: datetime) -> None:
    judging, ids = work.judging, work.texts
    computed, answered = judge.column_values(judging), signs.answerers_of(judging)
    shares = {each: len(text) / max(1, len(work.dialogues[each])) for each, text in ids.items()}
    changes: dict[str, Any] = {
        "rows": len(ids),
        "flags": [
            *signs.submission_flags(list(ids.values()), shares),
            *signs.outlier_flags(judging, computed),
        ],
    }
    with transaction.atomic():
        changes["rows_done"] = work.done()
        if changes["rows_done"] == len(ids):
            changes |= {"state": Judging.State.COMPLETE, "finished_at": at}
            paused, after = "", None
        release(work.claim, paused=paused, after=after, **changes)
        judge.replace_values(judging, computed)
        strangers = signs.replace_answerers(judging, answered)
    for one in strangers:
        # An alert and no more: whether such values still belong in one column, people decide.
        logger.warning(
            "judge_answers_changed",
            config=str(judging.config_id),
            judging=str(judging.pk),
            model=one.model,
            fingerprint=one.fingerprint,
        )
    for other in Judging.objects.filter(pk__in=work.affected).exclude(pk=judging.pk):
        recomputed = judge.column_values(other)
        with transaction.atomic():
            lock(Judging.objects.filter(pk=other.pk))  # its own worker may be replacing them
            judge.replace_values(other, recomputed)

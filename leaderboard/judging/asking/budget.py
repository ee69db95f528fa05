"""The budget: each attempt to call is paid for before it is made, and settled afterwards.

Conditional updates raise the counters, so no number of workers can go past a cap. Calls are never
given back; money is corrected to what the server counted.
"""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard import logs
from leaderboard.competitions.locking import lock
from leaderboard.competitions.schedule import day
from leaderboard.judging.asking import circuit, claim
from leaderboard.judging.asking.circuit import Way
from leaderboard.judging.asking.replies import (
    JudgeReply,
    Misconfigured,
    NoAnswer,
    QuotaSpent,
    Transient,
    UnusableAnswer,
    Usage,
)
from leaderboard.judging.asking.walk import Ask, check, keep_call, next_ask
from leaderboard.judging.models import Budget, JudgeConfig, Judging, Repeat, Reservation
from leaderboard.teams.queries import parts, whole
from scoring.judges.parsing import Malformed
from scoring.judges.records import Status

State = Reservation.State
ALL = "all"


class Exhausted(Exception):
    """A cap is reached; `scope` says which, as in `Budget.scope`."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__(scope)

    @property
    def ends_with_the_day(self) -> bool:
        return self.scope.startswith("team:")


@dataclass(frozen=True)
class Cap:
    """How much one scope may hold, together with those `beside` it; `micros` 0: money is not
    limited."""

    scope: str
    calls: int
    micros: int
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Payer:
    """Who pays for a call; the contest alone pays for making items and for repeats."""

    config: JudgeConfig
    owner: UUID
    judging: Judging | None = None
    team_id: UUID | None = None
    repeat: Repeat | None = None

    def caps(self, day: date) -> tuple[Cap, ...]:
        scopes, beside = {"in_all": ALL}, {}
        if self.judging is not None:
            scopes["per_submission"] = f"judging:{self.judging.pk}"
        if self.team_id is not None:
            scopes["per_team_day"] = of_team(self.team_id, day)
            # What other parts of a merged team paid today is the one team's.
            others = parts(whole(self.team_id)) - {self.team_id}
            beside["per_team_day"] = tuple(of_team(team, day) for team in sorted(others))
        limit = partial(getattr, self.config)
        return tuple(
            Cap(scope, limit(f"calls_{name}"), limit(f"micros_{name}"), beside.get(name, ()))
            for name, scope in scopes.items()
        )


def of_team(team_id: UUID, day: date) -> str:
    return f"team:{team_id}:{day.isoformat()}"


def price(config: JudgeConfig, *, input_tokens: int, output_tokens: int) -> int:
    whole = input_tokens * config.price_input + output_tokens * config.price_output
    return -(-whole // 1_000_000)


def hold(config: JudgeConfig) -> None:
    """Lock the counter of all calls: budgets, answers and circuit have one writer at a time."""
    of_all = Budget.objects.filter(config=config, scope=ALL)
    if not lock(of_all):
        Budget.objects.get_or_create(config=config, scope=ALL)
        lock(of_all)


def reserve(
    *, payer: Payer, day: date, attempts: Sequence[Reservation], at: datetime
) -> list[Reservation]:
    """Pay the estimates of unsaved attempts. Raises Exhausted, and then nothing was spent."""
    with transaction.atomic():
        hold(payer.config)
        for cap in payer.caps(day):
            _raise(payer.config, cap, attempts)
        for one in attempts:
            one.config, one.judging, one.repeat = payer.config, payer.judging, payer.repeat
            one.team_id, one.owner, one.micros = payer.team_id, payer.owner, one.estimate
            one.day, one.made_at = day, at
        return Reservation.objects.bulk_create(attempts, batch_size=500)


def _raise(config: JudgeConfig, cap: Cap, attempts: Sequence[Reservation]) -> None:
    calls, micros = len(attempts), sum(attempt.estimate for attempt in attempts)
    beside = Budget.objects.filter(config=config, scope__in=cap.beside)
    used = beside.values_list("calls", "micros") if cap.beside else ()
    room = Q(calls__lte=cap.calls - calls - sum(one[0] for one in used))
    if cap.micros:
        room &= Q(micros__lte=cap.micros - micros - sum(one[1] for one in used))
    rows = Budget.objects.filter(config=config, scope=cap.scope)
    raised = {"calls": F("calls") + calls, "micros": F("micros") + micros}
    if rows.filter(room).update(**raised) == 1:
        return
    Budget.objects.get_or_create(config=config, scope=cap.scope)  # perhaps it was the first call
    if rows.filter(room).update(**raised) != 1:
        raise Exhausted(cap.scope)


def settle(
    reservation: Reservation,
    *,
    payer: Payer,
    state: str,
    outcome: str = "",
    usage: Usage | None = None,
    is_free: bool = False,
    at: datetime,
) -> None:
    """Note how an attempt ended and what it cost; without `usage` the estimate stays."""
    micros = reservation.estimate
    if is_free:
        micros = 0
    elif usage is not None:
        micros = price(
            payer.config, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens
        )
    with transaction.atomic():
        hold(payer.config)  # as paying does: many rows are updated in whatever order they lie
        hit = Reservation.objects.filter(
            pk=reservation.pk, state__in=(State.OPEN, State.UNSETTLED)
        ).update(
            state=state,
            outcome=outcome[:40],
            micros=micros,
            input_tokens=usage.input_tokens if usage else 0,
            output_tokens=usage.output_tokens if usage else 0,
            settled_at=at,
        )
        if hit == 1 and micros != reservation.estimate:
            scopes = [cap.scope for cap in payer.caps(reservation.day)]
            rows = Budget.objects.filter(config=payer.config, scope__in=scopes)
            rows.update(micros=F("micros") + (micros - reservation.estimate))


def leave_unsettled() -> int:
    """Mark the calls of lost workers, whose end nobody knows; how many. Safe to run twice."""
    held = Q(judging__owner=F("owner"), judging__lease_until__gte=Now())
    built = Q(judging=None, config__build__owner=F("owner"), config__build__lease_until__gte=Now())
    repeated = Q(repeat__owner=F("owner"), repeat__lease_until__gte=Now())
    lost = Reservation.objects.filter(state=State.OPEN)
    lost = lost.exclude(held).exclude(built).exclude(repeated)
    with transaction.atomic():
        # What somebody holds is just being settled, or listed.
        ids = [row.pk for row in lock(lost.only("pk"), pass_over_locked=True)]
        return Reservation.objects.filter(pk__in=ids).update(state=State.UNSETTLED)


logger = structlog.get_logger(__name__)


# Where a config sets no limit: tokens that an answer is thought to take at most.
OUTPUT_TOKENS = 2000


class Payments:
    """Inside the caller's transaction. `stopped` tells why nothing more may go out, if so."""

    def __init__(self, payer: Payer, *, now: Callable[[], datetime]) -> None:
        self._payer, self._config, self._now = payer, payer.config, now
        self.stopped = ""  # a pause of `claim`
        self.exhausted: Exhausted | None = None
        self.unanswered = 0  # calls that every attempt failed
        self.server_spoke = False
        self._counted_as_well = False

    def pay(self, asks: Sequence[Ask]) -> list[Ask]:
        """Reserve an attempt for each; those that may go out. Fewer: a cap is reached."""
        at = self._now()
        today, attempts = day(self._config.competition, at).date, list(map(self._attempt, asks))
        try:
            reservations = reserve(payer=self._payer, day=today, attempts=attempts, at=at)
        except Exhausted as exhausted:
            if len(asks) > 1:  # some of them may still have room
                return [paid for ask in asks for paid in self.pay([ask])]
            self.stopped, self.exhausted = claim.BUDGET, exhausted
            return []
        for ask, reservation in zip(asks, reservations, strict=True):
            ask.reservation = reservation
            ask.began = ask.began or time.monotonic()
            ask.attempts += 1
        return list(asks)

    def _attempt(self, ask: Ask) -> Reservation:
        # A letter of Hangul is about a token, one of Latin less.
        letters = sum(len(message["content"]) for message in ask.messages)
        answer = ask.max_tokens or self._config.sampling.get("max_tokens") or OUTPUT_TOKENS
        estimate = price(self._config, input_tokens=letters, output_tokens=answer)
        return Reservation(
            call_key=ask.key, example_id=ask.walk.example_id, call=ask.call.id, estimate=estimate
        )

    def settle(self, ask: Ask, future: "Future[JudgeReply]") -> Ask | None:
        """Note how the attempt ended; answers what is to be asked again, if anything."""
        try:
            reply = future.result()
            check(ask.walk.pipeline, ask.call, ask.walk.values, reply.answer)
        except Malformed as malformed:
            return self._unusable(ask, UnusableAnswer(malformed.code, usage=reply.usage))
        except UnusableAnswer as unusable:
            return self._unusable(ask, unusable)
        except (Misconfigured, QuotaSpent) as failure:
            self._hopeless(ask, failure)
            return None
        except Transient as failure:
            return self._transient(ask, failure)
        except Exception as error:  # a client's own mistake must not cost the others their answers
            logger.error("judge_client_failed", **logs.origin(error))
            return self._transient(ask, Transient(type(error).__name__))
        stored, is_ours = keep_call(
            ask.key, reply, competition_id=self._config.competition_id, at=self._now()
        )
        state, outcome = (State.ANSWERED, "") if is_ours else (State.REFUSED, "already_stored")
        self._close(ask, state, outcome, reply)
        self._spoke()
        ask.walk.answered(ask.call, stored)
        return None

    def _unusable(self, ask: Ask, failure: UnusableAnswer) -> Ask | None:
        self._close(ask, State.REFUSED, failure.code, failure)
        self._spoke()
        again = next_ask(self._config, ask, was_cut=failure.code == UnusableAnswer.CUT)
        if again is None:
            ask.walk.stop(ask.call, Status.CONTENT_FAILED, failure.code)
        return again

    def _hopeless(self, ask: Ask, failure: Misconfigured | QuotaSpent) -> None:
        self._close(ask, State.FAILED, failure.code, failure)
        is_quota = isinstance(failure, QuotaSpent)
        circuit.block(self._config.pk, reason=claim.QUOTA if is_quota else failure.code)
        self.stopped = claim.QUOTA if is_quota else claim.CONFIGURATION

    def _transient(self, ask: Ask, failure: Transient) -> Ask | None:
        self._close(ask, State.FAILED, failure.code, failure)
        self._counted_as_well = False
        if circuit.failed(self._config.pk) is Way.OPEN:
            self.stopped = self.stopped or claim.CIRCUIT
            return None
        now = time.monotonic()
        longest = min(
            settings.JUDGE_LONGEST_BACKOFF_SECONDS,
            settings.JUDGE_BACKOFF_SECONDS * 2 ** (ask.attempts - 1),
        )
        # Full jitter, so that callers who failed together do not come back together.
        pause = max(failure.retry_after or 0.0, random.uniform(0, longest))  # noqa: S311
        is_late = now + pause - ask.began > settings.JUDGE_CALL_SECONDS
        if ask.attempts >= settings.JUDGE_ATTEMPTS or is_late:
            self.unanswered += 1
            ask.walk.stop(ask.call, Status.INFRA_ERROR, failure.code)
            return None
        ask.due = now + pause
        return ask

    def _spoke(self) -> None:
        if not self._counted_as_well:  # once until the next failure says as much as each time
            circuit.succeeded(self._config.pk)
        self._counted_as_well = self.server_spoke = True

    def _close(self, ask: Ask, state: str, outcome: str, ended: JudgeReply | NoAnswer) -> None:
        assert ask.reservation is not None
        settle(
            ask.reservation,
            payer=self._payer,
            state=state,
            outcome=outcome,
            usage=ended.usage,
            is_free=isinstance(ended, NoAnswer) and ended.is_free,
            at=self._now(),
        )

"""Paying for a call before it goes out, and deciding what becomes of it when it comes back."""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime

import structlog
from django.conf import settings

from leaderboard.competitions.schedule import day
from leaderboard.judging.asking import budget, circuit, claim
from leaderboard.judging.asking.budget import Attempt, Exhausted, Payer
from leaderboard.judging.asking.circuit import Way
from leaderboard.judging.asking.replies import (
    JudgeReply,
    Misconfigured,
    QuotaSpent,
    Transient,
    UnusableAnswer,
    Usage,
)
from leaderboard.judging.asking.walk import Ask, check, keep_call, next_ask
from leaderboard.judging.models import Reservation
from scoring.judges.parsing import Malformed
from scoring.judges.records import Status

logger = structlog.get_logger(__name__)

State = Reservation.State
# Where a config sets no limit: tokens that an answer is thought to take at most.
OUTPUT_TOKENS = 2000


class Payments:
    """Inside the caller's transaction. `stopped` tells why nothing more may go out, if so."""

    def __init__(self, payer: Payer, *, now: Callable[[], datetime]) -> None:
        self._payer, self._config, self._now = payer, payer.config, now
        self.stopped = ""  # one of claim.PAUSES
        self.exhausted: Exhausted | None = None
        self.unanswered = 0  # calls that every attempt failed
        self.server_spoke = False
        self._counted_as_well = False

    def pay(self, asks: Sequence[Ask]) -> list[Ask]:
        """Reserve an attempt for each; those that may go out. Fewer: a cap is reached."""
        try:
            self._reserve(asks)
        except Exhausted as exhausted:
            if len(asks) > 1:  # some of them may still have room
                return [paid for ask in asks for paid in self.pay([ask])]
            self.stopped, self.exhausted = claim.BUDGET, exhausted
            return []
        return list(asks)

    def _reserve(self, asks: Sequence[Ask]) -> None:
        at = self._now()
        reservations = budget.reserve(
            payer=self._payer,
            day=day(self._config.competition, at).date,
            attempts=[self._attempt(ask) for ask in asks],
            at=at,
        )
        for ask, reservation in zip(asks, reservations, strict=True):
            ask.reservation = reservation
            ask.began = ask.began or time.monotonic()
            ask.attempts += 1

    def _attempt(self, ask: Ask) -> Attempt:
        # A letter of Hangul is about a token, one of Latin less.
        letters = sum(len(message["content"]) for message in ask.messages)
        answer = ask.max_tokens or self._config.sampling.get("max_tokens") or OUTPUT_TOKENS
        estimate = budget.price(self._config, input_tokens=letters, output_tokens=answer)
        return Attempt(ask.key, ask.walk.example_id, ask.call.id, estimate)

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
            logger.error("judge_client_failed", error=type(error).__name__)
            return self._transient(ask, Transient(type(error).__name__))
        stored, is_ours = keep_call(
            ask.key, reply, competition_id=self._config.competition_id, at=self._now()
        )
        state, outcome = (State.ANSWERED, "") if is_ours else (State.REFUSED, "already_stored")
        self._close(ask, state, outcome, usage=reply.usage)
        self._spoke()
        ask.walk.answered(ask.call, stored)
        return None

    def _unusable(self, ask: Ask, failure: UnusableAnswer) -> Ask | None:
        self._close(ask, State.REFUSED, failure.code, usage=failure.usage)
        self._spoke()
        again = next_ask(self._config, ask, was_cut=failure.code == UnusableAnswer.CUT)
        if again is None:
            ask.walk.stop(ask.call, Status.CONTENT_FAILED, failure.code)
        return again

    def _hopeless(self, ask: Ask, failure: Misconfigured | QuotaSpent) -> None:
        self._close(ask, State.FAILED, failure.code, is_free=True)
        is_quota = isinstance(failure, QuotaSpent)
        circuit.block(self._config.pk, reason=claim.QUOTA if is_quota else failure.code)
        self.stopped = claim.QUOTA if is_quota else claim.CONFIGURATION

    def _transient(self, ask: Ask, failure: Transient) -> Ask | None:
        self._close(ask, State.FAILED, failure.code, is_free=failure.is_free)
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

    def _close(
        self,
        ask: Ask,
        state: str,
        outcome: str,
        *,
        usage: Usage | None = None,
        is_free: bool = False,
    ) -> None:
        assert ask.reservation is not None
        budget.settle(
            ask.reservation,
            payer=self._payer,
            state=state,
            outcome=outcome,
            usage=usage,
            is_free=is_free,
            at=self._now(),
        )

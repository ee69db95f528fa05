"""One worker's turn: keep the judge busy, pay before asking, store what comes.

Threads do HTTP alone; the caller's thread writes, one short transaction a tick. After a crash at
any instant some paid calls have no known end, and no stored answer is asked for again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime
from typing import Any, Protocol

from django.conf import settings
from django.db import transaction

from leaderboard.judging.asking import budget, claim
from leaderboard.judging.asking.budget import Payer, Payments
from leaderboard.judging.asking.circuit import Way
from leaderboard.judging.asking.claim import Claimed, JudgingLost
from leaderboard.judging.asking.replies import AskedOfJudge, JudgeClient, JudgeReply
from leaderboard.judging.asking.walk import Ask, Walk, first_ask, stored_calls
from leaderboard.judging.models import JudgeConfig

TIME = "time"
# Between two looks at what else could be done while calls are under way, in seconds.
LOOK = 0.5


class Work(Protocol):
    """What a chunk works on: the rows of a judging, or the dialogues whose items are made."""

    config: JudgeConfig
    claim: Claimed
    payer: Payer

    def walks(self) -> Iterator[Walk]:
        """The rows that are not done, in order."""

    def prepare(self, walks: Sequence[Walk]) -> Sequence[Any]:
        """Count rows that are over; outside any transaction."""

    def save(self, prepared: Sequence[Any]) -> None:
        """Keep what was counted; inside the chunk's transaction."""


class Chunk:
    """`run` works until all is done or `stopped` says why not: `time` or one of `claim.PAUSES`."""

    def __init__(self, work: Work, client: JudgeClient, *, now: Callable[[], datetime]) -> None:
        self._work, self._client, self._config = work, client, work.config
        self.payments = Payments(work.payer, now=now)
        self.stopped = ""
        self._walks = work.walks()
        self._open: list[Walk] = []
        self._asks: list[Ask] = []  # that wait for their time, or for a free slot
        self._flying: dict[Future[JudgeReply], Ask] = {}
        self._slots = settings.JUDGE_CONCURRENCY
        self._end = time.monotonic() + settings.JUDGE_CHUNK_SECONDS
        self._renewed = time.monotonic()

    def run(self, way: Way) -> None:
        """Raises JudgingLost; what was stored until then stays."""
        if way is Way.PROBE:
            self._slots = 1
        pool = ThreadPoolExecutor(settings.JUDGE_CONCURRENCY, thread_name_prefix="judge")
        try:
            self._loop(pool)
        except JudgingLost:
            self._keep_what_is_paid()
            raise
        finally:  # nobody waits for the threads when something went wrong; their calls end anyway
            pool.shutdown(wait=False, cancel_futures=True)

    def _loop(self, pool: ThreadPoolExecutor) -> None:
        done: set[Future[JudgeReply]] = set()
        while True:
            for ask in self._tick(done):
                self._flying[pool.submit(self._ask, ask)] = ask
            if not self._flying and not self._asks and not self._open:
                return
            if time.monotonic() > self._end + settings.JUDGE_CALL_SECONDS:
                return  # a server that sends an answer letter by letter
            done = self._wait()

    def _keep_what_is_paid(self) -> None:
        """Rows are somebody else's by now, but an answer under way is an answer."""
        done, _ = wait(self._flying, timeout=settings.JUDGE_CALL_SECONDS)
        with transaction.atomic():
            self._settle(done, self._flying)

    def _settle(
        self, done: Set[Future[JudgeReply]], asked: Mapping[Future[JudgeReply], Ask]
    ) -> list[Ask]:
        """Keep what came back, in the order of keys as all workers do; the calls to ask again."""
        budget.hold(self._config)
        again = [
            self.payments.settle(asked[future], future)
            for future in sorted(done, key=lambda future: asked[future].key)
        ]
        return [ask for ask in again if ask is not None]

    def _ask(self, ask: Ask) -> JudgeReply:
        """In a thread of the pool: no database here."""
        limit = {} if ask.max_tokens is None else {"max_tokens": ask.max_tokens}
        params = {
            **self._config.sampling,
            **limit,
            "model": self._config.model,
            "structured": self._config.structured,
        }
        asked = AskedOfJudge(ask.messages, ask.schema, params, ask.sample_index)
        return self._client.complete(asked)

    def _wait(self) -> set[Future[JudgeReply]]:
        """Until an answer comes, a retry is due, or the lease has to be renewed."""
        now = time.monotonic()
        beat = self._renewed + settings.JUDGE_HEARTBEAT_SECONDS
        seconds = max(0.0, min([beat, now + LOOK, *(ask.due for ask in self._asks)]) - now)
        done: set[Future[JudgeReply]] = set()
        if any(walk.is_over for walk in self._open):
            seconds = 0.0
        if self._flying:
            done, _ = wait(self._flying, timeout=seconds, return_when=FIRST_COMPLETED)
        elif self._asks:
            time.sleep(seconds)
        if time.monotonic() >= beat:
            claim.renew(self._work.claim)
            self._renewed = time.monotonic()
        return done

    def _tick(self, done: set[Future[JudgeReply]]) -> list[Ask]:
        over = [walk for walk in self._open if walk.is_over]
        prepared = self._work.prepare(over)
        with transaction.atomic():
            self._asks += self._settle(done, self._flying)
            for future in done:
                del self._flying[future]
            is_ours = claim.fenced(self._work.claim).exists()
            going: list[Ask] = []
            if is_ours:
                if prepared:
                    self._work.save(prepared)
                self._open = [walk for walk in self._open if walk not in over]
                going = self._next_asks()
        if not is_ours:
            raise JudgingLost(str(self._work.claim.pk))  # the answers are kept: they are paid for
        return going

    def _next_asks(self) -> list[Ask]:
        """Paid calls for the free slots; answers from the store are taken on the way."""
        self._look_whether_to_stop([])
        if self.payments.server_spoke:
            self._slots = settings.JUDGE_CONCURRENCY
        going: list[Ask] = []
        # Few rows a tick, however many answers are stored: others want to write as well.
        most_open = len(self._open) + settings.JUDGE_CONCURRENCY
        while not self.stopped:
            free = self._slots - len(self._flying) - len(going)
            asks = self._candidates(free, most_open) if free > 0 else []
            if not asks:
                break
            known = stored_calls(key for ask in asks for key in ask.keys)
            begun = [ask for ask in self._asks if ask.is_begun]
            busy = {ask.question for ask in (*self._flying.values(), *going, *begun)}
            unknown: list[Ask] = []
            for ask in sorted(asks, key=lambda ask: not ask.is_begun):
                stored = next((known[key] for key in ask.keys if key in known), None)
                if stored is not None:
                    ask.walk.answered(ask.call, stored)
                elif ask.question in busy and not ask.is_begun:  # the answer is on its way
                    ask.due = time.monotonic() + LOOK
                    self._asks.append(ask)
                else:
                    unknown.append(ask)
                    busy.add(ask.question)
            going += self.payments.pay(unknown) if unknown else []
            self._look_whether_to_stop(going)
        return going

    def _look_whether_to_stop(self, going: Sequence[Ask]) -> None:
        """Once stopped, only rows with calls under way may still come to an end."""
        is_late = time.monotonic() > self._end
        self.stopped = self.stopped or self.payments.stopped or (TIME if is_late else "")
        if self.stopped:
            under_way = [ask.walk for ask in (*self._flying.values(), *going)]
            self._asks = []
            self._open = [walk for walk in self._open if walk.is_over or walk in under_way]

    def _candidates(self, most: int, most_open: int) -> list[Ask]:
        """At most so many: retries that are due, then open rows' next calls, then new rows."""
        now = time.monotonic()
        found = [ask for ask in self._asks if ask.due <= now]
        self._asks = [ask for ask in self._asks if ask.due > now]
        for walk in self._open:
            found += self._of(walk) if len(found) < most else []
        while len(found) < most and len(self._open) < most_open:
            walk_or_none = next(self._walks, None)
            if walk_or_none is None:
                break
            self._open.append(walk_or_none)
            found += self._of(walk_or_none)
        self._asks += found[most:]
        return found[:most]

    def _of(self, walk: Walk) -> list[Ask]:
        asks = []
        for call in walk.next_calls():
            ask = first_ask(self._config, walk, call)
            if ask is not None:
                walk.asking.add(call.id)
                asks.append(ask)
        return asks

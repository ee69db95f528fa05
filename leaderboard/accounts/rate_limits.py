"""The one rate limiter: at most so many of a kind for one key in a time, counted in the database.

A count begins with the first deed and ends `within` later, for all processes and machines. Every
change is one conditional statement and ends its transaction at once: requests at the same time
wait a millisecond for each other and never count past a limit. (All counts of a deed in one
transaction kept a class behind one address waiting for seconds, up to the lock timeout.) What is
refused is only read: a flood writes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db.models import F, Q, QuerySet
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import RateCount
from leaderboard.refusals import Refused, TooMany

LATER = _("Try again in {minutes} min.")


@dataclass(frozen=True)
class Limit:
    """At most `most` of `kind` for one key, `within` the first of them.

    With texts of its own the kind is the code of the refusal, too.
    """

    kind: str
    most: int
    within: timedelta
    what: Promise | str = ""
    next_step: Promise | str = LATER

    def refusal(self, wait: int) -> Refused:
        """For who did it as often as they may; `wait` is in seconds."""
        if not self.what:
            return too_many_tries(wait)
        values = {"most": self.most, "minutes": ceil(wait / 60)}
        return TooMany(self.kind, self.what, self.next_step, retry_after=wait, **values)


def too_many_tries(wait: int) -> Refused:
    """For somebody who guesses; `wait` is in seconds."""
    return TooMany(
        "too_many_tries",
        _("Too many attempts in a short time."),
        LATER,
        retry_after=wait,
        minutes=ceil(wait / 60),
    )


@dataclass(frozen=True)
class Use:
    """One deed under a limit. `key` says whose: an account, an address, both."""

    limit: Limit
    key: str

    @property
    def digest(self) -> str:
        """What is stored: neither addresses nor what somebody typed as a name."""
        return salted_hmac(
            "leaderboard.rate_limits", f"{self.limit.kind}\n{self.key}", algorithm="sha256"
        ).hexdigest()


@dataclass(frozen=True)
class Left:
    """How often something may still be done, and until when the count runs; None: nothing is
    counted."""

    number: int
    ends_at: datetime | None


def count(limit: Limit, key: object, at: datetime) -> None:
    """Count one more of what `limit` bounds for this key. Raises Refused where it was too often."""
    if wait := take(Use(limit, str(key)), at=at):
        raise limit.refusal(wait)


def take(*uses: Use, at: datetime) -> int:
    """Count one more for every use, or for none. 0, or the seconds until all are free again.

    Until one that is refused has given back what it took, others see it counted.
    """
    if wait := seconds_to_wait(*uses, at=at):
        return wait
    taken: list[Use] = []
    for use in _in_order(uses):
        if not _counted(use, at):
            give_back(*taken, at=at)
            return max(1, seconds_to_wait(*uses, at=at))
        taken.append(use)
    return 0


def give_back(*uses: Use, at: datetime) -> None:
    """Take back what `take` counted: the deed was a good one."""
    for use in _in_order(uses):
        counted = RateCount.objects.filter(key=use.digest, ends_at__gt=at, number__gt=0)
        counted.update(number=F("number") - 1)


def seconds_to_wait(*uses: Use, at: datetime) -> int:
    """The seconds until none of these limits is reached, 0 if none is. One query, no write."""
    most = {use.digest: use.limit.most for use in uses}
    one_of_them = Q(*(("key", digest) for digest in most), _connector=Q.OR)
    rows = RateCount.objects.filter(one_of_them, ends_at__gt=at)
    full = [row.ends_at for row in rows if row.number >= most[row.key]]
    return max((ceil((ends_at - at).total_seconds()) for ends_at in full), default=0)


def left(limit: Limit, key: object, at: datetime) -> Left:
    """What `count` would still take for this key. One query, no write."""
    row = RateCount.objects.filter(key=Use(limit, str(key)).digest, ends_at__gt=at).first()
    if row is None:
        return Left(limit.most, None)
    return Left(max(0, limit.most - row.number), row.ends_at)


def forget(*, at: datetime) -> int:
    """Remove the counts that have ended; returns how many there were."""
    ended = RateCount.objects.filter(ends_at__lte=at)
    return ended.delete()[0] if ended.exists() else 0  # deleting nothing would lock all the same


def _counted(use: Use, at: datetime) -> bool:
    rows = RateCount.objects.filter(key=use.digest)
    if _one_more(rows.filter(ends_at__gt=at), use):
        return True
    ends_at = at + use.limit.within
    # First, because it locks an ended row: one that `forget` removes meanwhile is made anew.
    rows.filter(ends_at__lte=at).update(number=0, ends_at=ends_at)
    RateCount.objects.bulk_create(
        [RateCount(key=use.digest, number=0, ends_at=ends_at)],
        ignore_conflicts=True,
        batch_size=500,
    )
    return _one_more(rows, use)


def _one_more(rows: QuerySet[RateCount], use: Use) -> bool:
    return rows.filter(number__lt=use.limit.most).update(number=F("number") + 1) == 1


def _in_order(uses: Iterable[Use]) -> list[Use]:
    """One order everywhere: inside a transaction two requests could wait for each other."""
    return sorted(uses, key=lambda use: use.digest)

"""How many attempts the lines of a ledger took, with what people brought from teams they left.

Each carried line names its `source`, the team that had used it. Where that team is in the same
ledger, its own lines say what was used. Where several brought something of one source, they brought
the same files, one more of them than another: only the most counts. So nobody buys attempts by
leaving, and nobody pays for them twice by coming back.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import date
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, Sum

from leaderboard.submissions.models import QuotaEntry

Kind = QuotaEntry.Kind


class LedgerSums(NamedTuple):
    """The sum of a ledger's lines of one kind and day, written for the team `of`."""

    kind: str
    day: date
    of: UUID
    source: UUID | None
    amount: int

    @property
    def is_own(self) -> bool:
        """Of a file of the team, or carried before a line named its source."""
        return self.kind == Kind.CHARGE or (self.kind == Kind.CARRIED and self.source is None)


def lines_of(teams: Collection[UUID], *, late: bool) -> list[LedgerSums]:
    """Of these teams' ledgers: the lines of the contest's files, or of its late ones; grants are
    for either. One query, and a handful of sums."""
    wanted = Q(submission__is_late=late) | Q(kind=Kind.GRANT)
    if not late:
        wanted |= Q(kind=Kind.CARRIED)
    rows = QuotaEntry.objects.filter(wanted, team__in=teams).order_by()
    keys = rows.values_list("kind", "day", "team", "origin", "source")
    return [
        LedgerSums(kind, on, origin or team, source, amount)
        for kind, on, team, origin, source, amount in keys.annotate(Sum("amount"))
    ]


Used = Counter[tuple[UUID, date]]
"""Attempts by the team that used them, and day."""


def used(lines: Iterable[LedgerSums]) -> Used:
    """What these lines of one ledger, or of several together, took; refunds taken off."""
    lines = list(lines)
    found = brought(lines)
    for line in lines:
        if line.is_own:
            found[line.of, line.day] += line.amount
        elif line.kind == Kind.REFUND:
            found[line.of, line.day] -= line.amount
    return found


def brought(lines: Iterable[LedgerSums]) -> Used:
    """What of the carried lines counts: of each source and day the most that anybody brought.

    Days before the newest count as far as the most that anybody brought in all is not reached.
    """
    lines = list(lines)
    here = {line.of for line in lines if line.is_own}
    sources: dict[UUID, dict[UUID, Used]] = defaultdict(lambda: defaultdict(Counter))
    for line in lines:
        if not line.is_own and line.source is not None and line.source not in here:
            sources[line.source][line.of][line.source, line.day] += line.amount
    found: Used = Counter()
    for people in sources.values():
        most: Used = Counter()
        for one in people.values():
            most |= one
        left = max(one.total() for one in people.values())
        for key in sorted(most, key=lambda key: key[1], reverse=True):
            found[key] = min(most[key], left)
            left -= found[key]
    return found


class Taken(NamedTuple):
    """How many attempts of a day, and of the whole."""

    today: int
    total: int


def taken(lines: Iterable[LedgerSums], today: date) -> Taken:
    """What `used` says of one day and of all."""
    found = used(lines)
    return Taken(sum(n for (_, on), n in found.items() if on == today), found.total())

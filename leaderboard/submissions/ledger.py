"""The quota ledger. Every charge, refund and grant is a line; the allowance is their sum.

What people brought from teams that they left are lines too. Each of these names its `source`, the
team that had used it. Where that team is in the same ledger, its own lines say what was used. Where
several brought something of one source, they brought the same files, one more of them than another:
only the most counts. So nobody buys attempts by leaving, and nobody pays for them twice by coming
back.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, Sum

from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, is_late
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Team
from leaderboard.texts import say

Kind, Reason = QuotaEntry.Kind, QuotaEntry.Reason


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


@dataclass(frozen=True)
class Allowance:
    """What a team may still hand in. Days are the contest's own.

    Files of the contest and late ones are counted apart, each against the limit of the day: a late
    file takes nothing from the contest, should its close be moved. The whole has no late ones. From
    the close on it is what is left of late ones, where the contest takes them.

    A grant is n more on its day, and n more of the whole contest from the moment it is given: else
    a team that used up the whole could not use it. `total_left` is None without a total limit.
    What is printed beside what is left is `of_today` and `of_total`: they always add up.
    """

    used_today: int
    left_today: int
    daily_limit: int
    total_used: int
    total_limit: int | None
    resets_at: datetime
    granted_today: int
    granted: int = 0
    total_left: int | None = None
    # What the day after this one begins with.
    next_day: int = 0

    @property
    def of_today(self) -> int:
        """What today holds in all, used or not: a grant makes it more, a total limit less."""
        return self.used_today + self.left_today

    @property
    def of_total(self) -> int | None:
        """The same of the whole contest; None without a total limit."""
        return None if self.total_left is None else self.total_used + self.total_left

    @property
    def ends_with_total(self) -> bool:
        """Whether the whole contest's limit leaves less today than the day's own would."""
        return self.of_today < self.daily_limit + self.granted_today


def charge(*, submission: Submission, competition: Competition) -> QuotaEntry:
    """Take one slot of the day on which the file was received."""
    return QuotaEntry.objects.create(
        team=submission.team,
        submission=submission,
        kind=Kind.CHARGE,
        day=day(competition, submission.received_at).date,
        at=submission.received_at,
        reason=Reason.SUBMITTED,
    )


def refund(*, submission: Submission, at: datetime, reason: QuotaEntry.Reason) -> None:
    """Give the slot back to the day it was taken from; doing it twice is doing it once."""
    charged = QuotaEntry.objects.filter(submission=submission, kind=Kind.CHARGE).first()
    if charged is None:
        return
    QuotaEntry.objects.get_or_create(
        submission=submission,
        kind=Kind.REFUND,
        defaults={
            "team": submission.team,
            "origin": charged.origin,
            "day": charged.day,
            "at": at,
            "reason": reason,
        },
    )


def grant(*, team: Team, amount: int, day: date, at: datetime, words: str) -> QuotaEntry:
    """Give a team more for one contest day; the words are what it reads as the reason."""
    return QuotaEntry.objects.create(
        team=team,
        kind=Kind.GRANT,
        amount=amount,
        day=day,
        at=at,
        words=words,
    )


def reason_of(korean: str, english: str) -> dict[str, str]:
    """The fields that make an entry say this; of an organizer's words the Korean ones are kept."""
    of_codes = {tuple(say(one.label, each) for each in ("ko", "en")): one.value for one in Reason}
    code = of_codes.get((korean, english))
    return {"reason": code} if code else {"words": korean}


def carry(*, before: Team, to: Team, at: datetime) -> None:
    """Charge a new team with what the team before had used: whoever leaves buys no attempt.

    What today's files took is today's again; all earlier ones are the day before's. Grants were for
    the team, and late files count apart. What comes back later comes back to the team before.
    """
    today = day(before.competition, at).date
    carried: Used = Counter()
    for (source, on), amount in used(lines_of([before.pk], late=False)).items():
        carried[source, max(min(on, today), today - timedelta(days=1))] += amount
    QuotaEntry.objects.bulk_create(
        [
            QuotaEntry(
                team=to,
                kind=Kind.CARRIED,
                amount=amount,
                day=on,
                at=at,
                reason=Reason.CARRIED,
                source_id=source,
            )
            for (source, on), amount in carried.items()
            if amount > 0
        ],
        batch_size=500,
    )


def counts_as_late(competition: Competition, at: datetime) -> bool:
    """Whether the limits at `at` are those of late files; without any they stay the contest's."""
    return competition.late_entries and is_late(competition, at)


def allowance(team: Team, competition: Competition, at: datetime) -> Allowance:
    """What is left at `at`. Right for a decision only while the team's row is locked."""
    today = day(competition, at)
    late = counts_as_late(competition, at)
    # Six sums with conditions cost every page more to ask.
    lines = lines_of([team.pk], late=late)
    grants: Counter[date] = Counter()
    for line in lines:
        if line.kind == Kind.GRANT:
            grants[line.day] += line.amount
    granted_today, granted = grants[today.date], grants.total()
    used_today, total_used = taken(lines, today.date)
    left = competition.daily_limit + granted_today - used_today
    tomorrow = today.date + timedelta(days=1)
    next_day = competition.daily_limit + grants[tomorrow]
    total_limit = None if late else competition.total_limit
    total_left = None
    if total_limit is not None:
        total_left = max(total_limit + granted - total_used, 0)
        left, next_day = min(left, total_left), min(next_day, total_left)
    return Allowance(
        used_today=used_today,
        left_today=max(left, 0),
        daily_limit=competition.daily_limit,
        total_used=total_used,
        total_limit=total_limit,
        resets_at=today.ends_at,
        granted_today=granted_today,
        granted=granted,
        total_left=total_left,
        next_day=next_day,
    )


def taken_together(teams: Collection[Team], competition: Competition, at: datetime) -> Taken:
    """What these teams would have used at `at` if they were one: what several brought along of the
    same files counts once. Right for a decision only while their rows are locked."""
    late = counts_as_late(competition, at)
    return taken(lines_of([team.pk for team in teams], late=late), day(competition, at).date)

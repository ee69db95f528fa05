"""The quota ledger. Every charge, refund and grant is a line; the allowance is their sum.

What people brought from teams that they left are lines too. Each of these names its `source`, the
team that had used it. Where that team is in the same ledger, its own lines say what was used. Where
several brought something of one source, they brought the same files, one more of them than another:
only the most counts. So nobody buys attempts by leaving, and nobody pays for them twice by coming
back.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, is_late
from leaderboard.submissions.models import Cancellation, QuotaEntry, Submission
from leaderboard.teams.models import Team
from leaderboard.texts import say

Kind, Reason = QuotaEntry.Kind, QuotaEntry.Reason


class LedgerSums(NamedTuple):
    """The sum of a ledger's lines of one kind and day, written for the team `of`.

    `is_own`: of a file of the team, or carried before a line named its source.
    """

    kind: str
    day: date
    of: UUID
    source: UUID | None
    amount: int
    is_own: bool


Used = Counter[tuple[UUID, date]]
"""Attempts by the team that used them, and day."""


def used(entries: QuerySet[QuotaEntry], *, late: bool) -> tuple[Used, list[LedgerSums]]:
    """What these entries of one ledger, or of several together, took, refunds taken off; and the
    sums that say so: of the contest's files, or of its late ones. Grants are for either."""
    wanted = Q(submission__is_late=late) | Q(kind=Kind.GRANT)
    if not late:
        wanted |= Q(kind=Kind.CARRIED)
    rows = entries.filter(wanted).order_by()
    keys = rows.values_list("kind", "day", "team", "origin", "source")
    lines = [
        LedgerSums(
            *(kind, on, origin or team, source, amount),
            is_own=kind == Kind.CHARGE or (kind == Kind.CARRIED and source is None),
        )
        for kind, on, team, origin, source, amount in keys.annotate(Sum("amount"))
    ]
    found: Used = Counter()
    if any(line.kind == Kind.CARRIED for line in lines):
        found = brought(lines)
    for line in lines:
        if line.is_own:
            found[line.of, line.day] += line.amount
        elif line.kind == Kind.REFUND:
            found[line.of, line.day] -= line.amount
    return found, lines


def brought(lines: Collection[LedgerSums]) -> Used:
    """What of the carried lines counts: of each source and day the most that anybody brought.

    Days before the newest count as far as the most that anybody brought in all is not reached.
    """
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


@dataclass(frozen=True)
class Allowance:
    """What a team may still hand in. Days are the contest's own.

    Late files are counted apart: they take nothing from the contest, should its close be moved, and
    nothing of the whole. A grant is more on its day and of the whole, from now on. `total_left` is
    None without a total limit. `late`: the limits are those of late files.
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
    late: bool = False

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


def reason_of(korean: str, english: str) -> dict[str, str]:
    """The fields that make an entry say this; of an organizer's words the Korean ones are kept.

    The English words of a code stay, for former versions wrote them too.
    """
    code = {say(one.label, "en"): one.value for one in Reason}.get(english)
    return {"reason": code} if code else {"words": korean}


def carry(*, before: Team, to: Team, at: datetime) -> None:
    """Charge a new team with what the team before had used: whoever leaves buys no attempt.

    What today's files took is today's again; all earlier ones are the day before's. Grants were for
    the team, and late files count apart. What comes back later comes back to the team before.
    """
    today = day(before.competition, at).date
    carried: Used = Counter()
    took, _lines = used(before.quota_entries.all(), late=False)
    for (source, on), amount in took.items():
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


def allowance(
    team: Team, competition: Competition, at: datetime, *, absorbed: Team | None = None
) -> Allowance:
    """What is left at `at`. Right for a decision only while the team's row is locked.

    With `absorbed` as if the two were one: what both brought along of the same files counts once.
    """
    today = day(competition, at)
    late = competition.late_entries and is_late(competition, at)
    entries = team.quota_entries.all()
    if absorbed is not None:
        entries |= absorbed.quota_entries.all()
    # Six sums with conditions cost every page more to ask.
    took, lines = used(entries, late=late)
    grants: Counter[date] = Counter()
    for line in lines:
        if line.kind == Kind.GRANT:
            grants[line.day] += line.amount
    granted_today, granted = grants[today.date], grants.total()
    used_today = sum(number for (_, on), number in took.items() if on == today.date)
    total_used = took.total()
    left = competition.daily_limit + granted_today - used_today
    total_limit = None if late else competition.total_limit
    total_left = None
    if total_limit is not None:
        total_left = max(total_limit + granted - total_used, 0)
        left = min(left, total_left)
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
        late=late,
    )


@dataclass(frozen=True)
class LedgerLine:
    """One entry with what was left of the day `on` after it. `amount` is negative for a charge.

    `earlier`: carried over from before that day, so that it takes of the whole alone. `late`: of a
    late file, or a grant given after the close. `elsewhere`: how many attempts of a carried entry
    other lines count, so that `amount` does not.
    """

    entry: QuotaEntry
    amount: int
    on: date
    earlier: bool
    left_after: int
    total_left_after: int | None = None
    late: bool = False
    elsewhere: int = 0


def entries(team: Team) -> list[LedgerLine]:
    """The ledger of a team, newest first, each line with what its day had left after it."""
    rows = QuotaEntry.objects.filter(team=team).select_related("submission__submitted_by")
    competition = team.competition
    left: dict[tuple[date, bool], int] = {}
    total = competition.total_limit
    counting: Used = Counter()
    if any(row.kind == Kind.CARRIED for row in rows):
        counting = brought(used(team.quota_entries.all(), late=False)[1])
    lines = []
    for row in rows:
        elsewhere = 0
        if row.kind == Kind.CARRIED and row.source_id is not None:
            key = row.source_id, row.day
            elsewhere = row.amount - min(row.amount, counting[key])
            counting[key] -= row.amount - elsewhere
        signed = row.signed + elsewhere
        if row.submission is not None:
            late = row.submission.is_late
        else:
            late = row.kind == Kind.GRANT and is_late(competition, row.at)
        written = day(competition, row.at).date if row.kind == Kind.CARRIED else row.day
        earlier = row.day < written
        # A grant is more of its day, whichever files are handed in on it.
        for each in (False, True) if row.kind == Kind.GRANT else (late,):
            before = left.get((written, each), competition.daily_limit)
            left[written, each] = before + (0 if earlier else signed)
        takes_of_whole = row.kind == Kind.GRANT or not late
        if total is not None and takes_of_whole:
            total += signed
        lines.append(
            LedgerLine(
                entry=row,
                amount=signed,
                on=written,
                earlier=earlier,
                left_after=left[written, late],
                total_left_after=total if takes_of_whole else None,
                late=late,
                elsewhere=elsewhere,
            )
        )
    return lines[::-1]


def by_day(team: Team) -> list[dict[str, Any]]:
    """The whole ledger in contest days, the newest day and its newest line first.

    The day of the close may be there twice, the second time for late files. `allowed` is what a day
    held in all; a limit that was lowered afterwards took nothing back.
    """
    days: dict[tuple[date, bool], list[LedgerLine]] = {}
    for line in entries(team):
        days.setdefault((line.on, line.late), []).append(line)
    found = []
    for (on, late), lines in sorted(days.items(), key=lambda item: item[0], reverse=True):
        grants = [line.amount for line in lines if line.entry.kind == Kind.GRANT]
        own = [one for one in lines if one.entry.kind != Kind.GRANT and not one.earlier]
        used, left = -sum(line.amount for line in own), lines[0].left_after
        day = {"date": on, "late": late, "granted": sum(grants), "used": used, "left": left}
        found.append({**day, "allowed": used + max(left, 0), "lines": lines})
    return found


def taken_by_day(competition: Competition) -> dict[date, int]:
    """How many files were taken on each contest day and not cancelled since; none is no entry."""
    # By its key alone: beside the entries of a million files, their submissions would be read too.
    cancelled = Cancellation.objects.filter(submission=OuterRef("submission_id"))
    rows = QuotaEntry.objects.filter(
        ~Exists(cancelled), team__competition=competition, kind=Kind.CHARGE
    )
    return dict(rows.order_by().values_list("day").annotate(number=Count("pk")))

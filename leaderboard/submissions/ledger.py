"""The quota ledger. Every charge, refund and grant is a line; the allowance is their sum."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Q, Sum

from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, is_late
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.teams.models import Team
from leaderboard.texts import say

Kind, Reason = QuotaEntry.Kind, QuotaEntry.Reason
TAKES = (Kind.CHARGE, Kind.CARRIED)


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


@dataclass(frozen=True)
class LedgerLine:
    """One entry with what was left of its day after it. `amount` is negative for a charge.

    `late`: of a late file, or a grant given after the close.
    """

    entry: QuotaEntry
    amount: int
    left_after: int
    total_left_after: int | None = None
    late: bool = False


@dataclass(frozen=True)
class LedgerDay:
    """One contest day of a ledger: what it allowed, what happened, what is left of it.

    The day of the close may be there twice, the second time for late files.
    """

    date: date
    late: bool
    granted: int
    used: int
    left: int
    lines: tuple[LedgerLine, ...]

    @property
    def allowed(self) -> int:
        """What the day held in all; a limit that was lowered afterwards took nothing back."""
        return self.used + max(self.left, 0)


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
    rows = QuotaEntry.objects.filter(_counting(late=False), team=before)
    used = {today - timedelta(days=1): 0, today: 0}
    for kind, on, amount in rows.order_by().values_list("kind", "day").annotate(Sum("amount")):
        if kind != Kind.GRANT:
            charged = -amount if kind == Kind.REFUND else amount
            used[max(min(on, today), today - timedelta(days=1))] += charged
    QuotaEntry.objects.bulk_create(
        [
            QuotaEntry(
                team=to,
                kind=Kind.CARRIED,
                amount=amount,
                day=on,
                at=at,
                reason=Reason.CARRIED,
            )
            for on, amount in used.items()
            if amount > 0
        ],
        batch_size=500,
    )


def _counting(*, late: bool) -> Q:
    """The lines of the contest's files, or of its late ones; grants are for either."""
    of_files = Q(submission__is_late=late) | Q(kind=Kind.GRANT)
    return of_files if late else of_files | Q(kind=Kind.CARRIED)


def counts_as_late(competition: Competition, at: datetime) -> bool:
    """Whether the limits at `at` are those of late files; without any they stay the contest's."""
    return competition.late_entries and is_late(competition, at)


def allowance(team: Team, competition: Competition, at: datetime) -> Allowance:
    """What is left at `at`. Right for a decision only while the team's row is locked."""
    today = day(competition, at)
    # By kind and day, a handful of lines: six sums with conditions cost every page more to ask.
    of_days: dict[str, dict[date, int]] = {kind: {} for kind in Kind.values}
    late = counts_as_late(competition, at)
    lines = (
        QuotaEntry.objects.filter(_counting(late=late), team=team)
        .order_by()
        .values_list("kind", "day")
    )
    for kind, on, amount in lines.annotate(Sum("amount")):
        of_days[kind][on] = amount
    taken, back = (of_days[Kind.CHARGE], of_days[Kind.CARRIED]), of_days[Kind.REFUND]
    used_today = sum(days.get(today.date, 0) for days in taken) - back.get(today.date, 0)
    total_used = sum(sum(days.values()) for days in taken) - sum(back.values())
    granted_today = of_days[Kind.GRANT].get(today.date, 0)
    granted = sum(of_days[Kind.GRANT].values())
    left = competition.daily_limit + granted_today - used_today
    tomorrow = today.date + timedelta(days=1)
    next_day = competition.daily_limit + of_days[Kind.GRANT].get(tomorrow, 0)
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


def entries(team: Team, on: date | None = None) -> list[LedgerLine]:
    """The ledger of a team, newest first, each line with what its day had left after it.

    With a total limit also what the whole contest had left; that of one day alone has no total.
    """
    rows = QuotaEntry.objects.filter(team=team).select_related("submission")
    if on is not None:
        rows = rows.filter(day=on)
    competition = team.competition
    left: dict[tuple[date, bool], int] = {}
    total = competition.total_limit if on is None else None
    lines = []
    for row in rows:
        signed = -row.amount if row.kind in TAKES else row.amount
        if row.submission is not None:
            late = row.submission.is_late
        else:
            late = row.kind == Kind.GRANT and is_late(competition, row.at)
        # A grant is more of its day, whichever files are handed in on it.
        for each in (False, True) if row.kind == Kind.GRANT else (late,):
            before = left.get((row.day, each), competition.daily_limit)
            left[row.day, each] = before + signed
        takes_of_whole = row.kind == Kind.GRANT or not late
        if total is not None and takes_of_whole:
            total += signed
        lines.append(
            LedgerLine(
                entry=row,
                amount=signed,
                left_after=left[row.day, late],
                total_left_after=total if takes_of_whole else None,
                late=late,
            )
        )
    return lines[::-1]


def by_day(team: Team) -> list[LedgerDay]:
    """The whole ledger in contest days, the newest day and its newest line first."""
    days: dict[tuple[date, bool], list[LedgerLine]] = {}
    for line in entries(team):
        days.setdefault((line.entry.day, line.late), []).append(line)
    return [
        LedgerDay(
            date=on,
            late=late,
            granted=sum(line.amount for line in lines if line.entry.kind == Kind.GRANT),
            used=-sum(line.amount for line in lines if line.entry.kind != Kind.GRANT),
            left=lines[0].left_after,
            lines=tuple(lines),
        )
        for (on, late), lines in sorted(days.items(), key=lambda item: item[0], reverse=True)
    ]


def taken_by_day(competition: Competition) -> dict[date, int]:
    """How many files were taken on each contest day and not cancelled since; none is no entry.

    Counted in the ledger, which keeps the contest's own day of every file.
    """
    rows = (
        QuotaEntry.objects.filter(
            team__competition=competition, kind=Kind.CHARGE, submission__cancellation=None
        )
        .order_by()
        .values_list("day")
        .annotate(number=Count("pk"))
    )
    return dict(rows)

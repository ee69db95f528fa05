"""A ledger as it is read: line by line, with what its day had left, and day by day."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Exists, OuterRef

from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day, is_late
from leaderboard.submissions.ledger import Used, brought, lines_of
from leaderboard.submissions.models import Cancellation, QuotaEntry
from leaderboard.teams.models import Team

Kind = QuotaEntry.Kind


@dataclass(frozen=True)
class LedgerLine:
    """One entry with what was left of the day `on` after it. `amount` is negative for a charge.

    `on` is the entry's own day. What a team before had used before the day on which it was carried
    over stands under that day and takes nothing of it: it is `earlier`, and of the whole alone.
    `late`: of a late file, or a grant given after the close. `elsewhere`: how many attempts of a
    carried entry other lines count, so that `amount` does not.
    """

    entry: QuotaEntry
    amount: int
    on: date
    earlier: bool
    left_after: int
    total_left_after: int | None = None
    late: bool = False
    elsewhere: int = 0


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


def entries(team: Team, on: date | None = None) -> list[LedgerLine]:
    """The ledger of a team, newest first, each line with what its day had left after it.

    With a total limit also what the whole contest had left; that of one day alone has no total.
    """
    rows = QuotaEntry.objects.filter(team=team).select_related("submission__submitted_by")
    if on is not None:
        rows = rows.filter(day=on)
    competition = team.competition
    left: dict[tuple[date, bool], int] = {}
    total = competition.total_limit if on is None else None
    counting = _brought(team, rows)
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


def _brought(team: Team, rows: Iterable[QuotaEntry]) -> Used:
    """What of these rows' carried lines counts; asks nothing where there are none."""
    if all(row.kind != Kind.CARRIED for row in rows):
        return Counter()
    return brought(lines_of(team.quota_entries.all(), late=False))


def by_day(team: Team) -> list[LedgerDay]:
    """The whole ledger in contest days, the newest day and its newest line first."""
    days: dict[tuple[date, bool], list[LedgerLine]] = {}
    for line in entries(team):
        days.setdefault((line.on, line.late), []).append(line)
    return [
        LedgerDay(
            date=on,
            late=late,
            granted=sum(line.amount for line in lines if line.entry.kind == Kind.GRANT),
            used=-sum(
                line.amount for line in lines if line.entry.kind != Kind.GRANT and not line.earlier
            ),
            left=lines[0].left_after,
            lines=tuple(lines),
        )
        for (on, late), lines in sorted(days.items(), key=lambda item: item[0], reverse=True)
    ]


def taken_by_day(competition: Competition) -> dict[date, int]:
    """How many files were taken on each contest day and not cancelled since; none is no entry.

    Counted in the ledger, which keeps the contest's own day of every file.
    """
    # By its key alone: beside the entries of a million files, their submissions would be read too.
    cancelled = Cancellation.objects.filter(submission=OuterRef("submission_id"))
    rows = QuotaEntry.objects.filter(
        ~Exists(cancelled), team__competition=competition, kind=Kind.CHARGE
    )
    return dict(rows.order_by().values_list("day").annotate(number=Count("pk")))

"""An organizer gives one team more submissions for one day."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.actions.ruling import locked_team, reason_within, tell_team
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.inbox.models import Notification
from leaderboard.submissions import ledger
from leaderboard.submissions.models import QuotaEntry
from leaderboard.teams.models import Team

MOST = 100
REASON_LENGTH = 200


@dataclass(frozen=True)
class GrantDays:
    """The contest days that a grant may be for; `last` is None where late entries are taken."""

    first: date
    last: date | None


def grant_days(competition: Competition, at: datetime) -> GrantDays | None:
    """From today, or the first day of a contest to come, to the day of the close; None after it."""
    first = day(competition, max(at, competition.opens_at)).date
    if competition.late_entries:
        return GrantDays(first, None)
    last = day(competition, competition.closes_at - timedelta(microseconds=1)).date
    return GrantDays(first, last) if at < competition.closes_at else None


def grant(
    *,
    team: Team,
    user: User,
    amount: int,
    on: date | None = None,
    reason: str,
    at: datetime,
) -> QuotaEntry:
    """`amount` more on that contest day (default the first that can use it), and of the whole.

    The members are told, with the reason. Raises Refused.
    """
    reason = reason_within(reason, REASON_LENGTH)
    if not 1 <= amount <= MOST:
        raise Refused(
            "amount",
            ko=f"1회부터 {MOST}회까지 더 줄 수 있습니다.",
            en=f"Between 1 and {MOST} submissions can be granted.",
            status=422,
        )
    with transaction.atomic():
        locked = locked_team(team, user)
        on = _granted_day(locked.competition, on, at)
        entry = ledger.grant(
            team=locked, amount=amount, day=on, at=at, reason_ko=reason, reason_en=reason
        )
        event = record(
            kind="team.granted",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            after={"team": str(locked.pk), "amount": amount, "day": on.isoformat()},
            reason=reason,
        )
        tell_team(
            locked,
            Notification.Kind.GRANTED,
            event,
            ko=f"{on.isoformat()}에 {amount}회를 더 낼 수 있습니다.",
            en=f"You may submit {amount} more on {on.isoformat()}.",
            reason=reason,
        )
    return entry


def _granted_day(competition: Competition, on: date | None, at: datetime) -> date:
    days = grant_days(competition, at)
    if days is None:
        raise Refused(
            "closed",
            ko="마감된 대회에는 더 줄 수 없습니다.",
            en="The competition has closed, so a grant could not be used.",
            next_ko="먼저 일정에서 마감을 미뤄 주세요.",
            next_en="Extend the close on the schedule first.",
        )
    on = on or days.first
    if on < days.first or (days.last is not None and on > days.last):
        until = f" ~ {days.last.isoformat()}" if days.last else " ~"
        raise Refused(
            "day",
            ko=f"그날에는 쓸 수 없습니다. 고를 수 있는 날: {days.first.isoformat()}{until}",
            en=f"It could not be used on that day. Choose from: {days.first.isoformat()}{until}",
            status=422,
        )
    return on

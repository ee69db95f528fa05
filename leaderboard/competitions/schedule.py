"""What the dates of a competition allow at a given instant."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import partial
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.models import Competition
from leaderboard.refusals import Forbidden, Refused

Clock = Callable[[], datetime]

archived = partial(
    Forbidden, "archived", _("This competition is archived: it can be read and not changed.")
)


class Phase(StrEnum):
    """Where a competition stands between its dates."""

    UPCOMING = "upcoming"
    OPEN = "open"
    CLOSED = "closed"
    REVEALED = "revealed"


class Day(NamedTuple):
    """A contest day: from one midnight of the contest's zone to the next, half open."""

    date: date
    starts_at: datetime
    ends_at: datetime


def phase(competition: Competition, at: datetime) -> Phase:
    """The phase at `at`; every boundary belongs to what begins there."""
    if at < competition.opens_at:
        return Phase.UPCOMING
    if at < competition.closes_at:
        return Phase.OPEN
    if at < competition.reveals_at or competition.reveal_held:
        return Phase.CLOSED
    return Phase.REVEALED


def when_decided(competition: Competition, at: datetime, now: Clock | None) -> datetime:
    """The instant by which what was received at `at` is decided; asked under the lock.

    That is `at`, however long the request waited for its turn. Once the private scores are open it
    is the time of `now`, so that nothing changes what counts after them. Without a clock no time
    passes.
    """
    instant = now() if now is not None else at
    return max(at, instant) if phase(competition, instant) is Phase.REVEALED else at


def is_late(competition: Competition, at: datetime) -> bool:
    """Whether a file received at `at` is a late entry: after the close, so it never ranks."""
    return at >= competition.closes_at


def lets_join(competition: Competition, at: datetime) -> bool:
    """Whether the dates let one take part at `at`: until the close, or as long as late files are
    taken."""
    return competition.is_active and (competition.late_entries or not is_late(competition, at))


def teams_grow_until(competition: Competition) -> datetime:
    """When nobody enters a team of others any more: the contest's own date, the freeze or the
    close."""
    dates = (competition.team_merge_until, competition.freezes_at, competition.closes_at)
    return min(date for date in dates if date is not None)


def lets_teams_grow(competition: Competition, at: datetime) -> bool:
    """Whether at `at` one may still enter a team, or two teams become one."""
    return competition.is_active and at < teams_grow_until(competition)


def is_paused(competition: Competition, at: datetime) -> bool:
    """Whether the contest would take files at `at` by its dates, and takes none."""
    takes_files = competition.opens_at <= at and lets_join(competition, at)
    return takes_files and competition.paused_at is not None and competition.paused_at <= at


def is_held(competition: Competition, at: datetime) -> bool:
    """Whether the results would be open at `at` and are held back."""
    return competition.reveal_held and at >= competition.reveals_at


def stamp(instant: datetime, competition: Competition) -> str:
    """The instant in the contest's zone, with the zone: `2026-12-01 19:00 KST`."""
    return f"{instant.astimezone(competition.zoneinfo):%Y-%m-%d %H:%M %Z}"


def refusal(competition: Competition, at: datetime) -> Refused | None:
    """Why a file received at `at` is not taken, or None: opens_at <= at < closes_at, not paused.

    From closes_at on, a contest that takes late entries takes them. The one answer to "may one
    submit now", asked by page, action and command line.
    """
    if competition.state == Competition.State.ARCHIVED:
        return archived()
    if at < competition.opens_at:
        return Forbidden(
            "not_open",
            _("The competition has not opened yet. You can submit from {opens}."),
            _("See the schedule on the overview."),
            opens=stamp(competition.opens_at, competition),
        )
    if competition.late_entries or not is_late(competition, at):
        if competition.paused_at is None or at < competition.paused_at:
            return None
        why = competition.pause_reason
        return Forbidden(
            "paused",
            _("Submissions are paused. Reason: {reason}") if why else _("Submissions are paused."),
            _("See the schedule on the overview."),
            reason=why,
        )
    return Forbidden(
        "closed",
        _("Submissions closed at {closed}. The server received yours at {received}."),
        _("The final ranks are on the leaderboard; the data and your scores stay readable.")
        if phase(competition, at) is Phase.REVEALED
        else _("Your scores stay readable. The schedule says when the ranks open."),
        closed=stamp(competition.closes_at, competition),
        received=f"{at.astimezone(competition.zoneinfo):%Y-%m-%d %H:%M:%S %Z}",
    )


def refuse_ended(competition: Competition) -> None:
    """Raises Refused for a contest that can only be read; for one that is being deleted, whoever
    asks finds none (DoesNotExist). Asked by whatever changes a contest, under its lock.
    """
    if competition.state == Competition.State.ARCHIVED:
        raise archived()
    if competition.state == Competition.State.DELETED:
        raise Competition.DoesNotExist


def day(competition: Competition, at: datetime) -> Day:
    """The contest day that holds `at`. A day of a zone with summer time may last 23 or 25 hours."""
    zone = ZoneInfo(competition.zone)
    today = at.astimezone(zone).date()
    # In UTC: between two instants of one zone, Python subtracts what the clocks show.
    starts_at, ends_at = (
        datetime.combine(on, time.min, tzinfo=zone).astimezone(UTC)
        for on in (today, today + timedelta(days=1))
    )
    return Day(date=today, starts_at=starts_at, ends_at=ends_at)


def suggested_dates(zone: ZoneInfo, at: datetime) -> dict[str, datetime]:
    """Dates for a new contest: open on a Monday at least three days away, three working weeks, a
    reveal on the Monday after. By the names of the contest's fields."""
    soonest = at.astimezone(zone).date() + timedelta(days=3)
    monday = soonest + timedelta(days=-soonest.weekday() % 7)

    def on(days: int, hour: int) -> datetime:
        return datetime.combine(monday + timedelta(days=days), time(hour), tzinfo=zone)

    return {"opens_at": on(0, 10), "closes_at": on(18, 18), "reveals_at": on(21, 10)}

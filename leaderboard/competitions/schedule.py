"""What the dates of a competition allow at a given instant."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from leaderboard.competitions.models import Competition


class Phase(StrEnum):
    """Where a competition stands between its dates."""

    UPCOMING = "upcoming"
    OPEN = "open"
    CLOSED = "closed"
    REVEALED = "revealed"


@dataclass(frozen=True)
class ScheduleRefusal:
    """Why nobody may submit at that instant, and what can be done instead."""

    code: str
    message_ko: str
    message_en: str
    next_step_ko: str = "개요의 세부일정을 확인해 주세요."
    next_step_en: str = "See the schedule on the overview."


@dataclass(frozen=True)
class Day:
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


def is_late(competition: Competition, at: datetime) -> bool:
    """Whether a file received at `at` is a late entry: after the close, so it never ranks."""
    return at >= competition.closes_at


def came_with_a_file(competition: Competition, received_at: datetime) -> bool:
    """Whether a submission came with an imported contest: its team was told of it elsewhere."""
    return competition.imported_at is not None and received_at < competition.imported_at


def takes_by_dates(competition: Competition, at: datetime) -> bool:
    """Whether the dates let one submit at `at`; late entries are a rule of the contest."""
    if at < competition.opens_at:
        return False
    return competition.late_entries or not is_late(competition, at)


def lets_join(competition: Competition, at: datetime) -> bool:
    """Whether the dates let one take part at `at`: until the close, or as long as late files are
    taken."""
    return competition.late_entries or not is_late(competition, at)


def is_paused(competition: Competition, at: datetime) -> bool:
    """Whether the contest would take files by its dates and yet takes nothing at `at`."""
    paused = competition.paused_at is not None and competition.paused_at <= at
    return paused and takes_by_dates(competition, at)


def is_held(competition: Competition, at: datetime) -> bool:
    """Whether the results would be open by their date and are held back."""
    return competition.reveal_held and at >= competition.reveals_at


def stamp(instant: datetime, competition: Competition) -> str:
    """The instant in the contest's zone, with the zone: `2026-12-01 19:00 KST`."""
    return f"{instant.astimezone(competition.zoneinfo):%Y-%m-%d %H:%M %Z}"


def refusal(competition: Competition, at: datetime) -> ScheduleRefusal | None:
    """Why a file received at `at` is not taken, or None: opens_at <= at < closes_at, not paused.

    From closes_at on, a contest that takes late entries takes them. The one answer to "may one
    submit now", asked by page, action and command line.
    """
    if is_paused(competition, at):
        why = competition.pause_reason
        return ScheduleRefusal(
            "paused",
            "제출을 잠시 멈췄습니다." + (f" 까닭: {why}" if why else ""),
            "Submissions are paused." + (f" Reason: {why}" if why else ""),
        )
    if takes_by_dates(competition, at):
        return None
    if at < competition.opens_at:
        opens = stamp(competition.opens_at, competition)
        return ScheduleRefusal(
            "not_open",
            f"아직 시작하지 않았습니다. {opens}부터 낼 수 있습니다.",
            f"The competition has not opened yet. You can submit from {opens}.",
        )
    closed = stamp(competition.closes_at, competition)
    received = f"{at.astimezone(competition.zoneinfo):%Y-%m-%d %H:%M:%S %Z}"
    return ScheduleRefusal(
        "closed",
        f"제출이 {closed}에 마감됐습니다. 서버가 받은 시각은 {received}입니다.",
        f"Submissions closed at {closed}. The server received yours at {received}.",
        *_instead(competition, at),
    )


def _instead(competition: Competition, at: datetime) -> tuple[str, str]:
    """What is left to do in a closed contest, in Korean and English."""
    if phase(competition, at) is Phase.REVEALED:
        return (
            "최종 순위는 리더보드에 있고, 데이터와 낸 제출의 점수는 계속 볼 수 있습니다.",
            "The final ranks are on the leaderboard; the data and your scores stay readable.",
        )
    reveals = stamp(competition.reveals_at, competition)
    if competition.reveal_held:
        return (
            "낸 제출의 점수는 계속 볼 수 있고, 최종 순위는 확인이 끝나면 공개합니다.",
            "Your scores stay readable; the final ranks open once the results are verified.",
        )
    return (
        f"낸 제출의 점수는 계속 볼 수 있고, 최종 순위는 {reveals}에 공개합니다.",
        f"Your scores stay readable; the final ranks open at {reveals}.",
    )


def day(competition: Competition, at: datetime) -> Day:
    """The contest day that holds `at`. A day of a zone with summer time may last 23 or 25 hours."""
    zone = competition.zoneinfo
    today = at.astimezone(zone).date()
    # In UTC: between two instants of one zone, Python subtracts what the clocks show.
    starts_at, ends_at = (
        datetime.combine(on, time.min, tzinfo=zone).astimezone(UTC)
        for on in (today, today + timedelta(days=1))
    )
    return Day(date=today, starts_at=starts_at, ends_at=ends_at)


def suggested_dates(zone: ZoneInfo, at: datetime) -> dict[str, datetime]:
    """Dates for a new contest to start from: three working weeks, and a weekend to look at it all.

    It opens at 10:00 on a Monday at least three days away, closes at 18:00 on a Friday and reveals
    at 10:00 on the Monday after. By the names of the contest's fields.
    """
    soonest = at.astimezone(zone).date() + timedelta(days=3)
    monday = soonest + timedelta(days=-soonest.weekday() % 7)

    def on(days: int, hour: int) -> datetime:
        return datetime.combine(monday + timedelta(days=days), time(hour), tzinfo=zone)

    return {"opens_at": on(0, 10), "closes_at": on(18, 18), "reveals_at": on(21, 10)}

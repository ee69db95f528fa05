"""What the dates allow, at the exact second and one microsecond beside it."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import Phase, day, phase, refusal, suggested_dates
from tests.leaderboard.builders import CLOSES, OPENS, REVEALS

TICK = timedelta(microseconds=1)


def contest(zone: str = "Asia/Seoul") -> Competition:
    return Competition(opens_at=OPENS, closes_at=CLOSES, reveals_at=REVEALS, zone=zone)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (OPENS - TICK, Phase.UPCOMING),
        (OPENS, Phase.OPEN),
        (CLOSES - TICK, Phase.OPEN),
        (CLOSES, Phase.CLOSED),
        (REVEALS - TICK, Phase.CLOSED),
        (REVEALS, Phase.REVEALED),
    ],
)
def test_each_boundary_belongs_to_what_begins_there(at: datetime, expected: Phase) -> None:
    assert phase(contest(), at) == expected
    assert (refusal(contest(), at) is None) == (expected == Phase.OPEN)


def test_refusal_names_the_instant_with_its_zone_in_both_languages() -> None:
    late = refusal(contest(), CLOSES)
    assert late is not None
    assert "2026-12-10 19:00 KST" in late.message("ko")
    assert "2026-12-10 19:00 KST" in late.message("en")
    early = refusal(contest("America/New_York"), OPENS - TICK)
    assert early is not None
    assert "2026-11-15 20:00 EST" in early.message("en")


def test_day_begins_at_midnight_of_the_contest_zone() -> None:
    midnight = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)  # 00:00 on the 21st in Seoul
    assert day(contest(), midnight - TICK).date == date(2026, 11, 20)
    assert day(contest(), midnight - TICK).ends_at == midnight
    assert day(contest(), midnight).date == date(2026, 11, 21)


def test_day_of_a_summer_time_change_is_as_long_as_it_is() -> None:
    # Clocks in New York go forward on 2026-03-08 and back on 2026-11-01.
    short = day(contest("America/New_York"), datetime(2026, 3, 8, 12, tzinfo=UTC))
    long = day(contest("America/New_York"), datetime(2026, 11, 1, 12, tzinfo=UTC))
    utc = UTC
    assert short.ends_at.astimezone(utc) - short.starts_at.astimezone(utc) == timedelta(hours=23)
    assert long.ends_at.astimezone(utc) - long.starts_at.astimezone(utc) == timedelta(hours=25)


@pytest.mark.parametrize(
    ("today", "monday"),
    [
        (date(2026, 11, 20), date(2026, 11, 23)),  # a Friday, three days before
        (date(2026, 11, 21), date(2026, 11, 30)),
        (date(2026, 11, 23), date(2026, 11, 30)),
    ],
)
@pytest.mark.parametrize("zone", ["Asia/Seoul", "America/New_York"])
def test_dates_to_start_from_are_in_order_on_working_days(
    zone: str, today: date, monday: date
) -> None:
    at = datetime(today.year, today.month, today.day, 15, tzinfo=ZoneInfo(zone))
    found = suggested_dates(ZoneInfo(zone), at)
    assert [f"{one:%a %H:%M}" for one in found.values()] == ["Mon 10:00", "Fri 18:00", "Mon 10:00"]
    assert found["opens_at"].date() == monday
    assert found["opens_at"] < found["closes_at"] < found["reveals_at"]

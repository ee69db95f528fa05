"""The dates that a new contest is given first."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from leaderboard.competitions.schedule import suggested_dates


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

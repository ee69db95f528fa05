"""A host's clock beside the database's: what differs is said."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.operations import checks
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, csv_file, running

pytestmark = pytest.mark.django_db

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
Shift = Callable[[timedelta], None]


@pytest.fixture
def shift(monkeypatch: pytest.MonkeyPatch) -> Shift:
    """Set the clock of this process ahead, or back; the database's goes on as it did."""
    right = timezone.now

    def to(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: right() + by)

    return to


def said(caplog: pytest.LogCaptureFixture) -> list[float]:
    """The differences on the log."""
    events: list[Any] = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [event["ahead_seconds"] for event in events if event["event"] == "clock.differs"]


@pytest.mark.parametrize("by", [timedelta(), 31 * SECOND, -DAY])
def test_the_difference_is_measured(by: timedelta, shift: Shift) -> None:
    shift(by)
    assert abs(checks.clock_ahead() - by) < SECOND


def test_a_slow_answer_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    for question, answer, ahead in (
        (now - 20 * SECOND, now + 20 * SECOND, timedelta()),
        (now + MINUTE, now + 2 * MINUTE, MINUTE),
        (now - 2 * MINUTE, now - MINUTE, -MINUTE),
    ):
        clocks = iter([question, answer])
        monkeypatch.setattr(timezone, "now", lambda clocks=clocks: next(clocks))
        assert abs(checks.clock_ahead() - ahead) < 20 * SECOND


@pytest.mark.parametrize("by", [DAY, -23 * SECOND])
def test_readyz_doctor_and_log_say_a_difference_and_files_are_taken(
    by: timedelta, shift: Shift, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    now = timezone.now()
    dates = {"opens_at": now - 9 * DAY, "closes_at": now + 9 * DAY, "reveals_at": now + 9 * DAY}
    builders.team(running(**dates), "alice")
    shift(by)
    answer = client.get("/readyz?verbose")
    assert (answer.status_code, answer.json()["remarks"]) == (200, ["clock_differs"])
    assert abs(answer.json()["clock_ahead_seconds"] - by.total_seconds()) < 20
    assert said(caplog) == [pytest.approx(by.total_seconds(), abs=20)]
    [fault] = [one for one in checks.clocks(timezone.now()) if one.key == "clock"]
    assert fault.values["seconds"] == pytest.approx(abs(by).total_seconds(), abs=20)
    form = {"file": csv_file(), "key": "k"}
    assert browser("alice").post("/c/talk/submit", form).status_code == 302


@pytest.mark.django_db(transaction=True)  # the sweeper closes its connection between rounds
def test_each_round_of_the_sweeper_says_it_on_the_log(
    shift: Shift, caplog: pytest.LogCaptureFixture
) -> None:
    shift(DAY)
    call_command("sweeper", "--once")
    assert said(caplog) == [pytest.approx(DAY.total_seconds(), abs=20)]

"""A host's clock beside the database's: what differs is said, what is wrong decides nothing."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone

from leaderboard.accounts.rate_limits import Use, left
from leaderboard.actions.submissions import REFUSALS
from leaderboard.boards import results
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.operations import clock
from leaderboard.submissions.models import QuotaEntry, Submission
from leaderboard.worker import tasks
from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, program
from tests.leaderboard.web.addresses import address, form_of, known_values, url_list
from tests.leaderboard.web.pages import HTMX, browser, csv_file, hand_in, running
from tests.leaderboard.web.stage import build

pytestmark = pytest.mark.django_db

SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
WRONG = [10 * MINUTE, -10 * MINUTE, DAY, -DAY]
Shift = Callable[[timedelta], None]


@pytest.fixture
def shift(monkeypatch: pytest.MonkeyPatch) -> Shift:
    """Set the clock of this process ahead, or back; the database's goes on as it did."""
    right = timezone.now

    def to(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: right() + by)
        monkeypatch.setattr(clock, "_last", {})  # as ten seconds later

    return to


def said(caplog: pytest.LogCaptureFixture) -> list[float]:
    """The differences on the log."""
    events: list[Any] = [record.msg for record in caplog.records if isinstance(record.msg, dict)]
    return [event["ahead_seconds"] for event in events if event["event"] == "clock.differs"]


@pytest.mark.parametrize("by", [*WRONG, 31 * SECOND, -31 * SECOND])
def test_the_difference_is_measured_and_taken_away(by: timedelta) -> None:
    found = clock.difference(lambda: timezone.now() + by)
    assert abs(found.ahead) <= abs(by) + SECOND / 100  # SQLite's shows milliseconds
    assert abs(found.ahead - by) < 20 * SECOND
    assert (found.is_said, found.is_ahead) == (True, by > timedelta())


def test_a_slow_answer_is_no_difference() -> None:
    now = timezone.now()
    clocks = iter([now - 20 * SECOND, now + 20 * SECOND])
    assert clock.difference(lambda: next(clocks)).ahead == timedelta()
    clocks = iter([now + MINUTE, now + 2 * MINUTE])
    assert abs(clock.difference(lambda: next(clocks)).ahead - MINUTE) < 20 * SECOND
    clocks = iter([now - 2 * MINUTE, now - MINUTE])
    assert abs(clock.difference(lambda: next(clocks)).ahead + MINUTE) < 20 * SECOND


def test_nothing_is_said_of_a_clock_that_is_right(caplog: pytest.LogCaptureFixture) -> None:
    assert not clock.difference().is_said
    assert said(caplog) == []


@pytest.mark.parametrize("by", WRONG)
def test_probes_and_log_say_a_wrong_clock(
    by: timedelta, shift: Shift, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    shift(by)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["clock differs"])
    assert abs(answer.json()["clock_ahead_seconds"] - by.total_seconds()) < 20
    assert said(caplog) == [pytest.approx(by.total_seconds(), abs=20)]
    assert client.get("/livez").status_code == 200


def test_a_small_difference_is_a_remark_and_takes_files(shift: Shift, client: Client) -> None:
    builders.team(running(), "alice")
    shift(-12 * SECOND)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["remarks"]) == (200, ["clock_differs"])
    form = {"file": csv_file(), "key": "k"}
    assert browser("alice").post("/c/talk/submit", form).status_code == 302


@pytest.mark.parametrize("by", WRONG)
def test_no_file_is_on_time_by_a_wrong_clock(by: timedelta, shift: Shift) -> None:
    """By the host's clock the contest is open; by everybody's it has closed, or opens soon."""
    now = timezone.now()
    seen = now + by
    contest = running(opens_at=now - 9 * DAY, closes_at=now + 9 * DAY, reveals_at=now + 9 * DAY)
    team = builders.team(contest, "alice")
    dates = {"opens_at": seen - MINUTE, "closes_at": seen + MINUTE}
    Competition.objects.filter(pk=contest.pk).update(**dates)
    alice = browser("alice")
    shift(by)
    for headers in ({}, HTMX, {"accept-language": "en"}):
        form = {"file": csv_file(), "key": "same"}
        answer = alice.post("/c/talk/submit", form, headers=headers)
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        korean = headers != {"accept-language": "en"}
        assert ("서버의 시계가 맞지 않아" if korean else "clock is wrong") in answer.text
        assert ("횟수는 쓰지 않았습니다" if korean else "No attempt was used") in answer.text
    shift(timedelta())
    assert alice.post("/c/talk/submit", {"file": csv_file(), "key": "same"}).status_code == 403
    assert not Submission.objects.exists()
    assert not QuotaEntry.objects.exists()
    assert (
        left(Use(REFUSALS, str(team.pk)), at=now).number == REFUSALS.most - 1
    )  # the one that came too late by the right clock


@pytest.mark.parametrize("by", [DAY, -DAY])
def test_no_result_is_shown_by_a_wrong_clock(by: timedelta, shift: Shift) -> None:
    """A day ahead, a host opened the private board; a day behind, it forgets the freeze."""
    team = builders.team(running(closes_at=timezone.now() - MINUTE), "alice")
    Competition.objects.update(reveals_at=timezone.now() + MINUTE)
    assert team.competition.slug == "talk"
    browsers = (browser("alice"), browser("olivia"), Client())
    shift(by)
    for name in ("leaderboard", "leaderboard_csv", "leaderboard_json", "shake_up", "overview"):
        for each in browsers:
            where = reverse(name, kwargs={"slug": "talk"})
            answer = each.get(where, {"board": "private"})
            assert (answer.status_code, answer["Retry-After"]) == (503, "60"), name
            assert "시계" in answer.text
    shift(timedelta())
    assert browsers[0].get("/c/talk/leaderboard").status_code == 200


def test_no_change_is_answered_with_a_result_by_a_wrong_clock(shift: Shift) -> None:
    """A host ahead held the private board for open, also in what it answered to a POST."""
    now = timezone.now()
    contest = running(closes_at=now - MINUTE)
    own = builders.hand_in(builders.team(contest, "alice"), at=now - 2 * MINUTE)
    builders.score_all(at=now - 2 * MINUTE)
    Competition.objects.update(reveals_at=now + MINUTE)
    alice, page = browser("alice"), f"/c/talk/submissions/{own.pk}"
    said, where = {"note": "가" * 600}, contest_url(f"/submissions/{own.pk}")

    def answers() -> list[Any]:
        note = {"data": {"note": "x"}, "content_type": "application/json"}
        return [
            *(alice.post(f"{page}/{one}", said) for one in ("note", "cancel")),
            *(program("alice").patch(where, **note), program("alice").post(f"{where}/cancel")),
        ]

    contest.refresh_from_db()
    seen = builders.viewer_of(contest, builders.user("alice"), now + DAY)
    total = results.submission_scores([own], seen)[own.pk]
    secret = next(one.total for one in total if one.board == "private")
    assert [one.status_code for one in answers()] == [422, 409, 200, 409]
    shift(DAY)
    for answer in answers():
        assert answer.status_code == 503
        assert secret not in answer.text


def test_pages_ask_the_database_for_its_time_once_in_a_while(
    django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "_last", {})
    with django_assert_max_num_queries(1 if connection.vendor == "postgresql" else 0):
        for _ in range(5):
            clock.lately()


@pytest.mark.crawl
def test_every_address_that_takes_a_file_or_has_a_deadline_asks_the_clock(shift: Shift) -> None:
    stage = build()
    values = known_values(stage)
    alice = browser("alice")
    refused = set()
    shift(DAY)
    for listed in url_list():
        if listed.name.startswith(("admin:", "account_")):
            continue
        where = address(listed, values)
        answer = alice.post(where, form_of(listed.name, stage))
        takes_files = hasattr(resolve(where).func, "accepted")
        assert answer.status_code == 503 or not takes_files, listed.name
        if answer.status_code == 503:
            refused.add(listed.name)
    assert {"submit", "check", "lab", "desk_golds", "finals", "join", "join_by_code"} <= refused
    assert {"note", "cancel"} <= refused  # what they answer with may show a score
    assert refused & {"desk_schedule", "settings", "inbox"} == set()


def test_who_runs_a_contest_or_the_server_sees_it_and_nobody_else(shift: Shift) -> None:
    builders.team(running(), "alice")
    sue = builders.user("sue")
    sue.is_staff = sue.is_superuser = True
    sue.save()
    browsers = {name: browser(name) for name in ("olivia", "alice", "sue")}
    words = "이 서버의 시계가"

    def seen(name: str, where: str) -> bool:
        answer = browsers[name].get(where)
        assert answer.status_code == 200
        return words in answer.text

    pages = ("/status", "/c/talk/status")
    assert not any(seen(name, where) for name in browsers for where in pages)
    shift(-12 * SECOND)
    assert all(seen(name, where) for name in ("olivia", "sue") for where in pages)
    assert seen("olivia", "/c/talk/desk/")
    assert not any(seen("alice", where) for where in pages)
    assert "12초 느립니다" in browsers["olivia"].get("/status").text
    assert "파일을 받지 않습니다" not in browsers["olivia"].get("/status").text
    shift(10 * MINUTE)
    page = browsers["olivia"].get("/c/talk/desk/").text
    assert "10분 빠릅니다" in page
    assert "파일을 받지 않습니다" in page


@pytest.mark.django_db(transaction=True)  # the sweeper closes its connection between rounds
@pytest.mark.parametrize("by", WRONG)
def test_a_worker_and_the_sweeper_go_by_the_shared_clock(
    by: timedelta, shift: Shift, caplog: pytest.LogCaptureFixture
) -> None:
    """A worker that is a day ahead scored "tomorrow"; a sweeper told of the reveal a day early."""
    now = timezone.now()
    contest = running(closes_at=now - MINUTE, reveals_at=now + MINUTE)
    by_team = builders.team(contest, "alice")
    handed_in = hand_in(by_team, after=-2 * MINUTE)
    shift(by)
    assert tasks.evaluate_next() == 1
    scored = Evaluation.objects.get(submission=handed_in)
    for at in (scored.started_at, scored.finished_at):
        assert isinstance(at, datetime)
        assert abs(at - now) < MINUTE
    told = Notification.objects.count()
    call_command("sweeper", "--once")
    assert Notification.objects.count() == told
    assert len(said(caplog)) >= 2

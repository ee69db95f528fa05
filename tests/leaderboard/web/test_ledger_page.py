"""The team's ledger page, and late entries and repeated bytes as the pages tell of them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.membership import leave
from leaderboard.actions.submissions import cancel
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.submissions.models import QuotaEntry, Submission
from tests.leaderboard import builders
from tests.leaderboard.web.pages import HTMX, browser, csv_file, hand_in, running

pytestmark = pytest.mark.django_db
LEDGER = "/c/talk/ledger"


def balances(page: str) -> list[tuple[str, str]]:
    """Change and what was left after it, line by line."""
    cells = re.findall(r'<td class="num(?: pine)?">([^<]+)</td>', page)
    return list(zip(cells[::2], cells[1::2], strict=True))


def late(**fields: object) -> Competition:
    """A contest that closed an hour ago and takes late entries."""
    now = timezone.now()
    hour = timedelta(hours=1)
    dates = {"opens_at": now - 48 * hour, "closes_at": now - hour, "reveals_at": now + 9 * hour}
    return builders.open_competition(**{"late_entries": True, **dates, **fields})


def test_every_charge_refund_and_grant_is_a_line_with_what_was_left() -> None:
    contest = running(daily_limit=3)
    team = builders.team(contest, "alice")
    now = timezone.now()
    taken = builders.hand_in(team, at=now)
    cancel(submission=taken, user=team.captain, at=now)
    today = day(contest, now).date
    QuotaEntry.objects.create(
        team=team, kind="grant", amount=2, day=today, at=now, words="정전 때문에"
    )
    page = browser("alice").get(LEDGER).text
    assert balances(page) == [("+2", "5"), ("+1", "3"), ("−1", "2")]
    assert f"{today:%Y-%m-%d}" in page
    assert "정전 때문에" in page
    assert "팀이 철회함" in page
    assert "KST" in page
    assert f'href="/c/talk/submissions/{taken.pk}"' in page
    english = browser("alice", "en").get(LEDGER).text
    assert "정전 때문에" in english
    assert "Cancelled by the team" in english


def test_what_a_team_before_had_used_is_said_as_that_and_charges_name_who_submitted() -> None:
    now = timezone.now()
    contest = running(daily_limit=3, opens_at=now - timedelta(days=5))
    team = builders.team(contest, "alice", "bob")
    for at in (now - timedelta(days=3), now - timedelta(days=1), now):
        builders.hand_in(team, at=at)
    builders.hand_in(leave(team=team, user=builders.user("bob"), at=now), at=now)
    page = " ".join(browser("bob").get(LEDGER).text.split())
    assert "이전 팀에서 이어받음, 그 전날까지 2회" in page
    assert "이전 팀에서 이어받음, 그날 1회" in page
    assert re.findall(r"<h3>(\d{4}-\d\d-\d\d)", page) == [f"{day(contest, now).date}"]
    assert "3회 중 2회 씀" in page
    assert page.count("이어받음") == 2  # the reason column repeats no kind
    assert '<span class="dim">· <bdi>bob</bdi></span>' in page


def test_the_same_bytes_are_told_with_a_link_before_anything_is_charged() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    earlier = hand_in(team)
    client = browser("alice")
    page = client.post("/c/talk/submit/check", {"file": csv_file()}, headers=HTMX).text
    assert "이미 제출한 파일과 같습니다" in page
    assert f'href="/c/talk/submissions/{earlier.pk}"' in page
    assert "제출하기 (1회 사용)" in page
    assert Submission.objects.count() == 1
    other = csv_file(builders.prediction_csv({"talk_1": "다른 요약"}))
    fresh = client.post("/c/talk/submit/check", {"file": other}, headers=HTMX).text
    assert "이미 제출한 파일과 같습니다" not in fresh

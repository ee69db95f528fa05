"""The organizers' first page: what to do next, and the contest in figures."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.discipline import exclude
from leaderboard.actions.forum import start_thread
from leaderboard.actions.registration import request_to_join
from leaderboard.actions.submissions import cancel
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
DESK = "/c/talk/desk/"


def shown() -> str:
    answer = browser("olivia").get(DESK)
    assert answer.status_code == 200
    return answer.text


def next_step(page: str) -> str:
    """Where its button leads."""
    found = re.search(r'<a class="btn"\s+href="/c/talk/desk/([^"]*)"', page)
    return found[1] if found else ""


def test_before_the_opening_the_required_steps_come_first() -> None:
    now = timezone.now()
    dates = [now + timedelta(days=day) for day in (1, 8, 9)]
    names = ("opens_at", "closes_at", "reveals_at")
    contest = builders.competition(**dict(zip(names, dates, strict=True)))
    page = shown()
    assert next_step(page) == "golds"
    for address in ("data", "settings", "people", "enrol", "baselines"):
        assert f'href="/c/talk/desk/{address}"' in page
    assert 'class="bigs"' not in page, "nobody is there to be counted"
    builders.live(contest)
    assert next_step(shown()) == "data"


def test_what_waits_for_an_organizer_is_counted_and_linked() -> None:
    contest = running()
    team = builders.team(contest, "alice")
    contest.registration = "approval"
    contest.save(update_fields=["registration"])
    now = timezone.now()
    request_to_join(user=builders.user("bob"), competition=contest, at=now)
    asked = {"competition": contest, "user": builders.user("alice"), "at": now}
    start_thread(kind="question", title="물음", text="언제까지인가요?", **asked)  # type: ignore[arg-type]
    given = hand_in(team)
    Evaluation.objects.filter(submission=given).update(
        state="failed", failure="worker_lost", finished_at=now
    )
    page = shown()
    for address in ("people#requests", "forum#waiting", "submissions?kind=failed"):
        assert f'href="/c/talk/desk/{address}"' in page
    assert next_step(page) == "submissions?kind=failed"


def test_what_was_taken_today_is_counted_and_who_submitted_nothing_is_named() -> None:
    contest = running()
    team, silent = builders.team(contest, "alice"), builders.team(contest, "bob")
    now = timezone.now()
    for at in (now - timedelta(days=1), now, now):
        builders.hand_in(team, at=at)
    for quiet in (team, silent):
        cancel(submission=builders.hand_in(quiet, at=now), user=quiet.captain, at=now)
    page = shown()
    assert "오늘 2개" in page
    assert f'href="/c/talk/desk/teams/{silent.pk}"' in page
    assert f'href="/c/talk/desk/teams/{team.pk}"' not in page, "nothing is scored"
    found = browser("olivia").get("/c/talk/desk/silent", follow=True).text
    assert f"/teams/{silent.pk}" in found
    assert f"/teams/{team.pk}" not in found


def test_the_file_on_rank_1_that_another_team_sent_too_is_pointed_at() -> None:
    contest = running()
    ours, theirs = hand_in(builders.team(contest, "alice")), hand_in(builders.team(contest, "bob"))
    builders.score_all(timezone.now())
    page = shown()
    assert next_step(page) == "duplicates"
    assert f'href="/c/talk/desk/teams/{theirs.team_id}"' in page, "among the first teams"
    now, olivia = timezone.now(), builders.user("olivia")
    exclude(submission=ours, user=olivia, reason="같은 파일", at=now)
    assert next_step(shown()) == "data", "it was decided"


def test_after_the_close_the_steps_lead_to_the_reveal_and_the_archive() -> None:
    contest = running()
    hand_in(builders.team(contest, "alice"))
    builders.score_all(timezone.now())
    now, hour = timezone.now(), timedelta(hours=1)
    Competition.objects.update(closes_at=now - hour, reveal_held=True)
    page = shown()
    for address in ("duplicates", "announcements", "schedule"):
        assert f'href="/c/talk/desk/{address}"' in page
    Competition.objects.update(reveals_at=now - hour, reveal_held=False)
    page = shown()
    assert next_step(page) == "closing"
    assert 'href="/c/talk/desk/ending"' in page

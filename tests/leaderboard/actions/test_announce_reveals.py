"""Members are told of a reveal once, whoever sweeps how often."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from leaderboard.actions import schedule as module
from leaderboard.actions.schedule import announce_reveals, hold_reveal
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from tests.leaderboard.boards.test_shake_up import shaken
from tests.leaderboard.builders import CLOSES, REVEALS, competition, team, user
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)


def told() -> list[tuple[str, str, datetime]]:
    rows = Notification.objects.filter(kind="revealed").order_by("user__username")
    return [(row.user.username, row.competition_slug, row.created_at) for row in rows]


def test_every_member_is_told_at_the_reveal_once_and_nobody_else() -> None:
    contest = shaken()
    team(contest, "dana", "eve")
    team(competition("later", reveals_at=REVEALS + 2 * HOUR), "erin")
    assert announce_reveals(at=REVEALS - TICK) == 0
    assert told() == []
    assert announce_reveals(at=REVEALS) == 1
    everybody = [(name, "talk", REVEALS) for name in ("alice", "bob", "charlie", "dana", "eve")]
    assert told() == everybody
    team(contest, "fay")
    assert announce_reveals(at=REVEALS + HOUR) == 0
    # A second sweeper that found it due before the first one had told.
    assert module._announce(contest.pk, REVEALS + HOUR) is False
    assert told() == everybody
    notices = Notification.objects.filter(kind="revealed")
    assert [row.data for row in notices] == [{}] * 5, "and no number"
    text = browser("alice").get("/inbox").text
    assert "결과를 공개했습니다" in text
    assert 'href="/c/talk/shake-up"' in text


def test_one_that_is_deleted_meanwhile_keeps_no_other_from_being_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number, name in enumerate(("anna", "ben", "cara")):
        contest = competition(name, reveals_at=REVEALS + number * TICK)
        team(contest, name)
    tell = module.tell

    def told_too_late(**given: Any) -> None:
        tell(**given)
        Competition.objects.filter(slug="ben").update(state=Competition.State.DELETED)

    monkeypatch.setattr(module, "tell", told_too_late)
    assert announce_reveals(at=REVEALS + HOUR) == 2
    assert [name for name, _, _ in told()] == ["anna", "cara"]


def test_a_sweeper_that_was_killed_before_its_mark_tells_nobody_twice() -> None:
    shaken()
    announce_reveals(at=REVEALS)
    Notification.objects.filter(user=user("bob")).delete()
    Competition.objects.update(reveal_told_at=None)
    later = REVEALS + HOUR
    assert announce_reveals(at=later) == 1
    assert [at for _, _, at in told()] == [REVEALS, later, REVEALS]


def test_a_held_reveal_is_told_when_it_is_let_go() -> None:
    contest = shaken()
    olivia = user("olivia")
    hold_reveal(competition=contest, user=olivia, held=True, at=CLOSES)
    assert announce_reveals(at=REVEALS + HOUR) == 0
    # Found due, then held before it was locked.
    assert module._announce(contest.pk, REVEALS + HOUR) is False
    hold_reveal(competition=contest, user=olivia, held=False, at=REVEALS + 2 * HOUR)
    assert announce_reveals(at=REVEALS + 2 * HOUR) == 1
    assert len(told()) == 3
    assert Notification.objects.filter(kind="announced", created_at__gt=CLOSES).count() == 0

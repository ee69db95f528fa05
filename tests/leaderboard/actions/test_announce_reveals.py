"""Members are told of a reveal once, whoever sweeps how often."""

import json
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

HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)


def told() -> list[tuple[str, str, datetime]]:
    rows = Notification.objects.filter(kind="revealed").order_by("user__username")
    return [(row.user.username, row.competition_slug, row.created_at) for row in rows]


@pytest.mark.django_db
class TestReveals:
    def test_every_member_is_told_at_the_reveal_and_not_before(self) -> None:
        contest = shaken()
        team(contest, "dana", "eve")
        assert announce_reveals(at=REVEALS - TICK) == 0
        assert told() == []
        assert announce_reveals(at=REVEALS) == 1
        everybody = ["alice", "bob", "charlie", "dana", "eve"]
        assert told() == [(name, "talk", REVEALS) for name in everybody]

    def test_twice_is_once(self) -> None:
        contest = shaken()
        assert announce_reveals(at=REVEALS) == 1
        assert announce_reveals(at=REVEALS + HOUR) == 0
        # A second sweeper that found it due before the first one had told.
        assert module._announce(contest.pk, REVEALS + HOUR) is False
        assert [at for _, _, at in told()] == [REVEALS] * 3

    def test_one_that_is_deleted_meanwhile_keeps_no_other_from_being_told(
        self, monkeypatch: pytest.MonkeyPatch
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

    def test_a_sweeper_that_was_killed_before_its_mark_tells_nobody_twice(self) -> None:
        shaken()
        announce_reveals(at=REVEALS)
        Notification.objects.filter(user=user("bob")).delete()
        Competition.objects.update(reveal_told_at=None)
        assert announce_reveals(at=REVEALS + HOUR) == 1
        assert [(name, at) for name, _, at in told()] == [
            ("alice", REVEALS),
            ("bob", REVEALS + HOUR),
            ("charlie", REVEALS),
        ]

    def test_a_held_reveal_is_told_when_it_is_let_go(self) -> None:
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

    def test_who_joins_later_and_other_contests_hear_nothing(self) -> None:
        contest = shaken()
        team(competition("later", reveals_at=REVEALS + HOUR), "erin")
        announce_reveals(at=REVEALS)
        team(contest, "fay")
        announce_reveals(at=REVEALS)
        assert [name for name, _, _ in told()] == ["alice", "bob", "charlie"]

    def test_the_row_holds_no_number_and_leads_to_the_shake_up(self) -> None:
        shaken()
        announce_reveals(at=REVEALS)
        assert {json.dumps(row.data) for row in Notification.objects.filter(kind="revealed")} == {
            "{}"
        }
        text = browser("alice").get("/inbox").text
        assert "결과를 공개했습니다" in text
        assert 'href="/c/talk/shake-up"' in text

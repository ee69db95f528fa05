"""Dates moved, contests paused, reveals held, announcements made: refused, told and logged."""

from datetime import datetime, timedelta

import pytest

from leaderboard.actions.announcements import announce
from leaderboard.actions.schedule import hold_reveal, pause, reschedule, resume
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.queries import page
from leaderboard.community.announcements import announcements
from leaderboard.competitions.models import Competition
from leaderboard.inbox.lines import grouped
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import CLOSES, NOON, OPENS, REVEALS

pytestmark = pytest.mark.django_db
DATES = {"opens_at": OPENS, "closes_at": CLOSES, "reveals_at": REVEALS}
HOUR = timedelta(hours=1)


def move(contest: Competition, at: datetime = NOON, **dates: datetime) -> Competition:
    return reschedule(competition=contest, user=user("olivia"), dates=DATES | dates, at=at)


def told(name: str) -> list[str]:
    rows = Notification.objects.filter(user__username=name, kind="announced")
    return [row.message("ko") for row in rows]


def test_an_extension_counts_at_once_is_told_and_is_logged() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    move(contest)  # the same dates say nothing
    move(contest, closes_at=CLOSES + HOUR, reveals_at=REVEALS + HOUR)
    alices.refresh_from_db()
    hand_in(alices, at=CLOSES)
    with pytest.raises(Refused, match="closed"):
        hand_in(alices, at=CLOSES + HOUR)
    assert told("alice") == [
        "일정이 바뀌었습니다: 마감 2026-12-10 20:00 KST, 결과 공개 2026-12-11 11:00 KST."
    ]
    event = AuditEvent.objects.get(kind="competition.rescheduled")
    assert event.before["closes_at"] == CLOSES.isoformat()


@pytest.mark.parametrize(
    ("dates", "code"),
    [
        ({"closes_at": OPENS}, "dates_in_order"),
        ({"closes_at": REVEALS + HOUR}, "dates_in_order"),
        ({"freezes_at": OPENS}, "freeze_while_open"),
        ({"freezes_at": CLOSES + HOUR}, "freeze_while_open"),
        ({"team_merge_until": CLOSES + HOUR}, "merges_end_before_closing"),
        ({"closes_at": NOON}, "date_in_the_past"),
        ({"opens_at": OPENS - HOUR}, "date_in_the_past"),
    ],
)
def test_impossible_dates_are_refused_whole(dates: dict[str, datetime], code: str) -> None:
    contest = open_competition()
    with pytest.raises(Refused, match=code):
        move(contest, **dates)
    contest.refresh_from_db()
    assert (contest.opens_at, contest.closes_at) == (OPENS, CLOSES)


def test_a_closed_contest_may_open_again_until_its_reveal() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    move(contest, at=CLOSES + HOUR, closes_at=CLOSES + 2 * HOUR)
    alices.refresh_from_db()
    assert hand_in(alices, at=CLOSES + HOUR)
    with pytest.raises(Refused, match="date_in_the_past"):
        move(contest, at=REVEALS, reveals_at=REVEALS + HOUR)


def test_a_pause_refuses_with_its_reason_and_what_waits_is_scored() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices)
    pause(competition=contest, user=user("olivia"), reason="정답 확인", at=NOON + HOUR)
    pause(competition=contest, user=user("olivia"), reason="두 번째", at=NOON + 2 * HOUR)
    alices.refresh_from_db()
    assert hand_in(alices, at=NOON + HOUR / 2), "received before the pause"
    alices.refresh_from_db()
    with pytest.raises(Refused, match="paused") as caught:
        hand_in(alices, at=NOON + HOUR)
    assert "정답 확인" in caught.value.message("ko")
    assert score_all() == 2
    resume(competition=contest, user=user("olivia"), at=NOON + 3 * HOUR)
    alices.refresh_from_db()
    assert hand_in(alices, at=NOON + 3 * HOUR)


def test_changes_of_a_day_are_one_line_and_none_before_the_opening() -> None:
    contest = open_competition()
    team(contest, "alice")
    olivia = user("olivia")
    pause(competition=contest, user=olivia, at=OPENS - HOUR)
    move(contest, at=OPENS - HOUR, closes_at=CLOSES + HOUR, reveals_at=REVEALS + HOUR)
    resume(competition=contest, user=olivia, at=OPENS - HOUR)
    assert announcements(contest, olivia, runs_it=True) == []
    assert told("alice") == []
    say(contest, "안녕하세요.", "all", [])
    pause(competition=contest, user=olivia, at=NOON)
    resume(competition=contest, user=olivia, at=NOON + HOUR)
    assert len(announcements(contest, olivia, runs_it=True)) == 3
    assert len(told("alice")) == 3, "none is lost"
    lines = grouped(Notification.objects.filter(user=user("alice")), contest.zoneinfo)
    assert sorted(map(len, lines)) == [1, 2]


def test_a_held_reveal_keeps_private_scores_from_everybody_below_editors() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"))
    score_all()
    hold_reveal(competition=contest, user=user("olivia"), held=True, at=CLOSES)
    contest.refresh_from_db()
    assert page(viewer_of(contest, user("alice"), REVEALS + HOUR), "private") is None
    assert page(viewer_of(contest, user("olivia"), REVEALS + HOUR), "private") is not None
    hold_reveal(competition=contest, user=user("olivia"), held=False, at=REVEALS + HOUR)
    contest.refresh_from_db()
    assert page(viewer_of(contest, user("alice"), REVEALS + HOUR), "private") is not None
    with pytest.raises(Refused, match="revealed"):
        hold_reveal(competition=contest, user=user("olivia"), held=True, at=REVEALS + HOUR)


def say(contest: Competition, text: str, audience: str, teams: list[Team]) -> None:
    olivia = user("olivia")
    announce(competition=contest, user=olivia, text=text, audience=audience, teams=teams, at=NOON)


def test_announcements_reach_their_audience_and_nobody_else() -> None:
    contest = open_competition()
    alices = team(contest, "alice", "bob")
    team(contest, "charlie")
    hand_in(alices)
    for text, audience, teams in (
        ("모두에게", "all", []),
        ("아직 안 낸 팀에게", "no_submission", []),
        ("앨리스 팀에게", "teams", [alices]),
    ):
        say(contest, text, audience, teams)
    assert sorted(told("bob")) == ["모두에게", "앨리스 팀에게"]
    assert sorted(told("charlie")) == ["모두에게", "아직 안 낸 팀에게"]
    shown = {row.text for row in announcements(contest, user("charlie"), runs_it=False)}
    assert shown == set(told("charlie"))
    assert len(announcements(contest, user("olivia"), runs_it=True)) == 3


def test_a_button_pressed_twice_announces_once() -> None:
    contest = open_competition()
    team(contest, "alice")
    said = {"competition": contest, "user": user("olivia"), "text": "점검합니다"}
    one = announce(**said, at=NOON)
    assert announce(**said, at=NOON + timedelta(seconds=59)) == one
    assert len(told("alice")) == 1
    assert announce(**said, pinned=True, at=NOON + timedelta(seconds=59)) != one
    assert announce(**said, at=NOON + timedelta(minutes=2)) != one


def test_an_announcement_needs_words_and_teams_of_this_contest() -> None:
    contest, other = open_competition(), open_competition("other")
    theirs = team(other, "dana")
    for text, audience, teams in (("  ", "all", []), ("x", "teams", []), ("x", "teams", [theirs])):
        with pytest.raises(Refused):
            say(contest, text, audience, teams)

"""Boards of past instants: derived from what was received before, brought up to date ever since."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from leaderboard.actions.schedule import reschedule
from leaderboard.boards.listing import has_board, standings_of
from leaderboard.boards.models import FOREVER, Placement, StandingDay
from leaderboard.competitions.schedule import day
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, midnights, open_competition, score_all, team, user
from tests.leaderboard.material import CLOSES, GOLDS, NOON

pytestmark = pytest.mark.django_db

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
MIDNIGHT = datetime(2026, 11, 20, 15, 0, tzinfo=NOON.tzinfo)  # 00:00 of the 21st in Seoul
GOOD = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "눈이 온다.")


def on(instant: datetime, of: Team) -> Placement | None:
    version = live_version(of.competition)
    assert version is not None
    return standings_of(version, "public", instant).filter(team=of).first()


def test_moving_the_freeze_leaves_a_board_of_the_new_instant_alone() -> None:
    freeze = NOON + DAY
    contest = open_competition(freezes_at=freeze)
    alices = team(contest, "alice")
    hand_in(alices, at=NOON)
    score_all()
    moved = NOON + timedelta(hours=1)
    reschedule(
        competition=contest,
        user=user("olivia"),
        dates={"closes_at": CLOSES, "freezes_at": moved},
        at=NOON,
    )
    contest.refresh_from_db()
    assert not has_board(contest, freeze)
    assert has_board(contest, moved)
    kept = on(moved, alices)
    assert kept.entries == 1
    call_command("rebuild_standings", "--check")


def test_a_planted_difference_on_a_past_board_is_found() -> None:
    contest = open_competition()
    hand_in(team(contest, "alice"), at=NOON)
    score_all()
    call_command("rebuild_standings", "--check")
    StandingDay.objects.filter(board="private").update(entries=7)
    with pytest.raises(CommandError):
        call_command("rebuild_standings", "--check")
    call_command("rebuild_standings")
    call_command("rebuild_standings", "--check")


def test_a_row_only_where_something_changed_and_few_that_tell_the_order() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    times = [NOON, NOON + DAY, NOON + 2 * DAY]
    for texts, at in zip((POOR, GOOD, POOR), times, strict=True):
        hand_in(alices, texts, at=at)
    score_all()
    days = StandingDay.objects.filter(board="public").order_by("last_submission_at")
    spans = days.values_list("last_submission_at", "until", "stands_until", "entries")
    assert list(spans) == [
        (times[0], times[1], times[1], 1),
        (times[1], times[2], FOREVER, 2),
        (times[2], FOREVER, None, 3),
    ]
    assert StandingDay.objects.count() == 2 * len(times)


def test_boards_end_with_the_first_midnight_after_the_close() -> None:
    contest = open_competition()
    kept = list(midnights(contest))
    assert kept[-1] - CLOSES == timedelta(hours=5)  # closes at 19:00 in Seoul
    assert not has_board(contest, kept[0] - DAY)
    assert all(timezone.localtime(one, contest.zoneinfo).hour == 0 for one in kept)


def test_midnights_of_a_zone_with_summer_time_are_midnights() -> None:
    contest = open_competition(
        zone="Europe/Berlin",
        opens_at=datetime(2026, 10, 23, 8, tzinfo=NOON.tzinfo),
    )
    kept = [day(contest, NOON).starts_at]
    while has_board(contest, earlier := day(contest, kept[-1] - SECOND).starts_at):
        kept.append(earlier)
    assert {timezone.localtime(one, contest.zoneinfo).hour for one in kept} == {0}
    apart = [later.astimezone(UTC) - one.astimezone(UTC) for later, one in itertools.pairwise(kept)]
    # Clocks went back on the 25th: one day of 25 hours, all others of 24.
    assert sorted({step.total_seconds() for step in apart}) == [24 * 3600, 25 * 3600]

"""Boards of past instants: derived from what was received before, brought up to date ever since."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from leaderboard.actions.schedule import reschedule
from leaderboard.boards.listing import has_board, standings_of
from leaderboard.boards.models import FOREVER, Placement, Standing, StandingDay
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.schedule import day
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Exclusion, Submission
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


def test_each_midnight_keeps_what_was_received_before_it() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices, POOR, at=NOON)
    score_all()
    hand_in(alices, at=NOON + DAY)
    score_all()
    assert on(MIDNIGHT - DAY, alices) is None
    first, second = on(MIDNIGHT, alices), on(MIDNIGHT + DAY, alices)
    assert (first.entries, second.entries) == (1, 2)
    assert first.printed < second.printed == Standing.objects.get(board="public").printed


def test_a_file_scored_after_midnight_counts_for_the_day_it_came_in() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices, POOR, at=NOON - DAY)
    score_all()
    hand_in(alices, at=MIDNIGHT - timedelta(seconds=1))
    before = on(MIDNIGHT, alices)
    score_all()
    after, earlier = on(MIDNIGHT, alices), on(MIDNIGHT - DAY, alices)
    assert (before.entries, after.entries, earlier.entries) == (1, 2, 1)


def test_what_comes_at_the_freeze_is_not_on_its_board() -> None:
    freeze = NOON + timedelta(hours=2)
    contest = open_competition(freezes_at=freeze)
    alices = team(contest, "alice")
    hand_in(alices, POOR, at=NOON)
    hand_in(alices, at=freeze)  # not before the freeze
    score_all()
    kept = on(freeze, alices)
    assert kept.entries == 1
    assert Standing.objects.get(board="public").entries == 2


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


def test_exclusion_takes_a_submission_off_every_board() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    hand_in(alices, POOR, at=NOON)
    best = hand_in(alices, at=NOON + timedelta(hours=1))
    score_all()
    with_best = on(MIDNIGHT, alices)
    Exclusion.objects.create(
        submission=best, excluded_by=user("olivia"), at=MIDNIGHT, reason="손으로 고친 파일"
    )
    place_everywhere(team=alices)
    without = on(MIDNIGHT, alices)
    assert (with_best.entries, without.entries) == (2, 1)
    assert without.printed < with_best.printed
    call_command("rebuild_standings", "--check")


def test_disqualified_late_and_baseline() -> None:
    contest = open_competition()
    alices, bobs, house = (team(contest, name) for name in ("alice", "bob", "dan"))
    late = hand_in(alices, at=NOON + timedelta(hours=1))
    Submission.objects.filter(pk=late.pk).update(is_late=True)
    for one in (alices, bobs, house):
        hand_in(one, POOR, at=NOON)
    score_all()
    Team.objects.filter(pk=bobs.pk).update(disqualified_at=NOON)
    Team.objects.filter(pk=house.pk).update(kind=Team.Kind.BASELINE)
    for one in (alices, bobs, house):
        place_everywhere(team=Team.objects.get(pk=one.pk))
    rows = Standing.objects.filter(board="public")
    assert dict(rows.values_list("team", "entries")) == {alices.pk: 1, house.pk: 1}
    assert dict(rows.values_list("team", "ranked")) == {alices.pk: True, house.pk: False}


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

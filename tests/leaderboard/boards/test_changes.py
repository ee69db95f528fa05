"""A process keeps the totals of a board as long as none of the version's boards changed."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from leaderboard.actions.discipline import disqualify, exclude
from leaderboard.actions.schedule import Dates, reschedule
from leaderboard.boards import changes
from leaderboard.boards.changes import Marks, marks, note, put_together
from leaderboard.boards.instants import before, keep_newest
from leaderboard.boards.ladder import totals
from leaderboard.boards.models import BoardChange, Standing
from leaderboard.boards.standings import place
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Team
from leaderboard.worker.sweep import put_changes_together
from tests.leaderboard.builders import (
    CLOSES,
    GOLDS,
    NOON,
    OPENS,
    competition,
    hand_in,
    live,
    open_competition,
    score_all,
    team,
    user,
)

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
POOR = dict.fromkeys(GOLDS, "눈이 온다.")


@pytest.fixture
def contest(db: None) -> Competition:
    """Alice has a score of a fair file, Bob one of a poor file."""
    made = open_competition()
    hand_in(team(made, "alice"), at=NOON)
    hand_in(team(made, "bob"), POOR, at=NOON)
    score_all()
    return made


def marks_of(version: ScoringVersion, instant: datetime | None = None) -> Marks:
    return marks(version.pk, [instant])[instant]


def version_of(contest: Competition) -> ScoringVersion:
    version = live_version(contest)
    assert version is not None
    return version


def test_a_version_whose_boards_were_never_written_has_no_marks() -> None:
    version = live(competition())
    BoardChange.objects.all().delete()
    assert marks_of(version) is None


def _scored(contest: Competition) -> None:
    hand_in(Team.objects.get(name="bob"), at=NOON + timedelta(hours=1))
    score_all()


def _excluded(contest: Competition) -> None:
    row = Team.objects.get(name="alice").submissions.get()
    exclude(submission=row, user=user("olivia"), reason="같은 파일", at=NOON)


def _disqualified(contest: Competition) -> None:
    bobs = Team.objects.get(name="bob")
    disqualify(team=bobs, user=user("olivia"), reason="규칙 위반", at=NOON)


def _kept(contest: Competition) -> None:
    assert keep_newest(version=version_of(contest), at=NOON + DAY)


def _frozen_elsewhere(contest: Competition) -> None:
    dates = replace(Dates.of(contest), freezes_at=CLOSES - DAY)
    reschedule(competition=contest, user=user("olivia"), dates=dates, at=OPENS)


def _rebuilt(contest: Competition) -> None:
    Standing.objects.filter(team__name="alice").update(printed=1)
    call_command("rebuild_standings")


@pytest.mark.parametrize(
    "act", [_scored, _excluded, _disqualified, _kept, _frozen_elsewhere, _rebuilt]
)
def test_whatever_changes_a_board_changes_the_marks(
    contest: Competition, act: Callable[[Competition], None]
) -> None:
    version = version_of(contest)
    earlier = marks_of(version)
    act(contest)
    assert marks_of(version) != earlier


def test_only_what_concerns_a_kept_instant_changes_its_marks(contest: Competition) -> None:
    """The board of a freeze to come changes with every file; yesterday's does not."""
    _frozen_elsewhere(contest)
    _kept(contest)
    version, today = version_of(contest), NOON + DAY
    yesterday = before(contest, today)
    was, frozen = marks_of(version, yesterday), marks_of(version, CLOSES - DAY)
    hand_in(Team.objects.get(name="bob"), at=today)
    score_all(today)
    assert marks_of(version, yesterday) == was
    assert marks_of(version, CLOSES - DAY) != frozen
    _excluded(contest)  # Alice's file of the day before
    assert marks_of(version, yesterday) != was


def test_placing_a_team_where_it_is_changes_no_marks(contest: Competition) -> None:
    version = version_of(contest)
    earlier = marks_of(version)
    with transaction.atomic():
        place(team=Team.objects.get(name="alice"), version=version)
    assert marks_of(version) == earlier


def test_totals_are_read_once_for_marks_and_again_for_the_next(
    contest: Competition, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = version_of(contest)
    kept = marks_of(version)
    first = totals(version, "public", None, kept)
    of_another_request = version_of(contest)
    with django_assert_num_queries(0):
        assert totals(of_another_request, "public", None, kept) is first
    _scored(contest)
    rows = Standing.objects.filter(board="public").order_by("printed")
    now = totals(version, "public", None, marks_of(version))
    assert now.all == tuple(rows.values_list("printed", flat=True))
    assert now.all[0] > first.all[0]


def test_totals_without_marks_are_read_each_time(
    contest: Competition, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version = version_of(contest)
    with django_assert_num_queries(2):
        assert totals(version, "public", None, None) == totals(version, "public", None, None)


def test_totals_of_a_change_that_was_rolled_back_are_not_shown(contest: Competition) -> None:
    version = version_of(contest)
    with transaction.atomic():
        Standing.objects.filter(board="public").update(printed=1)
        note(version.pk, since=None)
        assert set(totals(version, "public", None, marks_of(version)).all) == {1}
        transaction.set_rollback(True)
    # As many lines as there were, and the next number of a line is perhaps the same.
    note(version.pk, since=None)
    assert 1 not in totals(version, "public", None, marks_of(version)).all


@pytest.mark.django_db(transaction=True)
def test_a_change_that_began_first_and_is_committed_last_changes_the_marks() -> None:
    version = live(competition())
    noted, ready = Event(), Event()

    def slow_change() -> None:
        try:
            with transaction.atomic():
                note(version.pk, since=None)
                noted.set()
                ready.wait(1)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(slow_change)
        noted.wait(5)
        # PostgreSQL does it at once; SQLite waits until the first is committed.
        note(version.pk, since=None)
        earlier = marks_of(version)
        ready.set()
        slow.result()
    after = marks_of(version)
    assert after is not None
    assert after[0] == 1 + 1 + 1  # going live noted the first
    assert earlier != after or connection.vendor == "sqlite"


def test_lines_are_put_together_once_they_are_many(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = version_of(contest)
    lines = BoardChange.objects.filter(scoring_version=version)
    monkeypatch.setattr(changes, "MOST_LINES", lines.count())
    assert put_changes_together(NOON) == 0
    note(version.pk, since=None)
    assert put_changes_together(NOON) == changes.MOST_LINES + 1
    assert lines.count() == 1


def test_putting_together_brings_no_earlier_marks_back(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is committed and put together between two looks of a process: both differ."""
    monkeypatch.setattr(changes, "MOST_LINES", 0)
    version = version_of(contest)
    seen = set()
    for _ in range(20):
        put_together(version.pk)
        seen.add(marks_of(version))
        note(version.pk, since=None)
    assert len(seen) == 20

"""Figures of a large contest: kept by a task and shown with their time, to who may see them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards import figures as of_large
from leaderboard.boards.figures import due_figures, make_next_figures
from leaderboard.boards.models import Figures
from leaderboard.boards.shake_up import shake_up
from leaderboard.competitions.models import Competition
from leaderboard.references.queries import live_version
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.worker.sweep import wake_for_derived
from tests.leaderboard.boards.test_shake_up import shaken
from tests.leaderboard.builders import score_all, team, user, viewer_of
from tests.leaderboard.material import NOON, REVEALS
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def three_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_large, "LARGE", 2)


def kept(contest: Competition) -> Figures:
    return Figures.objects.get(scoring_version__competition=contest)


def test_those_of_a_small_contest_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_large, "LARGE", 3)
    shaken()
    assert due_figures(REVEALS) is None
    assert not make_next_figures(REVEALS)
    assert not Figures.objects.exists()


def test_they_are_made_again_and_again_and_not_shown_when_old() -> None:
    contest = shaken()
    version = live_version(contest)
    assert version is not None
    assert due_figures(NOON) == version
    assert wake_for_derived(NOON) == 1
    assert make_next_figures(NOON)
    assert kept(contest).days == taken_by_day(contest)
    assert not make_next_figures(NOON + timedelta(minutes=4))
    assert due_figures(NOON + timedelta(minutes=5)) == version
    assert Figures.kept(version, NOON + timedelta(minutes=59)) == kept(contest)
    assert Figures.kept(version, NOON + timedelta(hours=1)) is None
    assert make_next_figures(REVEALS)
    assert kept(contest).made_at == REVEALS


def test_a_summary_is_read_with_its_time_while_the_lines_are_of_now() -> None:
    contest = shaken()
    live = shake_up(viewer_of(contest, user("olivia"), REVEALS))
    assert live.summary is not None
    make_next_figures(REVEALS)
    later = REVEALS + timedelta(minutes=3)
    with CaptureQueriesContext(connection) as asked:
        seen = shake_up(viewer_of(contest, user("olivia"), later))
    assert not [one for one in asked if "other AS" in one["sql"]]
    assert (seen.summary, seen.made_at) == (live.summary, REVEALS)
    assert seen.rows == live.rows


def test_nobody_reads_of_the_private_board_by_them_before_the_reveal() -> None:
    contest = shaken()
    make_next_figures(NOON)
    assert kept(contest).shake_up is not None
    assert shake_up(viewer_of(contest, user("alice"), NOON)) is None
    assert shake_up(viewer_of(contest, user("olivia"), NOON)) is not None


def test_the_desk_shows_the_time_of_what_is_kept() -> None:
    contest = running()
    for name in ("alice", "bob", "charlie"):
        hand_in(team(contest, name))
    score_all()
    olivia = browser("olivia")
    page = f"/c/{contest.slug}/desk/"
    assert "</time> 기준" not in olivia.get(page).text
    make_next_figures(timezone.now())
    with CaptureQueriesContext(connection) as asked:
        assert "</time> 기준" in olivia.get(page).text
    # No line of the ledger is read for it.
    assert not [one for one in asked if 'FROM "submissions_quotaentry"' in one["sql"]]

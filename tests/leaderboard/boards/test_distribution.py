"""How scores are spread: freeze and reveal respected, the own team marked."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.actions.teams import add_baseline
from leaderboard.boards.distribution import distribution, histogram
from leaderboard.competitions.models import Competition
from leaderboard.submissions.queries import Upload
from leaderboard.web.charts import histogram as drawn
from tests.leaderboard.boards.test_shake_up import rows_right, shaken
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import GOLDS, NOON, REVEALS, prediction_csv

pytestmark = pytest.mark.django_db
ANYONE = AnonymousUser()
HOUR = timedelta(hours=1)
PERFECT = {name: texts[0] for name, texts in GOLDS.items()}


def test_every_team_is_counted_once_and_the_own_bin_is_marked() -> None:
    found = distribution(viewer_of(shaken(), user("bob"), NOON + HOUR), "public")
    assert (found.teams, found.own_rank) == (3, 2)
    # Charlie is wrong on all public rows, Bob right on one of two, Alice on both.
    assert (found.total.lowest, found.total.middle, found.total.highest, found.total.own) == (
        "0.0000",
        "1.5000",
        "3.0000",
        "1.5000",
    )
    bins = [one for one in found.total.histogram.bins if one.teams]
    assert sum(one.teams for one in bins) == 3
    assert [one.has_own for one in bins] == [False, True, False]


def test_the_private_distribution_opens_at_the_reveal() -> None:
    contest = shaken()
    tick = timedelta(microseconds=1)
    assert distribution(viewer_of(contest, user("alice"), REVEALS - tick), "private") is None
    assert distribution(viewer_of(contest, user("olivia"), NOON), "private") is not None
    found = distribution(viewer_of(contest, user("alice"), REVEALS), "private")
    assert (found.total.own, found.own_rank) == ("0.0000", 3)
    assert distribution(viewer_of(contest, user("alice"), REVEALS), "gold") is None


def test_a_freeze_keeps_the_others_and_lets_the_own_team_move() -> None:
    contest = shaken()
    Competition.objects.update(freezes_at=NOON + HOUR)
    contest.refresh_from_db()
    charlies = contest.teams.get(name="charlie")
    hand_in(charlies, PERFECT, at=NOON + 2 * HOUR)
    score_all(NOON + 2 * HOUR)
    for name, highest, own in (("charlie", 2, "3.0000"), ("bob", 1, "1.5000")):
        found = distribution(viewer_of(contest, user(name), NOON + 3 * HOUR), "public")
        assert (found.total.own, found.instant) == (own, NOON + HOUR)
        # Alice alone has 3.0000 in the eyes of others; Charlie sees the own new one beside it.
        bins = [one.teams for one in found.total.histogram.bins if one.teams]
        assert bins[-1] == highest
        assert sum(bins) == 3


def test_baselines_are_left_out_and_an_empty_board_has_none() -> None:
    contest = open_competition()
    empty = distribution(viewer_of(contest, ANYONE, NOON), "public")
    assert (empty.total, empty.teams) == (None, 0)
    add_baseline(
        competition=contest,
        user=user("olivia"),
        name="KoBART",
        upload=Upload("baseline.csv", prediction_csv(PERFECT)),
        at=NOON,
    )
    hand_in(team(contest, "alice"), rows_right("1"), at=NOON)
    score_all()
    found = distribution(viewer_of(contest, ANYONE, NOON), "public")
    assert found.total.highest == found.total.lowest == "1.5000"
    assert sum(one.teams for one in found.total.histogram.bins) == 1


def test_ten_thousand_teams_are_drawn_as_bars() -> None:
    """A square a team would be as many elements as there are teams."""
    few = drawn(histogram(list(range(60)), 30))
    many = drawn(histogram(list(range(10_000)), 5_000))
    assert len(few.boxes) == 60
    assert len(many.boxes) == 21  # twenty bins and the own mark
    assert [box.kind for box in many.boxes].count("dme") == 1

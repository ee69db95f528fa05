"""Windows of a board hold what walking there row by row would."""

from collections import Counter
from datetime import timedelta

import pytest

from leaderboard.boards.listing import BY_TEAM, BY_TOTAL, Listing, listing
from leaderboard.boards.models import Standing
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.material import GOLDS, NOON

pytestmark = pytest.mark.django_db

# Ties at both ends and in the middle, and one of them without a rank.
TOTALS = (90, 90, 90, 70, 60, 60, 60, 60, 50, 10, 10)
WITHOUT_RANK = 5


def board() -> Listing:
    """A board of these totals, looked at by the member of the first 60 that arrived."""
    contest = open_competition()
    first = team(contest, "alice")
    submission = hand_in(first, {name: texts[0] for name, texts in GOLDS.items()}, at=NOON)
    score_all()
    Standing.objects.all().delete()
    others = [
        Team.objects.create(
            competition=contest, name=f"팀 {n}", captain=user("bob"), created_at=NOON
        )
        for n in range(len(TOTALS) - 1)
    ]
    teams = [*others[:4], first, *others[4:]]
    for n, (one, total) in enumerate(zip(teams, TOTALS, strict=True)):
        Standing.objects.create(
            scoring_version=live_version(contest),
            board="public",
            team=one,
            printed=total,
            metrics={},
            submission=submission,
            received_at=NOON + timedelta(minutes=n % 3),
            entries=1,
            last_submission_at=NOON,
            ranked=n != WITHOUT_RANK,
            sort_key=one.sort_key,
        )
    return listing(viewer_of(contest, user("alice"), NOON), "public")


def test_every_window_is_the_slice_of_the_whole() -> None:
    seen = board()
    whole = seen.rows(BY_TOTAL, "", slice(None))
    assert seen.tally.rows == len(whole) == len(TOTALS)
    assert [row.printed for row in whole] == list(TOTALS)
    for start in range(len(TOTALS) + 2):
        for stop in range(start + 1, len(TOTALS) + 4):
            assert seen.rows(BY_TOTAL, "", slice(start, stop)) == whole[start:stop]


def test_the_own_page_counts_ties_that_came_before_and_rows_without_a_rank() -> None:
    seen = board()
    whole = seen.rows(BY_TOTAL, "", slice(None))
    place = [row.team_id for row in whole].index(seen.own.team_id)
    assert whole[place - 1].printed == whole[place].printed == whole[place + 1].printed
    for order in (BY_TOTAL, BY_TEAM):
        rows = seen.rows(order, "", slice(None))
        place = [row.team_id for row in rows].index(seen.own.team_id)
        assert seen.place_of_own(order) == place
    assert len(seen.tally.ascending) == len(TOTALS) - 1
    # 90, 90, 90 and 70 are better
    assert (seen.tally.own, seen.tally.ranked) == (60, True)
    assert list(seen.tally.ascending[-4:]) == [70, 90, 90, 90]
    ((placed,), _) = seen.placed([seen.own])
    assert (placed.rank, placed.tied) == (5, True)
    ranks = Counter(place.rank for place in seen.placed(whole)[0])
    assert ranks == {1: 3, 4: 1, 5: 3, None: 1, 8: 1, 9: 2}
    counted = Listing(seen.viewer, seen.version, seen.view).upwards
    assert (counted.own, counted.ahead) == (60, seen.tally.ahead), "from the own total up"
    assert [total for total in seen.tally.ascending if total >= 60] == counted.ascending

"""Rehearsing and making live with a hundred thousand teams: no error, and memory bounded."""

import pytest
from django.db import connection

from leaderboard.actions.versions import make_live, rehearse
from leaderboard.boards.models import Standing, Switch
from leaderboard.boards.standings import place_scored
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Membership
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, uploaded, user
from tests.leaderboard.many import multiply, peak, uuid
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
BASE = 10**9


def crowd(number: int) -> tuple[ScoringVersion, Submission]:
    """So many teams of one person with one scored submission each, and the one they are made of."""
    alice = team(open_competition(), "alice")
    one = hand_in(alice, at=NOON)
    score_all()
    evaluation = Evaluation.objects.select_related("scoring_version").get()
    more = number - 1
    multiply(
        alice.captain, more, id=f"{BASE} + n", username="'user-' || n", skeleton="'user-' || n"
    )
    multiply(
        alice,
        more,
        id=uuid(BASE),
        name="'team ' || n",
        skeleton="'team ' || n",
        captain_id=f"{BASE} + n",
    )
    multiply(
        Membership.objects.get(),
        more,
        id=f"{BASE} + n",
        team_id=uuid(BASE),
        user_id=f"{BASE} + n",
    )
    multiply(
        one,
        more,
        id=uuid(BASE),
        team_id=uuid(BASE),
        origin_id=uuid(BASE),
        submitted_by_id=f"{BASE} + n",
        file="'file-' || n",
    )
    multiply(evaluation, more, id=uuid(BASE), submission_id=uuid(BASE))
    scores(evaluation, more, BASE)
    return evaluation.scoring_version, one


def scores(of: Evaluation, number: int, base: int) -> None:
    for place, score in enumerate(SplitScore.objects.filter(evaluation=of)):
        multiply(score, number, id=f"{base * (place + 1)} + n", evaluation_id=uuid(base))


@pytest.mark.whole
@pytest.mark.parametrize("number", [1_200, pytest.param(100_000, marks=pytest.mark.slow)])
def test_rehearsing_and_making_live(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    first, one = crowd(number)
    olivia = user("olivia")
    second = uploaded(first.competition, preset="mean-sum")
    place_scored(version=first)  # its board, of which a switch keeps who moved
    before = peak(anew=True)
    assert rehearse(version=second, user=olivia, at=NOON) == number

    # What the worker would do, for all but the first by copying.
    Evaluation.objects.filter(scoring_version=second).exclude(submission=one).delete()
    score_all()
    rehearsed = Evaluation.objects.get(scoring_version=second)
    multiply(rehearsed, number - 1, id=uuid(3 * BASE), submission_id=uuid(BASE))
    scores(rehearsed, number - 1, 3 * BASE)

    make_live(version=second, user=olivia, reason="a typo", at=NOON)
    assert Notification.objects.filter(kind="announced").count() == number
    assert len(Switch.objects.get(board="public").moves) == number
    assert rehearse(version=first, user=olivia, at=NOON) == 0

    standings = Standing.objects.filter(scoring_version=first)
    assert standings.count() == 2 * number
    assert standings.values("printed", "board").distinct().order_by().count() == 2
    with capsys.disabled():
        grown = peak() - before
        print(f"\n{number} teams on {connection.vendor}: memory grew by {grown:.0f} MB")
    assert grown < 250

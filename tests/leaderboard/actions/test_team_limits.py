"""What the limits of a team do to checking, mending, practising and handing in."""

from datetime import timedelta
from functools import partial

import pytest

from leaderboard.accounts.models import RateCount
from leaderboard.accounts.rate_limits import Left, Limit, Use, left, take
from leaderboard.actions.checks import (
    CHECKS,
    LAB_RUNS,
    check,
    practise,
    practise_row,
    repair,
)
from leaderboard.actions.submissions import REFUSALS
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import QuotaEntry
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Team
from scoring.findings import InvalidSubmission
from tests.leaderboard.builders import dev_set, hand_in, open_competition, score_all, team
from tests.leaderboard.material import NOON, prediction_csv

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
QUARTER = timedelta(minutes=15)
FILE = Upload("predictions.csv", prediction_csv())


@pytest.fixture
def alices() -> Team:
    return team(open_competition(), "alice")


def fill(by: Team, limit: Limit, *, leave: int = 0) -> None:
    for _ in range(limit.most - leave):
        assert take(Use(limit, str(by.pk)), at=NOON) == 0


def counted(by: Team, limit: Limit) -> int:
    return limit.most - left(limit, by.pk, NOON).number


def test_checks_and_mended_files_share_one_number(alices: Team) -> None:
    fill(alices, CHECKS, leave=2)
    assert check(team=alices, user=alices.captain, upload=FILE, at=NOON).ok
    assert repair(team=alices, upload=FILE, at=NOON).data
    for road in (partial(check, user=alices.captain), repair):
        with pytest.raises(Refused, match="too_many_checks") as caught:
            road(team=alices, upload=FILE, at=NOON + QUARTER)
        assert (caught.value.status, caught.value.retry_after) == (429, 45 * 60)
        assert caught.value.values == {"most": 60, "minutes": 45}
    assert check(team=alices, user=alices.captain, upload=FILE, at=NOON + HOUR).ok


def test_lab_runs_take_no_check_away_and_checks_no_lab_run(alices: Team) -> None:
    contest = alices.competition
    dev_set(contest, {"dev_1": ("둘은 산에 간다.",)})
    fill(alices, CHECKS)
    practise(competition=contest, team=alices, data=b"fname,summary\ndev_1,x\n", at=NOON)
    practise_row(competition=contest, team=alices, example_id="dev_1", text="x", at=NOON)
    assert left(LAB_RUNS, alices.pk, NOON) == Left(LAB_RUNS.most - 2, NOON + HOUR)
    fill(alices, LAB_RUNS, leave=2)
    with pytest.raises(Refused, match="too_many_lab_runs"):
        practise_row(competition=contest, team=alices, example_id="dev_1", text="x", at=NOON)
    bobs = team(contest, "bob")
    assert check(team=bobs, user=bobs.captain, upload=FILE, at=NOON).ok
    assert left(CHECKS, bobs.pk, NOON) == Left(CHECKS.most - 1, NOON + HOUR)
    assert left(CHECKS, alices.pk, NOON + HOUR) == Left(CHECKS.most, None)


def test_a_refused_check_costs_nothing_and_a_good_file_may_still_be_handed_in(alices: Team) -> None:
    fill(alices, CHECKS)
    with pytest.raises(Refused):
        check(team=alices, user=alices.captain, upload=FILE, at=NOON)
    assert not QuotaEntry.objects.exists()
    assert allowance(alices, alices.competition, NOON).left_today == 12
    assert hand_in(alices)


def test_refused_submits_are_counted_whether_the_file_or_a_rule_said_no(alices: Team) -> None:
    with pytest.raises(InvalidSubmission):
        hand_in(alices, data=b"fname,summary\n")
    with pytest.raises(Refused, match="closed"):
        hand_in(alices, at=alices.competition.closes_at)
    ended = RateCount.objects.get()
    assert (ended.number, ended.ends_at) == (1, alices.competition.closes_at + HOUR)
    hand_in(alices)
    assert counted(alices, CHECKS) == 0


def test_after_thirty_refused_submits_the_team_waits_for_the_next_hour(alices: Team) -> None:
    taken = hand_in(alices, key="taken")
    fill(alices, REFUSALS, leave=1)
    with pytest.raises(InvalidSubmission):
        hand_in(alices, data=b"fname,summary\n")
    for data in (b"fname,summary\n", FILE.data):
        with pytest.raises(Refused, match="too_many_refused") as caught:
            hand_in(alices, data=data, at=NOON + QUARTER)
        assert (caught.value.status, caught.value.retry_after) == (429, 45 * 60)
    assert QuotaEntry.objects.count() == 1
    # A repeated click on what was taken is answered as ever.
    assert hand_in(alices, key="taken", at=NOON + QUARTER) == taken
    assert hand_in(alices, at=NOON + HOUR)


def test_a_full_disk_is_not_held_against_the_team(
    alices: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.actions.submissions.FREE_SPACE", 10**18)
    with pytest.raises(Refused, match="storage_full"):
        hand_in(alices)
    assert not RateCount.objects.exists()


def test_a_worker_that_is_down_is_not_held_against_the_team() -> None:
    """What waits for us is answered before the file is read, as often as somebody tries."""
    alices = team(open_competition(max_waiting=1), "alice")
    taken = hand_in(alices, key="taken")
    for data in (FILE.data, b"no prediction file"):
        for _ in range(REFUSALS.most):
            with pytest.raises(Refused, match="too_many_waiting"):
                hand_in(alices, data=data)
    assert not RateCount.objects.exists()
    assert hand_in(alices, key="taken") == taken
    score_all()
    assert hand_in(alices) != taken

"""A judging whose server or worker fails goes on where it was, and every call is accounted for."""

from datetime import datetime

import pytest
from django.conf import LazySettings

from leaderboard.judging.actions.turn import judge_next
from leaderboard.judging.asking.replies import Misconfigured, QuotaSpent, Transient
from leaderboard.judging.models import (
    Budget,
    Circuit,
    ColumnValue,
    Judging,
    StoredCall,
)
from tests.leaderboard.builders import NOON, hand_in, open_competition, team
from tests.leaderboard.judging.stage import (
    Killed,
    ScriptedJudge,
    built,
    killed_after,
    metrics,
    request,
    states,
    work,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_judge")]


@pytest.fixture(autouse=True)
def locks_in_order() -> None:
    """Not watched here: what somebody else writes is planted in the worker's own transaction."""


def to_judge() -> Judging:
    """A submission of Alice's that waits to be judged: two rows, four calls each."""
    contest = open_competition()
    return request(built(contest), hand_in(team(contest, "alice")))


def test_a_transient_failure_is_tried_again_and_paid_for_each_time() -> None:
    judging = to_judge()
    judge = ScriptedJudge(cover=[Transient("http_500", is_free=True)] * 3)
    work(judge)
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert states() == {"answered": 8, "failed": 3}
    assert Budget.objects.get(scope="all").calls == 11
    assert Circuit.objects.get().failures == 0


def test_a_row_that_nobody_answers_is_pending_and_completes_when_the_server_is_back(
    settings: LazySettings,
) -> None:
    settings.JUDGE_ATTEMPTS, settings.JUDGE_CIRCUIT_FAILURES = 2, 100
    judging = to_judge()
    judge = ScriptedJudge(cover=[Transient("timeout")] * 4)
    work(judge)
    judging.refresh_from_db()
    assert (judging.state, judging.paused, judging.rows_done) == ("waiting", "server", 0)
    value = ColumnValue.objects.get(judging=judging, metric="summarization")
    assert (value.mean, value.scored, value.rows) == (None, 0, 2)
    assert ColumnValue.objects.get(judging=judging, metric="alignment").scored == 2
    asked = judge.asked["claims"]
    Judging.objects.update(not_before=None)
    work(judge)
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")
    assert judge.asked["claims"] == asked
    assert metrics(judging)["summarization"] == 0.5


def test_a_dead_server_opens_the_circuit_and_is_probed_with_one_call(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CIRCUIT_FAILURES = 3
    judging = to_judge()
    gone = [Transient("no_connection")] * 99
    dead = ScriptedJudge(claims=gone, cover=gone, adhere=gone)
    work(dead)
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("waiting", "circuit")
    assert 3 <= dead.calls <= 6 + 8  # both rows' calls were out, some for the second time
    Circuit.objects.update(open_until=NOON)  # long ago
    before = dead.calls
    work(dead)
    assert dead.calls == before + 1
    assert Circuit.objects.get().openings == 2
    Circuit.objects.update(open_until=NOON)
    work(ScriptedJudge())
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")


@pytest.mark.parametrize(
    ("failure", "paused", "reason"),
    [
        (Misconfigured("http_401"), "configuration", "http_401"),
        (QuotaSpent("http_429"), "quota", "quota"),
    ],
    ids=["configuration", "quota"],
)
def test_what_only_people_can_mend_waits_for_them(
    failure: Misconfigured | QuotaSpent, paused: str, reason: str
) -> None:
    judging = to_judge()
    work(ScriptedJudge(claims=[failure] * 9))
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("waiting", paused)
    assert Circuit.objects.get().reason == reason
    assert work(ScriptedJudge()) == 0
    Circuit.objects.update(reason="")
    work(ScriptedJudge())
    judging.refresh_from_db()
    assert (judging.state, judging.paused) == ("complete", "")


def test_a_lost_worker_leaves_unsettled_calls_and_the_next_goes_on(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    judging = to_judge()
    before, judge = StoredCall.objects.count(), ScriptedJudge()

    with pytest.raises(Killed):
        judge_next(now=killed_after(judge, 5), connect=judge.connect)
    stored = StoredCall.objects.count() - before
    assert 0 < stored < 5
    # A call is written down before it is made: one may have been killed in between.
    opened = states()["open"]
    assert opened - settings.JUDGE_CONCURRENCY <= judge.calls - stored <= opened
    assert states() == {"answered": stored, "open": opened}
    work(second := ScriptedJudge())
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert stored + second.calls == 8
    assert states() == {"answered": 8, "unsettled": opened}


def test_a_worker_that_lost_its_lease_keeps_its_answers_and_writes_no_row(
    settings: LazySettings,
) -> None:
    settings.JUDGE_CONCURRENCY = 2
    judging = to_judge()
    before, judge = StoredCall.objects.count(), ScriptedJudge()

    def clock() -> datetime:
        if judge.calls >= 3:  # somebody has it judged anew meanwhile
            Judging.objects.filter(state="running").update(state="waiting", owner=None, attempt=9)
        return NOON

    judge_next(now=clock, connect=judge.connect)
    judging.refresh_from_db()
    assert (judging.state, judging.attempt, judging.rows_done) == ("waiting", 9, 0)
    assert not judging.judgments.exists()
    assert not ColumnValue.objects.exists()
    stored = StoredCall.objects.count() - before
    assert stored == judge.calls >= 3
    assert states() == {"answered": stored}
    work(second := ScriptedJudge())
    judging.refresh_from_db()
    assert judging.state == "complete"
    assert stored + second.calls == 8

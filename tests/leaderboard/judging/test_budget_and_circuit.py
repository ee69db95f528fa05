"""No cap is passed by any number of workers; a server that is down is left alone."""

import threading
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import connection
from django.db.models.functions import Now

from leaderboard.judging.asking import budget, circuit
from leaderboard.judging.asking.budget import Exhausted, Payer
from leaderboard.judging.asking.circuit import Way
from leaderboard.judging.asking.replies import Usage
from leaderboard.judging.models import Budget, Circuit, JudgeConfig, Judging, Reservation
from tests.leaderboard.builders import NOON, hand_in, open_competition, team
from tests.leaderboard.judging.stage import judge_config

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 20)


def judging(config: JudgeConfig, who: str = "alice") -> Judging:
    given = hand_in(team(config.competition, who))
    return Judging.objects.create(
        config=config,
        submission=given,
        board="public",
        requested_at=NOON,
        day=DAY,
        state="running",
        owner=uuid4(),
        lease_until=Now() + timedelta(seconds=60),
    )


def payer(row: Judging) -> Payer:
    row.refresh_from_db()
    return Payer(row.config, row.owner, row, row.submission.team_id)


def reserve(by: Payer, estimate: int = 50, day: date = DAY) -> Reservation:
    attempt = Reservation(call_key="k", example_id="talk_1", call="P1", estimate=estimate)
    (made,) = budget.reserve(payer=by, day=day, attempts=[attempt], at=NOON)
    return made


def test_it_works() -> None:
    by = payer(judging(judge_config(open_competition(), price_input=1_000_000)))
    spent = reserve(by)
    assert {(row.calls, row.micros) for row in Budget.objects.all()} == {(1, 50)}
    assert Budget.objects.count() == 3
    budget.settle(spent, payer=by, state="answered", usage=Usage(30, 0), at=NOON)
    spent.refresh_from_db()
    assert (spent.state, spent.micros, spent.input_tokens) == ("answered", 30, 30)
    assert {(row.calls, row.micros) for row in Budget.objects.all()} == {(1, 30)}


@pytest.mark.parametrize(
    ("caps", "scope"),
    [
        ({"calls_in_all": 2}, "all"),
        ({"calls_per_submission": 2}, "judging"),
        ({"calls_per_team_day": 2}, "team"),
        ({"micros_in_all": 149}, "all"),
        ({"micros_per_submission": 149}, "judging"),
        ({"micros_per_team_day": 149}, "team"),
    ],
    ids=str,
)
def test_a_cap_stops_the_next_call_and_counts_nothing_for_it(
    caps: dict[str, Any], scope: str
) -> None:
    by = payer(judging(judge_config(open_competition(), **caps)))
    reserve(by)
    reserve(by)
    with pytest.raises(Exhausted) as stopped:
        reserve(by)
    assert stopped.value.scope.startswith(scope)
    assert Reservation.objects.count() == 2
    assert {(row.calls, row.micros) for row in Budget.objects.all()} == {(2, 100)}


def test_the_next_day_has_room_again() -> None:
    by = payer(judging(judge_config(open_competition(), calls_per_team_day=1)))
    reserve(by)
    with pytest.raises(Exhausted) as stopped:
        reserve(by)
    assert stopped.value.ends_with_the_day
    reserve(by, day=DAY + timedelta(days=1))


def test_without_usage_the_estimate_stays_and_an_unmade_call_is_free() -> None:
    by = payer(judging(judge_config(open_competition())))
    budget.settle(reserve(by), payer=by, state="answered", at=NOON)
    budget.settle(reserve(by), payer=by, state="failed", is_free=True, at=NOON)
    assert sorted(Reservation.objects.values_list("micros", flat=True)) == [0, 50]
    assert {(row.calls, row.micros) for row in Budget.objects.all()} == {(2, 50)}


def test_the_calls_of_a_lost_worker_are_listed_and_keep_their_estimate() -> None:
    row = judging(judge_config(open_competition()))
    spent = reserve(payer(row))
    assert budget.leave_unsettled() == 0
    Judging.objects.update(lease_until=Now() - timedelta(seconds=1))
    assert budget.leave_unsettled() == 1
    assert budget.leave_unsettled() == 0
    spent.refresh_from_db()
    assert (spent.state, spent.micros) == ("unsettled", 50)
    # The worker was only slow: what it knows counts after all.
    budget.settle(spent, payer=payer(row), state="answered", usage=Usage(1, 1), at=NOON)
    spent.refresh_from_db()
    assert spent.state == "answered"


def test_prices_are_rounded_up() -> None:
    config = JudgeConfig(price_input=150_000, price_output=600_000)
    # 1300 x 0.15 + 401 x 0.6 = 195 + 240.6 millionths
    assert budget.price(config, input_tokens=1300, output_tokens=401) == 436


def pass_time() -> None:
    Circuit.objects.update(open_until=Now() - timedelta(seconds=1))


def test_ten_failures_in_a_row_open_the_circuit_and_one_worker_probes() -> None:
    config = judge_config(open_competition()).pk
    assert [circuit.failed(config) for _ in range(9)] == [Way.CLOSED] * 9
    circuit.succeeded(config)
    assert [circuit.failed(config) for _ in range(10)] == [Way.CLOSED] * 9 + [Way.OPEN]
    assert circuit.way(config) is Way.OPEN
    assert not JudgeConfig.objects.filter(circuit.passable()).exists()
    # Calls that were under way when it opened say nothing new.
    circuit.failed(config)
    assert Circuit.objects.get().openings == 1
    pass_time()
    assert JudgeConfig.objects.filter(circuit.passable()).exists()
    assert [circuit.way(config) for _ in range(2)] == [Way.PROBE, Way.OPEN]
    circuit.succeeded(config)
    assert circuit.way(config) is Way.CLOSED
    assert Circuit.objects.get().openings == 0


def test_each_failed_probe_doubles_the_pause_up_to_half_an_hour(settings: LazySettings) -> None:
    config = judge_config(open_competition()).pk
    pauses = []
    for round_ in range(7):
        for _ in range(10 if round_ == 0 else 1):
            circuit.failed(config)
        row = Circuit.objects.annotate(now=Now()).get()
        pauses.append(round((row.open_until - row.now).total_seconds()))
        pass_time()
        assert circuit.way(config) is Way.PROBE
    assert pauses == [60, 120, 240, 480, 960, 1800, 1800]


@pytest.mark.django_db(transaction=True)
def test_paying_and_settling_at_once_end_with_the_right_sums() -> None:
    """Counters that lie in the opposite order: each half of a deadlock, many times over."""
    by = payer(judging(judge_config(open_competition(), price_input=1_000_000)))
    for cap in reversed(by.caps(DAY)):
        Budget.objects.create(config=by.config, scope=cap.scope)
    spent = [reserve(by) for _ in range(30)]
    errors: list[Exception] = []

    def run(act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            errors.append(error)
        connection.close()

    def settle() -> None:
        for one in spent:
            budget.settle(one, payer=by, state="answered", usage=Usage(30, 0), at=NOON)

    def pay() -> None:
        for _ in spent:
            reserve(by)

    threads = [threading.Thread(target=run, args=(act,)) for act in (settle, pay)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert {(row.calls, row.micros) for row in Budget.objects.all()} == {(60, 30 * 30 + 30 * 50)}

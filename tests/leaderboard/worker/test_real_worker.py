"""A Celery worker in its own process scores what this process hands in."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.operations.installation import version
from leaderboard.operations.up import Daemon
from leaderboard.worker.tasks import evaluate_next
from tests.leaderboard import builders
from tests.servers import wait_for

pytestmark = pytest.mark.faults
DAY = timedelta(days=1)


def open_now() -> Competition:
    """A contest that is open by the clock, which worker and sweeper go by."""
    now = timezone.now()
    dates = {"opens_at": now - DAY, "closes_at": now + DAY, "reveals_at": now + 2 * DAY}
    return builders.open_competition(**dates)


def states() -> list[str]:
    return sorted(Evaluation.objects.values_list("state", flat=True))


@pytest.mark.django_db(transaction=True)
def test_a_ring_is_heard_by_the_worker(worker: dict[str, Daemon]) -> None:
    team = builders.team(open_now(), "alice", "bob")
    # As of an hour from now: the sweeper, which wakes for what has waited, leaves it to the call.
    with waking(evaluate_next):
        for _ in range(3):
            builders.hand_in(team, at=timezone.now() + timedelta(hours=1))
        assert states() == ["queued"] * 3
    wait_for(lambda: states() == ["done"] * 3, 60, "three scored by one wake-up call")


@pytest.mark.django_db(transaction=True)
def test_the_sweeper_finds_what_nobody_rang_for(worker: dict[str, Daemon]) -> None:
    builders.hand_in(builders.team(open_now(), "alice"), at=timezone.now())
    wait_for(lambda: states() == ["done"], 60, "scored without a wake-up call")


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_worker_shows_that_it_lives_while_nothing_waits(worker: dict[str, Daemon]) -> None:
    """And again after its row was taken away, by a restored dump for example."""
    process = worker["worker"].process
    assert process is not None
    scoring = Worker.objects.filter(queue="score")
    wait_for(scoring.exists, 60, "a first sign of life")
    Worker.objects.all().delete()
    wait_for(scoring.exists, 60, "a sign of life")
    found = scoring.get()
    assert found.name.endswith(f":{process.pid}")
    assert found.version == version()
    assert found.clock_at is not None
    assert abs(found.clock_at - found.last_sign_at) < timedelta(seconds=2)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_stopped_in_order_is_not_missed(worker: dict[str, Daemon]) -> None:
    scoring = Worker.objects.filter(queue="score")
    wait_for(scoring.exists, 60, "a sign of life")
    worker["worker"].process.terminate()
    try:
        wait_for(lambda: not scoring.exists(), 60, "its row taken away")
    finally:  # the other tests, which may come later, use the same worker
        worker["worker"].kill_remains()
        worker["worker"].start()

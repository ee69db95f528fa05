"""The task as a worker runs it, over a real socket to the fake judge."""

import threading
from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from leaderboard.judging import tasks
from leaderboard.judging.fake.server import FakeJudge
from leaderboard.judging.models import Judging, Reservation, StoredCall
from tests.leaderboard.builders import hand_in, open_competition, team
from tests.leaderboard.judging.stage import built, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def fake(settings: LazySettings) -> Iterator[FakeJudge]:
    server = FakeJudge()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    settings.JUDGE_ENDPOINTS = {"default": {"base_url": server.base_url, "api_key": "none"}}
    settings.JUDGE_ALLOWED_HOSTS = [f"127.0.0.1:{server.port}"]
    settings.JUDGE_BACKOFF_SECONDS = settings.JUDGE_REQUEUE_SECONDS = 0.01
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


@pytest.fixture
def wakes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    heard: list[bool] = []
    monkeypatch.setattr(tasks.judge_next, "wake", lambda: heard.append(True))
    return heard


def turn() -> None:
    for _ in range(20):
        if not tasks.judge_next():
            return


@pytest.mark.parametrize("fault", ["", "500", "truncated", "missing-id"])
def test_a_fault_that_passes_costs_repeats_and_no_answer_twice(
    fake: FakeJudge, wakes: list[bool], fault: str
) -> None:
    contest = open_competition()
    request(built(contest), hand_in(team(contest, "alice")))
    before = StoredCall.objects.count()
    if fault:
        fake.control({"faults": [{"fault": fault, "times": 1, "schema": "cover"}]})
    turn()
    assert Judging.objects.get().state == "complete"
    log = fake.written_log()
    assert log["requests"] == Reservation.objects.count() == 8 + bool(fault)
    assert Reservation.objects.filter(state="answered").count() == 8
    assert StoredCall.objects.count() == before + 8
    assert log["unknown"] == 0
    assert fault or not wakes

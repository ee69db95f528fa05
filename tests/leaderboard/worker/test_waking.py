"""Waking a worker: after the commit, and never an error for the request that woke it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from kombu.exceptions import OperationalError

from leaderboard.celery import HASTE, app, waking
from tests.servers import SilentServer, free_port


@app.task(name="tests.nothing")
def nothing() -> None:
    """Never run here: these tests look at the message only."""


@pytest.fixture
def queue() -> Iterator[Path]:
    """The queue's folder, absent before and after each test."""
    folder = Path(app.conf.broker_transport_options["folder"])
    shutil.rmtree(folder, ignore_errors=True)
    yield folder
    if folder.is_dir():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)


def messages(queue: Path) -> int:
    return len(list(queue.glob("*.msg")))


@pytest.mark.django_db(transaction=True)
def test_it_wakes_after_the_commit_only(queue: Path) -> None:
    with transaction.atomic():
        with waking(nothing):
            pass
        assert messages(queue) == 0
    assert messages(queue) == 1
    with transaction.atomic():
        with waking(nothing):
            pass
        transaction.set_rollback(True)
    assert messages(queue) == 1


@pytest.mark.django_db(transaction=True)
def test_it_rings_at_the_end_of_the_block_and_after_an_error_not_at_all(queue: Path) -> None:
    with waking(nothing):
        assert messages(queue) == 0
    assert messages(queue) == 1
    with pytest.raises(ValueError, match="refused"), waking(nothing):
        raise ValueError("refused")
    assert messages(queue) == 1


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_down_is_logged_and_the_row_is_kept(
    queue: Path, caplog: pytest.LogCaptureFixture
) -> None:
    queue.write_text("a file where the folder should be")
    with transaction.atomic():
        with waking(nothing):
            get_user_model().objects.create_user(username="alice")
        transaction.on_commit(lambda: later.append("ran"))
        later: list[str] = []
    assert get_user_model().objects.filter(username="alice").exists()
    assert later == ["ran"]  # a hook registered after the wake-up call still runs
    assert "wake.failed" in caplog.text


@pytest.mark.parametrize("broker", ["folder", "redis"])
def test_a_request_tries_again_but_pauses_less_than_a_second(
    queue: Path, monkeypatch: pytest.MonkeyPatch, broker: str
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", pauses.append)
    queue.write_text("a file where the folder should be")
    nobody = f"redis://127.0.0.1:{free_port()}/0" if broker == "redis" else None
    with pytest.raises(OperationalError):
        nothing.apply_async(connection=app.connection_for_write(nobody))
    assert pauses
    assert sum(pauses) < 1


def test_a_redis_that_stands_still_is_given_up_within_two_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", pauses.append)
    with SilentServer() as silent:
        connection = app.connection_for_write(f"redis://127.0.0.1:{silent.port}/0")
        with pytest.raises(OperationalError):
            nothing.apply_async(connection=connection)
        tries = silent.connections
    # Each connection is given up at its first question.
    assert 0 < tries * HASTE["socket_timeout"] + sum(pauses) < 2
    assert connection.transport_options["socket_timeout"] == HASTE["socket_timeout"]

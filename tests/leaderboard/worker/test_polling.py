"""The thread of a child that looks for files by itself."""

from threading import Event

import pytest
from django.utils import timezone

from leaderboard.worker import tasks
from leaderboard.worker.tasks import Polling


def test_no_error_of_one_look_ends_the_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "POLL_SECONDS", 0.01)
    looks, again = [], Event()

    def look(_: Polling) -> int:
        looks.append(True)
        if len(looks) == 1:
            raise RuntimeError("neither of the database nor foreseen")
        again.set()
        return 0

    monkeypatch.setattr(Polling, "look", look)
    thread = Polling(lambda: False, timezone.now)
    thread.start()
    try:
        assert again.wait(10), "the thread has ended"
    finally:
        thread.stop()
    assert not thread.is_alive()

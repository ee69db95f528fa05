"""A parent that holds a message nobody takes is ended; a busy one is left alone."""

from types import SimpleNamespace

import pytest

from leaderboard.worker import tasks as parent
from leaderboard.worker.tasks import Watch, look


def test_patience_counts_from_the_first_look_without_a_start() -> None:
    now = [0.0]
    watch = Watch(90, lambda: now[0])
    assert not watch.stuck({"a", "b"}, {"b"})
    now[0] = 90.0
    assert not watch.stuck({"a", "b"}, {"b"})
    now[0] = 91.0
    assert watch.stuck({"a", "b"}, {"b"})


def test_a_started_message_begins_anew() -> None:
    now = [0.0]
    watch = Watch(90, lambda: now[0])
    watch.stuck({"a"}, set())
    now[0] = 91.0
    assert not watch.stuck({"a"}, {"a"})
    assert not watch.stuck({"a"}, set())


def test_a_stuck_parent_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    waiting = SimpleNamespace(id="never taken")
    monkeypatch.setattr(parent.os, "_exit", ended.append)
    monkeypatch.setattr(parent.state, "reserved_requests", {waiting.id: waiting}.values())
    monkeypatch.setattr(parent.state, "active_requests", ())
    now = [0.0]
    watch = Watch(90, lambda: now[0])
    look(watch)
    assert ended == []
    now[0] = 91.0
    look(watch)
    assert ended == [1]

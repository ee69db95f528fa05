"""The cache on Redis: as Django's, and without Redis as if each process had one of its own."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

from leaderboard.operations.cache import REST_SECONDS, RedisOrOwnCache
from tests.servers import Redis, SilentServer

QUICK = {"OPTIONS": {"socket_connect_timeout": 0.1, "socket_timeout": 0.1}}


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(RedisOrOwnCache, "asks_again_at", 0.0)
    yield
    LocMemCache("while redis is gone", {}).clear()


def use(cache: Any) -> list[object]:
    """Every operation once, with what each answered."""
    return [
        cache.add("a", 1, timeout=60),
        cache.add("a", 2, timeout=60),
        cache.get("a"),
        cache.get("b", "nothing"),
        cache.set("b", [1.5], 60),
        cache.get("b"),
        cache.incr("a"),
        cache.touch("b", 30),
        cache.has_key("a"),
        "c" in cache,
        cache.set_many({"c": 1, "d": 2}),
        cache.get_many(["a", "c", "e"]),
        cache.delete("a"),
        cache.delete("a"),
        cache.delete_many(["c", "d"]),
        cache.get_many(["c", "d"]),
        cache.get_or_set("f", 7, 60),
        bool(cache.clear()),
        cache.get("f"),
    ]


def in_memory() -> list[object]:
    """The same of Django's cache in memory; its `clear` says nothing, that of Redis says True."""
    return use(LocMemCache("another", {}))


def test_nothing_that_reaches_redis_is_left_out() -> None:
    asked = {name for name, what in vars(RedisCache).items() if callable(what)}
    own = {"__init__", "get_backend_timeout"}
    assert asked - own <= vars(RedisOrOwnCache).keys()


@pytest.mark.services
def test_it_is_shared_through_redis() -> None:
    redis = Redis()
    try:
        first, second = (RedisOrOwnCache(redis.url, {}) for _ in range(2))
        assert use(first)[:-2] == in_memory()[:-2]
        first.set("shared", 1, 60)
        assert second.get("shared") == 1
        redis.kill()
        assert second.get("shared") is None
        redis.start()
        assert second.get("shared") is None  # not asked again yet
    finally:
        redis.close()


def test_without_redis_it_answers_as_a_cache_in_memory(caplog: pytest.LogCaptureFixture) -> None:
    with SilentServer() as silent:
        cache = RedisOrOwnCache(f"redis://127.0.0.1:{silent.port}/0", QUICK)
        assert use(cache) == in_memory()
        assert silent.connections == 1  # its timeout is waited out once, not for each question
    assert caplog.text.count("cache.failed") == 1


def test_all_threads_of_a_process_keep_together_and_ask_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with SilentServer() as silent:
        url = f"redis://127.0.0.1:{silent.port}/0"
        first, second = (RedisOrOwnCache(url, QUICK) for _ in range(2))  # one for each thread
        first.set("tries", 3, 60)
        assert second.get("tries") == 3
        assert silent.connections == 1
        later = RedisOrOwnCache.asks_again_at + 0.001
        monkeypatch.setattr("leaderboard.operations.cache.time.monotonic", lambda: later)
        assert second.get("tries") == 3
        assert silent.connections == 2
        assert later + REST_SECONDS == RedisOrOwnCache.asks_again_at

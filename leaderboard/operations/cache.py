"""The cache of many machines: Redis, and while it does not answer each process for itself."""

import time
from functools import partialmethod
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

# After Redis did not answer, nobody asks it for this long: each asking may cost a timeout.
REST_SECONDS = 5.0


class RedisOrOwnCache(RedisCache):
    """Django's Redis cache that never raises RedisError.

    What is kept here are the counts behind the limits on signing in. While Redis is gone each
    process counts apart: guessing passwords stays limited, and people get in.
    """

    asks_again_at = 0.0  # by `time.monotonic`; one for all threads of the process

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("while redis is gone", params)

    def _ask(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= RedisOrOwnCache.asks_again_at:
            try:
                return getattr(super(), name)(*args, **kwargs)
            except RedisError as error:
                RedisOrOwnCache.asks_again_at = time.monotonic() + REST_SECONDS
                log.warning("cache.failed", error=type(error).__name__)
        return getattr(self._own, name)(*args, **kwargs)

    add = partialmethod(_ask, "add")
    get = partialmethod(_ask, "get")
    set = partialmethod(_ask, "set")
    touch = partialmethod(_ask, "touch")
    delete = partialmethod(_ask, "delete")
    has_key = partialmethod(_ask, "has_key")
    incr = partialmethod(_ask, "incr")
    get_many = partialmethod(_ask, "get_many")
    set_many = partialmethod(_ask, "set_many")
    delete_many = partialmethod(_ask, "delete_many")
    clear = partialmethod(_ask, "clear")

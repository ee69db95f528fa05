"""kombu's Redis transport that puts aside what is no message of ours, as the folder's does."""

import functools
from typing import Any

import structlog
from kombu.transport import redis
from redis.exceptions import RedisError

from leaderboard.worker.broker import NotOurs, read

log = structlog.get_logger(__name__)

# A list beside the queues, for an operator: so many messages, each cut after so many bytes.
BROKEN = "broken"
KEPT, KEPT_BYTES = 100, 4096


class RedisClient(redis.PrefixedStrictRedis):
    """A client that hears nothing where it is brought a message that cannot be read."""

    def parse_response(self, connection: Any, command_name: str, **options: Any) -> Any:
        """What Redis answered; None (as when nothing waits) for a message that was put aside."""
        answer = super().parse_response(connection, command_name, **options)
        if command_name == "BRPOP" and answer:
            try:
                read(answer[1])
            except NotOurs as error:
                self._put_aside(answer[1], str(error))
                return None
        return answer

    def _put_aside(self, message: bytes, why: str) -> None:
        log.error("queue.broken_message", size=len(message), why=why)
        # Over a connection of its own: this one belongs to the waiting for messages.
        beside = RedisClient(
            connection_pool=self.connection_pool, global_keyprefix=self.global_keyprefix
        )
        try:
            if beside.llen(BROKEN) < KEPT:
                beside.lpush(BROKEN, message[:KEPT_BYTES])
        except RedisError as error:
            log.warning("queue.cannot_put_aside", error=type(error).__name__)


class RedisChannel(redis.Channel):
    """A channel whose client looks at each message first."""

    def _get_client(self) -> Any:
        return functools.partial(RedisClient, global_keyprefix=self.global_keyprefix)


class RedisTransport(redis.Transport):
    """What `redis://` stands for (see leaderboard/celery.py)."""

    Channel = RedisChannel

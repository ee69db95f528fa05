"""Answers under their call's hash. The first one stored wins and is never asked again."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from leaderboard.judging.asking.replies import JudgeReply
from leaderboard.judging.models import StoredCall


def found(keys: Iterable[str]) -> dict[str, StoredCall]:
    """The stored answers among these calls, by key; one query."""
    return StoredCall.objects.in_bulk(list(set(keys)))


def keep(
    *, key: str, competition_id: UUID, reply: JudgeReply, at: datetime
) -> tuple[StoredCall, bool]:
    """Store an answer; the row that counts, and whether it is this one."""
    return StoredCall.objects.get_or_create(
        key=key,
        defaults={
            "competition_id": competition_id,
            "body": reply.raw,
            "answer": dict(reply.answer),
            "model": reply.model[:120],
            "fingerprint": reply.fingerprint[:120],
            "input_tokens": reply.usage.input_tokens if reply.usage else None,
            "output_tokens": reply.usage.output_tokens if reply.usage else None,
            "latency_ms": reply.latency_ms,
            "created_at": at,
        },
    )

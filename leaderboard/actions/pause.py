"""Pausing a contest and going on."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import announce_decision, locked_for_editing
from leaderboard.competitions.models import Competition


def pause(*, competition: Competition, user: User, reason: str = "", at: datetime) -> Competition:
    """Take no submission from now on; what was accepted is scored. Twice is once."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        if locked.paused_at is None:
            locked.paused_at, locked.pause_reason = at, reason.strip()[:200]
            locked.save(update_fields=["paused_at", "pause_reason"])
            because = f" 까닭: {locked.pause_reason}" if locked.pause_reason else ""
            because_en = f" Reason: {locked.pause_reason}" if locked.pause_reason else ""
            announce_decision(
                locked,
                user,
                "paused",
                at,
                reason,
                ko=f"제출을 잠시 멈췄습니다. 이미 낸 것은 채점합니다.{because}",
                en=f"Submissions are paused. What was handed in is scored.{because_en}",
            )
    return locked


def resume(*, competition: Competition, user: User, at: datetime) -> Competition:
    """Take submissions again; the close stays where it is until it is moved."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        if locked.paused_at is not None:
            locked.paused_at, locked.pause_reason = None, ""
            locked.save(update_fields=["paused_at", "pause_reason"])
            announce_decision(
                locked,
                user,
                "resumed",
                at,
                "",
                ko="제출을 다시 받습니다.",
                en="Submissions are open again.",
            )
    return locked

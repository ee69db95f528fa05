"""Pausing a contest and going on."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import (
    Decision,
    announce_decision,
    locked_for_editing,
    refuse_all_but_editors,
)
from leaderboard.actions.second_step import Preview
from leaderboard.competitions.models import Competition


def preview_pause(*, competition: Competition, user: User, reason: str = "") -> Preview | None:
    """What `pause` would announce; None for a contest that is paused. Raises Refused."""
    refuse_all_but_editors(competition, user)
    return None if competition.paused_at else _pausing(reason).preview(competition)


def pause(
    *,
    competition: Competition,
    user: User,
    reason: str = "",
    seen: str | None = None,
    at: datetime,
) -> Competition:
    """Take no submission from now on; what was accepted is scored. Twice is once."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        if locked.paused_at is None:
            announce_decision(locked, user, _pausing(reason), seen=seen, at=at)
            locked.paused_at, locked.pause_reason = at, _short(reason)
            locked.save(update_fields=["paused_at", "pause_reason"])
    return locked


def preview_resume(*, competition: Competition, user: User) -> Preview | None:
    """What `resume` would announce; None for a contest that is not paused. Raises Refused."""
    refuse_all_but_editors(competition, user)
    return RESUMING.preview(competition) if competition.paused_at else None


def resume(
    *, competition: Competition, user: User, seen: str | None = None, at: datetime
) -> Competition:
    """Take submissions again; the close stays where it is until it is moved."""
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        if locked.paused_at is not None:
            announce_decision(locked, user, RESUMING, seen=seen, at=at)
            locked.paused_at, locked.pause_reason = None, ""
            locked.save(update_fields=["paused_at", "pause_reason"])
    return locked


RESUMING = Decision("resumed", ko="제출을 다시 받습니다.", en="Submissions are open again.")


def _pausing(reason: str) -> Decision:
    said = _short(reason)
    because, because_en = (f" 까닭: {said}", f" Reason: {said}") if said else ("", "")
    return Decision(
        "paused",
        ko=f"제출을 잠시 멈췄습니다. 이미 낸 것은 채점합니다.{because}",
        en=f"Submissions are paused. What was handed in is scored.{because_en}",
        reason=reason,
    )


def _short(reason: str) -> str:
    return reason.strip()[:200]

"""Adding to the log; there is no other write."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.audit.models import AuditEvent


def record(
    *,
    kind: str,
    actor: User | None,
    at: datetime,
    competition: UUID | None = None,
    subject: UUID | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Append one decision. Values must be JSON-able and hold no gold text."""
    return AuditEvent.objects.create(
        kind=kind,
        actor=actor,
        at=at,
        competition=competition,
        subject=subject,
        before=before,
        after=after,
        reason=reason,
    )

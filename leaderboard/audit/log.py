"""The log of decisions: adding to it, which is the only write, and reading it."""

from collections.abc import Mapping
from dataclasses import dataclass
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


PAGE = 100


@dataclass(frozen=True)
class LogPage:
    """One page of a contest's log, newest first."""

    events: tuple[AuditEvent, ...]
    page: int
    pages: int
    total: int


def log_page(competition: UUID, *, page: int = 1) -> LogPage:
    """The decisions about this competition; a page that does not exist is the nearest one."""
    events = AuditEvent.objects.filter(competition=competition).select_related("actor")
    total = events.count()
    pages = max(1, -(-total // PAGE))
    page = min(max(page, 1), pages)
    shown = events.order_by("-at", "pk")[(page - 1) * PAGE : page * PAGE]
    return LogPage(events=tuple(shown), page=page, pages=pages, total=total)


def about(competition: UUID, subject: UUID) -> tuple[AuditEvent, ...]:
    """The decisions about one thing of this competition, newest first."""
    events = AuditEvent.objects.filter(competition=competition, subject=subject)
    return tuple(events.select_related("actor").order_by("-at", "pk"))

"""The log of decisions: adding to it, which is the only write, and reading it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

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
    """Append one decision. Values must be JSON-able and hold no reference text."""
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


def decisions(competition: UUID) -> QuerySet[AuditEvent]:
    """The decisions about this competition, newest first."""
    events = AuditEvent.objects.filter(competition=competition).select_related("actor")
    return events.order_by("-at", "pk")


def about(competition: UUID, subject: UUID) -> tuple[AuditEvent, ...]:
    """The decisions about one thing of this competition, newest first."""
    return tuple(decisions(competition).filter(subject=subject))


def earlier(
    competition: UUID, kind: str, subjects: Iterable[UUID]
) -> Mapping[UUID, list[AuditEvent]]:
    """The decisions of this kind about each of these things, newest first; one query."""
    found: dict[UUID, list[AuditEvent]] = defaultdict(list)
    for event in decisions(competition).filter(kind=kind, subject__in=list(subjects)):
        assert event.subject is not None
        found[event.subject].append(event)
    return found

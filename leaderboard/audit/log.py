"""The log of decisions: adding to it and reading it; nothing in it changes but a name that goes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.functional import Promise

from leaderboard.accounts.models import User
from leaderboard.accounts.unnaming import Unnaming
from leaderboard.audit.models import AuditEvent

# What the log's page calls each kind of decision; a module with verbs adds those that it writes.
KINDS: dict[str, Promise | str] = {}


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


def unname(names: Unnaming) -> None:
    """Let what was decided name an account that is closed as it is called now.

    The only change that the log knows.
    """
    rows = AuditEvent.objects.all()
    of_files = rows.filter(subject__in=names.files)
    for found in (of_files, *names.mentioned_in(rows, "before", "after")):
        for event in found.order_by("pk"):
            before, after = (
                _unnamed(event, names, event.before),
                _unnamed(event, names, event.after),
            )
            if (before, after) != (event.before, event.after):
                AuditEvent.objects.filter(pk=event.pk).update(before=before, after=after)


def _unnamed(event: AuditEvent, names: Unnaming, facts: Any) -> Any:
    if not facts:
        return facts
    # Elsewhere `name` is that of a file, a judge, a field; `team` is always a key.
    of_teams = event.kind.startswith(("team.", "join."))
    return names.of(
        facts,
        team_keys=("name", "other_team") if of_teams else (),
        competition=event.competition,
        about=(event.subject,),
    )

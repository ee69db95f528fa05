"""The log of decisions: adding to it and reading it; nothing in it changes but a name that goes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.functional import Promise

from leaderboard.accounts.accounts import FILE_NAME, Unnaming
from leaderboard.accounts.models import User
from leaderboard.audit.models import AuditEvent

# What the log's page calls each kind of decision; a module with verbs adds those that it writes.
KINDS: dict[str, Promise | str] = {}


def record(*, kind: str, actor: User | None, at: datetime, **facts: Any) -> AuditEvent:
    """Append one decision with the columns that it has. Values hold no reference text."""
    return AuditEvent.objects.create(kind=kind, actor=actor, at=at, **facts)


def decisions(competition: UUID) -> QuerySet[AuditEvent]:
    """The decisions about this competition, newest first."""
    events = AuditEvent.objects.filter(competition=competition).select_related("actor")
    return events.order_by("-at", "pk")


def unname(names: Unnaming) -> None:
    """Let what was decided name an account that is closed as it is called now."""
    rows = AuditEvent.objects.all()
    # Elsewhere `name` is that of a file, a judge, a field; `team` is always a key.
    of_teams = Q(kind__startswith="team.") | Q(kind__startswith="join.")
    for column in ("before", "after"):
        names.rename(rows.exclude(of_teams), column)
        names.rename(rows.filter(of_teams), column, ("name", "other_team"))
    of_files = list(rows.filter(subject__in=names.files, after__has_key="file"))
    for event in of_files:
        event.after = {**(event.after or {}), "file": FILE_NAME}
    rows.bulk_update(of_files, ["after"], batch_size=500)

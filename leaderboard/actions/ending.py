"""The end of a contest: it can be archived, which can be taken back, and deleted, which cannot.

The rest of a deleted contest goes in a task: its files, then its rows, table by table, which are
found by their relations, so that none of an app above is forgotten. The decision is committed
before and the contest's own row goes last: if the task is killed, the next one finds what is left,
and no file is left without a row.
"""

import re
import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from django.core.files.storage import storages
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import SET_NULL, FileField, Model, QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding, refuse_all_but_owners, refuse_unasked
from leaderboard.audit.log import KINDS
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Post, Webhook
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import Store
from leaderboard.evaluation.claim import ENDED
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.inbox.models import Notification
from leaderboard.outbox.models import Message
from leaderboard.references.models import ReferenceSet, ScoringVersion
from leaderboard.refusals import Invalid
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team

KINDS |= {
    "competition.archived": _("Archived the competition"),
    "competition.reopened": _("Restored the competition from the archive"),
}

State = Competition.State
logger = structlog.get_logger(__name__)

DELETED = "competition.deleted"  # the one line of the log that stays
# A row came in meanwhile, somebody held one for too long, the store is away: begun again.
PUT_OFF = (IntegrityError, OperationalError, OSError)
STATEMENT_SECONDS = 300  # the usual limit of PostgreSQL is a page's
# Kept tokens begin with the id of their submission, uploads that were never submitted with a dot
# and the id of their team.
_OWNER = re.compile(r"\.?([0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12})")


def refuse_all_but_owners_and_administrators(competition: Competition, user: User) -> None:
    """Raises Refused for a person who may not end the contest."""
    if not (user.is_superuser and user.is_active):
        refuse_all_but_owners(competition, user)


def archive(
    *, competition: Competition, user: User, archived: bool, seen: str | None = None, at: datetime
) -> None:
    """Let everybody who could read the contest go on reading, and nobody change anything; or let
    it be as before. Scoring goes on, and a reveal that is due comes. Raises Refused.
    """
    happens = _(
        "It leaves the list of competitions. Everybody who can read it still can, but nobody can "
        "submit, join, post or change anything. You can undo this."
    )
    refuse = refuse_all_but_owners_and_administrators
    with deciding(competition, user, at, refuse=refuse, ended=True) as decision:
        if decision.competition.is_archived is archived:
            return
        if archived:
            refuse_unasked(seen, happens, (), decision.competition.pk)
        decision.save(state=State.ARCHIVED if archived else State.ACTIVE)
        decision.record("competition.archived" if archived else "competition.reopened")


def holdings(competition: Competition) -> dict[str, int]:
    """How much there is of a contest, for who is about to delete it."""
    files = Submission.objects.filter(team__competition=competition)
    return {
        "teams": Team.objects.filter(competition=competition).count(),
        "files": files.count() + competition.data_files.count(),
        "scores": SplitScore.objects.filter(evaluation__submission__in=files).count(),
        "golds": competition.reference_sets.count(),
        "posts": Post.objects.filter(competition=competition).count(),
    }


def delete_competition(*, competition: Competition, user: User, typed: str, at: datetime) -> None:
    """From now on nobody finds the contest and nothing of it is scored; `erase` does the rest.

    This cannot be undone. `typed`: its address, so that nobody means another one. One line of the
    log stays: who, when, and what there was. Raises Refused.
    """
    refuse = refuse_all_but_owners_and_administrators
    with deciding(competition, user, at, refuse=refuse, ended=True) as decision:
        found = decision.competition
        if typed.strip() != found.slug:
            raise Invalid(
                "other_address",
                _("This is not the address of this competition, which is {address}."),
                _("Nothing was deleted."),
                address=found.slug,
            )
        was = {"slug": found.slug, "title": found.title, **holdings(found)}
        # So that nothing is asked for, made or shown of it any more.
        unended = Evaluation.objects.filter(
            scoring_version__competition=found, state__in=("queued", "running")
        )
        lock(unended.only("pk"))  # whoever is at it
        unended.update(state=Evaluation.State.CANCELLED, **ENDED)
        ScoringVersion.objects.filter(competition=found).update(state=ScoringVersion.State.RETIRED)
        decision.save(
            state=State.DELETED,
            slug=f"deleted-{secrets.token_hex(16)}",  # the address is free
            registration_code="",
            shows_other_columns=False,
        )
        decision.record(DELETED, found.pk, before=was)
        webhooks = Webhook.objects.filter(competition=found).values_list("pk", flat=True)
        Message.objects.filter(recipient__in=list(webhooks)).delete()


def being_deleted() -> QuerySet[Competition]:
    """Contests of which something is left, that nobody else finds."""
    return Competition.every.filter(state=State.DELETED)


def erase(pk: UUID) -> None:
    """Remove all that is left of a deleted contest; safe to run twice. Raises one of PUT_OFF."""
    with transaction.atomic():  # whoever is submitting at this moment ends first
        lock(Team.objects.filter(competition=pk))
    _discard_files(pk)
    _delete_rows(pk)
    logger.info("contest_erased", competition=str(pk))


def _discard_files(pk: UUID) -> None:
    """The files that its rows name, and those of its submissions and teams that no row names."""
    named = set(_named(pk))
    owners = {
        *Team.objects.filter(competition=pk).values_list("pk", flat=True),
        *Submission.objects.filter(team__competition=pk).values_list("pk", flat=True),
    }
    for store in (storages[place] for place in storages.backends):
        for name in list(store.names()) if isinstance(store, Store) else ():
            owner = _OWNER.match(name)
            if name in named or (owner and UUID(owner[1]) in owners):
                store.delete(name)


def _named(pk: UUID) -> Iterator[str]:
    for rows, _holder in _rows(pk):
        for field in rows.model._meta.concrete_fields:
            if isinstance(field, FileField):
                yield from rows.values_list(field.name, flat=True)
    for names in ReferenceSet.objects.filter(competition=pk).values_list("stored_as", flat=True):
        yield from names


def _delete_rows(pk: UUID) -> None:
    """One statement a table, each on its own: nobody waits for the whole."""
    _delete(Notification.objects.filter(competition=pk))
    _delete(AuditEvent.objects.filter(competition=pk).exclude(kind=DELETED))
    for rows, cleared in _rows(pk):
        if cleared:
            rows.update(**{cleared: None})
        else:
            _delete(rows)


def _delete(rows: QuerySet[Any]) -> None:
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'")
        rows._raw_delete(rows.db)


def _rows(
    pk: UUID, model: type[Model] = Competition, lookup: str = "pk", above: tuple[Any, ...] = ()
) -> Iterator[tuple[QuerySet[Any], str]]:
    """What leads to the contest, the far ends first: rows to delete, and "" or, of rows that only
    point at one, the field to clear."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and (relation.one_to_many or relation.one_to_one)):
            continue
        pointing: Any = relation
        table, name = pointing.related_model, pointing.field.name
        if pointing.on_delete is SET_NULL:  # as of what was copied from it
            yield table._base_manager.filter(**{f"{name}__{lookup}": pk}).order_by(), name
        elif table not in (model, *above):
            yield from _rows(pk, table, f"{name}__{lookup}", (model, *above))
    yield model._base_manager.filter(**{lookup: pk}).order_by(), ""

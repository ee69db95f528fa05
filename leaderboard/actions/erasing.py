"""What there is of a deleted contest goes, in parts: rows with their files, notices, log lines.

Tables are found by their relations, so that none of an app above is forgotten. The rows of a part
go in one transaction, and before it the files that they name: a slow store is waited for outside of
one, which PostgreSQL would end. Whoever is killed is followed by somebody who begins anew and finds
what is left. The contest's own row goes last.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any
from uuid import UUID

import structlog
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.files.storage import storages
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import SET_NULL, FileField, Model, QuerySet

from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import Swept
from leaderboard.inbox.models import Notification
from leaderboard.references.models import ReferenceSet, gold_storage
from leaderboard.submissions.models import Submission
from leaderboard.submissions.waiting import discard_without_team

logger = structlog.get_logger(__name__)

PART = 500  # rows of one transaction, and files asked about at once
DELETED = "competition.deleted"  # the one line of the log that stays
# A row came in meanwhile, somebody held one for too long, the store is away: begun anew.
PUT_OFF = (IntegrityError, OperationalError, OSError)
Keys = list[Any]


def being_deleted() -> QuerySet[Competition]:
    """Contests of which something is left, that nobody but this module finds."""
    return Competition.every.filter(state=Competition.State.DELETED)


def erase() -> Iterator[int]:
    """Remove all that there is of deleted contests; after each part, how many rows it had.

    Let go in the middle, it did no harm and is begun anew; several at once share the work. Raises
    one of PUT_OFF, after all contests were tried.
    """
    put_off: Exception | None = None
    for pk in being_deleted().values_list("pk", flat=True):
        try:
            yield from _erase(pk)
        except PUT_OFF as error:  # the others do not wait for this one
            put_off = error
    if put_off is not None:
        raise put_off


def _erase(pk: UUID) -> Iterator[int]:
    for rows in (
        Notification.objects.filter(competition=pk),
        AuditEvent.objects.filter(competition=pk).exclude(kind=DELETED),
    ):
        for keys in _keys(rows):
            yield _remove(rows.model, keys, pk)
    yield from _all_on(Competition, [pk], pk)
    for _ in chain(sweep_tokens(), discard_without_team()):
        yield 0
    gone = _remove(Competition, [pk], pk)
    yield gone
    if gone:
        logger.info("contest_erased", competition=str(pk))


def sweep_tokens() -> Iterator[int]:
    """Remove the tokens of submissions that are no more; of each part of the store, how many files.

    The store is gone through whole: tokens may be kept while the rows that they belong to go.
    """
    place = storages["tokens"]
    assert isinstance(place, Swept)
    names = place.names()
    while part := list(islice(names, PART)):
        of = {name: pk for name in part if (pk := _submission(name)) is not None}
        rows = Submission.objects.filter(pk__in=set(of.values()))
        there = set(rows.values_list("pk", flat=True))
        without = [name for name, pk in of.items() if pk not in there]
        for name in without:
            place.delete(name)
        yield len(without)


def _submission(name: str) -> UUID | None:
    try:
        return UUID(name.partition(".")[0])
    except ValueError:
        return None


def _all_on(model: type[Model], keys: Keys, contest: UUID) -> Iterator[int]:
    """Whatever points at these rows, from the far ends inwards."""
    for relation in model._meta.get_fields(include_hidden=True):
        if not (relation.auto_created and (relation.one_to_many or relation.one_to_one)):
            continue
        pointing: Any = relation
        rows = pointing.related_model._base_manager.filter(**{f"{pointing.field.name}__in": keys})
        if pointing.on_delete is SET_NULL:  # as of what was copied from it
            rows.update(**{pointing.field.name: None})
            continue
        for found in _keys(rows):
            yield from _all_on(rows.model, found, contest)
            yield _remove(rows.model, found, contest)


def _keys(rows: QuerySet[Any]) -> Iterator[Keys]:
    """The keys of these rows, some at a time, each once: they are passed through, not asked again
    for their first."""
    found = list(rows.order_by("pk").values_list("pk", flat=True)[:PART])
    while found:
        yield found
        rest = rows.filter(pk__gt=found[-1])
        found = list(rest.order_by("pk").values_list("pk", flat=True)[:PART])


def _remove(model: type[Model], keys: Keys, contest: UUID) -> int:
    """These rows and their files; 0 where another process is at this contest just now."""
    rows = model._base_manager.filter(pk__in=keys)
    for field in model._meta.concrete_fields:
        if isinstance(field, FileField):
            _discard(field.storage, rows.values_list(field.name, flat=True))
    if model is ReferenceSet:
        for names in list(rows.values_list("stored_as", flat=True)):
            _discard(gold_storage(), names)
    with transaction.atomic():
        if not lock(being_deleted().filter(pk=contest), pass_over_locked=True):
            return 0
        logged = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(model))
        logged.filter(object_id__in=[str(key) for key in keys]).delete()
        return rows._raw_delete(rows.db)


def _discard(place: Any, names: Any) -> None:
    names = set(names) - {""}
    for name in names:
        place.delete(name)
    for day in place.trash_days() if names else ():
        for name in names.intersection(place.trashed(day)):
            place.erase(name, day)

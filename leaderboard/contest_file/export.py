"""Reading a contest into a document and the files beside it, and the log of who took it."""

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Field, ManyToManyField, Model, Q
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import KINDS, record
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition, DataFile, Terms, data_storage
from leaderboard.contest_file import layout
from leaderboard.contest_file.layout import Table
from leaderboard.references.models import DialogueSet, ReferenceSet
from leaderboard.references.queries import stored_references
from leaderboard.refusals import Refused
from leaderboard.submissions.models import QuotaEntry, Submission, submission_storage
from leaderboard.teams.models import Team
from scoring.table import written

KINDS |= {
    "competition.exported": _("Competition file exported"),
    "competition.cloned": _("Competition cloned"),
}

Read = Callable[[], bytes]
_ENDING = re.compile(r"\.[a-z0-9]{1,8}")


class Damaged(Refused):
    """A stored file is gone or is not what was stored; nothing can be exported until it is back."""

    status = 500

    def __init__(self, code: str, name: str) -> None:
        super().__init__(
            code,
            _(
                "A stored file is damaged or missing, so nothing was exported. Tell the "
                "administrator."
            ),
        )
        self.args = (f"{code}: {name}",)


class Package(NamedTuple):
    """A contest ready to be packed: the document, and how to read each file it names."""

    document: dict[str, Any]
    files: Mapping[str, Read]


def export_competition(
    *, competition: Competition, user: User | None, full: bool, clone: str = "", at: datetime
) -> None:
    """Note who takes the contest's file; `package` reads it. Raises Refused.

    `user` is None for the administrator at the server's console; `clone` is the address of a new
    contest that is made of the file at once.
    """
    with transaction.atomic():
        if user is not None:
            refuse_all_but_owners(lock_one(Competition.objects.filter(pk=competition.pk)), user)
        record(
            kind="competition.cloned" if clone else "competition.exported",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
            after={"slug": clone} if clone else {"full": full},
        )


def package(competition: Competition, *, full: bool) -> Package:
    """The contest as it stands now. `full` adds people and everything they did."""
    files: dict[str, Read] = {}
    # With every team locked nothing can be submitted, refunded or chosen between two reads. Uploads
    # wait meanwhile: what can be done afterwards, as asking the store, is.
    with transaction.atomic():
        found = lock_one(Competition.objects.filter(pk=competition.pk))
        lock(Team.objects.filter(competition=found))
        read = [(table, _rows(table, found)) for table in layout.tables(full=full)]
    document: dict[str, Any] = {
        "format": layout.FORMAT,
        "full": full,
        "competition": _row(layout.COMPETITION, found, full, files),
    }
    known: set[object] = {None}
    for table, there in read:
        # Not who joined a team since the teams were read.
        pointers = {"team", "submission", "thread"} & set(table.fields)
        rows = [
            row for row in there if all(getattr(row, f"{name}_id") in known for name in pointers)
        ]
        known |= {row.pk for row in rows}
        document[table.name] = [_row(table, row, full, files) for row in rows]
    if full:
        document["closed_accounts"] = _closed(document)
    return Package(document, files)


def _closed(document: Mapping[str, Any]) -> list[str]:
    """Which of the people named here have left for good: nobody may become them again."""
    named = {
        row[name]
        for table in layout.TABLES
        for name in table.fields
        if layout.is_person(table.model, name)
        for row in document[table.name]
    }
    left = User.objects.filter(closed_at__isnull=False).values_list("username", flat=True)
    return sorted(named & set(left))


def _rows(table: Table, competition: Competition) -> list[Model]:
    """Sorted here, because databases sort text each in its own way."""
    people = [name for name in table.fields if layout.is_person(table.model, name)]
    found = table.model._default_manager.filter(
        table.only or Q(), **{layout.way_to_contest(table.model): competition.pk}
    )
    rows = list(found.select_related(*people, *(["terms"] if "terms" in table.fields else [])))
    return sorted(rows, key=attrgetter(*table.order.replace("__", ".").split()))


def _row(table: Table, row: Model, full: bool, files: dict[str, Read]) -> dict[str, Any]:
    return {name: _value(row, name, files) for name in table.names(full=full)}


def _value(row: Model, name: str, files: dict[str, Read]) -> Any:
    """What the file says of a field: people by username, terms by number, all else by its id."""
    match row:
        case ReferenceSet() if name == "files":
            # As one file in which every row has its split: that is never drawn again.
            data = stored_references(row.pk).written()
            path = f"golds/{row.pk}/1.csv"
            return [{"name": row.file_names[0], **in_package(path, data, files)}]
        case ReferenceSet() if name == "practice":
            return row.public_rows + row.private_rows == 0
        case DialogueSet() if name == "file":
            # From the texts: the bytes as they were sent are not kept.
            texts = row.dialogues.order_by("position").values_list("example_id", "text")
            data = written([("fname", "dialogue"), *texts]).encode("utf-8-sig")
            return in_package(f"dialogues/{row.pk}.csv", data, files)
        case QuotaEntry() if name in layout.REASONS:
            return row.message(name[-2:])
        case DataFile() if name == "file":
            ending = PurePosixPath(row.name).suffix.lower()
            path = f"data/{row.pk}{ending if _ENDING.fullmatch(ending) else ''}"
            return _file(path, data_storage(), str(row.file.name), row.sha256, row.size, files)
        case Submission() if name == "file":
            path, name = f"submissions/{row.pk}", str(row.file.name)
            return _file(path, submission_storage(), name, row.sha256, row.size, files)
    field = row._meta.get_field(name)
    if isinstance(field, ManyToManyField):
        return sorted(str(one.pk) for one in getattr(row, name).all())
    if layout.is_person(type(row), name):
        person = getattr(row, name)
        return person and person.username
    if field.related_model is Terms:
        return getattr(row, name).number
    return plain(getattr(row, cast("Field[Any, Any]", field).attname))


def plain(value: Any) -> Any:
    """A field's value as YAML knows it; instants in UTC."""
    match value:
        case datetime():
            return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case dict():  # a database may keep the keys in an order of its own
            return {key: plain(value[key]) for key in sorted(value)}
        case _:
            return value


def _file(
    path: str, storage: Storage, name: str, sha256: str, size: int, files: dict[str, Read]
) -> dict[str, Any]:
    """A stored file under its path in the package."""
    files[path] = partial(_unchanged, storage, name, sha256)
    return {"path": path, "size": size, "sha256": sha256}


def in_package(path: str, data: bytes, files: dict[str, Read]) -> dict[str, Any]:
    """These bytes under their path in the package."""
    files[path] = lambda: data
    return {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _unchanged(storage: Storage, name: str, sha256: str) -> bytes:
    try:
        with storage.open(name) as file:
            data: bytes = file.read()
    except FileNotFoundError:
        raise Damaged("file_gone", name) from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Damaged("file_changed", name)
    return data

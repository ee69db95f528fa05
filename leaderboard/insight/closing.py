"""The closing report of a revealed contest as bundles: made by a task, kept, read by two pages.

What it says and how it is checked stands in `scoring.insight.closing`. It is made of the rows that
stand on the boards, so it is made anew when one of them changes after the reveal.
"""

import hashlib
import uuid
import zipfile
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from django.core.files.base import File
from django.core.files.storage import Storage
from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, data_storage
from leaderboard.competitions.storage import rows_for_stored_bytes
from leaderboard.evaluation.failures import VersionFailed, Work, keeping
from leaderboard.insight.closing_due import AGAIN, DueReport, due_report
from leaderboard.insight.closing_files import ClosingFiles
from leaderboard.insight.models import ClosingReport
from leaderboard.references.models import gold_storage


def make_next_report(at: datetime) -> bool:
    """Of one contest that is due; False when none is. Safe to run twice."""
    found = due_report(at)
    if found is not None:
        with suppress(VersionFailed), keeping(found.version, Work.REPORT):
            make_report(found, at)
    return found is not None


def make_report(found: DueReport, at: datetime) -> ClosingReport:
    """Both editions, in place of those there were."""
    made = ClosingFiles.of(found)
    competition = found.version.competition
    with made.pack("public") as public, made.pack("organizers") as organizers:
        stored = [_stored(public, data_storage()), _stored(organizers, gold_storage())]

        def discard() -> None:
            data_storage().delete(stored[0].name)
            gold_storage().delete(stored[1].name)

        with rows_for_stored_bytes(discard):
            lock_one(Competition.objects.filter(pk=competition.pk))  # not deleted meanwhile
            before = ClosingReport.objects.filter(competition=competition).first()
            kept, _ = ClosingReport.objects.update_or_create(
                competition=competition,
                defaults={
                    "scoring_version": found.version,
                    "stamp": found.stamp,
                    "made_at": at,
                    "look_after": at + AGAIN,
                    "public": stored[0].name,
                    "public_sha256": stored[0].sha256,
                    "public_size": stored[0].size,
                    "organizers": stored[1].name,
                    "organizers_sha256": stored[1].sha256,
                    "organizers_size": stored[1].size,
                },
            )
            if before is not None:
                for file in (before.public, before.organizers):
                    gone = partial(file.storage.delete, str(file.name))
                    transaction.on_commit(gone, robust=True)
    return kept


class _Stored(NamedTuple):
    name: str
    sha256: str
    size: int


def _stored(packed: Any, storage: Storage) -> _Stored:
    digest = hashlib.file_digest(packed, "sha256").hexdigest()
    size = packed.tell()
    packed.seek(0)
    return _Stored(storage.save(str(uuid.uuid4()), File(packed)), digest, size)


def report_of(competition: Competition) -> ClosingReport | None:
    """The report that was made last. One query."""
    return ClosingReport.objects.filter(competition=competition).first()


def one_file(stored: Any, name: str) -> bytes:
    """One file of a stored bundle."""
    with stored.open("rb") as packed, zipfile.ZipFile(packed) as archive:
        return archive.read(name)


def take_organizers_edition(*, competition: Competition, user: User, at: datetime) -> None:
    """Note who takes the edition that holds golds. Raises Refused."""
    with transaction.atomic():
        refuse_all_but_owners(lock_one(Competition.objects.filter(pk=competition.pk)), user)
        record(
            kind="competition.closing_report_taken",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=competition.pk,
        )

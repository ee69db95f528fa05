"""Files that no submission points at: a killed upload's go, and nobody loses one by a mistake.

A round goes through the whole folder before it moves anything. It moves to the trash, where a file
stays for TRASH_DAYS and from where it comes back by itself once a row points at it; and only if
the folder is this database's own, the database is not older than the files, and few rows are
missing. Otherwise it stops and says why: in the log, in `FileRound`, on the server page.
"""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

import structlog
from django.conf import settings
from django.db.models import Exists, F, Q

from leaderboard.competitions.storage import Mark, Swept, UnreadableMark
from leaderboard.submissions.models import FileRound, Submission, submission_storage

logger = structlog.get_logger(__name__)

ORPHAN_AGE = timedelta(hours=1)  # far longer than any upload takes
CHUNK = 500  # names asked of the database at a time
FEW = 20  # so many rows may be missing in any folder
SHARE = 100  # or the hundredth part of the files
MOST = 10_000  # moved in one round; the rest in the next
JUMP = timedelta(days=2)  # so long no sweeper rests, unless it stood still or the clock moved
Stop = FileRound.Stop


@dataclass
class _Seen:
    """What a round saw. Names that begin with a dot are `unnamed`: they were being written when
    their process died, or waited for a word that never came (`waiting`). No row ever pointed at
    one, so they are not counted, and no trash keeps them."""

    files: int = 0
    known: int = 0
    without_row: int = 0
    trashed: int = 0
    orphans: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    def add(self, folder: Swept, names: list[str], at: datetime) -> None:
        """Count these files, and keep the names of the old ones without a row."""
        known = with_row(names)
        counted = [name for name in names if not name.startswith(".")]
        self.files += len(counted)
        self.known += len(known)
        for name in names:
            if name in known or folder.age_of(name, at) <= ORPHAN_AGE.total_seconds():
                continue
            of_a_kind = self.unnamed if name.startswith(".") else self.orphans
            self.without_row += of_a_kind is self.orphans
            if len(of_a_kind) < MOST:
                of_a_kind.append(name)


def discard_orphans(*, at: datetime, however_many: bool = False) -> int:
    """One whole round; answers how many files it took away. Safe to run twice.

    `however_many`: an administrator says that so many missing rows are right.
    """
    return sum(orphan_round(at=at, however_many=however_many))


def orphan_round(*, at: datetime, however_many: bool = False) -> Iterator[int]:
    """A round in parts, of at most CHUNK files each; a part answers how many files it took away.

    Let go in the middle, it did no harm and is begun anew.
    """
    folder = submission_storage()
    found = _Seen()
    yield from _take_back(folder, found)
    for names in _parts(folder.names()):
        found.add(folder, names, at)
        yield 0
    if _settle(folder, found, at, however_many):
        return
    for names in _parts(found.unnamed):
        for name in names:
            folder.delete(name)
        yield len(names)
    for names in _parts(found.orphans):
        # Asked again: a long round may have seen an old file before its row was committed.
        yield sum(folder.throw_away(name, at) for name in set(names) - with_row(names))
    yield from _erase(folder, at)


def with_row(names: list[str]) -> set[str]:
    """Those of these files, at most CHUNK, that a submission points at."""
    return set(Submission.objects.filter(file__in=names).values_list("file", flat=True))


def last_round() -> FileRound | None:
    """What the last round found; None before the first."""
    return FileRound.objects.first()


def stopped() -> bool:
    """Whether the last round found a reason to move nothing."""
    return FileRound.objects.exclude(stopped="").exists()


def without_mark() -> bool:
    """Whether the folder says nothing of whose it is, or cannot be read, though the database knows
    of files there: it is not the one that it was, as a shared one that this machine has not
    mounted. A bucket is never: nobody mounts it.
    """
    if settings.STORAGE_URL.startswith("s3:"):
        return False
    known = Q(files__gt=0) | Exists(Submission.objects.all())
    if not FileRound.objects.exclude(installation=None).filter(known).exists():
        return False
    try:
        return submission_storage().mark() is None
    except UnreadableMark as error:
        return isinstance(error.__cause__, OSError)


def adopt() -> FileRound:
    """Say that folder and database belong together, whatever they say themselves.

    For an administrator who has looked: from the next round on, files without a row are moved.
    """
    folder = submission_storage()
    mark = None
    with suppress(UnreadableMark):  # it is written anew
        mark = folder.mark()
    row = _row()
    row.installation = (mark.installation if mark else row.installation) or uuid.uuid4()
    row.number = max(row.number, mark.number if mark else 0)
    row.stopped = ""
    row.save(update_fields=["installation", "number", "stopped"])
    folder.write_mark(Mark(row.installation, row.number))
    logger.warning("files_adopted", installation=str(row.installation))
    return row


def put_back() -> int:
    """Take every file back from the trash, with a row or without; answers how many."""
    folder = submission_storage()
    return sum(
        folder.take_back(name)
        for day in folder.trash_days()
        for names in _parts(folder.trashed(day))
        for name in names
    )


def _parts(names: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(names)
    while part := list(islice(remaining, CHUNK)):
        yield part


def _take_back(folder: Swept, found: _Seen) -> Iterator[int]:
    """What the trash has and a row points at, as after a dump was restored: no stop forbids it."""
    back = 0
    for day in folder.trash_days():
        for names in _parts(folder.trashed(day)):
            known = with_row(names)
            back += sum(folder.take_back(name) for name in known)
            found.trashed += len(names) - len(known)
            yield 0
    if back:
        logger.warning("files_taken_back", files=back)


def _erase(folder: Swept, at: datetime) -> Iterator[int]:
    """What has been in the trash for its days, and still has no row."""
    if not FileRound.objects.filter(Q(erases_from=None) | Q(erases_from__lte=at)).exists():
        return
    last = (at.astimezone(UTC) - timedelta(days=settings.TRASH_DAYS)).date()
    erased, left = 0, []
    for day in folder.trash_days():
        if day >= last:
            break
        for names in _parts(folder.trashed(day)):
            for name in set(names) - with_row(names):
                folder.erase(name, day)
                erased += 1
            yield 0
        if not any(folder.trashed(day)) and not folder.drop_day(day):
            left.append(str(day))
    if left:
        logger.warning("trash_days_not_empty", days=left)
    if erased:
        logger.warning("trash_emptied", files=erased, days=settings.TRASH_DAYS)


def _settle(folder: Swept, found: _Seen, at: datetime, however_many: bool) -> str:
    """Whether the round may move what it found; keeps and says what it saw."""
    row = _row()
    # Stopped for too many, the folder's share counts no longer: with new uploads it grows until the
    # same missing rows are within it, and what a person should look at would go by itself.
    allowed = FEW if row.stopped == Stop.MANY else max(FEW, found.files // SHARE)
    try:
        why = _whose(folder, row, found)
    except UnreadableMark:
        why = Stop.UNKNOWN
    if not why and found.without_row > allowed and not however_many:
        why = Stop.MANY
    moves = 0 if why else len(found.orphans)
    FileRound.objects.filter(pk=row.pk).update(
        ended_at=at,
        files=found.files,
        without_row=found.without_row,
        trashed=found.trashed + moves,
        erases_from=_erases_from(row, at),
        stopped=why,
    )
    facts = {"files": found.files, "without_row": found.without_row, "allowed": allowed}
    if why:
        logger.error("orphans_stopped", why=str(why), **facts)
    elif moves:
        logger.warning("orphans_to_trash", moves=moves, **facts)
    return why


def _erases_from(row: FileRound, at: datetime) -> datetime | None:
    """The instant before which nothing of the trash is erased.

    How long a file has lain there is known by the clock alone. When that seems to have jumped ahead
    since the last round, the days are counted anew from there: a jump erases nothing. When the
    clock came back, they are not counted from later than now.
    """
    until = at + timedelta(days=settings.TRASH_DAYS)
    if row.ended_at is not None and at - row.ended_at <= JUMP:
        return min(row.erases_from, until) if row.erases_from else None
    if row.ended_at is not None:
        logger.warning("trash_kept", last_round=str(row.ended_at), until=str(until))
    return until


def _whose(folder: Swept, row: FileRound, found: _Seen) -> str:
    """Why this folder may not be this database's; "" if it is, and then both count the round."""
    mark = folder.mark()
    # Read after the folder: the database's number is never the smaller one, whoever else sweeps.
    row.refresh_from_db(fields=["installation", "number"])
    if mark is None and row.installation is not None and row.files and not found.files:
        return Stop.UNKNOWN  # another folder, as where a shared one is not mounted
    if mark is None or row.installation is None:
        # A first round, or an upgrade: believed where most files, or all of none, have their row.
        if found.files and (mark is not None or found.known < found.without_row):
            return Stop.UNKNOWN
        mark = _claim(folder, row, mark)
    if mark.installation != row.installation:
        return Stop.OTHER
    if mark.number > row.number:
        return Stop.OLDER
    # The database first: killed between the two, the folder says less, which is no contradiction.
    FileRound.objects.filter(pk=row.pk).update(number=F("number") + 1)
    row.refresh_from_db(fields=["number"])
    folder.write_mark(Mark(mark.installation, row.number))
    return ""


def _claim(folder: Swept, row: FileRound, mark: Mark | None) -> Mark:
    """Write the side that lacks an id; of several that do so at once, the first one is right."""
    wanted = mark.installation if mark else uuid.uuid4()
    FileRound.objects.filter(pk=row.pk, installation=None).update(
        installation=wanted, number=mark.number if mark else 0
    )
    row.refresh_from_db(fields=["installation", "number"])
    assert row.installation is not None
    with suppress(FileExistsError):
        folder.write_mark(Mark(row.installation, row.number), first=True)
    found = folder.mark()
    assert found is not None
    return found


def _row() -> FileRound:
    return FileRound.objects.get_or_create(pk=1)[0]

"""Files that are whole or absent: written aside, synced, then put in place by one rename."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage
from django.db import transaction
from django.utils.deconstruct import deconstructible


@contextmanager
def rows_for_stored_bytes(discard: Callable[[], object]) -> Iterator[None]:
    """A transaction for the rows of bytes that were just stored; `discard` if it is rolled back.

    When only the commit fails, as by a lost connection, the database may have done it all the
    same: then the bytes stay, and what has no row in the end is the sweeper's.
    """
    written = False
    try:
        with transaction.atomic():
            yield
            written = True
    except BaseException:
        if not written:
            discard()
        raise


@deconstructible
class DurableFileSystemStorage(FileSystemStorage):
    """Local files whose accepted bytes survive a crash of the process or the machine.

    Django's own storage writes in place, so a killed process leaves half a file under the final
    name. Here the name appears only after the bytes and then the folder entry were synced.
    """

    def _save(self, name: str, content: File[bytes]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = target.with_name(f".{uuid.uuid4().hex}.part")
        try:
            with open(aside, "xb", opener=_private) as out:
                for chunk in content.chunks():
                    out.write(chunk)
                out.flush()
                os.fsync(out.fileno())
            os.replace(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
        return name


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

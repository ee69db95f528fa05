"""Files that are whole or absent: in a folder here, in a bucket in `bucket`.

`settings.STORAGES` names which. Nothing removes a file that no row names; `manage.py files` lists
what is left behind.
"""

import os
import tempfile
import uuid
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage
from django.db import transaction
from django.utils.deconstruct import deconstructible
from django.utils.translation import gettext_lazy as _

from leaderboard.refusals import Refused

private = partial(os.open, mode=0o600)  # an opener, of files for the owner's eyes


def spool() -> Path:
    """The folder of this machine for files under way; the system's own may lie in memory."""
    found = Path(settings.DATA_DIR) / "spool"
    found.mkdir(mode=0o700, parents=True, exist_ok=True)
    return found


def passing_file() -> IO[bytes]:
    """A new file in `spool` without a name, gone when it is closed."""
    return tempfile.TemporaryFile(dir=spool())


class StoreAway(OSError):
    """The store of files does not answer, or refuses this server. Nothing was kept."""


store_away = partial(
    Refused,
    "store_away",
    _("The server's file storage is not responding, so the file was not saved."),
    _("Please try again in a few minutes."),
    status=503,
    retry_after=30,
)
storage_full = partial(
    Refused,
    "storage_full",
    _("The server's storage is full, so the file was not saved."),
    _("Please try again in a few minutes."),
    status=507,
    retry_after=60,
)


@contextmanager
def stored(place: Storage, name: str, data: bytes) -> Iterator[str]:
    """The name of these bytes, kept in one transaction with their rows. Raises Refused."""
    try:
        kept = place.save(name, ContentFile(data))
    except StoreAway as error:
        raise store_away() from error
    except OSError as error:
        raise storage_full() from error
    with rows_for_stored_bytes(lambda: place.delete(kept)):
        yield kept


@contextmanager
def rows_for_stored_bytes(discard: Callable[[], object]) -> Iterator[None]:
    """A transaction for the rows of bytes that were just stored; `discard` if it is rolled back.

    If only the commit fails, as when the connection is lost, the database may have committed all
    the same: then the bytes stay, and `manage.py files` lists them if they have no row.
    """
    written = False
    try:
        with transaction.atomic():
            yield
            written = True
    except BaseException:
        if not written:
            with suppress(StoreAway):
                discard()
        raise


class Store(Storage):
    """What is asked of a place of files beside what Django's storages answer."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether a file could be kept now, as far as one question tells."""

    @abstractmethod
    def names(self) -> Iterable[str]:
        """The files of the place, in no order."""

    def trouble(self) -> str:
        """Why a file cannot be written, read and removed, found by doing it; "" if it can."""
        name, said = f"probe-{uuid.uuid4().hex}", os.urandom(16)
        try:
            self.save(name, ContentFile(said))
            try:
                with self.open(name) as kept:
                    same = kept.read() == said
            finally:
                self.delete(name)
        except OSError as error:
            return error.strerror or str(error) or type(error).__name__
        return "" if same else "another content"


@deconstructible
class DurableFileSystemStorage(Store, FileSystemStorage):
    """Local files whose accepted bytes survive a crash of the process or the machine.

    Django's own storage writes in place, so a killed process leaves half a file under the final
    name. Here the name appears only after the bytes and then the folder entry were synced.
    """

    def answers(self) -> bool:
        return True  # how full its disk is, readiness looks itself

    def names(self) -> Iterator[str]:
        with suppress(FileNotFoundError), os.scandir(self.location) as entries:
            yield from (entry.name for entry in entries if entry.is_file(follow_symlinks=False))

    def _save(self, name: str, content: File[bytes]) -> str:
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = target.with_name(f".{uuid.uuid4().hex}.part")
        try:
            with open(aside, "xb", opener=private) as out:
                for chunk in content.chunks():
                    out.write(chunk)
                out.flush()
                os.fsync(out.fileno())
            os.replace(aside, target)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return name

"""Files that are whole or absent, and a trash beside them for those that nothing points at.

In a folder here, in a bucket in `bucket`: `settings.STORAGES` names which. Both are a `Swept`.
"""

import json
import os
import tempfile
import uuid
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage
from django.db import transaction
from django.utils.deconstruct import deconstructible

# The folder inside a folder of files that holds no file of anybody's: mark and trash.
ASIDE = ".sweeper"
MOST_ROUNDS = 2**62  # a larger number in a mark is nobody's count, and a column's end is near


private = partial(os.open, mode=0o600)  # an opener, of files for the owner's eyes


def spool() -> Path:
    """The folder of this machine for files under way, readable by its owner only.

    Not the system's own: that may lie in memory.
    """
    found = Path(settings.DATA_DIR) / "spool"
    found.mkdir(mode=0o700, exist_ok=True)
    return found


def passing_file() -> IO[bytes]:
    """A new file in `spool` without a name, gone when it is closed."""
    return tempfile.TemporaryFile(dir=spool())


class StoreAway(OSError):
    """The store of files does not answer, or refuses this server. Nothing was kept."""


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
            with suppress(StoreAway):
                discard()
        raise


@dataclass(frozen=True)
class Mark:
    """Whose files a folder holds: an installation's id, and the number of its last round there."""

    installation: uuid.UUID
    number: int


class UnreadableMark(Exception):
    """Something says whose files these are, and nobody can tell what."""


class Swept(Storage):
    """A place of files with a trash, `.sweeper/trash/<day>/`, and a mark that says whose it is.

    Whoever opens a file that lies in the trash takes it back.
    """

    def open(self, name: str, mode: str = "rb") -> File[Any]:
        """The file, taken back from the trash if it lies there. Raises StoreAway."""
        try:
            return super().open(name, mode)
        except FileNotFoundError:
            if not self.take_back(name):
                raise
            return super().open(name, mode)

    @abstractmethod
    def answers(self) -> bool:
        """Whether a file could be kept now, as far as one question tells."""

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

    @abstractmethod
    def names(self) -> Iterator[str]:
        """The files of the place, in no order, read as they are asked for."""

    @abstractmethod
    def age_of(self, name: str, at: datetime) -> float:
        """Seconds since the file was written; 0.0 if it is gone."""

    @abstractmethod
    def throw_away(self, name: str, at: datetime) -> bool:
        """Move a file to the trash of that day (UTC); False if it is gone."""

    @abstractmethod
    def take_back(self, name: str) -> bool:
        """Move a file back from the trash; False if it is not there."""

    @abstractmethod
    def trash_days(self) -> list[date]:
        """The days on which something was thrown away, the first one first."""

    @abstractmethod
    def trashed(self, day: date) -> Iterator[str]:
        """The files that were thrown away on that day."""

    @abstractmethod
    def erase(self, name: str, day: date) -> None:
        """Remove a file of the trash for good."""

    @abstractmethod
    def drop_day(self, day: date) -> bool:
        """Remove the folder of a day; False if it stays, as one that holds a folder or a link."""

    @abstractmethod
    def write_mark(self, mark: Mark, *, first: bool = False) -> None:
        """Say whose files these are. `first`: raises FileExistsError if somebody was faster."""

    @abstractmethod
    def _read_mark(self) -> str:
        """What `write_mark` wrote. Raises FileNotFoundError."""

    def mark(self) -> Mark | None:
        """Whose files these are; None where nobody said so yet.

        Raises UnreadableMark, StoreAway.
        """
        try:
            said = json.loads(self._read_mark())
            mark = Mark(uuid.UUID(said["installation"]), int(said["round"]))
        except FileNotFoundError:
            return None
        except StoreAway:
            raise
        except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
            raise UnreadableMark from e
        if not 0 <= mark.number < MOST_ROUNDS:
            raise UnreadableMark
        return mark


def written(mark: Mark) -> str:
    """A mark as it stands in its file."""
    return json.dumps({"installation": str(mark.installation), "round": mark.number})


def is_day(name: str) -> date | None:
    """The day that a folder of the trash is for; None if it is not ours, or written otherwise."""
    try:
        day = date.fromisoformat(name)
    except ValueError:
        return None
    return day if name == str(day) else None


@deconstructible
class DurableFileSystemStorage(Swept, FileSystemStorage):
    """Local files whose accepted bytes survive a crash of the process or the machine.

    Django's own storage writes in place, so a killed process leaves half a file under the final
    name. Here the name appears only after the bytes and then the folder entry were synced.

    To the trash and back is a rename, on the same file system.
    """

    def answers(self) -> bool:
        return True  # how full its disk is, readiness looks itself

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

    def names(self) -> Iterator[str]:
        yield from _files(Path(self.location))

    def age_of(self, name: str, at: datetime) -> float:
        try:
            return at.timestamp() - Path(self.path(name)).stat().st_mtime
        except FileNotFoundError:
            return 0.0

    # --- The trash ------------------------------------------------------------------------------

    def throw_away(self, name: str, at: datetime) -> bool:
        target = self._trash / at.astimezone(UTC).date().isoformat() / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _move(Path(self.path(name)), target)

    def take_back(self, name: str) -> bool:
        target = Path(self.path(name))
        return any(_move(self._trash / str(day) / name, target) for day in self.trash_days())

    def trash_days(self) -> list[date]:
        paths = self._trash.iterdir() if self._trash.is_dir() else ()
        found = [is_day(path.name) for path in paths if path.is_dir() and not path.is_symlink()]
        return sorted(day for day in found if day is not None)

    def trashed(self, day: date) -> Iterator[str]:
        yield from _files(self._trash / str(day))

    def erase(self, name: str, day: date) -> None:
        (self._trash / str(day) / name).unlink(missing_ok=True)

    def drop_day(self, day: date) -> bool:
        try:
            (self._trash / str(day)).rmdir()
        except FileNotFoundError:
            return True  # another sweeper was faster
        except OSError:
            return False
        return True

    # --- The mark -------------------------------------------------------------------------------

    def _read_mark(self) -> str:
        return self._mark.read_text()

    def write_mark(self, mark: Mark, *, first: bool = False) -> None:
        self._mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self._mark.with_name(f".{uuid.uuid4().hex}.part")
        with open(beside, "x", opener=private) as out:
            out.write(written(mark))
            out.flush()
            os.fsync(out.fileno())
        try:
            if first:
                os.link(beside, self._mark)  # unlike a rename, fails when there is one
            else:
                os.replace(beside, self._mark)
        finally:
            beside.unlink(missing_ok=True)

    @property
    def _mark(self) -> Path:
        return Path(self.location) / ASIDE / "installation.json"

    @property
    def _trash(self) -> Path:
        return Path(self.location) / ASIDE / "trash"


def _files(folder: Path) -> Iterator[str]:
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    with entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                yield entry.name


def _move(source: Path, target: Path) -> bool:
    try:
        os.rename(source, target)
    except FileNotFoundError:
        return False
    return True

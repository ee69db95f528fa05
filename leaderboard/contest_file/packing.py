"""Packing a contest into a folder or a ZIP, and taking files out of one that somebody sent.

What is taken out is hostile: a name never leaves its folder, a compressed file never grows past
its limit, and nothing is unpacked to the disk.
"""

import stat
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.competitions.storage import private
from leaderboard.contest_file.document import MAX_BYTES, MAX_VALUES, Wrong, dump
from leaderboard.contest_file.export import Package, Read
from leaderboard.contest_file.layout import DOCUMENT
from scoring.messages import size

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP can say: equal contests, equal bytes
MAX_PATH = 200
MAX_ENTRY = 300  # bytes that a ZIP's directory needs for one file of ours
MAX_COMMENT = 70_000  # bytes at its end among which the directory is looked for
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Bounds:
    """The most that a package may hold: bytes and values of its document, its files, their bytes
    unpacked. `way` says what to do with a larger one."""

    document: int
    values: int
    entries: int
    total: int
    way: Promise | str = ""


# Time and memory of whoever has the machine; about a hundred thousand submissions.
COMMAND_LINE = Bounds(MAX_BYTES, MAX_VALUES, entries=150_000, total=4_000_000_000)
# Within one request, beside all others; about five thousand submissions.
WEB = Bounds(
    document=2_000_000,
    values=250_000,
    entries=10_000,
    total=200_000_000,
    way=_(" Import a larger one on the server, by manage.py import_contest."),
)


def write_folder(packed: Package, folder: Path) -> int:
    """Into a new or empty folder, for the owner's eyes only; answers the number of files."""
    _private_folder(folder)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    for path, read in _all(packed):
        target = folder / path
        _private_folder(target.parent)
        with open(target, "xb", opener=private) as out:
            out.write(read())
    return len(packed.files) + 1


def _private_folder(folder: Path) -> None:
    """With its parents; `mkdir` gives its mode to the last one alone."""
    if not folder.exists():
        _private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_zip(packed: Package, out: IO[bytes]) -> int:
    """As a ZIP. Stored, not compressed: a compressor's bytes differ from machine to machine."""
    with zipfile.ZipFile(out, "w") as archive:
        for path, read in _all(packed):
            archive.writestr(entry(path), read())
    return len(packed.files) + 1


def entry(path: str, compressed: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    """A file's place in a ZIP of ours: for its owner's eyes, and of no day."""
    made = zipfile.ZipInfo(path, EPOCH)
    made.compress_type = compressed
    made.create_system = 3  # Unix, wherever this runs: it gives the next line its meaning
    made.external_attr = 0o600 << 16
    return made


def _all(packed: Package) -> Iterator[tuple[str, Read]]:
    yield DOCUMENT, lambda: dump(packed.document)
    yield from sorted(packed.files.items())


class Source(ABC):
    """Files by their path in the package, and the most of them that is taken."""

    bounds = COMMAND_LINE

    @abstractmethod
    def names(self) -> frozenset[str]:
        """The paths of all files."""

    @abstractmethod
    def read(self, path: str, *, at_most: int) -> bytes:
        """The bytes of one file. Raises Wrong."""


class Folder(Source):
    """A folder on this machine. Links are not followed."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def names(self) -> frozenset[str]:
        found = (path for path in self.root.rglob("*") if path.is_file())
        return frozenset(path.relative_to(self.root).as_posix() for path in found)

    def read(self, path: str, *, at_most: int) -> bytes:
        file = self.root / safe(path)
        if file.resolve() != file:
            raise Wrong(_("Links are not followed."))
        try:
            if not stat.S_ISREG(file.stat().st_mode):
                raise FileNotFoundError
            with file.open("rb") as opened:
                return _bounded(opened, at_most)
        except OSError:
            raise _absent() from None


class Archive(Source):
    """A ZIP that somebody sent. A single folder around everything is looked through."""

    def __init__(self, file: IO[bytes], bounds: Bounds = COMMAND_LINE) -> None:
        self.bounds = bounds
        guarded = _Guarded(file, most=max(MAX_COMMENT, bounds.entries * MAX_ENTRY))
        try:
            self.zip = zipfile.ZipFile(cast("IO[bytes]", guarded))
            entries = [entry for entry in self.zip.infolist() if not entry.is_dir()]
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise Wrong(_("This is no ZIP file.")) from None
        except OverflowError:
            raise _too_large(bounds) from None
        guarded.most = None
        total = sum(one.file_size for one in entries)
        if len(entries) > bounds.entries or total > bounds.total:
            raise _too_large(bounds)
        inner = _around([entry.filename for entry in entries])
        self.entries: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            name = safe(entry.filename).removeprefix(inner)
            if name in self.entries:
                raise Wrong(_("{name} is there twice."), name=name)
            self.entries[name] = entry

    def names(self) -> frozenset[str]:
        return frozenset(self.entries)

    def read(self, path: str, *, at_most: int) -> bytes:
        entry = self.entries.get(safe(path))
        if entry is None:
            raise _absent()
        if entry.flag_bits & 0x1 or entry.compress_type not in METHODS:
            raise Wrong(
                _("The file is encrypted, or compressed in a way that is not taken."),
            )
        try:
            with self.zip.open(entry) as opened:
                return _bounded(opened, at_most)
        except Wrong:
            raise
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError):
            raise Wrong(_("The ZIP is broken here.")) from None


class _Guarded:
    """A file that hands out no more than `most` bytes at once, so that a ZIP's directory, which is
    read at once and grows thirtyfold in memory, is refused before."""

    def __init__(self, file: IO[bytes], *, most: int | None) -> None:
        self.file = file
        self.most = most

    def read(self, size: int = -1) -> bytes:
        """As the file's own. Raises OverflowError."""
        if self.most is None or 0 <= size <= self.most:
            return self.file.read(size)
        data = self.file.read(self.most + 1)
        if len(data) > self.most:
            raise OverflowError
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def _too_large(bounds: Bounds) -> Wrong:
    return Wrong(_("Unpacked this would be too large.{way}"), way=bounds.way)


class InMemory(Source):
    """A package that was read from this installation, for cloning."""

    def __init__(self, files: Mapping[str, Read]) -> None:
        self.files = files

    def names(self) -> frozenset[str]:
        return frozenset()  # a clone leaves files behind on purpose

    def read(self, path: str, *, at_most: int) -> bytes:
        if path not in self.files:
            raise _absent()
        return self.files[path]()


def safe(path: str) -> str:
    """A path that stays inside. Raises Wrong.

    >>> safe("data/a.csv")
    'data/a.csv'
    """
    parts = path.split("/")
    odd = any(part in ("", ".", "..") for part in parts) or len(path) > MAX_PATH
    if odd or any(not char.isprintable() or char in "\\:" for char in path):
        raise Wrong(
            _("A file's name must point inside, like data/a.csv."),
        )
    return path


def _around(names: list[str]) -> str:
    """The one folder in which a file manager wrapped everything, or nothing."""
    if DOCUMENT in names:
        return ""
    wrapped = [name for name in names if name.endswith(f"/{DOCUMENT}") and name.count("/") == 1]
    return wrapped[0].removesuffix(DOCUMENT) if len(wrapped) == 1 else ""


def _bounded(opened: IO[bytes], at_most: int) -> bytes:
    data = opened.read(at_most + 1)
    if len(data) > at_most:
        raise Wrong(
            _("The file is too large; the limit is {size}."),
            size=size(at_most),
            too_large=True,
        )
    return data


def _absent() -> Wrong:
    return Wrong(_("The file is not there."))

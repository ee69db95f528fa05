"""A backup: the database first, then the files that its rows name, read back before it counts.

    TARGET/files/<place>/<name>     once, however many backups name it
    TARGET/<time>/                  one backup: manifest.json, the dump, SHA256SUMS

A file never changes and is written before its row, so what a dump names was there. A folder gets
its name when all in it was read back; `sha256sum -c SHA256SUMS` in it says the same without us.
"""

import errno
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import django
from django.core.files.storage import storages
from django.db import DatabaseError, connection
from django.db.models.functions import Now

import leaderboard
from leaderboard.competitions.storage import StoreAway, private
from leaderboard.operations import dump
from leaderboard.operations.dump import CannotDump, Named
from leaderboard.operations.models import Backup
from leaderboard.operations.store import PLACES

FORMAT = 1
MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
SUM = re.compile(
    rf"([0-9a-f]{{64}})  ((?:\.\./files/({'|'.join(PLACES.values())})/)?(\w[\w.-]*))\n", re.ASCII
)
ATTEMPTS = 3


class ExitCode(IntEnum):
    """Exit codes of `backup` and `restore`, as docs/operating.md lists them."""

    REFUSED = 1
    NOT_WRITABLE = 3
    DISK_FULL = 4
    STORE = 5
    DAMAGED = 6
    NOT_EMPTY = 7
    NEWER = 8


class BackupProblem(Exception):
    """One sentence for the operator, and the exit code that goes with it."""

    def __init__(self, ending: ExitCode, sentence: str) -> None:
        super().__init__(sentence)
        self.ending = ending


class Listed(NamedTuple):
    """A line of SHA256SUMS; `place` is "" for what lies in the backup's own folder."""

    sha256: str
    path: str
    place: str
    name: str


class Made(NamedTuple):
    """A backup: its folder, what its manifest says, and how many files were copied for it."""

    folder: Path
    manifest: dict[str, Any]
    copied: int


@contextmanager
def as_problems(what: str) -> Iterator[None]:
    """Errors of database, store and disk as BackupProblem; `what` is said of a disk's."""
    try:
        yield
    except dump.DamagedDump as error:
        raise BackupProblem(ExitCode.DAMAGED, str(error)) from error
    except CannotDump as error:
        raise BackupProblem(ExitCode.REFUSED, str(error)) from error
    except StoreAway as error:
        sentence = f"The store of files does not answer: {error}."
        raise BackupProblem(ExitCode.STORE, sentence) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BackupProblem(ExitCode.DISK_FULL, f"The disk is full: {error}.") from error
        raise BackupProblem(ExitCode.NOT_WRITABLE, f"{what}: {error}.") from error


def back_up(target: Path, at: datetime) -> Made:
    """A new backup in `target`; a file that an earlier one brought there is not copied again.

    Files that the store lacks, or has otherwise than their rows say, do not stop it: the manifest
    names them. How it ended is kept in the database, for alarms. Raises BackupProblem.
    """
    try:
        made = _back_up(target, at)
    except BackupProblem as problem:
        _note(failed_at=Now(), failure=problem.ending.name)
        raise
    _note(made_at=Now())
    return made


def _note(**ended: object) -> None:
    with suppress(DatabaseError):  # a database that is away is told otherwise
        Backup.objects.update_or_create(pk=1, defaults=ended)


def _back_up(target: Path, at: datetime) -> Made:
    with as_problems(f"{target} cannot be written"), _locked(target), _aside(target) as aside:
        made = _fill(aside, target, at)
        folder = target / at.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
        os.sync()
        os.rename(aside, folder)
        os.sync()
        return made._replace(folder=folder)


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """One backup into a target at a time; what a killed one left there goes."""
    target.mkdir(mode=0o700, exist_ok=True)
    with open(target / ".lock", "w", opener=private) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = f"Another backup into {target} is under way."
            raise BackupProblem(ExitCode.REFUSED, sentence) from None
        for left in target.glob(".part-*"):
            shutil.rmtree(left)
        for half in target.glob("files/*/.*.part"):
            half.unlink()
        yield


@contextmanager
def _aside(target: Path) -> Iterator[Path]:
    aside = target / f".part-{uuid.uuid4().hex}"
    aside.mkdir(mode=0o700)
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _fill(aside: Path, target: Path, at: datetime) -> Made:
    """Dump, files, manifest and sums, each read back."""
    file = aside / dump.NAMES[connection.vendor]
    earlier = dict[str, str]()
    with suppress(BackupProblem):  # of a damaged one nothing is believed
        earlier = {line.path: line.sha256 for folder in kept(target)[-1:] for line in sums(folder)}
    copied, missing = 0, list[Listed]()
    for _ in range(ATTEMPTS):
        file.unlink(missing_ok=True)
        file.touch(mode=0o600)  # filled by who would make it readable to all
        snapshot, before = dump.take(file), missing
        lines, missing = list[Listed](), list[Listed]()
        for named in snapshot.files:
            line = _line(named)
            found, is_new = _bring(named, aside / line.path, earlier.get(line.path, ""))
            copied += is_new
            (lines if found else missing).append(line._replace(sha256=found))
        # What was taken away while this went on is no loss: the next dump does not name it.
        if missing in ([], before):
            break
    size = sum((aside / line.path).stat().st_size for line in lines)
    manifest = {
        "format": FORMAT,
        "made_at": at.isoformat(timespec="seconds"),
        "versions": {
            "leaderboard": leaderboard.__version__,
            "django": django.get_version(),
            "python": platform.python_version(),
            connection.vendor: snapshot.server,
        },
        "engine": connection.vendor,
        "database": {"name": file.name, "size": file.stat().st_size},
        "files": {"number": len(lines), "size": size},
        "missing": [f"{line.place}/{line.name}" for line in missing],
        "tables": snapshot.tables,
        "migrations": snapshot.migrations,
    }
    with open(aside / MANIFEST, "x", opener=private) as out:
        json.dump(manifest, out, ensure_ascii=False, indent=1)
    lines += [Listed(sha256_of(aside / name), name, "", name) for name in (MANIFEST, file.name)]
    with open(aside / SUMS, "x", opener=private) as out:
        out.writelines(f"{line.sha256}  {line.path}\n" for line in lines)
    check(aside, sums(aside)[-2:])  # the files were read back one by one
    return Made(aside, manifest, copied)


def _line(named: Named) -> Listed:
    place = PLACES[named.place]
    return Listed("", f"../files/{place}/{named.name}", place, named.name)


def _bring(named: Named, file: Path, earlier: str) -> tuple[str, bool]:
    """The sha256 of a file in the target, and whether it was copied now; "" if the store lacks it.

    One that is there is read, and copied again if it is not what its row or an earlier backup says.
    """
    wanted = named.sha256 or earlier
    if wanted and file.exists() and sha256_of(file) == wanted:
        return wanted, False
    for folder in (file.parent.parent, file.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    aside = file.with_name(f".{uuid.uuid4().hex}.part")
    try:
        try:
            content = storages[named.place].open(named.name)
        except FileNotFoundError:
            return "", False
        digest = hashlib.sha256()
        with content, open(aside, "xb", opener=private) as out:
            for chunk in content.chunks(1 << 20):
                digest.update(chunk)
                out.write(chunk)
        sha256 = digest.hexdigest()
        if named.sha256 not in ("", sha256):
            return "", False
        if sha256_of(aside) != sha256:
            raise OSError(errno.EIO, "what was written is not what is read", str(file))
        os.replace(aside, file)
    finally:
        aside.unlink(missing_ok=True)
    return sha256, True


# --- Reading one ---------------------------------------------------------------------------------


def kept(target: Path) -> list[Path]:
    """The backups of a target, the newest one last."""
    return sorted(found.parent for found in target.glob(f"[0-9]*/{SUMS}"))


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def sums(folder: Path) -> list[Listed]:
    """The lines of SHA256SUMS. Raises BackupProblem."""
    try:
        with (folder / SUMS).open(encoding="utf-8") as listed:
            found = [SUM.fullmatch(line) for line in listed]
    except (FileNotFoundError, NotADirectoryError):
        sentence = f"{folder} is no backup: {SUMS} is missing. One that was interrupted has none."
        raise BackupProblem(ExitCode.DAMAGED, sentence) from None
    except UnicodeDecodeError:
        found = [None]
    if not all(found):
        raise BackupProblem(ExitCode.DAMAGED, f"{folder} is damaged: {SUMS} cannot be read.")
    return [Listed(one[1], one[2], one[3] or "", one[4]) for one in found if one]


def manifest_of(folder: Path, lines: Iterable[Listed]) -> dict[str, Any]:
    """What a backup says of itself. Raises BackupProblem if it is damaged or of a newer program."""
    check_sums(folder, [line for line in lines if line.path == MANIFEST])
    try:
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        number = manifest["format"]
        if type(number) is not int or number < 1:
            raise ValueError("no format")
        if number <= FORMAT:
            _refuse_half(manifest)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        sentence = f"{folder} is damaged: {MANIFEST} cannot be read."
        raise BackupProblem(ExitCode.DAMAGED, sentence) from error
    if number > FORMAT:
        sentence = f"This backup is of format {number}, and this program knows {FORMAT}: update it."
        raise BackupProblem(ExitCode.NEWER, sentence)
    return manifest


def _refuse_half(manifest: dict[str, Any]) -> None:
    """ValueError, LookupError, TypeError or AttributeError unless it says all that is asked."""
    if manifest["database"]["name"] != dump.NAMES[manifest["engine"]]:
        raise ValueError("another name of the dump")
    numbers = [*manifest["tables"].values(), manifest["files"]["number"]]
    words = [manifest["made_at"], manifest["versions"]["leaderboard"], *manifest["missing"]]
    words += [word for migration in manifest["migrations"] for word in migration]
    if not all(isinstance(one, int) for one in numbers) or not all(map(_is_text, words)):
        raise TypeError("something is of another kind")
    if any(len(migration) != 2 for migration in manifest["migrations"]):
        raise ValueError("a migration without app or name")
    if not isinstance(manifest["missing"], list):
        raise TypeError("no list of files")
    datetime.fromisoformat(manifest["made_at"])


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def check_sums(folder: Path, lines: Iterable[Listed]) -> None:
    """That each of these files is there and is what was written. Raises BackupProblem."""
    wrong = []
    for line in lines:
        try:
            if not stat.S_ISREG((folder / line.path).stat().st_mode):  # a pipe would be waited for
                wrong.append(f"{line.path} is no file")
            elif sha256_of(folder / line.path) != line.sha256:
                wrong.append(f"{line.path} is not what was written")
        except FileNotFoundError:
            wrong.append(f"{line.path} is missing")
        except OSError as error:
            wrong.append(f"{line.path} cannot be read ({error.strerror})")
    if wrong:
        more = f"; {len(wrong)} files in all" if wrong[5:] else ""
        said = f"{folder} is damaged: {'; '.join(wrong[:5])}{more}."
        raise BackupProblem(ExitCode.DAMAGED, said)


def check(folder: Path, lines: list[Listed]) -> dict[str, Any]:
    """Read a backup: these files, and its dump row by row; its manifest. Raises BackupProblem."""
    manifest = manifest_of(folder, lines)
    check_sums(folder, lines)
    found = dump.rows(folder / manifest["database"]["name"])
    if found != manifest["tables"]:
        told = manifest["tables"]
        table = min(name for name in {*told, *found} if told.get(name) != found.get(name))
        raise BackupProblem(
            ExitCode.DAMAGED,
            f"{folder} is damaged: of {table} it has {found.get(table, 'no')} rows, "
            f"and the database had {told.get(table, 'no')}.",
        )
    return manifest

"""A backup: the database first, then the files that its rows name. And back into an installation.

    TARGET/files/<place>/<name>     once, however many backups name it
    TARGET/<time>/                  one backup: manifest.json, the dump, SHA256SUMS

A file is written before its row, so what a dump names was there. A folder gets its name when all
in it was read back; `sha256sum -c SHA256SUMS` says the same. Back go the files first, the database
at once and last: killed in between, the installation is still empty and the same command goes on.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import django
from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.db.models.functions import Now

import leaderboard
from leaderboard.accounts.models import User
from leaderboard.competitions.models import DataFile
from leaderboard.competitions.storage import StoreAway
from leaderboard.operations.models import Backup
from leaderboard.operations.store import PLACES
from leaderboard.references.models import ReferenceSet
from leaderboard.submissions.models import Submission

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
DUMPS = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
# As SQLite, the system and PostgreSQL's programs say it.
FULL = ("disk is full", os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))
NAMES = {place: name for name, place in PLACES.items()}
SUM = re.compile(rf"([0-9a-f]{{64}})  ((?:\.\./files/(?:{'|'.join(NAMES)})/)?\w[\w.-]*)", re.ASCII)
# Where rows name files: place, table, column of the name, column of its sha256. Golds have none.
# An app above adds its own in its `ready()`.
NAMED_BY: list[tuple[str, type[Model], str, str | None]] = [
    ("submissions", Submission, "file", "sha256"),
    ("default", DataFile, "file", "sha256"),
    ("golds", ReferenceSet, "stored_as", None),
]
Manifest = dict[str, Any]


class ExitCode(IntEnum):
    """Exit codes of `backup` and `restore`, as docs/operating.md lists them."""

    REFUSED = 1
    NOT_WRITABLE = 3
    DISK_FULL = 4
    STORE = 5
    DAMAGED = 6
    NOT_EMPTY = 7
    NEWER = 8


refused = partial(CommandError, returncode=ExitCode.REFUSED)
damaged = partial(CommandError, returncode=ExitCode.DAMAGED)


class Named(NamedTuple):
    """A file that a row names; `sha256` is "" where no row says it."""

    place: str
    name: str
    sha256: str


@contextmanager
def _problems(what: str) -> Iterator[None]:
    """Errors of store, disk and database as CommandError."""
    try:
        yield
    except (OSError, DatabaseError, sqlite3.DatabaseError) as error:
        ending = ExitCode.NOT_WRITABLE if isinstance(error, OSError) else ExitCode.REFUSED
        if isinstance(error, StoreAway):
            ending = ExitCode.STORE
        elif any(words in str(error) for words in FULL):
            ending = ExitCode.DISK_FULL
        raise CommandError(f"{what}: {error}.", returncode=ending) from error


def back_up(target: Path, at: datetime) -> tuple[Path, Manifest]:
    """Make a new backup in `target`: its folder and what its manifest says. Raises CommandError.

    Files that the store lacks, or has otherwise than their rows say, are named in the manifest.
    """
    folder = target / at.astimezone(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    aside = target / ".part"
    try:
        with _problems(f"The backup into {target} failed"), _alone(target):
            shutil.rmtree(aside, ignore_errors=True)  # of one that was killed
            aside.mkdir()
            try:
                manifest = _fill(aside, at)
                os.sync()
                aside.rename(folder)
                os.sync()
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    except CommandError as problem:
        _note(failed_at=Now(), failure=ExitCode(problem.returncode).name)
        raise
    _note(made_at=Now())
    return folder, manifest


def _note(**ended: object) -> None:
    with suppress(DatabaseError):  # another check says that the database is away
        Backup.objects.update_or_create(pk=1, defaults=ended)


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """A target takes one backup at a time."""
    target.mkdir(exist_ok=True)
    with (target / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise refused(f"Another backup into {target} is under way.") from None
        yield


def _fill(aside: Path, at: datetime) -> Manifest:
    """Dump, files, manifest and sums, each read back."""
    file = aside / DUMPS[connection.vendor]
    dump_database(file)
    read_dump(file)
    there = {f"../files/{one.parent.name}/{one.name}" for one in aside.glob("../files/*/*")}
    copied = {named: _copy(named, aside) for named in sorted(named_files())}
    listed = {_path(named): sha256 for named, sha256 in copied.items() if sha256}
    lost = {named for named, sha256 in copied.items() if not sha256}
    if lost:
        lost &= {*named_files()}  # what was deleted meanwhile is no loss
    migrations = MigrationRecorder(connection).applied_migrations()
    manifest: Manifest = {
        "format": 1,
        "made_at": at.isoformat(timespec="seconds"),
        "versions": {"leaderboard": leaderboard.__version__, "django": django.get_version()},
        "engine": connection.vendor,
        "database": {"name": file.name, "size": file.stat().st_size},
        "files": {
            "number": len(listed),
            "new": len(listed.keys() - there),
            "size": sum((aside / path).stat().st_size for path in listed),
        },
        "missing": sorted(_path(named) for named in lost),
        "migrations": sorted(migrations),
    }
    (aside / MANIFEST).write_text(json.dumps(manifest, ensure_ascii=False, indent=1))
    listed |= {one: sha256_of(aside / one) for one in (MANIFEST, file.name)}
    (aside / SUMS).write_text("".join(f"{sha256}  {path}\n" for path, sha256 in listed.items()))
    return manifest


def named_files() -> Iterator[Named]:
    """The files that rows name now."""
    for place, model, column, sha256 in NAMED_BY:
        for row in model._default_manager.values_list(column, *filter(None, [sha256])).iterator():
            names = row[0] if isinstance(row[0], list) else [row[0]]
            yield from (Named(place, name, row[1] if sha256 else "") for name in names if name)


def _path(named: Named) -> str:
    return f"../files/{PLACES[named.place]}/{named.name}"


def _copy(named: Named, aside: Path) -> str:
    """The sha256 of a file that lies in the target now; "" where the store lacks what was sent."""
    file, part = aside / _path(named), aside / "file"
    if named.sha256 and file.exists() and sha256_of(file) == named.sha256:
        return named.sha256
    try:
        with storages[named.place].open(named.name) as content, part.open("wb") as out:
            out.writelines(content.chunks(1 << 20))
    except FileNotFoundError:
        return ""
    sha256 = sha256_of(part)
    if named.sha256 not in ("", sha256):
        part.unlink()
        return ""
    file.parent.mkdir(parents=True, exist_ok=True)
    part.replace(file)
    return sha256


def kept(target: Path) -> list[Path]:
    """The backups of a target, the newest one last."""
    return sorted(found.parent for found in target.glob(f"[0-9]*/{SUMS}"))


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def check(folder: Path) -> tuple[Manifest, list[str]]:
    """Read all files but the dump: the manifest and their paths. Raises CommandError, OSError."""
    if not (folder / SUMS).is_file():
        raise damaged(f"{folder} is no backup: {SUMS} is missing. An interrupted one has none.")
    found = map(SUM.fullmatch, (folder / SUMS).read_text(errors="replace").splitlines())
    listed = {one[2]: one[1] for one in found if one}
    files = [path for path in listed if path.startswith("../")]
    there = {path: (folder / path).is_file() and sha256_of(folder / path) for path in listed}
    wrong = [path for path, sha256 in there.items() if sha256 != listed[path]]
    if not wrong:
        try:
            manifest: Manifest = json.loads((folder / MANIFEST).read_bytes())
            own = {MANIFEST, manifest["database"]["name"]}
            if own == listed.keys() - {*files} and len(files) == manifest["files"]["number"]:
                return manifest, files
        except (OSError, ValueError, LookupError, TypeError):
            wrong = [MANIFEST]
    said = f"{', '.join(wrong[:5]) or SUMS}{f' … {len(wrong)} files' if wrong[5:] else ''}."
    raise damaged(f"{folder} is damaged: missing or changed: {said}")


def restore(source: Path, say: Callable[[str], object]) -> None:
    """Put a backup, or the newest of a target, into this installation. Raises CommandError."""
    _refuse_inhabited()
    with _problems(f"{source} could not be restored"):
        folder = (kept(source) or [source])[-1]
        say(f"{folder}: reading all of it …")
        manifest, files = check(folder)
        if manifest["engine"] != connection.vendor:
            raise refused(
                f"This backup is of {manifest['engine']}, and DATABASE_URL leads to "
                f"{connection.vendor}. Contests move by export_contest and import_contest."
            )
        known = MigrationLoader(None).disk_migrations
        if unknown := sorted({tuple(one) for one in manifest["migrations"]} - known.keys()):
            raise CommandError(
                f"This backup is of version {manifest['versions']['leaderboard']}, whose "
                f"migration {' '.join(unknown[-1])} is not here: install that version or a newer.",
                returncode=ExitCode.NEWER,
            )
        database = folder / manifest["database"]["name"]
        read_dump(database)
        brought = 0
        for path in files:
            *_, place, name = path.split("/")
            storage = storages[NAMES[place]]
            if not storage.exists(name):
                with (folder / path).open("rb") as content:
                    storage.save(name, File(content))
                brought += 1
        say(f"{brought} of {len(files)} files brought to the store.")
        _refuse_inhabited()
        load_dump(database)
        call_command("migrate", interactive=False, verbosity=0)
    if missing := manifest["missing"]:
        say(f"The backup was made without {len(missing)} files: {', '.join(missing)}")


def _refuse_inhabited() -> None:
    """Refuse to replace anything where somebody has an account; every contest has an owner."""
    if User._meta.db_table in connection.introspection.table_names() and User.objects.exists():
        raise CommandError(
            "There are accounts here, and a backup goes into an empty installation alone: point "
            "DATA_DIR and DATABASE_URL to a new one.",
            returncode=ExitCode.NOT_EMPTY,
        )


def dump_database(file: Path) -> None:
    """Write the whole database into a new file. Raises CommandError, DatabaseError."""
    if connection.vendor == "postgresql":
        _run("pg_dump", "--format=custom", f"--file={file}")
        return
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(file)])


def read_dump(file: Path) -> None:
    """Read each byte of a dump of this engine. Raises CommandError."""
    try:
        if connection.vendor == "postgresql":
            _run("pg_restore", f"--file={os.devnull}", str(file), connects=False)
            return
        with _opened(file) as copy:
            ((said,),) = copy.execute("PRAGMA integrity_check(1)")
    except (DatabaseError, sqlite3.DatabaseError) as error:
        said = str(error)
    if said != "ok":
        raise damaged(f"{file} is damaged: {said}")


def load_dump(file: Path) -> None:
    """Fill an empty database with a dump: all of it or nothing. Raises as `dump_database`."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with _opened(file) as copy:
            copy.backup(connection.connection)  # one transaction, whoever has it open
        connection.close()
        return
    # The tables of an installation that nobody used go first; what else lies there stays.
    there = {*connection.introspection.django_table_names(only_existing=True)}
    there |= {"django_migrations"} & {*connection.introspection.table_names()}
    with transaction.atomic(), connection.cursor() as cursor:
        for table in sorted(there):
            cursor.execute(f'DROP TABLE "{table}" CASCADE')
    connection.close()
    # A comment on an extension is its owner's to write, who may be another one here.
    plain = ["--no-owner", "--no-privileges", "--no-comments"]
    _run("pg_restore", "--single-transaction", "--exit-on-error", *plain, str(file))
    # A dump brings no statistics, and the first pages need them.
    _run("vacuumdb", "--analyze-only", "--quiet")


def _opened(file: Path) -> closing[sqlite3.Connection]:
    """A snapshot of SQLite, which nobody writes: nothing is locked or left beside it."""
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    return closing(sqlite3.connect(uri, uri=True))


def _run(name: str, *words: str, connects: bool = True) -> None:
    """Run a program of PostgreSQL on our database, whose password goes by the environment."""
    if (program := shutil.which(name)) is None:
        raise refused(f"{name} is missing: apt install postgresql-client, as new as the server's.")
    if settings.DATABASE_POOLED:
        raise refused("Behind a pooler set DATABASE_POOLED=0 and DATABASE_URL of the database.")
    psql, secret = connection.client.settings_to_cmd_args_env(connection.settings_dict, [])
    if connects:
        words = ("--no-password", *psql[1:-1], f"--dbname={psql[-1]}", *words)
    env = {**os.environ, **(secret or {}), "LC_ALL": "C"}
    done = subprocess.run([program, *words], env=env, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise DatabaseError(f"{name} says: {said or done.returncode}")

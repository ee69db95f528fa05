"""A backup becomes an installation again: an empty one, and only after all of it was read.

The files come first, the database at once and last: killed in between, the installation is still
empty and the same command goes on; a file without a row does no harm.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.core.files.storage import storages
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.operations import dump
from leaderboard.operations.backup import (
    MANIFEST,
    BackupProblem,
    ExitCode,
    Listed,
    as_problems,
    check,
    kept,
    manifest_of,
    sums,
)
from leaderboard.operations.store import PLACES

Say = Callable[[str], object]


def restore(source: Path, say: Say) -> None:
    """Put a backup, or the newest one of a target, into this installation; `say` what was done.

    Raises BackupProblem, and then nothing was written unless the problem is of this disk or store.
    """
    with as_problems(f"{source} could not be restored"):
        folder = (kept(source) or [source])[-1]
        lines = sums(folder)
        manifest = manifest_of(folder, lines)
        _refuse_other(manifest)
        _refuse_inhabited()
        say(f"{folder}: made {manifest['made_at']}, reading all of it …")
        manifest = check(folder, lines)
        own = {line.name for line in lines if not line.place}
        is_whole = len(lines) == manifest["files"]["number"] + len(own)
        if not is_whole or own != {MANIFEST, manifest["database"]["name"]}:
            raise BackupProblem(ExitCode.DAMAGED, f"{folder} is damaged: SHA256SUMS lacks lines.")
        files = [line for line in lines if line.place]
        say(f"{_bring_back(folder, files)} of {len(files)} files brought to the store.")
        _refuse_inhabited()
        dump.put(folder / manifest["database"]["name"])
        rows = sum(manifest["tables"].values())
        say(f"Database restored: {len(manifest['tables'])} tables, {rows} rows.")
        _upgrade(say)
    if missing := manifest["missing"]:
        say(f"The backup was made without {len(missing)} files: {', '.join(missing)}")


def _refuse_other(manifest: dict[str, Any]) -> None:
    """Of another engine, or of code that this one does not know."""
    if manifest["engine"] != connection.vendor:
        sentence = (
            f"This backup is of {manifest['engine']}, and DATABASE_URL leads to "
            f"{connection.vendor}. Contests move by export_contest and import_contest."
        )
        raise BackupProblem(ExitCode.REFUSED, sentence)
    known = MigrationLoader(None).disk_migrations or {}
    applied = {(app, name) for app, name in manifest["migrations"]}
    if unknown := sorted(applied - known.keys()):
        app, name = unknown[-1]
        raise BackupProblem(
            ExitCode.NEWER,
            f"This backup is of version {manifest['versions']['leaderboard']} and knows "
            f"{len(unknown)} migrations that are not here, such as {app} {name}: install the "
            "version that made it, or a newer one.",
        )


def _refuse_inhabited() -> None:
    """Where anybody has an account or a contest, nothing is replaced."""
    there = connection.introspection.table_names()
    found = {
        name: model._default_manager.count() if model._meta.db_table in there else 0
        for name, model in (("accounts", User), ("contests", Competition))
    }
    if any(found.values()):
        said = " and ".join(f"{number} {name}" for name, number in found.items())
        raise BackupProblem(
            ExitCode.NOT_EMPTY,
            f"There are {said} here, and a backup goes into an empty installation alone: "
            "point DATA_DIR and DATABASE_URL to a new one.",
        )


def _bring_back(folder: Path, files: list[Listed]) -> int:
    """Put into the store what it lacks; answers how many."""
    names = {place: name for name, place in PLACES.items()}
    brought = 0
    for line in files:
        storage = storages[names[line.place]]
        if not storage.exists(line.name):
            with (folder / line.path).open("rb") as content:
                storage.save(line.name, File(content))
            brought += 1
    return brought


def _upgrade(say: Say) -> None:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        call_command("migrate", interactive=False, verbosity=0)
        say(f"{len(plan)} migrations of this newer version applied.")
